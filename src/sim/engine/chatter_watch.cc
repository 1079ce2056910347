#include "sim/engine/chatter_watch.h"

#include <algorithm>
#include <cmath>

#include "sim/engine/tolerances.h"

namespace chi::sim {
namespace {

constexpr std::size_t kKept = 12, kFewest = 6;

}  // namespace

bool ChatterWatch::is_crowded(double now) {
  const double least = tolerance::kAtOnce * std::max(std::abs(now), tolerance::kAtOnceOfTime * now +
                                                                        tolerance::kLeastInstant);
  at_once_ = now - last_ <= least ? at_once_ + 1 : 0;
  last_ = now;
  return at_once_ >= kMostAtOnce;
}

// Near the limit of a series events may come in a haze: bodies that fall by less than what is known
// of their places. It shows in events past the limit that are as dense as before it, or denser than
// the limit is near. The faster the distances shrink, the fewer events there are before the haze.
std::optional<ChatterWatch::Limit> ChatterWatch::limit(const Event& event, bool goes_on,
                                                       numerics::FunctionRef<bool()> is_lost) {
  const double now = event.now;
  // A retreat after which the mode is the same does not count as an event.
  if (retreated_from_ == event.mode && !times_.empty()) times_.pop_back();
  if (times_.empty() || now > times_.back()) times_.push_back(now);
  retreated_from_ = event.is_retreat ? event.mode : PlanId{};
  if (times_.size() > kKept) times_.erase(times_.begin());
  if (times_.size() < kFewest) return std::nullopt;
  const std::size_t last = times_.size() - 1;
  const double step = times_[last] - times_[last - 1];
  const double span = std::max(std::abs(now), times_.back() - times_.front());
  const double near = goes_on ? tolerance::kAtOnce * std::abs(now) : tolerance::kCloseToEnd * span;
  if (now >= accumulates_at_ + tolerance::kHaze * span) accumulates_at_ = kNever;
  const Limit close{.sign = Limit::Sign::Close, .time = accumulates_at_, .step = step};
  if (now > accumulates_at_ && step < tolerance::kOfHaze * tolerance::kHaze * span) return close;
  if (step * step > tolerance::kHaze * span * (times_[last - 1] - times_[last - 2])) {
    return std::nullopt;  // far away
  }
  double least = kNever, most = 0;
  std::size_t first = last - 1;
  do {
    const double ratio = (times_[first + 1] - times_[first]) / (times_[first] - times_[first - 1]);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
    --first;
  } while (first > 0 && (last - first < kFewest - 1 ||
                         step > tolerance::kShrunk * (times_[first + 1] - times_[first])));
  if (step > tolerance::kShrunk * (times_[first + 1] - times_[first]) && times_.size() < kKept) {
    return std::nullopt;
  }
  const double rest = step * most / (1 - most);
  const bool geometric =
      most < tolerance::kLargestRatio &&
      most - least < tolerance::kEvenRatios * most + tolerance::kEvenRatiosAtLeast;
  if (!geometric && accumulates_at_ != kNever && step <= near) return close;
  if (!geometric || rest > tolerance::kHaze * span) return std::nullopt;
  accumulates_at_ = now + rest;
  const Limit limit{.time = now + rest, .step = step, .ratio = most};
  if (goes_on && is_lost()) {
    Limit lost = limit;
    lost.sign = Limit::Sign::Lost;
    return lost;
  }
  if (rest > near) return std::nullopt;
  return limit;
}

}  // namespace chi::sim
