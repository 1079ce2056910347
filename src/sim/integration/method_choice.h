#pragma once
#include <cstdint>
#include <string_view>

#include "numerics/integrator.h"
#include "sim/interface/run_options.h"

namespace chi::sim {

enum class Method : std::uint8_t {
  DormandPrince,  ///< explicit Runge-Kutta 5(4)
  Fehlberg,       ///< explicit Runge-Kutta 4(5)
  Bdf,            ///< BDF on the ODE form, our own
  Cvode,          ///< the same by CVODE
  Ida,            ///< BDF on the DAE form
  Radau,          ///< implicit Runge-Kutta on the ODE form
  RadauDae,       ///< the same on the DAE form
  Algebraic,      ///< no states
};
inline constexpr int kMethodCount = 8;
std::string_view name(Method method);
inline bool uses_dae_form(Method m) { return m == Method::Ida || m == Method::RadauDae; }

/// Decides which method integrates a part, by what is seen on the way.
///
/// Auto starts with an explicit method. When stability limits its steps an implicit one takes over:
/// BDF, or Radau for small systems, where its work per step is cheap and its steps are longer, and
/// where events cut the run in pieces so short that BDF would never leave its low orders. After
/// some steps the two are compared by the time they gain per work done, counted in evaluations and
/// not by the clock, so that runs repeat; if Radau is not better BDF has its turn, whose iteration
/// bears slopes that are nearly infinite, as of a square root near zero, and if that is not,
/// either, the explicit one returns for a while. (A cascade of lags has large eigenvalues of no
/// consequence.)
class MethodChoice {
 public:
  struct Facts {
    bool has_states = true;
    bool prefers_dae = false;  ///< the ODE form has large implicit blocks or a dense Jacobian
    int size = 0;              ///< components of the form that an implicit method would integrate
  };
  MethodChoice(SolverChoice wanted, Facts facts);

  Method method() const { return method_; }
  void note_restart();
  /// After an accepted step of `by`; true if another method is to take the next.
  bool note_step(const numerics::Integrator& by);
  /// After a failed step: true if there is another method to try from the same point.
  bool note_failure();

 private:
  struct Mark {
    double t = 0;
    double work = 0;
  };
  static double work_of(const numerics::IntegratorStats& stats);
  Method implicit() const;
  void enter(Method method);
  bool watch_explicit(const numerics::Integrator& by);
  bool judge_trial(const numerics::Integrator& by);

  bool automatic_;
  Facts facts_;
  Method method_;
  Method bdf_, radau_;
  std::int64_t steps_ = 0;  // since this method was chosen
  std::int64_t hold_ = 0;   // steps during which stiffness is ignored
  std::int64_t next_hold_ = 500;
  bool on_trial_ = false;     // an implicit method has to prove itself
  bool radau_lost_ = false;   // it did not
  double explicit_rate_ = 0;  // time per work, before the trial
  Mark mark_, older_mark_;
  bool marked_ = false;
  std::int64_t restarts_ = 0, steps_since_restart_ = 0;
  double steps_per_restart_ = 1000;  // recent average
  int failures_ = 0;                 // methods that failed since the last accepted step
  Method before_failures_ = Method::DormandPrince;
};

}  // namespace chi::sim
