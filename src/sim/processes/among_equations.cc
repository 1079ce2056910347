#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "sim/processes/scheduler.h"

// Time and waiting in models with equations: who integrates them says how far time goes.
namespace chi::sim {

bool Scheduler::start_physics() {
  interpreter_.surroundings = physics;
  physics->observer = observer;
  physics->recorder = recorder;
  physics->progress = &passing_;
  return physics->start() || fail_physics();
}

bool Scheduler::fail_physics() {
  if (interrupted()) return false;  // who is interrupted finds no solution
  outcome_.why = physics->failure().why;
  CHI_CHECK(outcome_.failed(), "a failure of the equations has a reason");
  return false;
}

void Scheduler::watch_conditions(const ProcessState& process, const code::Selection& selection) {
  CHI_CHECK(physics != nullptr, "a model whose conditions are watched has somebody to watch them");
  for (const code::Noted& noted : selection.conditions) {
    if (process.frame[noted.reg].i != 0)
      physics->watch(number_of(process), process.block, noted.condition);
  }
}

/// No process is ready: the equations are brought into line with what the processes did, and if
/// that wakes none, time passes. False when the run is over.
bool Scheduler::advance_equations() {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  woken_.clear();
  if (!physics->finish_discrete_phase(woken_)) return fail_physics();
  if (!woken_.empty()) {
    look_again();
    return true;
  }
  const double deadline = calendar_.empty() ? kNever : calendar_.next_time();
  if (deadline <= machine_.time && deadline <= options_.end) {
    wake_first_due();  // a delay may be too short to be seen beside the time
    return true;
  }
  if (machine_.time >= options_.end) {
    outcome_.why = EndReached{};
    return false;
  }
  if (calendar_.empty() && !physics->can_move()) return come_to_rest();

  if (recorder != nullptr) recorder->after_event(machine_.time);
  const double before = machine_.time;
  const double limit = std::min(deadline, options_.end);
  const Physics::Advance result = physics->advance(limit, woken_);
  if (machine_.time > before) {
    actions_ = physics->answered = 0;
    interpreter_.work = 0;
    ++counts_.instants;
  }
  switch (result) {
    case Physics::Advance::Failed: return fail_physics();
    case Physics::Advance::Interrupted: outcome_.why = Interrupted{stop_cause()}; return false;
    case Physics::Advance::AtRest: return come_to_rest();
    case Physics::Advance::ReachedLimit:
      machine_.time = limit;
      if (limit < deadline) {
        outcome_.why = EndReached{};
        return false;
      }
      break;
    case Physics::Advance::Event: break;
  }
  if (recorder != nullptr && machine_.time > before) recorder->before_event(machine_.time);
  look_again();
  if (!calendar_.empty() && calendar_.next_time() <= machine_.time) wake_first_due();
  return !interrupted();
}

}  // namespace chi::sim
