#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/events/part_run.h"
#include "sim/events/tolerances.h"

// Windows that are steps of a given size (sim/timestepping).
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

/// Steps end on the multiples of their size, and at deadlines and relations of time: so that they
/// do not depend on what happened before.
bool PartRun::take_fixed_step(double limit) {
  limit = std::min(limit, next_due(from_));
  const double size = workshop_.options.step_size;
  double until = size * (std::floor(from_ / size) + 1);
  if (until - from_ < tolerance::kRestOfStep * size) until += size;
  if (until > limit - tolerance::kRestOfStep * size) until = limit;
  if (!(until > from_)) until = std::nextafter(from_, limit);
  std::vector<double> before = leap_ ? std::move(leap_->limit) : part_.frame();
  part_.fit(before);
  std::vector<double> after = before;
  if (!steps_->step(from_, until, after)) return false;
  part_.fit(before);
  reached_ = until;
  has_window_ = true;
  note_passed(before, after);
  leap_ =
      Leap{.from = from_, .until = until, .before = std::move(before), .limit = std::move(after)};
  return true;
}

/// Borders that processes wait at, and whose differences have another sign now.
void PartRun::note_passed(const std::vector<double>& before, const std::vector<double>& after) {
  if (watched_.empty()) return;
  const auto sign = [](const Part::BorderValue& v) {
    return std::abs(v.value) <= v.band ? 0 : v.value > 0 ? 1 : -1;
  };
  const std::span<const Part::BorderValue> first = part_.border_values(before);
  std::vector<int> signs;
  for (const Part::BorderValue& v : first) signs.push_back(sign(v));
  const std::span<const Part::BorderValue> last = part_.border_values(after);
  for (const auto& [condition, processes] : watched_) {
    for (const int b : part_.conditions().borders_of(condition)) {
      const int now = sign(last[at(b)]);
      if (now == signs[at(b)]) continue;
      events_.push_back({.kind = EventKind::Passed,
                         .time = reached_,
                         .border = b,
                         .value = last[at(b)].value,
                         .direction = now > signs[at(b)] ? 1 : -1});
    }
  }
}

void PartRun::arrive() {
  if (steps_ != nullptr && leap_ && part_.frame()[0] == reached_) steps_->arrive();
}

}  // namespace chi::sim
