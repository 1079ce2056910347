#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "results/trace.h"

namespace chi::results {

/// Variables that are drawn over one axis, and the range of their finite values.
struct Panel {
  std::vector<std::size_t> variables;
  double low = 0, high = 0;
};

/// The range in which a variable is drawn. What only rounding moves, beside others that are of
/// size, stands still at zero.
std::vector<std::pair<double, double>> drawn_ranges(const Trace& trace);

/// At most `most` variables, in the order of the trace, for who cannot look at all: those that move
/// before those that stand still, and of the elements of an array some that lie evenly, so that a
/// large one leaves room for others.
std::vector<std::size_t> worth_seeing(const Trace& trace, std::size_t most);

/// Puts variables together whose values are of one size, so that each curve fills a good part of
/// its panel: a variable joins the first panel in which it and all that are there would take at
/// least an eighth of the height; elements of an array stay together if they can. Booleans keep to
/// themselves. What stands still gets no panel of its own where anything moves. Of an array as many
/// elements as `most_curves`. In the order of the trace; variables beyond what `most_panels` hold
/// are left out.
std::vector<Panel> make_panels(const Trace& trace, std::size_t most_panels,
                               std::size_t most_curves);

}  // namespace chi::results
