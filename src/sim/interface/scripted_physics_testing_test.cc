#include "sim/interface/scripted_physics_testing.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"

namespace chi::sim::testing {

bool ScriptedPhysics::note(const std::string& call) {
  log += call + '\n';
  if (fails_at.empty() || call.rfind(fails_at, 0) != 0) return true;
  failure_.why = RuntimeError{.process = "equations at " + call, .failure = {}};
  return false;
}

double& ScriptedPhysics::value(std::string_view variable) {
  for (flat::VariableId v{0}; v.index < model_.variables.size(); ++v.index) {
    if (model_.variables[v].name == variable) return machine.memory()[frames.variable[v]].r;
  }
  CHI_CHECK(false, "the test names a variable of its model");
  return machine.memory()->r;
}

std::string ScriptedPhysics::name(std::int64_t slot) const {
  for (flat::VariableId v{0}; v.index < model_.variables.size(); ++v.index) {
    if (frames.variable[v] == slot) return model_.variables[v].name;
  }
  return "slot";
}

bool ScriptedPhysics::settle() {
  solve();
  return note("settle");
}

bool ScriptedPhysics::refresh(std::int64_t slot, std::int32_t) {
  substitute(slot);
  return note("refresh " + name(slot));
}

bool ScriptedPhysics::about_to_assign(std::int64_t slot, std::int32_t count) {
  return note(fmt::format("about {} {} = {}", name(slot), count, machine.memory()[slot].r));
}

void ScriptedPhysics::assigned(std::int64_t slot, std::int32_t count) {
  note(fmt::format("assigned {} {} = {}", name(slot), count, machine.memory()[slot].r));
}

bool ScriptedPhysics::holds_now(std::int32_t condition) const {
  if (truth) return truth(condition);
  const auto found = changes.find(condition);
  if (found == changes.end()) return false;
  return std::count_if(found->second.begin(), found->second.end(),
                       [&](double t) { return t <= machine.time; }) %
             2 ==
         1;
}

bool ScriptedPhysics::holds(std::int32_t block, std::int32_t condition, bool* result) {
  *result = holds_now(condition);
  return note(fmt::format("holds {} in {}: {}", condition, block, *result));
}

bool ScriptedPhysics::value(std::int32_t block, std::int32_t row, double* result) {
  *result = derivatives[row] + 100 * block;
  return note(fmt::format("value {} in {}", row, block));
}

bool ScriptedPhysics::instant(std::int32_t block, std::int32_t row) {
  at_instant(row);
  return note(fmt::format("instant {} in {}", row, block));
}

void ScriptedPhysics::watch(std::int32_t process, std::int32_t block, std::int32_t condition) {
  note(fmt::format("watch {} in {} for {}", condition, block, process));
  watched[process][condition] = holds_now(condition);
}

void ScriptedPhysics::unwatch(std::int32_t process) {
  note(fmt::format("unwatch {}", process));
  watched.erase(process);
}

bool ScriptedPhysics::finish_discrete_phase(std::vector<std::int32_t>& woken) {
  solve();
  for (const auto& [process, conditions] : watched) {
    for (const auto& [condition, seen] : conditions) {
      if (holds_now(condition) != seen) woken.push_back(process);
    }
  }
  return note("finish");
}

Physics::Advance ScriptedPhysics::advance(double limit, std::vector<std::int32_t>& woken) {
  CHI_CHECK(limit > machine.time, "time is to pass");
  double next = limit;
  for (const auto& [process, conditions] : watched) {
    for (const auto& [condition, seen] : conditions) {
      for (const double t : changes[condition]) {
        if (t > machine.time) next = std::min(next, t);
      }
    }
  }
  if (!note(fmt::format("advance from {} to {}", machine.time, limit))) return Advance::Failed;
  if (next > interrupted_at) {
    machine.time = interrupted_at;
    return Advance::Interrupted;
  }
  if (next == std::numeric_limits<double>::infinity()) {
    CHI_CHECK(rests, "the script lets time run for ever");
    return Advance::AtRest;
  }
  if (recorder != nullptr) recorder->constant_until(machine.time, next);
  if (progress != nullptr) progress->passed(next);
  machine.time = next;
  move(next);
  for (const auto& [process, conditions] : watched) {
    for (const auto& [condition, seen] : conditions) {
      const std::vector<double>& at = changes[condition];
      if (std::find(at.begin(), at.end(), next) != at.end()) woken.push_back(process);
    }
  }
  return woken.empty() ? Advance::ReachedLimit : Advance::Event;
}

}  // namespace chi::sim::testing
