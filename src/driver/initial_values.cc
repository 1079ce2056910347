#include "driver/initial_values.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/json_text.h"
#include "code/print_value.h"
#include "driver/json_value.h"
#include "flat/layout.h"
#include "flat/scalars.h"

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

using Kind = InitialValues::Kind;

InitialValues::Value real_value(std::string name, double value, bool is_unknown,
                                const std::optional<units::Unit>& unit) {
  if (unit) value = unit->from_si(value);
  value += 0.0;  // zero has no sign
  InitialValues::Value row{std::move(name), Kind::Real, value, is_unknown, {}, json_real(value)};
  code::print_real(value, row.text);
  if (unit) row.unit = unit->text;
  return row;
}

InitialValues::Value stored_value(std::string name, const code::RuntimeTypes& types,
                                  const code::RuntimeType& type, const code::Slot* slot,
                                  bool is_unknown, const std::optional<units::Unit>& unit) {
  if (type.kind == code::TypeKind::Real) {
    return real_value(std::move(name), slot->r, is_unknown, unit);
  }
  const bool integer = type.kind == code::TypeKind::Nat || type.kind == code::TypeKind::Int;
  const bool boolean = type.kind == code::TypeKind::Bool;
  InitialValues::Value row{
      .name = std::move(name), .is_unknown = is_unknown, .text = {}, .json = {}};
  row.kind = integer ? Kind::Integer : boolean ? Kind::Boolean : Kind::Other;
  if (integer || boolean) row.value = static_cast<double>(slot->i);
  code::print_literal(types, type, slot, row.text);
  append_json_value(types, type, slot, row.json);
  return row;
}

}  // namespace

InitialValues initial_values(Inspection& inspection) {
  InitialValues result;
  result.time = inspection.outcome().time;
  const flat::FlatModel& model = inspection.model();
  const sema::Types& types = model.typed.types;
  code::RuntimeTypes& runtime_types = inspection.types();
  const std::vector<Solved> solved = solved_slots(inspection);
  const code::Slot* const memory = inspection.scheduler().machine().memory();
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index) {
    const flat::Variable& variable = model.variables[v];
    for (const flat::ScalarPart& part :
         flat::printable_parts(types, variable.type, model.typed.ast.symbols)) {
      const Solved& slot = solved[at(variable.slot + part.offset)];
      const code::Slot* const value =
          memory + inspection.scheduler().frames().variable[v] + part.offset;
      const std::string name = variable.name + part.suffix;
      const std::int32_t model_slot = variable.slot + part.offset;
      const code::TypeRef shown =
          runtime_types.shown(part.type, model.typed.measures, flat::measure_at(model, model_slot));
      result.values.push_back(stored_value(name, runtime_types, runtime_types[shown], value,
                                           slot.is_unknown,
                                           flat::shown_unit(model, model_slot, 0)));
      for (const auto& [order, derivative] : slot.derivatives) {
        result.values.push_back(real_value(name + std::string(at(order), '\''), derivative, true,
                                           flat::shown_unit(model, model_slot, order)));
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
    const std::string unit = value.unit.empty() ? "" : fmt::format(" [{}]", value.unit);
    text += fmt::format("{:<{}} = {}{}\n", value.name, width, value.text, unit);
  }
  return text;
}

std::string to_json(const InitialValues& values) {
  std::string text = fmt::format("{{\"time\":{},\"values\":{{", json_number(values.time));
  bool first = true;
  for (const auto& value : values.values) {
    if (!first) text += ',';
    first = false;
    text += json_quote(value.name) + ':' + value.json;
  }
  text += fmt::format("}},\"iterations\":{}", values.iterations);
  std::string units;
  for (const auto& value : values.values) {
    if (value.unit.empty()) continue;
    units += (units.empty() ? "" : ",") + json_quote(value.name) + ':' + json_quote(value.unit);
  }
  if (!units.empty()) text += fmt::format(",\"units\":{{{}}}", units);
  text += "}\n";
  return text;
}

}  // namespace chi::driver
