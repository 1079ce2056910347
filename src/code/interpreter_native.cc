#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "code/checked.h"
#include "code/compare.h"
#include "code/distributions.h"
#include "code/interpreter.h"
#include "code/print_value.h"
#include "code/text_value.h"

// Single instructions, for compiled code that leaves them to the interpreter.
namespace chi::code {
namespace {

/// A result that is only stored if it is one: the operands may lie in the same register.
RunError store_if(RunError error, const std::int64_t& result, Slot* to) {
  if (error == RunError::None) to->i = result;
  return error;
}

}  // namespace

RunError Interpreter::operate(const Routine& routine, const Instr& in, Slot* f) {
  const auto type_of = [&](std::int32_t n) -> const RuntimeType& {
    return program_.types[routine.types[static_cast<std::size_t>(n)]];
  };
  std::int64_t whole = 0;
  switch (in.op) {
    case Op::MoveN:
      std::memmove(f + in.a, f + in.b, static_cast<std::size_t>(in.c) * sizeof(Slot));
      return RunError::None;
    case Op::Clear: std::fill_n(f + in.a, in.b, Slot{.i = 0}); return RunError::None;
    case Op::LoadConstant:
      std::copy_n(machine_.constant(in.b), machine_.constant_slots(in.b), f + in.a);
      return RunError::None;
    case Op::Retain: retain(type_of(in.c), f + in.a); return RunError::None;
    case Op::Release: release(machine_.heap(), type_of(in.c), f + in.a); return RunError::None;
    case Op::LoadAt:
      std::memmove(f + in.a, machine_.memory() + f[in.b].i,
                   static_cast<std::size_t>(in.c) * sizeof(Slot));
      return RunError::None;
    case Op::DivInt: return store_if(checked_div(f[in.b].i, f[in.c].i, whole), whole, f + in.a);
    case Op::ModInt: return store_if(checked_mod(f[in.b].i, f[in.c].i, whole), whole, f + in.a);
    case Op::PowInt: return store_if(checked_pow(f[in.b].i, f[in.c].i, whole), whole, f + in.a);
    case Op::EqValue: f[in.a].i = equal(type_of(in.n), f + in.b, f + in.c); return RunError::None;
    case Op::LtValue:
      f[in.a].i = compare(type_of(in.n), f + in.b, f + in.c) < 0;
      return RunError::None;
    case Op::LeValue:
      f[in.a].i = compare(type_of(in.n), f + in.b, f + in.c) <= 0;
      return RunError::None;
    case Op::TextOf:
    case Op::FormatText:
    case Op::FixedText: return text_operation(routine, in, f);
    case Op::MakeDistribution:
      return distribution_make(static_cast<DistributionKind>(in.c), f + in.b, f + in.a);
    case Op::SampleAt:
      return distribution_sample(machine_.blocks, machine_.memory() + f[in.b].i + in.c, f + in.a);
    default: break;
  }
  if (in.op == Op::PowReal || is_real_function(in.op)) return real_function(in, f);
  CHI_CHECK(in.op >= Op::ConcatText && in.op <= Op::DictValues, "an operation on sequences");
  return sequence_operation(routine, in, f);
}

// The function runs above whatever is under way: at its `Return` the interpreter comes back here.
Stop Interpreter::call(const Routine& routine, Slot* f, std::int32_t pc) {
  const Instr& in = routine.code[static_cast<std::size_t>(pc)];
  calls_.clear();
  stack_top_ = 0;
  function_work_ = 0;
  if (--patience_ <= 0) {
    const RunError error = take_breath();
    if (error != RunError::None) return fail(error, routine, pc);
  }
  const RoutineId id = in.op == Op::Call ? RoutineId{in.c} : program_.function_of(f[in.c].i);
  const Routine& callee = program_.functions[id];
  if (!push_call(callee, f + in.b, &routine, f, pc, in.a))
    return fail(RunError::RecursionTooDeep, routine, pc);
  std::int32_t place = callee.main_pc;
  return execute(&callee, stack_.get(), place, calls_.size());
}

}  // namespace chi::code
