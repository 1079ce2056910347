#include "code/interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/cancel.h"
#include "code/checked.h"
#include "code/compare.h"
#include "code/distributions.h"
#include "code/list.h"
#include "code/print_value.h"
#include "code/text_value.h"

namespace chi::code {
namespace {

constexpr std::size_t kStackSlots = std::size_t{1}
                                    << 22;  // function frames: 32 MiB of addresses, used as needed
constexpr std::size_t kMaxCalls = 100'000;

}  // namespace

Interpreter::Interpreter(Machine& machine)
    : machine_(machine), program_(machine.program()), stack_(new Slot[kStackSlots]) {}

Stop Interpreter::run(const Routine& routine, Slot* frame, std::int32_t& pc) {
  calls_.clear();
  stack_top_ = 0;
  function_work_ = 0;
  return execute(&routine, frame, pc, 0);
}

Stop Interpreter::fail(RunError error, const Routine& routine, std::int32_t pc) {
  if (failed_inside_) {  // in an order function, which said where
    failed_inside_ = false;
    return Stop::Failed;
  }
  failure_.error = error;
  failure_.span = routine.spans[static_cast<std::size_t>(pc)];
  failure_.calls.clear();
  if (!calls_.empty()) failure_.calls.push_back(&routine);
  for (std::size_t i = calls_.size(); i > 1; --i) failure_.calls.push_back(calls_[i - 1].routine);
  return Stop::Failed;
}

void Interpreter::note_change(std::int64_t slot) {
  if (static_cast<std::size_t>(slot) >= machine_.watchers.size()) return;
  if (machine_.watchers[static_cast<std::size_t>(slot)] > 0)
    machine_.changed.push_back(static_cast<std::int32_t>(slot));
}

/// Patience is at its end: says whether a function may go on.
RunError Interpreter::take_breath() {
  patience_ = kPatience;
  function_work_ += kPatience;
  if (listener != nullptr) listener->still_computing();
  return is_cancelled() ? RunError::Interrupted : RunError::None;
}

/// A function has repeated something many times. Behind `max_work` it is watched now and then, for
/// an eighth of the time: a state is kept, and whoever comes back to it goes round for ever. The
/// watches get longer, so that a cycle of any length is found at last.
///
/// Only where the frame is all its state: it neither calls nor samples, and has no lists and the
/// like.
RunError Interpreter::repeated(const Routine& routine, const Slot* frame, std::int32_t pc) {
  const auto size = static_cast<std::size_t>(routine.frame_slots);
  if (seen_.call != pushed_) seen_ = {.call = pushed_, .frame = std::move(seen_.frame)};
  if (seen_.left > 0) {
    if (seen_.pc == pc && std::memcmp(seen_.frame.data(), frame, size * sizeof(Slot)) == 0)
      return RunError::NoProgress;
    const RunError error = --seen_.left % kPatience == 0 ? take_breath() : RunError::None;
    if (seen_.left > 0) patience_ = 1;
    return error;
  }
  const RunError error = take_breath();
  if (error != RunError::None || function_work_ <= max_work || --seen_.pause > 0) return error;
  const bool own_state = std::all_of(routine.code.begin(), routine.code.end(), [](const Instr& in) {
    return in.op <= Op::Time && in.op != Op::Call && in.op != Op::CallValue &&
           !(in.op >= Op::Retain && in.op <= Op::StoreAt);
  });
  if (!own_state) return error;
  seen_.pc = pc;
  seen_.frame.assign(frame, frame + size);
  seen_.left = seen_.watch;
  seen_.pause = 8 * seen_.watch / kPatience;
  seen_.watch *= 2;
  patience_ = 1;
  return error;
}

// Arguments move to the start of the callee's frame; its locals begin as zero.
bool Interpreter::push_call(const Routine& callee, const Slot* arguments, const Routine* caller,
                            Slot* frame, std::int32_t pc, std::int32_t result) {
  const auto size = static_cast<std::size_t>(callee.frame_slots);
  if (calls_.size() >= kMaxCalls || stack_top_ + size > kStackSlots) return false;
  Slot* const fresh = stack_.get() + stack_top_;
  std::memmove(fresh, arguments, static_cast<std::size_t>(callee.parameter_slots) * sizeof(Slot));
  std::fill(fresh + callee.parameter_slots, fresh + callee.variable_slots, Slot{.i = 0});
  stack_top_ += size;
  ++pushed_;
  calls_.push_back({caller, frame, pc, result});
  return true;
}

// The loop. `calls_` below `depth` belongs to whoever called us (a sort that runs its order
// function).
Stop Interpreter::execute(const Routine* routine, Slot* f, std::int32_t& pc_out,
                          std::size_t depth) {
  const Instr* code = routine->code.data();
  std::int32_t pc = pc_out;
  Slot* const memory = machine_.memory();
  RunError error = RunError::None;
  while (true) {
    const Instr& in = code[pc];
    switch (in.op) {
      case Op::Jump: pc = in.c; continue;
      case Op::JumpIf:
        if (f[in.a].i != 0) {
          pc = in.c;
          continue;
        }
        break;
      case Op::JumpUnless:
        if (f[in.a].i == 0) {
          pc = in.c;
          continue;
        }
        break;
      case Op::LoopBack:
        if (calls_.empty()) {
          if ((++work & (kPatience - 1)) == 0) [[unlikely]] {
            operand_ = pc;
            pc_out = in.c;
            return Stop::LongLoop;
          }
          pc = in.c;
          continue;
        }
        if (--patience_ > 0) [[likely]] {
          pc = in.c;
          continue;
        }
        error = repeated(*routine, f, pc);
        if (error != RunError::None) break;
        pc = in.c;
        continue;
      case Op::Finish: pc_out = pc; return Stop::Finished;
      case Op::Terminate: pc_out = pc; return Stop::Terminated;
      case Op::EndValue: pc_out = pc; return Stop::ValueReady;
      case Op::Fail:
        error = static_cast<RunError>(in.c);
        failure_.real_fact =
            std::numeric_limits<double>::quiet_NaN();  // Domain: the duration of a delay
        break;
      case Op::Call:
      case Op::CallValue: {
        const RoutineId id = in.op == Op::Call ? RoutineId{in.c} : program_.function_of(f[in.c].i);
        if (--patience_ <= 0) [[unlikely]] {
          error = take_breath();
          if (error != RunError::None) break;
        }
        const Routine& callee = program_.functions[id];
        if (!push_call(callee, f + in.b, routine, f, pc, in.a)) {
          error = RunError::RecursionTooDeep;
          break;
        }
        f = stack_.get() + stack_top_ - static_cast<std::size_t>(callee.frame_slots);
        routine = &callee;
        code = callee.code.data();
        pc = callee.main_pc;
        continue;
      }
      case Op::Return: {
        const CallFrame caller = calls_.back();
        calls_.pop_back();
        const Slot* result = f + in.a;
        stack_top_ -= static_cast<std::size_t>(routine->frame_slots);
        if (calls_.size() + 1 == depth) {  // an order function called from a sort
          std::copy_n(result, routine->result_slots, caller.frame + caller.result);
          pc_out = pc;
          return Stop::Finished;
        }
        std::memmove(caller.frame + caller.result, result,
                     static_cast<std::size_t>(routine->result_slots) * sizeof(Slot));
        routine = caller.routine;
        code = routine->code.data();
        f = caller.frame;
        pc = caller.pc;
        break;
      }

      case Op::Move: f[in.a] = f[in.b]; break;
      case Op::MoveN:
        std::memmove(f + in.a, f + in.b, static_cast<std::size_t>(in.c) * sizeof(Slot));
        break;
      case Op::Clear: std::fill_n(f + in.a, in.b, Slot{.i = 0}); break;
      case Op::LoadConstant:
        std::copy_n(machine_.constant(in.b), machine_.constant_slots(in.b), f + in.a);
        break;
      case Op::Retain:
        retain(program_.types[routine->types[static_cast<std::size_t>(in.c)]], f + in.a);
        break;
      case Op::Release:
        release(machine_.heap(), program_.types[routine->types[static_cast<std::size_t>(in.c)]],
                f + in.a);
        break;
      case Op::LoadRef: f[in.a] = memory[f[in.b].i + in.c]; break;
      case Op::StoreRef: {
        const std::int64_t slot = f[in.a].i + in.c;
        memory[slot] = f[in.b];
        note_change(slot);
        break;
      }
      case Op::Address: f[in.a].i = (f + in.b) - memory; break;
      case Op::OffsetAddress: f[in.a].i = f[in.b].i + in.c; break;
      case Op::ElementAddress: f[in.a].i += f[in.b].i * in.c; break;
      case Op::LoadAt:
        std::memmove(f + in.a, memory + f[in.b].i, static_cast<std::size_t>(in.c) * sizeof(Slot));
        break;
      case Op::StoreAt: {
        const std::int64_t slot = f[in.a].i;
        std::memmove(memory + slot, f + in.b, static_cast<std::size_t>(in.c) * sizeof(Slot));
        for (std::int64_t i = 0; i < in.c; ++i) note_change(slot + i);
        break;
      }
      case Op::CheckIndex:
        if (f[in.a].i < 0 || f[in.a].i >= in.b) {
          failure_.facts = {f[in.a].i, in.b};
          error = RunError::IndexOutOfRange;
        }
        break;

      case Op::AddInt:
        if (!checked_add(f[in.b].i, f[in.c].i, f[in.a].i)) error = RunError::Overflow;
        break;
      case Op::SubInt:
        if (!checked_sub(f[in.b].i, f[in.c].i, f[in.a].i)) error = RunError::Overflow;
        break;
      case Op::MulInt:
        if (!checked_mul(f[in.b].i, f[in.c].i, f[in.a].i)) error = RunError::Overflow;
        break;
      case Op::DivInt: error = checked_div(f[in.b].i, f[in.c].i, f[in.a].i); break;
      case Op::ModInt: error = checked_mod(f[in.b].i, f[in.c].i, f[in.a].i); break;
      case Op::PowInt: error = checked_pow(f[in.b].i, f[in.c].i, f[in.a].i); break;
      case Op::NegInt:
        if (!checked_neg(f[in.b].i, f[in.a].i)) error = RunError::Overflow;
        break;
      case Op::AbsInt:
        if (!checked_abs(f[in.b].i, f[in.a].i)) error = RunError::Overflow;
        break;
      case Op::SignInt: f[in.a].i = f[in.b].i > 0 ? 1 : f[in.b].i < 0 ? -1 : 0; break;
      case Op::MinInt: f[in.a].i = std::min(f[in.b].i, f[in.c].i); break;
      case Op::MaxInt: f[in.a].i = std::max(f[in.b].i, f[in.c].i); break;
      case Op::EqInt: f[in.a].i = f[in.b].i == f[in.c].i; break;
      case Op::NeInt: f[in.a].i = f[in.b].i != f[in.c].i; break;
      case Op::LtInt: f[in.a].i = f[in.b].i < f[in.c].i; break;
      case Op::LeInt: f[in.a].i = f[in.b].i <= f[in.c].i; break;
      case Op::CheckNat:
        if (f[in.b].i < 0) {
          failure_.facts = {f[in.b].i, 0};
          error = RunError::NegativeNat;
          break;
        }
        f[in.a].i = f[in.b].i;
        break;
      case Op::Not: f[in.a].i = f[in.b].i == 0; break;

      case Op::IntToReal: f[in.a].r = static_cast<double>(f[in.b].i); break;
      case Op::AddReal: f[in.a].r = f[in.b].r + f[in.c].r; break;
      case Op::SubReal: f[in.a].r = f[in.b].r - f[in.c].r; break;
      case Op::MulReal: f[in.a].r = f[in.b].r * f[in.c].r; break;
      case Op::DivReal:
        if (f[in.c].r == 0) {
          error = RunError::DivisionByZero;
          break;
        }
        f[in.a].r = f[in.b].r / f[in.c].r;
        break;
      case Op::NegReal: f[in.a].r = -f[in.b].r; break;
      case Op::AbsReal: f[in.a].r = std::fabs(f[in.b].r); break;
      case Op::SignReal: f[in.a].r = f[in.b].r > 0 ? 1.0 : f[in.b].r < 0 ? -1.0 : 0.0; break;
      case Op::MinReal: f[in.a].r = std::fmin(f[in.b].r, f[in.c].r); break;
      case Op::MaxReal: f[in.a].r = std::fmax(f[in.b].r, f[in.c].r); break;
      case Op::EqReal: f[in.a].i = f[in.b].r == f[in.c].r; break;
      case Op::NeReal: f[in.a].i = f[in.b].r != f[in.c].r; break;
      case Op::LtReal: f[in.a].i = f[in.b].r < f[in.c].r; break;
      case Op::LeReal: f[in.a].i = f[in.b].r <= f[in.c].r; break;
      case Op::PowReal:
      case Op::Floor:
      case Op::Ceil:
      case Op::Round:
      case Op::Atan2:
#define CHI_ELEMENTARY(name, ...) case Op::name:
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
        error = real_function(in, f);
        break;
      case Op::Time: f[in.a].r = machine_.time; break;
      case Op::Lookup: error = lookup(in, f); break;

      case Op::EqValue:
        f[in.a].i = equal(program_.types[routine->types[in.n]], f + in.b, f + in.c);
        break;
      case Op::LtValue:
        f[in.a].i = compare(program_.types[routine->types[in.n]], f + in.b, f + in.c) < 0;
        break;
      case Op::LeValue:
        f[in.a].i = compare(program_.types[routine->types[in.n]], f + in.b, f + in.c) <= 0;
        break;
      case Op::TellValue: {
        std::string& text = machine_.told;
        const Claim& claim = program_.claims[static_cast<std::size_t>(in.b)];
        text += (text.empty() ? "" : ", ") + claim.names[static_cast<std::size_t>(in.c)] + " = ";
        constexpr std::size_t kLongest = 80;
        print_briefly(program_.types, program_.types[routine->types[in.n]], f + in.a, kLongest,
                      text);
        break;
      }
      case Op::Broken:
        operand_ = in.c;
        pc_out = pc + 1;
        return Stop::Broken;
      case Op::Start:
        operand_ = pc;
        pc_out = pc + 1;
        return Stop::Start;
      case Op::Ended: {
        const std::int64_t number = f[in.b].i;
        failure_.facts[0] = -number;
        error = number == 0  ? RunError::NoProcess
                : number < 0 ? RunError::FinishedTwice
                             : RunError::None;
        f[in.a].i = machine_.started.contains(number) ? 0 : 1;
        break;
      }
      case Op::TextOf:
      case Op::FormatText:
      case Op::FixedText: error = text_operation(*routine, in, f); break;
      case Op::Print:
        print_value(program_.types, program_.types[routine->types[static_cast<std::size_t>(in.c)]],
                    f + in.a, machine_.output);
        if (machine_.note_prints && in.b != 0)
          machine_.prints.push_back(
              {machine_.output.size(), routine->spans[static_cast<std::size_t>(pc)]});
        break;

      case Op::MakeDistribution: {
        const auto kind = static_cast<DistributionKind>(in.c);
        error = distribution_make(kind, f + in.b, f + in.a);
        if (error != RunError::None) failure_.detail = distribution_problem(kind, f + in.b);
        break;
      }
      case Op::Sample: error = distribution_sample(machine_.blocks, f + in.b, f + in.a); break;
      case Op::SampleAt:
        error = distribution_sample(machine_.blocks, memory + f[in.b].i + in.c, f + in.a);
        break;

      case Op::Delay:
        duration_ = f[in.a].r;
        if (std::isnan(duration_)) {
          failure_.real_fact = std::numeric_limits<double>::quiet_NaN();
          error = RunError::Domain;
          break;
        }
        pc_out = pc + 1;
        return Stop::Delay;
      case Op::Send:
        operand_ = in.c;
        pc_out = pc + 1;
        return Stop::Send;
      case Op::Receive:
        operand_ = in.c;
        pc_out = pc + 1;
        return Stop::Receive;
      case Op::Select:
        operand_ = in.c;
        pc_out = pc + 1;
        return Stop::Select;

      // A buffer of a process network does these at every event.
      case Op::Length: f[in.a].i = sequence_length(f + in.b); break;
      case Op::ListHead:
        error = list_hd(*program_.types[routine->types[in.n]].element, f + in.b, f + in.a);
        break;
      case Op::ListTail:
        error = list_tl(machine_.heap(), *program_.types[routine->types[in.n]].element, f + in.a);
        break;
      case Op::ListPush:
        error = list_append(machine_.heap(), *program_.types[routine->types[in.n]].element,
                            f + in.a, f + in.b);
        break;

      default: error = sequence_operation(*routine, in, f); break;
    }
    if (error != RunError::None) [[unlikely]] {
      pc_out = pc;
      return fail(error, *routine, pc);
    }
    ++pc;
  }
}

}  // namespace chi::code
