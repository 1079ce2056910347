#pragma once
#include <cstdint>
#include <functional>

#include "base/cancel.h"

namespace chi::cli {

/// What holds for the whole process, made first in `main`:
///
/// - Closed standard descriptors are opened on the null device, so that no file of ours gets their
///   numbers and takes what is meant for them. Output to them stays an error.
/// - INT, TERM, HUP and XCPU request the end of all work on `token`; a HUP that was ignored, as by
///   `nohup`, stays ignored. They interrupt system calls that wait, again and again: a timer
///   repeats them, so that none that came just before a call is lost.
/// - A reader that went and a limit on the size of files are errors of writing like any other.
/// - `run` has the stack that the limits on the nesting of models are made for.
class Process {
 public:
  Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Does the work of the process, which asks `token`. `work` throws nothing.
  int run(const std::function<int()>& work) const;

  static CancelToken& token();
  /// Requests the end of all work after so much time.
  static void set_time_limit(double seconds);
  /// Makes allocations fail beyond so many bytes of data. False where the system has no such limit.
  static bool set_memory_limit(std::uint64_t bytes);
};

}  // namespace chi::cli
