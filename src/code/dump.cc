#include "code/dump.h"

#include <array>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "code/heap.h"
#include "code/make_value.h"
#include "code/print_value.h"

namespace chi::code {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

std::string text(const Program& program, const Constant& constant) {
  Heap heap;
  const RuntimeType& type = program.types[constant.runtime];
  std::vector<Slot> slots(at(type.slots));
  std::string text;
  if (make_value(heap, type, constant.value, slots.data()) == RunError::None) {
    print_literal(program.types, type, slots.data(), text);
  }
  return text;
}

class Dumper {
 public:
  Dumper(const Program& program, const SourceFile& source) : program_(program), source_(source) {}

  void routine(std::string_view kind, const Routine& routine) {
    out_ += fmt::format("{} {}: {} slots, {} of variables", kind, routine.name, routine.frame_slots,
                        routine.variable_slots);
    if (kind == "function") {
      out_ += fmt::format(", {} of parameters, {} of the result", routine.parameter_slots,
                          routine.result_slots);
    }
    out_ += '\n';
    for (const auto& [reg, constant] : routine.constants) {
      out_ += fmt::format("  r{} = k{}\n", reg, constant);
    }
    for (const StreamPlace& stream : routine.streams) {
      out_ += fmt::format("  r{} is the stream {}\n", stream.reg, stream.name);
    }
    for (std::size_t pc = 0; pc < routine.code.size(); ++pc) {
      if (static_cast<std::int32_t>(pc) == routine.init_pc && kind == "body") out_ += "  init:\n";
      if (static_cast<std::int32_t>(pc) == routine.main_pc) out_ += "  main:\n";
      instruction(routine, pc);
    }
    for (std::size_t s = 0; s < routine.selections.size(); ++s) {
      const Selection& selection = routine.selections[s];
      out_ += fmt::format("  selection {}: {} offers from {}{}\n", s, selection.offers,
                          selection.first_offer, selection.waits ? "" : ", does not wait");
    }
    for (std::size_t o = 0; o < routine.offers.size(); ++o) offer(routine, o);
  }

  std::string take() { return std::move(out_); }

 private:
  void instruction(const Routine& routine, std::size_t pc) {
    const Instr& in = routine.code[pc];
    std::string operands;
    const std::string_view kinds = op_kinds(in.op);
    const std::array<std::int32_t, 3> values = {in.a, in.b, in.c};
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::string one = operand(kinds[k], values[k]);
      if (!one.empty()) operands += (operands.empty() ? "" : ", ") + one;
    }
    if (in.n != 0) operands += fmt::format("{}n = {}", operands.empty() ? "" : ", ", in.n);
    std::string line = fmt::format("  {:>4}  {:<18}{:<24}", pc, op_text(in.op), operands);
    const Span span = routine.spans[pc];
    if (span.begin < span.end) line += source_.where(span);
    line.erase(line.find_last_not_of(' ') + 1);
    out_ += line + "\n";
  }

  std::string operand(char kind, std::int32_t value) const {
    switch (kind) {
      case '-': return "";
      case 'r': return fmt::format("r{}", value);
      case 'p': return fmt::format("-> {}", value);
      case 'k': return fmt::format("k{}", value);
      case 't': return fmt::format("type {}", value);
      case 'f':
        return value >= 0 && value < program_.functions.size()
                   ? program_.functions[RoutineId{value}].name
                   : fmt::format("function {}", value);
      case 'o': return fmt::format("offer {}", value);
      case 's': return fmt::format("selection {}", value);
      default: return fmt::format("{}", value);
    }
  }

  void offer(const Routine& routine, std::size_t o) {
    const Offer& offer = routine.offers[o];
    constexpr std::array<std::string_view, 4> kKinds = {"immediate", "send", "receive", "delay"};
    std::string line =
        fmt::format("  offer {}: {}", o, kKinds[static_cast<std::size_t>(offer.kind)]);
    const auto add = [&](std::string_view what, std::int32_t reg, std::string_view prefix) {
      if (reg >= 0) line += fmt::format(", {} {}{}", what, prefix, reg);
    };
    add("guard", offer.guard, "r");
    add("condition", offer.ready, "r");
    add("channel", offer.channel, "r");
    add("value", offer.value, "r");
    add("deadline", offer.deadline, "r");
    add("goes on at", offer.body_pc, "");
    out_ += line + "\n";
  }

  const Program& program_;
  const SourceFile& source_;
  std::string out_;
};

}  // namespace

std::string dump(const Program& program, const SourceFile& source, const syntax::Wanted& wanted) {
  Dumper dumper(program, source);
  std::string out;
  if (!wanted) {
    for (std::size_t k = 0; k < program.constants.size(); ++k) {
      out += fmt::format("k{} = {}\n", k, text(program, program.constants[k]));
    }
  }
  for (const Routine& f : program.functions) {
    if (!wanted || wanted(f.name)) dumper.routine("function", f);
  }
  for (const Routine& b : program.bodies) {
    if (!wanted || wanted(b.name)) dumper.routine("body", b);
  }
  return out + dumper.take();
}

}  // namespace chi::code
