#pragma once
#include <cstddef>
#include <vector>

#include "results/trace.h"

namespace chi::results {

/// Variables that are drawn over one axis, and the range of their finite values.
struct Panel {
  std::vector<std::size_t> variables;
  double low = 0, high = 0;
};

/// Puts variables together whose values are of one size, so that each curve fills a good part of
/// its panel: a variable joins the first panel in which it and all that are there would take at
/// least an eighth of the height. Booleans keep to themselves. In the order of the trace; variables
/// beyond what `most_panels` of `most_curves` hold are left out.
std::vector<Panel> make_panels(const Trace& trace, std::size_t most_panels,
                               std::size_t most_curves);

}  // namespace chi::results
