#include "flat/scalars.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "flat/layout.h"

namespace chi::flat {
namespace {

using sema::TypeId;
using sema::Types;

struct Descent {
  TypeId type;
  std::string suffix;
  sema::MeasureId measure = {};
};

// The part of a value of type `type` that lies at `offset`.
class PartFinder {
 public:
  PartFinder(const FlatModel& model)
      : types_(model.typed.types),
        symbols_(model.typed.ast.symbols),
        measures_(model.typed.measures) {}

  Descent find(TypeId type, std::int64_t offset, sema::MeasureId measure = {}) const {
    Descent at{type, {}, measure};
    while (true) {
      if (const auto* array = std::get_if<sema::Array>(&types_[at.type])) {
        const std::int64_t slots = slot_count(types_, array->element);
        fmt::format_to(std::back_inserter(at.suffix), "[{}]", offset / slots);
        offset %= slots;
        at.type = array->element;
      } else if (const auto* tuple = std::get_if<sema::Tuple>(&types_[at.type])) {
        const std::int32_t k = element_at(at.type, tuple->elements.count, offset);
        fmt::format_to(std::back_inserter(at.suffix), ".{}", k);
        at.type = types_.list(tuple->elements)[static_cast<std::size_t>(k)];
        at.measure = measures_.part(at.measure, k);
      } else if (const auto* record = std::get_if<sema::Record>(&types_[at.type])) {
        const std::int32_t k = element_at(at.type, record->fields.count, offset);
        const sema::Field field = types_.list(record->fields)[static_cast<std::size_t>(k)];
        at.suffix += '.';
        at.suffix += symbols_.text(field.name);
        at.type = field.type;
        at.measure = measures_.part(at.measure, k);
      } else {
        return at;
      }
    }
  }

 private:
  // The last element that starts at or before `offset` and is not empty; `offset` becomes relative.
  std::int32_t element_at(TypeId type, std::int32_t count, std::int64_t& offset) const {
    std::int32_t k = count - 1;
    while (element_offset(types_, type, k) > offset) --k;
    offset -= element_offset(types_, type, k);
    return k;
  }

  const Types& types_;
  const Interner& symbols_;
  const sema::Measures& measures_;
};

}  // namespace

VariableId variable_at(const FlatModel& model, std::int32_t slot) {
  if (slot < 0 || slot >= model.variable_slots) return {};
  // Variables lie in the order of their slots. One without slots (an empty array) shares its slot
  // number with the next, which is the one meant.
  const auto after = std::upper_bound(model.variables.begin(), model.variables.end(), slot,
                                      [](std::int32_t s, const Variable& v) { return s < v.slot; });
  return VariableId{static_cast<std::int32_t>(after - model.variables.begin()) - 1};
}

TypeId scalar_type(const FlatModel& model, std::int32_t slot) {
  const VariableId id = variable_at(model, slot);
  if (!id) return model.typed.types.unknown();
  const Variable& variable = model.variables[id];
  const TypeId type = PartFinder(model).find(variable.type, slot - variable.slot).type;
  const bool scalar =
      model.typed.types.is_numeric(type) || model.typed.types.is(type, sema::BasicType::Bool);
  return scalar ? type : model.typed.types.unknown();
}

sema::MeasureId measure_at(const FlatModel& model, std::int32_t slot) {
  const sema::Measures& measures = model.typed.measures;
  const VariableId id = measures.empty() ? VariableId{} : variable_at(model, slot);
  if (!id) return {};
  const Variable& variable = model.variables[id];
  const sema::MeasureId measure = measures.of(variable.decl);
  if (!measure) return {};
  return PartFinder(model).find(variable.type, slot - variable.slot, measure).measure;
}

const units::Unit* shown_unit(const FlatModel& model, std::int32_t slot) {
  return model.typed.measures.unit(measure_at(model, slot));
}

std::optional<units::Unit> shown_unit(const FlatModel& model, std::int32_t slot, int order) {
  const units::Unit* shown = shown_unit(model, slot);
  if (shown == nullptr) return std::nullopt;
  units::Unit unit = *shown;
  for (; order > 0; --order) unit = units::per_second(unit);
  return unit;
}

std::string shown_value(const FlatModel& model, std::int32_t slot, int order, double value) {
  const std::optional<units::Unit> unit = shown_unit(model, slot, order);
  if (!unit) return fmt::format("{:.6g}", value);
  return fmt::format("{:.6g} [{}]", unit->from_si(value), unit->text);
}

std::string scalar_name(const FlatModel& model, std::int32_t slot) {
  const VariableId id = variable_at(model, slot);
  if (!id) return {};
  const Variable& variable = model.variables[id];
  return variable.name + PartFinder(model).find(variable.type, slot - variable.slot).suffix;
}

std::string written_name(const FlatModel& model, std::int32_t slot) {
  const VariableId id = variable_at(model, slot);
  if (!id) return {};
  const Variable& variable = model.variables[id];
  std::string name(model.typed.ast.symbols.text(model.typed.decls[variable.decl].name));
  for (const char c : PartFinder(model).find(variable.type, slot - variable.slot).suffix) {
    if (c == '[') {
      name += '.';
    } else if (c != ']') {
      name += c;
    }
  }
  return name;
}

}  // namespace chi::flat
