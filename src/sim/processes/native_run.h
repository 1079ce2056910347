#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "code/background.h"
#include "code/routines_native.h"

namespace chi::sim {

/// Compiles the bodies that processes run most, in a thread of its own, once a run has turned out
/// to be long. Compiled and interpreted code do the same, so that nobody sees when one took over
/// from the other.
class NativeRun {
 public:
  NativeRun(code::Machine& machine, code::Interpreter& interpreter,
            const code::NativeRunView& scheduler)
      : machine_(machine), interpreter_(interpreter), scheduler_(scheduler) {}
  NativeRun(const NativeRun&) = delete;
  NativeRun& operator=(const NativeRun&) = delete;

  /// That a process with this body was seen running. True once, when compiled code is there.
  bool saw(code::RoutineId body, std::int64_t resumptions);
  /// Compiles all bodies, now. False if that is not possible.
  bool compile_all();
  /// Null if it is not compiled. Requires that `saw` or `compile_all` returned true before.
  code::NativeBody body(code::RoutineId id) const { return routines_->body(id); }

 private:
  void start();
  code::Machine& machine_;
  code::Interpreter& interpreter_;
  code::NativeRunView scheduler_;
  std::vector<std::int32_t> seen_;  // by body
  std::int32_t samples_ = 0;
  bool started_ = false;
  std::unique_ptr<code::NativeRoutines> routines_;  // the compiler's, until it has finished
  code::Background compiler_;                       // last: what it uses is still there
};

}  // namespace chi::sim
