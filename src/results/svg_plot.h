#pragma once
#include <string>

#include "results/recording.h"

namespace chi::results {

/// The variables over time as one picture with axes, grid and legend, fit for a paper: vector
/// graphics, no scripts, no fonts of its own. Points closer than a fifth of a pixel are merged, so
/// that the file stays small.
std::string svg_plot(const Trace& trace, const std::string& title);

}  // namespace chi::results
