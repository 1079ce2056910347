#include "sim/integration/method_choice.h"

#include <utility>

namespace chi::sim {
namespace {

constexpr std::int64_t kWindow = 30;  // steps over which progress is measured
constexpr double kBetter = 0.7;       // of the explicit rate suffices to stay implicit
constexpr double kFewSteps = 20;      // between restarts: BDF hardly gets started
constexpr double kManySteps = 60;
constexpr std::int64_t kEnoughRestarts = 6;
constexpr int kSmall = 300;  // up to there Radau was no slower on any problem measured

bool is_explicit(Method m) { return m == Method::DormandPrince || m == Method::Fehlberg; }

}  // namespace

std::string_view name(Method method) {
  switch (method) {
    case Method::DormandPrince: return "dopri5";
    case Method::Fehlberg: return "rkf45";
    case Method::Bdf: return "bdf";
    case Method::Cvode: return "cvode";
    case Method::Ida: return "ida";
    case Method::Radau:
    case Method::RadauDae: return "irk";
    case Method::Algebraic: return "algebraic";
  }
  return "";
}

MethodChoice::MethodChoice(SolverChoice wanted, Facts facts)
    : automatic_(wanted == SolverChoice::Auto && facts.has_states),
      facts_(facts),
      method_(Method::DormandPrince),
      bdf_(facts.prefers_dae ? Method::Ida : Method::Bdf),
      radau_(facts.prefers_dae ? Method::RadauDae : Method::Radau) {
  switch (wanted) {
    case SolverChoice::Auto:
    case SolverChoice::Timestep:  // has no motion: sim/timestepping
    case SolverChoice::Dopri5: break;
    case SolverChoice::Rkf45: method_ = Method::Fehlberg; break;
    case SolverChoice::Ida: method_ = Method::Ida; break;
    case SolverChoice::Bdf: method_ = Method::Bdf; break;
    case SolverChoice::Cvode: method_ = Method::Cvode; break;
    case SolverChoice::Irk: method_ = radau_; break;
  }
  if (!facts.has_states) method_ = Method::Algebraic;
}

// In evaluations of f; the weights are those of sparse matrices with little fill.
double MethodChoice::work_of(const numerics::IntegratorStats& s) {
  return static_cast<double>(s.evaluations) + 0.5 * static_cast<double>(s.newton_iterations) +
         2.0 * static_cast<double>(s.jacobians) + 3.0 * static_cast<double>(s.factorizations);
}

Method MethodChoice::implicit() const {
  const bool many_events = restarts_ >= kEnoughRestarts && steps_per_restart_ < kFewSteps;
  if (radau_lost_) return bdf_;
  return many_events || facts_.size <= kSmall ? radau_ : bdf_;
}

void MethodChoice::enter(Method method) {
  method_ = method;
  steps_ = 0;
  marked_ = false;
}

void MethodChoice::note_restart() {
  if (restarts_ > 0) {
    steps_per_restart_ =
        restarts_ == 1 ? static_cast<double>(steps_since_restart_)
                       : 0.8 * steps_per_restart_ + 0.2 * static_cast<double>(steps_since_restart_);
  }
  ++restarts_;
  steps_since_restart_ = 0;
  marked_ = false;                                               // a window is one smooth piece
  if (std::exchange(failures_, 0) > 0) enter(before_failures_);  // no other did better there
  if (!automatic_ || is_explicit(method_)) return;
  if (method_ == bdf_ && implicit() == radau_) enter(radau_);
  if (method_ == radau_ && implicit() == bdf_ && steps_per_restart_ > kManySteps) enter(bdf_);
}

bool MethodChoice::note_step(const numerics::Integrator& by) {
  ++steps_;
  ++steps_since_restart_;
  failures_ = 0;
  if (!automatic_) return false;
  if (is_explicit(method_)) return watch_explicit(by);
  return on_trial_ && judge_trial(by);
}

bool MethodChoice::watch_explicit(const numerics::Integrator& by) {
  const Mark now{by.t(), work_of(by.stats())};
  if (!marked_) older_mark_ = mark_ = now;
  marked_ = true;
  if (steps_ % kWindow == 0) {
    older_mark_ = mark_;
    mark_ = now;
  }
  if (hold_ > 0) return --hold_, false;
  if (!by.looks_stiff()) return false;
  const double work = now.work - older_mark_.work;
  explicit_rate_ = work > 0 ? (now.t - older_mark_.t) / work : 0;
  on_trial_ = true;
  enter(implicit());
  return true;
}

bool MethodChoice::judge_trial(const numerics::Integrator& by) {
  const Mark now{by.t(), work_of(by.stats())};
  if (steps_ < kWindow) return false;  // it is still finding its order
  if (!marked_) {
    mark_ = now;
    marked_ = true;
    steps_ = kWindow;
    return false;
  }
  if (steps_ < 2 * kWindow) return false;
  const double work = now.work - mark_.work;
  on_trial_ = work > 0 && (now.t - mark_.t) / work < kBetter * explicit_rate_;
  if (!on_trial_) return false;
  if (method_ == radau_) {
    radau_lost_ = true;
    enter(bdf_);
    return true;
  }
  on_trial_ = radau_lost_ = false;
  hold_ = next_hold_;
  next_hold_ *= 4;
  enter(Method::DormandPrince);
  return true;
}

bool MethodChoice::note_failure() {
  if (failures_ == 0) before_failures_ = method_;
  if (!automatic_ || ++failures_ > 2) return false;
  on_trial_ = false;
  if (is_explicit(method_)) return enter(implicit()), true;
  if (method_ != bdf_ && method_ != radau_) return false;
  // Where a Jacobian is infinite, as that of sqrt at 0, a method without one may still go on.
  if (failures_ == 2 && !is_explicit(before_failures_)) return enter(Method::DormandPrince), true;
  return enter(method_ == bdf_ ? radau_ : bdf_), true;
}

}  // namespace chi::sim
