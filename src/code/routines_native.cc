#include "code/routines_native.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "code/distributions.h"
#include "code/list.h"
#include "code/native_library.h"

namespace chi::code {
namespace {

std::uint32_t as_number(RunError error) { return static_cast<std::uint32_t>(error); }

/// No exception passes compiled code: the interpreter does the operation again, and throws where it
/// can be caught.
template <class Operation>
std::uint32_t guarded(Operation operation) {
  try {
    return operation();
  } catch (const std::bad_alloc&) {
    return as_number(RunError::OutOfMemory);
  }
}

std::uint32_t operate(void* interpreter, const Routine* routine, const Instr* in, Slot* frame) {
  return guarded([&] {
    return as_number(static_cast<Interpreter*>(interpreter)->operate(*routine, *in, frame));
  });
}
NativeStop call(void* interpreter, const Routine* routine, Slot* frame, std::int32_t pc) {
  Interpreter& self = *static_cast<Interpreter*>(interpreter);
  return self.carried.guard(NativeStop::End, [&] {
    const Stop stop = self.call(*routine, frame, pc);
    return stop == Stop::Finished ? NativeStop::GoOn : NativeStop::Failed;
  });
}
std::uint32_t sample(void* blocks, Slot* distribution, Slot* value) {
  return guarded([&] {
    return as_number(distribution_sample(*static_cast<SampleBlocks*>(blocks), distribution, value));
  });
}
std::uint32_t list_push(void* heap, const RuntimeType* element, Slot* list, Slot* value) {
  return guarded(
      [&] { return as_number(list_append(*static_cast<Heap*>(heap), *element, list, value)); });
}
std::uint32_t list_head(const RuntimeType* element, const Slot* list, Slot* value) {
  return as_number(list_hd(*element, list, value));
}
std::uint32_t list_tail(void* heap, const RuntimeType* element, Slot* list) {
  return guarded([&] { return as_number(list_tl(*static_cast<Heap*>(heap), *element, list)); });
}
double least(double x, double y) { return std::fmin(x, y); }
double greatest(double x, double y) { return std::fmax(x, y); }

/// What a NativeRoutine points to.
struct View {
  std::vector<NativeConstant> constants;
  std::vector<const RuntimeType*> types;
};

NativeRoutine view_of(const Machine& machine, const Routine& routine, View& view) {
  const Program& program = machine.program();
  for (const auto& [reg, index] : routine.constants) {
    if (machine.constant_slots(index) == 1)
      view.constants.push_back({reg, machine.constant(index)->i});
  }
  for (const TypeRef type : routine.types) view.types.push_back(&program.types[type]);
  return {.routine = &routine,
          .code = routine.code.data(),
          .code_size = static_cast<std::int32_t>(routine.code.size()),
          .main_pc = routine.main_pc,
          .offers = routine.offers.data(),
          .offers_size = static_cast<std::int32_t>(routine.offers.size()),
          .selections = routine.selections.data(),
          .constants = view.constants.data(),
          .constants_size = static_cast<std::int32_t>(view.constants.size()),
          .types = view.types.data()};
}

}  // namespace

std::unique_ptr<NativeRoutines> NativeRoutines::compile(Machine& machine, Interpreter& interpreter,
                                                        const NativeRunView& scheduler,
                                                        std::span<const RoutineId> bodies) {
  if (native_library().compile_routines == nullptr || bodies.empty()) return nullptr;
  NativeRunView run = scheduler;
  run.interpreter = &interpreter;
  run.heap = &machine.heap();
  run.blocks = &machine.blocks;
  run.time = &machine.time;
  run.memory = machine.memory();
  run.watchers = machine.watchers.data();
  run.watched = static_cast<std::int64_t>(machine.watchers.size());
  run.work = &interpreter.work;
  run.patience = Interpreter::kPatience;
  run.actions.operate = operate;
  run.actions.call = call;
  run.actions.sample = sample;
  run.actions.list_push = list_push;
  run.actions.list_head = list_head;
  run.actions.list_tail = list_tail;
  run.actions.least = least;
  run.actions.greatest = greatest;
  std::vector<View> views(bodies.size());
  std::vector<NativeRoutine> routines;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    routines.push_back(view_of(machine, machine.program().bodies[bodies[i]], views[i]));
  void* const handle = native_library().compile_routines(
      &run, routines.data(), static_cast<std::int32_t>(routines.size()));
  if (handle == nullptr) return nullptr;
  std::unique_ptr<NativeRoutines> native(new NativeRoutines);
  native->handle_ = handle;
  native->ids_.assign(bodies.begin(), bodies.end());
  return native;
}

NativeRoutines::~NativeRoutines() {
  if (handle_ != nullptr) native_library().release_routines(handle_);
}

NativeBody NativeRoutines::body(RoutineId id) const {
  const auto found = std::find(ids_.begin(), ids_.end(), id);
  if (found == ids_.end()) return nullptr;
  return native_library().body(handle_, static_cast<std::int32_t>(found - ids_.begin()));
}

}  // namespace chi::code
