#pragma once
#include <string>

#include "driver/analyse.h"

namespace chi::driver {

/// How much of a long list is shown.
enum class Extent { ForPeople, Whole };

/// The structure in words, part by part. For people long lists are cut; the JSON has all of them.
std::string structure_text(const ModelStructure& structure, Extent extent = Extent::ForPeople);

}  // namespace chi::driver
