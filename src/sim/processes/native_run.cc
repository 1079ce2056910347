#include "sim/processes/native_run.h"

#include <algorithm>

#include "code/compile_at_once.h"

namespace chi::sim {
namespace {

/// Loading the compiler and compiling a few bodies takes as long as some 10^6 resumptions
/// interpreted; on another core it is worth while sooner.
constexpr std::int64_t kLong = 1 << 16;
/// A body that is not seen in one of so many samples gains nothing.
constexpr std::int32_t kRare = 200;
/// Instructions to compile at most. Compiling takes more than linear time for long bodies, and a
/// run cannot end before its compiler does.
constexpr std::size_t kMost = 2000;

}  // namespace

bool NativeRun::saw(code::RoutineId body, std::int64_t resumptions) {
  if (started_) return compiler_.collect() && routines_ != nullptr;
  seen_.resize(static_cast<std::size_t>(machine_.program().bodies.size()));
  ++seen_[static_cast<std::size_t>(body.index)];
  ++samples_;
  if (resumptions >= kLong || code::compile_at_once()) start();
  return false;
}

/// The bodies seen most often, as many as can be compiled soon.
void NativeRun::start() {
  started_ = true;
  std::vector<code::RoutineId> bodies;
  const auto times = [&](code::RoutineId id) { return seen_[static_cast<std::size_t>(id.index)]; };
  for (code::RoutineId id{0}; id.index < machine_.program().bodies.size(); ++id.index) {
    if (times(id) * kRare >= samples_) bodies.push_back(id);
  }
  std::stable_sort(bodies.begin(), bodies.end(),
                   [&](code::RoutineId a, code::RoutineId b) { return times(a) > times(b); });
  std::size_t size = 0;
  std::erase_if(bodies, [&](code::RoutineId id) {
    const std::size_t more = machine_.program().bodies[id].code.size();
    if (size + more > kMost) return true;
    size += more;
    return false;
  });
  compiler_.start([this, bodies] {
    routines_ = code::NativeRoutines::compile(machine_, interpreter_, scheduler_, bodies);
  });
}

bool NativeRun::compile_all() {
  started_ = true;
  std::vector<code::RoutineId> bodies;
  for (code::RoutineId id{0}; id.index < machine_.program().bodies.size(); ++id.index) {
    const code::Routine& body = machine_.program().bodies[id];
    if (body.main_pc >= 0 && body.code.size() <= kMost) bodies.push_back(id);
  }
  routines_ = code::NativeRoutines::compile(machine_, interpreter_, scheduler_, bodies);
  return routines_ != nullptr;
}

}  // namespace chi::sim
