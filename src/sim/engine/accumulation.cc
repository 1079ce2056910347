#include "sim/engine/accumulation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/sequence_limit.h"
#include "sim/engine/tolerances.h"

namespace chi::sim {
namespace {

using numerics::Extrapolated;

/// Whether the ratios of the distances tend to a number below one: what changes them shrinks with
/// the distances themselves. A period that stays, d in d + c q^k, changes them more and more.
bool come_to_rest(const std::vector<double>& ratios) {
  const std::size_t n = ratios.size();
  for (std::size_t i = n > 4 ? n - 3 : 2; i < n; ++i) {
    const double step = std::abs(ratios[i] - ratios[i - 1]);
    const double before = std::abs(ratios[i - 1] - ratios[i - 2]);
    if (step > std::max(before, tolerance::kSteadyRatios)) return false;
  }
  return true;
}

}  // namespace

bool Accumulation::shrinks(std::size_t period) const {
  const std::size_t n = events_.size();
  if (n < 2 * period + 1) return false;
  const Noted& a = events_[n - 1 - 2 * period];
  const Noted& b = events_[n - 1 - period];
  const Noted& c = events_[n - 1];
  if (a.kind != c.kind || b.kind != c.kind) return false;
  return c.time - b.time < b.time - a.time;
}

bool Accumulation::note(const Event& event, numerics::FunctionRef<Snapshot()> snapshot,
                        bool always) {
  events_.push_back({event});
  if (events_.size() > kKept) events_.pop_front();
  bool is_faster = false;
  for (std::size_t p = 1; p <= kLongestPeriod && 2 * p < events_.size() && !is_faster; ++p) {
    is_faster = shrinks(p);
  }
  if (is_faster || always) events_.back().after = snapshot();
  // Nothing in what came before can be of a series; but one may have begun with the last events.
  if (!is_faster && events_.size() > 2 * kLongestPeriod + 1) events_.pop_front();
  return is_faster;
}

std::optional<Accumulation::Limit> Accumulation::limit(int values, Tolerances tolerances) const {
  constexpr int kMostTried = 3;  // a multiple of a period is one
  int tried = 0;
  for (std::size_t p = 1; p <= kLongestPeriod && kFewestPeriods * p < events_.size() + p; ++p) {
    if (!shrinks(p)) continue;
    Limit result;
    if (extrapolate(p, static_cast<std::size_t>(values), tolerances, result)) return result;
    if (++tried == kMostTried) break;
  }
  return std::nullopt;
}

/// The last event and those whole numbers of periods before it, while kinds agree and the distances
/// shrink; the last one comes last.
std::vector<std::size_t> Accumulation::events_of(std::size_t period) const {
  constexpr std::size_t kMost = 96;
  std::vector<std::size_t> same = {events_.size() - 1};
  while (same.size() < kMost && same.back() >= period) {
    const std::size_t i = same.back() - period;
    if (events_[i].kind != events_.back().kind) break;
    if (same.size() > 1) {
      const double later = events_[same[same.size() - 2]].time - events_[same.back()].time;
      if (!(later < events_[same.back()].time - events_[i].time)) break;
    }
    same.push_back(i);
  }
  std::ranges::reverse(same);
  return same;
}

/// Of these events the last ones whose values can be compared: of a motion that goes to and fro
/// every second one.
std::vector<std::size_t> Accumulation::in_phase(const std::vector<std::size_t>& same) const {
  constexpr std::size_t kMost = 8, kLongest = 4;
  std::vector<std::size_t> best;
  for (std::size_t stride = 1; stride <= kLongest && best.size() < 3; ++stride) {
    std::vector<std::size_t> found;
    for (std::size_t k = same.size(); k > 0 && found.size() < kMost;) {
      const Noted& e = events_[same[k - 1]];
      if (e.phase != events_.back().phase || e.after.values.empty()) break;
      found.push_back(same[k - 1]);
      k = k > stride ? k - stride : 0;
    }
    std::ranges::reverse(found);
    best = std::move(found);
  }
  return best;
}

bool Accumulation::extrapolate(std::size_t period, std::size_t values, Tolerances tolerances,
                               Limit& out) const {
  constexpr std::size_t kMostPowers = 9;
  const std::size_t n = events_.size();
  const std::vector<std::size_t> same = events_of(period);
  if (same.size() < kFewestPeriods) return false;
  std::vector<double> times, ratios;
  for (const std::size_t i : same) times.push_back(events_[i].time);
  for (std::size_t k = 2; k < times.size(); ++k) {
    ratios.push_back((times[k] - times[k - 1]) / (times[k - 1] - times[k - 2]));
  }
  if (ratios.back() >= tolerance::kLargestRatio) return false;
  // A ratio that grows may tend to one: then the distances are powers of their number.
  Extrapolated time{.value = 0, .error = std::numeric_limits<double>::infinity()};
  if (come_to_rest(ratios)) {
    time = numerics::geometric_limit(std::span(times).last(std::min(times.size(), kMostPowers)));
  }
  if (std::ranges::is_sorted(ratios)) {
    const Extrapolated algebraic = numerics::algebraic_limit(times);
    if (algebraic.error < time.error) time = algebraic;
  }
  const double now = times.back(), rest = time.value - now, span = time.value - times.front();
  if (!(rest > 0) || !(rest < span) || !(time.error <= tolerance::kTrusted * rest) ||
      !(time.error <= tolerances.rtol * span)) {
    return false;
  }
  const std::vector<std::size_t> with = in_phase(same);
  if (with.size() < 3 || events_[with.front()].after.values.size() < values) return false;
  const std::size_t first = same.front();
  out = {.time = time.value,
         .time_error = time.error,
         .values = std::vector<double>(values),
         .errors = std::vector<double>(values),
         .sizes = std::vector<double>(values),
         .events = static_cast<int>((same.size() - 1) * period + 1),
         .period = static_cast<int>(period)};
  // What does not move has come to rest: it is what it was a period ago, twice. And no statement
  // was at work, which may go another way at any value.
  bool rests = n > 2 * period;
  for (std::size_t i = n - std::min(n, 2 * period); i < n; ++i) {
    rests = rests && !events_[i].after.by_statement &&
            (i < period || events_[i].after.memory == events_[i - period].after.memory);
  }
  const double visible = out.events < kMany ? tolerance::kUnseen : tolerance::kUnseenOfMany;
  std::vector<double> places, found(with.size());
  for (const std::size_t i : with) places.push_back(time.value - events_[i].time);
  for (std::size_t j = 0; j < values; ++j) {
    for (std::size_t k = 0; k < with.size(); ++k) found[k] = events_[with[k]].after.values[j];
    Extrapolated value = numerics::value_at_zero(places, found);
    value.error += std::abs(found.back() - value.value) / rest * time.error;  // at another time
    double size = 0, last = 0;  // distances from the limit: in the series, and in its last period
    for (std::size_t i = first; i < n; ++i) {
      if (j >= events_[i].after.values.size()) continue;
      const double distance = std::abs(events_[i].after.values[j] - value.value);
      size = std::max(size, distance);
      if (i + period >= n) last = std::max(last, distance);
    }
    out.values[j] = value.value;
    out.errors[j] = value.error;
    out.sizes[j] = size;
    const double scale = std::max(std::abs(value.value), size);
    const double allowed = tolerances.rtol * scale + tolerances.atol;
    const double most = rests ? std::max(10 * allowed, visible * scale) : 10 * allowed;
    if (!(value.error <= allowed) || !(last <= most)) return false;
  }
  return true;
}

}  // namespace chi::sim
