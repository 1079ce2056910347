#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/events/part_run.h"
#include "sim/events/tolerances.h"

// Motions that leave a border more slowly than a multistep method can tell. Such a method starts
// with order one, and is off by what the tolerances allow; a rope goes slack with the third power
// of time.
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Parts of a window. What leaves the border properly, be it for a moment, as a ball does that
/// bounces, is seen in one of the first.
constexpr std::array kLooks = {0.0, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.25, 0.5, 0.75, 1.0};

}  // namespace

/// By trying: the states are moved by their tolerances, to and fro.
double Part::uncertainty(int border, const std::vector<double>& frame) {
  constexpr std::uint32_t kDraws = 4;
  if (variant_ == nullptr || !variant_->solver) return 0;
  const double here = border_value(border, frame).value;
  double most = 0;
  std::uint32_t bits = 1;
  for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
    std::vector<double> moved = frame;
    for (const expr::VarRef x : variant_->choice.states) {
      bits = 1664525 * bits + 1013904223;  // Numerical Recipes' generator: the same in every run
      double& value = moved[at(place(x))];
      const double step = workshop_.options.rtol * std::abs(value) + workshop_.options.atol;
      value += (bits >> 31) != 0 ? step : -step;
    }
    if (!variant_->solver->solve(moved.data(), Effort::Near)) continue;
    const double off = std::abs(border_value(border, moved).value - here);
    if (std::isfinite(off)) most = std::max(most, off);
  }
  return 2 * most;
}

/// Whether the motion, which was on the border when its side was decided by derivatives, has been
/// on the other side ever since, and not further than the integration may leave it there: then
/// there is nothing to look for in the window.
bool PartRun::departs_within_tolerance(int border, const Tracked& track, Side side, double time) {
  const double sign = side == Side::Plus ? 1 : -1;
  if (time == decided_) {
    bool departs = motion_ != nullptr && motion_->is_multistep();
    if (departs) {
      const double begin = difference_at(track, time);
      const bool goes_on = part_.departs(border) && sign * begin < 0;
      departs = goes_on || begins_at_zero(border, side, begin, time);
    }
    part_.set_departs(border, departs);
  }
  if (!part_.departs(border)) return false;
  std::array<double, kLooks.size()> seen{};
  for (std::size_t k = 0; k < kLooks.size(); ++k) {
    if (k == 0 && time == decided_) continue;
    const double t = kLooks[k] < 1 ? time + kLooks[k] * (reached_ - time) : reached_;
    seen[k] = sign * difference_at(track, t);
  }
  const double worst = *std::ranges::min_element(seen);
  if (worst >= 0) {  // a motion that is on its own side from begin to end has left
    if (time != decided_) part_.set_departs(border, false);
    return false;
  }
  if (values_at(reached_, search_frame_)) {
    const double most = part_.uncertainty(border, search_frame_);
    const double rounding = most * tolerance::kSeenRounding / workshop_.options.rtol;
    const auto left = std::ranges::find_if(seen, [&](double g) { return !(g <= rounding); });
    const bool comes_back = std::any_of(left, seen.end(), [](double g) { return !(g >= 0); });
    if (!comes_back && -worst <= most) return true;
  }
  part_.set_departs(border, false);
  return false;
}

}  // namespace chi::sim
