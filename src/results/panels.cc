#include "results/panels.h"

#include <algorithm>

#include "results/axis.h"

namespace chi::results {
namespace {

struct Range {
  double low = 0, high = 0;
  double extent() const { return high - low; }
};

/// The values, or around a single one as much as the axis would show.
Range range_of(const std::vector<double>& column) {
  const auto [low, high] = finite_range(column);
  return {low, high};
}

Range united(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

}  // namespace

std::vector<Panel> make_panels(const Trace& trace, std::size_t most_panels,
                               std::size_t most_curves) {
  struct Group {
    Panel panel;
    Range range;
    double least = 0;  // the smallest extent in it
    bool boolean = false;
  };
  constexpr double kShare = 1.0 / 8;
  std::vector<Group> groups;
  for (std::size_t v = 0; v < trace.names.size(); ++v) {
    const Range range = range_of(trace.columns[v]);
    const bool boolean = trace.kinds[v] == Trace::Kind::Boolean;
    const auto fits = [&](const Group& group) {
      if (group.boolean != boolean || group.panel.variables.size() >= most_curves) return false;
      const Range all = united(group.range, range);
      // What stands still is seen wherever it lies; it must not make the others small.
      const double least = range.extent() == 0 ? group.least
                           : group.least == 0  ? range.extent()
                                               : std::min(group.least, range.extent());
      return boolean || least >= kShare * all.extent();
    };
    const auto found = std::find_if(groups.begin(), groups.end(), fits);
    if (found == groups.end()) {
      if (groups.size() == most_panels) continue;
      groups.push_back({{{v}, range.low, range.high}, range, range.extent(), boolean});
      continue;
    }
    found->panel.variables.push_back(v);
    found->range = united(found->range, range);
    found->panel.low = found->range.low;
    found->panel.high = found->range.high;
    if (range.extent() > 0)
      found->least = found->least == 0 ? range.extent() : std::min(found->least, range.extent());
  }
  std::vector<Panel> panels;
  for (Group& group : groups) panels.push_back(std::move(group.panel));
  return panels;
}

}  // namespace chi::results
