#include <algorithm>
#include <array>
#include <cmath>

#include "expr/incidence.h"
#include "sim/events/part_run.h"
#include "sim/events/tolerances.h"

// Functions that only statements can compute may jump, and no relation tells where. A motion across
// a jump is no smooth one: its window ends before the jump, and another one begins behind it.
namespace chi::sim {
namespace {

using expr::ExprId;

/// Those of the looks at a window that tell of jumps.
constexpr std::array<std::size_t, 5> kTelling = {0, 2, 3, 4, 6};

/// How far the value in the middle is from the cubic through the others.
double unevenness(const std::array<double, kTelling.size()>& value) {
  const auto place = [](std::size_t i) { return PartRun::kLookPlaces[kTelling[i]]; };
  double expected = 0;
  for (std::size_t i = 0; i < kTelling.size(); ++i) {
    if (i == 2) continue;
    double factor = 1;
    for (std::size_t j = 0; j < kTelling.size(); ++j) {
      if (j != 2 && j != i) factor *= (place(2) - place(j)) / (place(i) - place(j));
    }
    expected += factor * value[i];
  }
  return value[2] - expected;
}

}  // namespace

/// The calls of such functions in the equations of the present mode.
const std::vector<ExprId>& PartRun::box_calls() {
  const auto [place, is_new] = of_plans().box_calls.try_emplace(&part_.plan()->equations());
  if (!is_new) return place->second;
  const expr::Pool& pool = workshop_.pool();
  const std::vector<ExprId>& rows = part_.plan()->equations().system.rows;
  const auto is_box = [&](ExprId e) {
    if (pool.op(e) != expr::Op::Call || !pool.has(e, expr::kMoving)) return ExprId{};
    const auto& function = pool.function(pool.called(e));
    const bool is_smooth = function.body || function.parent || function.boolean;
    return is_smooth || function.is_exact ? ExprId{} : e;
  };
  place->second = expr::occurrences(pool, rows, {}, is_box, expr::kMoving).node;
  std::vector<ExprId>& calls = place->second;
  std::ranges::sort(calls);
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  return calls;
}

/// The first jump in the window, between two times that have none between them; and `corner_`.
std::optional<PartRun::Break> PartRun::find_break() {
  std::optional<Break> first;
  corner_.reset();
  solved_.clear();
  search_frame_ = part_.frame();
  part_.fit(search_frame_);
  for (const ExprId call : box_calls()) {
    Tracked& track = tracked(call);
    if (track.kind == Tracked::Kind::Still) continue;
    const std::optional<Looks> looks = look(track);
    if (!looks) continue;
    const std::optional<Break> found = find_break(track, *looks);
    if (!found) {
      const std::optional<double> corner = find_corner(track, *looks);
      if (corner && !(corner_ && *corner_ <= *corner) && matters(*corner)) corner_ = corner;
      continue;
    }
    const double same = 4 * tolerance::kBracket * std::abs(found->before);
    if (first && std::abs(found->before - first->before) <= same) {  // jumps of several at once
      first = Break{std::min(first->before, found->before), std::max(first->behind, found->behind)};
    } else if (!first || found->before < first->before) {
      first = found;
    }
  }
  return first;
}

/// The values of a function in the window; none if it has none somewhere.
std::optional<PartRun::Looks> PartRun::look(const Tracked& track) {
  Looks value{};
  for (std::size_t k = 0; k < kLookPlaces.size(); ++k) {
    value[k] = difference_at(
        track, kLookPlaces[k] == 1 ? reached_ : from_ + kLookPlaces[k] * (reached_ - from_));
    if (std::isnan(value[k])) return std::nullopt;
  }
  return value;
}

std::optional<PartRun::Break> PartRun::find_break(const Tracked& track, const Looks& looks) {
  std::array<double, kTelling.size()> time{}, value{};
  double change = 0, size = 0;
  for (std::size_t k = 0; k < kTelling.size(); ++k) {
    const double part = kLookPlaces[kTelling[k]];
    time[k] = part == 1 ? reached_ : from_ + part * (reached_ - from_);
    value[k] = looks[kTelling[k]];
    size = std::max(size, std::abs(value[k]));
    if (k > 0) change = std::max(change, std::abs(value[k] - value[k - 1]));
  }
  const double least = 10 * (workshop_.options.rtol * size + workshop_.options.atol);
  if (change <= least || std::abs(unevenness(value)) <= least + tolerance::kJumpOfLooks * change) {
    return std::nullopt;
  }
  for (std::size_t k = 1; k < kTelling.size(); ++k) {
    if (std::abs(value[k] - value[k - 1]) <= least) continue;
    const auto found = locate_break(track, {time[k - 1], time[k]}, value[k - 1], value[k]);
    if (found) return found;
  }
  return std::nullopt;
}

/// Nothing if the values come together as the times do: steep is no jump.
std::optional<PartRun::Break> PartRun::locate_break(const Tracked& track, Break between,
                                                    double at_left, double at_right) {
  auto [left, right] = between;
  const double change = std::abs(at_right - at_left);
  while (right - left > tolerance::kBracket * std::abs(right)) {
    const double middle = 0.5 * (left + right);
    if (middle <= left || middle >= right) break;
    const double there = difference_at(track, middle);
    // Of several jumps the first, if it is not small beside the others.
    const bool is_before = std::abs(there - at_left) >= tolerance::kFirstJump * change;
    (is_before ? right : left) = middle;
    (is_before ? at_right : at_left) = there;
    if (!(std::abs(at_right - at_left) >= tolerance::kStillJumps * change)) return std::nullopt;
  }
  return Break{left, right};
}

/// Ends the window before a jump, or at a corner, or says where a jump is, if it comes at once.
/// Where jumps come one after the other, as in a motion that is held on one, they are looked for
/// less and less often.
numerics::StepStatus PartRun::stop_before_break() {
  constexpr int kLongestPause = 1024;
  break_at_ = -1;
  ++windows_since_break_;
  if (windows_since_break_ <= pause_ || box_calls().empty()) return numerics::StepStatus::Stepped;
  const double least = tolerance::kShortestWindow *
                       std::max(std::abs(from_), tolerance::kOfWindow * (reached_ - from_));
  std::optional<Break> found = find_break();
  // What ends before a jump or at a corner may have another one inside.
  while (found ? found->before - from_ > least : corner_ && *corner_ - from_ > least) {
    is_before_break_ = found.has_value();
    const numerics::StepStatus status = motion_->retake(found ? found->before : *corner_);
    reached_ = motion_->t();
    if (status != numerics::StepStatus::Stepped) return status;
    found = find_break();
  }
  if (!found) return numerics::StepStatus::Stepped;
  const bool is_crowded =
      found->behind - last_break_ <= tolerance::kCrowded * std::abs(found->behind);
  pause_ = is_crowded ? std::min(2 * pause_ + 1, kLongestPause) : 0;
  windows_since_break_ = 0;
  break_at_ = last_break_ = found->behind;
  return numerics::StepStatus::Stepped;
}

}  // namespace chi::sim
