#pragma once
#include <memory>
#include <span>
#include <vector>

#include "code/interpreter.h"
#include "code/machine.h"
#include "code/native/routines.h"

namespace chi::code {

/// Routines of processes, compiled for one run by the library libchi_native.so.
class NativeRoutines {
 public:
  /// `scheduler`: its part of the run, which are its actions (`send` to `take`) and the channels.
  /// Null if there is no such library or it cannot do it: then one goes on interpreting.
  /// Machine and interpreter must stay where they are. May run in a thread of its own while they
  /// are in use: nothing of them is read but addresses and constants.
  static std::unique_ptr<NativeRoutines> compile(Machine& machine, Interpreter& interpreter,
                                                 const NativeRunView& scheduler,
                                                 std::span<const RoutineId> bodies);
  ~NativeRoutines();
  NativeRoutines(const NativeRoutines&) = delete;
  NativeRoutines& operator=(const NativeRoutines&) = delete;

  NativeBody body(RoutineId id) const;  ///< null if it is not among those compiled

 private:
  NativeRoutines() = default;
  void* handle_ = nullptr;
  std::vector<RoutineId> ids_;
};

}  // namespace chi::code
