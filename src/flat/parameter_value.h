#pragma once
#include <optional>
#include <string_view>

#include "diag/diagnostic.h"
#include "sema/typed_model.h"
#include "sema/value.h"

namespace chi::flat {

/// Reads the text that was given for parameter `name` of the part that runs (`-p name=text`): a
/// number, a truth value, a string, a list, tuple, set, dictionary or record of such, a
/// distribution with such arguments, or the name of a constant or function of the model.
///
/// A real is in the unit of the parameter, or in the one that is written with it: `2.5 bar`, `2.5
/// [bar]`; its value is in coherent units of SI.
///
/// `type` must have all its array lengths. Empty exactly when it reported why the text does not fit
/// the type; the report names the parameter.
std::optional<sema::Value> parameter_value(const sema::TypedModel& model, std::string_view name,
                                           std::string_view text, sema::TypeId type,
                                           sema::MeasureId measure, Diagnostics& diagnostics);

}  // namespace chi::flat
