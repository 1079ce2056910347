#pragma once
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "sim/processes/scheduler.h"

/// A stand-in for who integrates: values and truths are given functions of time, and every call is
/// written down.
namespace chi::sim::testing {

class ScriptedPhysics : public Physics {
 public:
  explicit ScriptedPhysics(Scheduler& scheduler, const flat::FlatModel& model)
      : machine(scheduler.machine()), frames(scheduler.frames()), model_(model) {}

  code::Machine& machine;
  const Frames& frames;

  // The script.
  std::function<void(double)> move = [](double) {};     ///< writes the values at a time to memory
  std::map<std::int32_t, std::vector<double>> changes;  ///< per condition: when its truth changes
  std::function<bool(std::int32_t)> truth;  ///< of a condition; none: false before the first change
  std::function<void()> solve = [] {};      ///< what `settle` and the end of a discrete phase do
  std::function<void(std::int64_t)> substitute = [](std::int64_t) {};
  std::function<void(std::int32_t)> at_instant = [](std::int32_t) {};
  std::map<std::int32_t, double> derivatives;  ///< by row; for process instance b plus 100 b
  bool moves = true;
  bool rests = false;    ///< `advance` to infinity finds nothing
  std::string fails_at;  ///< the call that fails
  double interrupted_at =
      std::numeric_limits<double>::infinity();  ///< by which time `advance` is interrupted

  // What happened.
  std::string log;
  std::map<std::int32_t, std::map<std::int32_t, bool>> watched;  ///< per process: truths seen
  double& value(std::string_view variable);
  std::string name(std::int64_t slot) const;

  bool settle() override;
  bool refresh(std::int64_t slot, std::int32_t count) override;
  bool about_to_assign(std::int64_t slot, std::int32_t count) override;
  void assigned(std::int64_t slot, std::int32_t count) override;
  bool holds(std::int32_t block, std::int32_t condition, bool* result) override;
  bool value(std::int32_t block, std::int32_t value, double* result) override;
  bool instant(std::int32_t block, std::int32_t instant) override;
  bool start() override { return note("start"); }
  bool can_move() const override { return moves; }
  void watch(std::int32_t process, std::int32_t block, std::int32_t condition) override;
  void unwatch(std::int32_t process) override;
  void visit(std::int32_t) override {}
  bool finish_discrete_phase(std::vector<std::int32_t>& woken) override;
  Advance advance(double limit, std::vector<std::int32_t>& woken) override;
  const Outcome& failure() const override { return failure_; }

 private:
  bool note(const std::string& call);
  bool holds_now(std::int32_t condition) const;

  const flat::FlatModel& model_;
  Outcome failure_;
};

}  // namespace chi::sim::testing
