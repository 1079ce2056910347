#include <vector>

#include "base/check.h"
#include "code/interpreter.h"

// What statements ask of the equations around them.
namespace chi::code {

RunError Interpreter::ask(const Instr& in, Slot* f) {
  CHI_CHECK(surroundings != nullptr, "a program that asks the equations has somebody to answer");
  const auto from_register = [&] { return (f + in.a) - machine_.memory(); };
  const auto in_memory = [&] { return f[in.a].i + in.b; };
  bool good = true;
  surroundings->asking = block;
  switch (in.op) {
    case Op::Settle: good = surroundings->settle(); break;
    case Op::Refresh: good = surroundings->refresh(from_register(), in.b); break;
    case Op::RefreshAt: good = surroundings->refresh(in_memory(), in.c); break;
    case Op::AboutToAssign: good = surroundings->about_to_assign(from_register(), in.b); break;
    case Op::AboutToAssignAt: good = surroundings->about_to_assign(in_memory(), in.c); break;
    case Op::Assigned: surroundings->assigned(from_register(), in.b); break;
    case Op::AssignedAt: surroundings->assigned(in_memory(), in.c); break;
    case Op::Holds: {
      bool truth = false;
      good = surroundings->holds(block, in.c, &truth);
      f[in.a].i = truth ? 1 : 0;
      break;
    }
    case Op::Value: {
      const auto count =
          static_cast<std::size_t>(program_.values[static_cast<std::size_t>(in.c)].count);
      derivatives_.resize(count);
      good = surroundings->value(block, in.c, derivatives_.data());
      for (std::size_t i = 0; i < count; ++i)
        f[in.a + static_cast<std::int32_t>(i)].r = derivatives_[i];
      break;
    }
    case Op::Instant: good = surroundings->instant(block, in.c); break;
    default: CHI_CHECK(false, "not a question to the equations");
  }
  return good ? RunError::None : RunError::Surroundings;
}

}  // namespace chi::code
