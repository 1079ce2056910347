#include "results/panels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "results/axis.h"

namespace chi::results {
namespace {

struct Range {
  double low = 0, high = 0;
  double extent() const { return high - low; }
};

std::vector<Range> ranges_of(const Trace& trace) {
  constexpr double kRounding = 1e-15;
  std::vector<Range> ranges;
  ranges.reserve(trace.columns.size());
  double largest = 0;
  for (const std::vector<double>& column : trace.columns) {
    const auto [low, high] = finite_range(column);
    ranges.push_back({low, high});
    largest = std::max({largest, std::abs(low), std::abs(high)});
  }
  const double noise = kRounding * std::min(1.0, largest);
  for (Range& range : ranges) {
    if (std::max(std::abs(range.low), std::abs(range.high)) < noise) range = {0, 0};
  }
  return ranges;
}

Range united(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

/// The name without indices: what elements of one array share.
std::string family_of(const std::string& name) {
  std::string family;
  bool inside = false;
  for (const char c : name) {
    inside = inside && c != ']';
    if (!inside) family += c;
    inside = inside || c == '[';
  }
  return family;
}

/// The variables of each family, those that move before those that stand still.
std::vector<std::vector<std::size_t>> families(const Trace& trace) {
  std::vector<std::vector<std::size_t>> moving, still;
  std::map<std::pair<std::string, bool>, std::size_t> index;
  const std::vector<Range> ranges = ranges_of(trace);
  for (std::size_t v = 0; v < trace.names.size(); ++v) {
    const bool moves = ranges[v].extent() > 0;
    auto& list = moves ? moving : still;
    const auto [at, fresh] = index.try_emplace({family_of(trace.names[v]), moves}, list.size());
    if (fresh) list.emplace_back();
    list[at->second].push_back(v);
  }
  moving.insert(moving.end(), still.begin(), still.end());
  return moving;
}

/// `count` of the variables that lie evenly, the first and the last among them.
std::vector<std::size_t> evenly(const std::vector<std::size_t>& from, std::size_t count) {
  if (from.size() <= count) return from;
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < count; ++k)
    chosen.push_back(from[count == 1 ? 0 : k * (from.size() - 1) / (count - 1)]);
  return chosen;
}

struct Group {
  Panel panel;
  Range range;
  double least = 0;  // the smallest extent in it
  bool boolean = false;
};

class Grouping {
 public:
  Grouping(const Trace& trace, std::size_t most_panels, std::size_t most_curves)
      : trace_(trace),
        most_panels_(most_panels),
        most_curves_(most_curves),
        ranges_(ranges_of(trace)) {
    moves_ = std::any_of(ranges_.begin(), ranges_.end(), [](Range r) { return r.extent() > 0; });
  }

  /// Into one panel, if there is one that takes them all, or a new one.
  void place(const std::vector<std::size_t>& family) {
    Group together = group_of(family.front());
    bool fit = true;
    for (std::size_t k = 1; k < family.size() && fit; ++k) fit = join(together, family[k]);
    if (!fit) {
      for (const std::size_t v : family) place({v});
      return;
    }
    for (Group& group : groups_) {
      Group tried = group;
      if (std::all_of(family.begin(), family.end(),
                      [&](std::size_t v) { return join(tried, v); })) {
        group = std::move(tried);
        return;
      }
    }
    const bool still = together.least == 0;
    if (groups_.size() == most_panels_ || (still && moves_)) return;
    groups_.push_back(std::move(together));
  }

  std::vector<Panel> panels() {
    std::vector<Panel> result;
    for (Group& group : groups_) {
      std::sort(group.panel.variables.begin(), group.panel.variables.end());
      group.panel.low = group.range.low;
      group.panel.high = group.range.high;
      result.push_back(std::move(group.panel));
    }
    std::sort(result.begin(), result.end(), [](const Panel& a, const Panel& b) {
      return a.variables.front() < b.variables.front();
    });
    return result;
  }

 private:
  bool is_boolean(std::size_t v) const { return trace_.kinds[v] == Trace::Kind::Boolean; }

  Group group_of(std::size_t v) const {
    return {{{v}, 0, 0}, ranges_[v], ranges_[v].extent(), is_boolean(v)};
  }

  bool join(Group& group, std::size_t v) const {
    constexpr double kShare = 1.0 / 8;
    if (group.boolean != is_boolean(v) || group.panel.variables.size() >= most_curves_)
      return false;
    const Range all = united(group.range, ranges_[v]);
    // What stands still is seen wherever it lies; it must not make the others small.
    const double extent = ranges_[v].extent();
    const double least = extent == 0        ? group.least
                         : group.least == 0 ? extent
                                            : std::min(group.least, extent);
    if (!group.boolean && least < kShare * all.extent()) return false;
    group.panel.variables.push_back(v);
    group.range = all;
    group.least = least;
    return true;
  }

  const Trace& trace_;
  std::size_t most_panels_, most_curves_;
  std::vector<Range> ranges_;
  bool moves_ = false;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<std::pair<double, double>> drawn_ranges(const Trace& trace) {
  std::vector<std::pair<double, double>> ranges;
  for (const Range range : ranges_of(trace)) ranges.emplace_back(range.low, range.high);
  return ranges;
}

std::vector<std::size_t> worth_seeing(const Trace& trace, std::size_t most) {
  const std::vector<std::vector<std::size_t>> all = families(trace);
  // One more of each family in turn, until there are enough.
  std::vector<std::size_t> share(all.size(), 0);
  std::size_t count = 0;
  for (bool more = true; more && count < most;) {
    more = false;
    for (std::size_t f = 0; f < all.size() && count < most; ++f) {
      if (share[f] == all[f].size()) continue;
      ++share[f];
      ++count;
      more = true;
    }
  }
  std::vector<std::size_t> chosen;
  for (std::size_t f = 0; f < all.size(); ++f) {
    const std::vector<std::size_t> some = evenly(all[f], share[f]);
    chosen.insert(chosen.end(), some.begin(), some.end());
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<Panel> make_panels(const Trace& trace, std::size_t most_panels,
                               std::size_t most_curves) {
  Grouping grouping(trace, most_panels, most_curves);
  for (const std::vector<std::size_t>& family : families(trace))
    grouping.place(evenly(family, most_curves));
  return grouping.panels();
}

}  // namespace chi::results
