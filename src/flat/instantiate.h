#pragma once
#include "diag/diagnostic.h"
#include "flat/blueprint.h"
#include "flat/flat_model.h"
#include "flat/flatten.h"
#include "flat/open_lengths.h"

namespace chi::flat {

/// Deepest nesting of systems in systems.
inline constexpr std::size_t kMaxSystemDepth = 1000;
/// Most channels, counting the elements of bundles.
inline constexpr std::int64_t kMaxChannels = 20'000'000;

/// Fills `model`, whose `typed` is given, with the instance of definition `top` and everything in
/// it, depth first in textual order. False exactly when it reported. An instance that is wrong is
/// reported once, however often it is unwound.
bool instantiate(FlatModel& model, std::int32_t top, const Request& request,
                 const Blueprints& blueprints, OpenLengths& lengths, Diagnostics& diagnostics);

}  // namespace chi::flat
