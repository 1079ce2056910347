#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "numerics/one_step.h"
#include "numerics/semismooth_newton.h"
#include "sim/consistency/law_model.h"
#include "sim/events/part_run.h"
#include "sim/modes/part.h"

namespace chi::sim {

/// Advances a part by the one-step problem itself, with a step that is not small: time stepping in
/// place of event-driven integration. P3 §9.11 inlines the integrator of one inductor; Moreau and
/// Jean step rigid bodies with contacts so [1].
///
/// A step from t to t + h solves, for values w and a mode at t + h together,
///
///     rows and conditions of the laws at (w', w, t + h),   w' = (w - b)/(θ h),
///     b = w_t + (1 - θ) h w'_t,
///
/// on the raw equations: implicit Euler for θ = 1, the trapezoidal rule for θ = 1/2. No event is
/// located, no index reduced, nothing differentiated; a jump is what a step makes of it. After a
/// change of mode, or of values by statements, some steps have θ = 1: it damps what the jump leaves
/// in rates of constrained variables, which the trapezoidal rule would keep [2].
///
/// Affine equations are posed once: after that a step evaluates them once and solves with the
/// factors of the mode. Others take Newton's method, with the laws linearised anew at each iterate
/// (Josephy-Newton, next-mode.md §9).
///
/// [1] J. J. Moreau, "Numerical aspects of the sweeping process", Comput. Methods Appl. Mech.
/// Engrg.
///     177, 1999, 329-349.
/// [2] R. Rannacher, "Finite element solution of diffusion problems with irregular data", Numer.
///     Math. 43, 1984, 309-327.
class TimeStepper : public FixedSteps {
 public:
  TimeStepper(Workshop& workshop, Part& part) : workshop_(workshop), part_(part) {}

  /// Whether a part can be stepped: what looks back, or moves in steps, it leaves to integrators.
  static bool can_step(const Part& part);

  void restart() override;
  bool step(double from, double until, std::vector<double>& frame) override;
  void arrive() override;
  Counts counts() const override { return counts_; }

 private:
  /// A problem, and what it was posed for.
  struct Posed {
    LawProblem laws;
    std::unique_ptr<numerics::OneStep> step;
    std::vector<double> known;  // of the frame, what is no unknown
    double h;                   // θ h; set with the rest by `pose`
  };
  void enter_columns(std::vector<double>& frame);
  bool solve(double until, double theta_h, std::vector<double>& frame);
  bool solve_affine(double theta_h, std::vector<double>& frame);
  bool solve_by_newton(double theta_h, std::vector<double>& frame);
  bool pose(const std::vector<double>& frame, double theta_h, Posed& out);
  bool find_mode(Posed& posed, const std::vector<double>& frame);
  double write(const Posed& posed, double theta_h, std::vector<double>& frame) const;
  void set_sides(const LawProblem& laws, const std::vector<double>& frame);
  std::vector<double> known_values(const std::vector<double>& frame) const;
  bool fail_without_mode(const Posed& posed, double time);
  bool fail(DiagCode code, std::string message, std::string help);

  Workshop& workshop_;
  Part& part_;
  LawModel* laws_ = nullptr;
  struct Place {
    std::int32_t value = -1, rate = -1;  // in a frame; -1: none
  };
  std::vector<Place> places_;       // by column
  std::vector<char> is_unknown_;    // by place in a frame: written by steps
  std::vector<double> before_, b_;  // by column: w_t, b
  std::optional<Posed> posed_;      // of affine equations
  numerics::Proposal found_;        // by the last search for a mode
  Sides sides_;                     // at the end of the last step
  Sides sides_before_;
  int startup_ = 0;  // steps to come with θ = 1
  Counts counts_;
};

}  // namespace chi::sim
