#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flat/flat_model.h"

namespace chi::flat {

/// The variable that holds a slot; none if the slot is none of the model's. O(log variables).
VariableId variable_at(const FlatModel& model, std::int32_t slot);

/// The type of the scalar in a slot: real, int, nat or bool; unknown if the slot holds part of a
/// list, set, dictionary, string or distribution. O(log variables + depth of the type).
sema::TypeId scalar_type(const FlatModel& model, std::int32_t slot);

/// What the value that begins in a slot, a scalar, list or other whole, measures; none if nothing
/// is known. Same cost.
sema::MeasureId measure_at(const FlatModel& model, std::int32_t slot);

/// The unit in which people see the scalar in a slot; null if it has none. Same cost.
const units::Unit* shown_unit(const FlatModel& model, std::int32_t slot);

/// The unit in which people see the derivative of that order; none if the scalar has none.
std::optional<units::Unit> shown_unit(const FlatModel& model, std::int32_t slot, int order);
/// A value of the scalar in a slot, or of its derivative of an order, as messages write it: six
/// digits, in the unit in which people see it, which follows in brackets. Same cost.
std::string shown_value(const FlatModel& model, std::int32_t slot, int order, double value);

/// The result name of the scalar in a slot (language.md §2): V, T[1].V, x[3], r.v. Same cost.
std::string scalar_name(const FlatModel& model, std::int32_t slot);

/// The same as it is written where the variable is declared, without the path of the instance: V,
/// x.3, r.v. Same cost.
std::string written_name(const FlatModel& model, std::int32_t slot);

}  // namespace chi::flat
