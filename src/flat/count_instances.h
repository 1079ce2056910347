#pragma once
#include <cstdint>

#include "flat/blueprint.h"

namespace chi::flat {

/// How many instances, and copies of unwound groups, a definition makes at least: those of
/// unwindings whose range is known without the values of parameters. Linear in the text, however
/// many they are, so that a model of 2^60 instances is refused before the first is made.
double count_instances(const sema::TypedModel& model, const Blueprints& blueprints,
                       std::int32_t top);

}  // namespace chi::flat
