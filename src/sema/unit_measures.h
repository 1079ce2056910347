#pragma once
#include "sema/unit_rules.h"

namespace chi::sema {

/// Writes what was inferred into `TypedModel::measures`. Internal to sema/.
void fill_measures(Context& c, UnitRules& rules);

}  // namespace chi::sema
