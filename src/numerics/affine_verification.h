#pragma once
#include <vector>

#include "numerics/mode_verdict.h"

namespace chi::numerics {

/// What a mode of an affine problem does at the instant and just after it.
struct AffineVerdict : Verdict {
  std::vector<double> after = {};     ///< values
  std::vector<double> rate = {};      ///< their first derivatives
  std::vector<double> impulses = {};  ///< weights; zero: none
  bool is_deep = false;               ///< some variable becomes the derivative of an impulse
};

/// Judges a mode by the Laurent coefficients of the one-step solution w(h), which for constant
/// coefficients are those of the motion, impulses first (one_step.h): every condition's first
/// coefficient, of orders -4 to 6, that exceeds its error is positive, or none does. The error is
/// what the errors of the values before make of it, plus round-off.
///
/// The coefficients come from Cauchy's integral on a circle inside the nearest pole, by complex
/// dense factorisations: O(32 n³). For tests and small problems; where there is a plan of the mode,
/// its jump and its derivatives give the same numbers.
AffineVerdict verify_affine(const ModeProblem& problem, const Mode& mode);

/// The same after jumps: takes modes by `next` until nothing jumps any more, at most 8 rounds.
struct AffineMotion {
  bool found = false;
  Mode mode = {};
  std::vector<double> after = {};
  std::vector<double> impulses = {};  ///< sums over the rounds
  int rounds = 0;
};
AffineMotion settle_affine(ModeProblem problem, Mode start,
                           FunctionRef<bool(const ModeProblem&, Mode&)> next);

}  // namespace chi::numerics
