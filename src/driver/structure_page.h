#pragma once
#include <string>

#include "driver/analyse.h"

namespace chi::driver {

/// One self-contained HTML page that draws, for each part and mode, which equation contains which
/// unknown, in block triangular form. Of more than 1500 equations, so many are drawn as one that
/// the picture stays below that; of very many parts, the largest.
std::string structure_page(const ModelStructure& structure, const std::string& title);

}  // namespace chi::driver
