#pragma once
#include <string>

#include "driver/analyse.h"

namespace chi::driver {

/// The structure as one line of JSON. What concerns the whole model stands at the top: the largest
/// index, the sum of the degrees of freedom, all equations, unknowns, states and blocks; `parts`
/// has each part by itself, `modes` what else was met.
///
/// Where equations are referred to, it is by their text and position; within a part also by their
/// number in its `equations`, from 1.
std::string structure_json(const ModelStructure& structure);

}  // namespace chi::driver
