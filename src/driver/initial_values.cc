#include "driver/initial_values.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/json_text.h"
#include "code/print_value.h"
#include "flat/layout.h"

namespace chi::driver {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// What the equations say of one scalar variable.
struct Solved {
  bool is_unknown = false;
  std::map<int, double> derivatives = {};  // by order
};

/// Per slot of the flat model.
std::vector<Solved> solved_slots(Inspection& inspection) {
  std::vector<Solved> slots(at(inspection.model().variable_slots));
  sim::Engine* const engine = inspection.engine();
  if (engine == nullptr) return slots;
  for (sim::Part* part : engine->parts()) {
    if (part->plan() == nullptr) continue;
    const structure::Analysis& analysis = part->plan()->analysis();
    const std::vector<expr::VarRef>& given = structure::known_values(analysis);
    for (const expr::VarRef x : part->plan()->values()) {
      if (x.var.index >= inspection.model().variable_slots) continue;
      Solved& slot = slots[at(x.var.index)];
      if (x.order == 0) {
        slot.is_unknown = !std::binary_search(given.begin(), given.end(), x);
      } else {
        slot.derivatives[x.order] = part->frame()[at(part->place(x))];
      }
    }
  }
  for (const flat::Substitution& s : inspection.model().equations.substitutions) {
    Solved& slot = slots[at(s.variable.var.index)];
    if (s.variable.order == 0) {
      slot.is_unknown = true;
    } else {
      slot.derivatives[s.variable.order] = engine->evaluate(s.value).value;
    }
  }
  return slots;
}

std::string number_text(const InitialValues::Value& value) {
  if (value.kind == InitialValues::Kind::Boolean) return value.value != 0 ? "true" : "false";
  if (value.kind == InitialValues::Kind::Integer) return fmt::format("{:.0f}", value.value);
  std::string text;
  code::print_real(value.value, text);
  return text;
}

}  // namespace

InitialValues initial_values(Inspection& inspection) {
  InitialValues result;
  result.time = inspection.outcome().time;
  const flat::FlatModel& model = inspection.model();
  const sema::Types& types = model.typed.types;
  const std::vector<Solved> solved = solved_slots(inspection);
  const code::Slot* const memory = inspection.scheduler().machine().memory();
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index) {
    const flat::Variable& variable = model.variables[v];
    for (const flat::ScalarPart& part :
         flat::scalar_parts(types, variable.type, model.typed.ast.symbols)) {
      const Solved& slot = solved[at(variable.slot + part.offset)];
      const code::Slot value = memory[inspection.scheduler().frames().variable[v] + part.offset];
      std::string name = variable.name + part.suffix;
      using Kind = InitialValues::Kind;
      const Kind kind = types.is(part.type, sema::BasicType::Real)   ? Kind::Real
                        : types.is(part.type, sema::BasicType::Bool) ? Kind::Boolean
                                                                     : Kind::Integer;
      result.values.push_back({name, kind,
                               kind == Kind::Real ? value.r + 0.0 : static_cast<double>(value.i),
                               slot.is_unknown});
      for (const auto& [order, derivative] : slot.derivatives) {
        result.values.push_back(
            {name + std::string(at(order), '\''), Kind::Real, derivative + 0.0, true});
      }
    }
  }
  if (inspection.engine() != nullptr) {
    for (const sim::Part* part : inspection.engine()->parts()) {
      result.iterations += part->iterations();
    }
  }
  return result;
}

std::string to_text(const InitialValues& values) {
  std::size_t width = 0;
  for (const auto& value : values.values) width = std::max(width, value.name.size());
  width = std::min<std::size_t>(width, 40);
  std::string text;
  for (const auto& value : values.values) {
    text += fmt::format("{:<{}} = {}\n", value.name, width, number_text(value));
  }
  return text;
}

std::string to_json(const InitialValues& values) {
  std::string text = fmt::format("{{\"time\":{},\"values\":{{", json_number(values.time));
  bool first = true;
  for (const auto& value : values.values) {
    if (!first) text += ',';
    first = false;
    text += json_quote(value.name) + ':';
    text += value.kind == InitialValues::Kind::Real ? json_number(value.value) : number_text(value);
  }
  text += fmt::format("}},\"iterations\":{}}}\n", values.iterations);
  return text;
}

}  // namespace chi::driver
