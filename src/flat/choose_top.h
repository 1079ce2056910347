#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "diag/diagnostic.h"
#include "sema/typed_model.h"

namespace chi::flat {

/// The definition that runs (language.md §2 "Which part runs"): the one called `top` if that is not
/// empty; else the xper; else the one system, or failing systems the one process, that nothing else
/// instantiates. Empty exactly when it reported: there is none, or there are several, which are
/// listed.
std::optional<std::int32_t> choose_top(const sema::TypedModel& model, std::string_view top,
                                       Diagnostics& diagnostics);

/// The name of a definition as messages give it; an unnamed xper is "xper".
std::string_view definition_name(const sema::TypedModel& model, std::int32_t definition);

}  // namespace chi::flat
