#pragma once
#include "sema/context.h"

namespace chi::sema {

/// Checks that what is added, compared, equated, assigned and passed on measures the same, and
/// fills `TypedModel::measures`. Dimensions that are not written are inferred; functions, processes
/// and systems may be used with several (language.md, "Units"). For a model that was checked, has
/// no errors, and has units.
void check_units(Context& c);

}  // namespace chi::sema
