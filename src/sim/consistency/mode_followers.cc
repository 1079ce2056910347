#include <algorithm>
#include <array>

#include "sim/consistency/mode_search.h"

// One surface may be written in several ways: with `z = 3*y`, `y > 0`, `z > 0` and `exp(y) > 1`
// change on the same one. Where they are sums of the same terms they are one border (surface.h).
// Where not, a motion that slides on one of them stays on the others, and they are crossed
// together: what they switch takes part in the same convex combination (A. F. Filippov,
// Differential Equations with Discontinuous Righthand Sides, §4).
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool is_off(Side side) { return side == Side::Plus || side == Side::Minus; }

}  // namespace

/// The same sides, but that borders which just stay zero follow the one that slides; none if there
/// is no such border. Off the surface, on either side of it, the motion takes such a border off
/// zero; in which direction, beside the one that slides, is how they go together. A border that two
/// of them move is zero for another reason.
std::optional<Sides> ModeSearch::with_followers(const Sides& sides) {
  std::vector<int> sliding, still;
  const Attempt& here = attempt(sides);
  const Sides right = here.right;
  for (const int b : part_.mode_borders_) {
    if (right[at(b)] == Side::Slide) sliding.push_back(b);
    if (right[at(b)] == Side::On && is_reached(here.frame, b)) still.push_back(b);
  }
  if (sliding.empty() || still.empty() || part_.follow_nothing_.count(right) != 0) {
    return std::nullopt;
  }
  leave_out_held(right, still);
  Sides result = right;
  std::vector<char> is_moved(right.size(), 0);
  for (const int first : sliding) {
    std::vector<int> orientation(right.size(), 0);
    for (const Side from : {Side::Plus, Side::Minus}) {
      Sides beside = right;
      beside[at(first)] = from;
      const Attempt& there = attempt(beside);
      if (!there.solved || there.jumped || !is_off(there.right[at(first)])) continue;
      for (const int b : still) {
        if (!is_off(there.right[at(b)]) || !is_reached(there.frame, b)) continue;
        orientation[at(b)] = there.right[at(b)] == there.right[at(first)] ? 1 : -1;
      }
    }
    for (const int b : still) {
      if (orientation[at(b)] == 0) continue;
      result[at(b)] = is_moved[at(b)] ? Stand(Side::On) : Stand::follow(first, orientation[at(b)]);
      is_moved[at(b)] = 1;
    }
  }
  if (result != right) return result;
  part_.follow_nothing_.insert(right);
  return std::nullopt;
}

/// What both of its own sides push back stays by itself: dry friction holds each body of a row,
/// even if the next one to it slides. Asked of all at once: one by one there would be too many
/// modes.
void ModeSearch::leave_out_held(const Sides& sides, std::vector<int>& still) {
  const auto beside = [&](Side side) -> const Attempt& {
    Sides all = sides;
    for (const int b : still) all[at(b)] = side;
    return attempt(all);
  };
  const Attempt &above = beside(Side::Plus), &below = beside(Side::Minus);
  if (!above.solved || !below.solved) return;
  std::erase_if(still, [&](int b) {
    return above.right[at(b)] == Side::Minus && below.right[at(b)] == Side::Plus;
  });
}

/// Whether what these borders switch is continuous across them: then nothing is to be combined, and
/// where they are does not matter.
bool ModeSearch::is_indifferent(const Sides& sides, const Sides& followers) {
  return std::ranges::all_of(std::array{Side::Plus, Side::Minus}, [&](Side side) {
    Sides beside = followers;
    for (Stand& stand : beside) {
      if (stand == Side::Follow) stand = side;
    }
    return have_same_values(attempt(sides), attempt(beside));
  });
}

}  // namespace chi::sim
