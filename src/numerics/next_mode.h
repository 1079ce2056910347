#pragma once
#include <map>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "numerics/mode_tree_search.h"
#include "numerics/mode_verdict.h"
#include "numerics/semismooth_newton.h"

namespace chi::numerics {

enum class ModeStage { Kept, Newton, Path, ExactNewton, Search };
std::string_view name(ModeStage stage);

struct NextModeLimits {
  int verifications = 60;  ///< modes that are verified in all
  int repairs = 12;        ///< modes that exact Newton verifies, from one proposal
  int nodes = 800;         ///< of the search; 0: none
  int searched_variables = 300;
  bool newton = true, path = true, exact = true;  ///< stages, for tests
  bool keeps = true;                              ///< the start mode is verified first
};

struct FoundMode {
  Mode mode;
  ModeStage by = ModeStage::Kept;
  int verified = 0;  ///< modes
};
struct NoMode {
  std::vector<Certificate> certificates;  ///< shortest first
};
/// Nothing was accepted, and nothing was proven.
struct UndecidedMode {
  std::vector<std::pair<Mode, Verdict>> nearest;  ///< proposals, with what refused them
};
using NextMode = std::variant<FoundMode, NoMode, UndecidedMode>;

/// The next mode: the one-step problem proposes, `verify` decides.
///
/// Stages: the start mode; then for h = 1e-4, 1e-2, 1e-6 of the time scale semismooth Newton and
/// path following with three seeds; then from refused proposals exact Newton, in which laws refused
/// at the lowest order cross their facets; then the search, at larger h. A mode is verified once.
/// The laws are complete. Sound: only an accepted mode is found. Always ends.
NextMode next_mode(const ModeProblem& problem, const Mode& start, VerifyMode verify,
                   const NextModeLimits& limits = {});

}  // namespace chi::numerics
