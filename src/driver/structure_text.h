#pragma once
#include <string>

#include "driver/analyse.h"

namespace chi::driver {

/// The structure for people, part by part. Long lists are cut; the JSON has all of them.
std::string structure_text(const ModelStructure& structure);

}  // namespace chi::driver
