#include <algorithm>
#include <set>

#include "sim/mode_search.h"

// Sliding in the search for a mode: on which borders, and which of these are left.
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool is_across(Side was, Side now) {
  return (was == Side::Plus && now == Side::Minus) || (was == Side::Minus && now == Side::Plus);
}

constexpr char kFromBoth = 3;  // of the sides from which modes lead back

}  // namespace

/// The border is reached; or a jump takes the values across it, as friction does that an impact
/// brings about, and could end on it. What has an impulse itself is on neither side of it.
bool ModeSearch::can_slide(const Attempt& here, int border) {
  if (!here.jumped) return is_reached_now(border) && is_reached(here.frame, border);
  const Sides nowhere(part_.sides_.size(), Side::None);
  return pushed_sides(here.changes, nowhere)[at(border)] == Side::None;
}

/// Adds to `sides`, per border, the sides from which the modes tried so far lead back across it;
/// whether there are borders from which both do. `looked_at`: so many were seen before.
bool ModeSearch::find_back(std::vector<char>& sides, std::size_t& looked_at) {
  for (; looked_at < order_.size(); ++looked_at) {
    const Attempt& a = *order_[looked_at];
    if (!a.solved) continue;
    for (const int b : part_.mode_borders_) {
      const Side was = assumed_[looked_at][at(b)];
      const char back = was == Side::Minus ? 1 : 2;
      if ((sides[at(b)] & back) != 0 || !is_across(was, a.right[at(b)])) continue;
      if (can_slide(a, b)) sides[at(b)] = static_cast<char>(sides[at(b)] | back);
    }
  }
  return std::ranges::find(sides, kFromBoth) != sides.end();
}

/// As `iterate`, but borders from which the modes tried so far lead back, on both sides, slide
/// before they are crossed, and the weight tells to which side they go, if to any: many bodies that
/// rub at each other come to rest together, or one by one. That is the primal-dual active set
/// method [2] for the least energy that friction leaves.
bool ModeSearch::iterate_sliding(Sides sides) {
  if (part_.workshop_.options.sliding == Sliding::Error) return false;
  std::vector<char> back(sides.size(), 0);
  std::size_t looked_at = 0;
  if (!find_back(back, looked_at)) return false;
  std::set<Sides> seen;
  while (budget_ > 0 && seen.insert(sides).second) {
    if (take(sides)) return true;
    const Attempt& here = attempt(sides);
    if (!here.solved) return false;
    find_back(back, looked_at);
    Sides next = here.right;
    for (const int b : part_.mode_borders_) {
      if (back[at(b)] == kFromBoth && is_across(sides[at(b)], next[at(b)])) {
        next[at(b)] = Side::Slide;
      }
    }
    sides = std::move(next);
  }
  return false;
}

/// With `may_slide` a border from which the modes on both sides lead back slides.
bool ModeSearch::pivot(Sides sides, bool may_slide) {
  std::set<Sides> seen;
  while (budget_ > 0 && seen.insert(sides).second) {
    if (take(sides)) return true;
    const Attempt& here = attempt(sides);
    if (!here.solved) return false;
    const auto& borders = part_.mode_borders_;
    const auto wrong = std::find_if(borders.begin(), borders.end(),
                                    [&](int b) { return here.right[at(b)] != sides[at(b)]; });
    if (wrong == borders.end()) return false;
    const Side was = sides[at(*wrong)], now = here.right[at(*wrong)];
    sides[at(*wrong)] = now;
    if (!may_slide || !is_across(was, now) || !can_slide(here, *wrong)) continue;
    const Attempt& there = attempt(sides);
    if (there.solved && there.jumped == here.jumped && there.right[at(*wrong)] == was &&
        can_slide(there, *wrong)) {
      sides[at(*wrong)] = Side::Slide;
    }
  }
  return false;
}

/// At the start a border can be reached too; only the option forbids sliding.
bool ModeSearch::search_sliding(const Sides& start) {
  const std::vector<int> borders = reached();
  if (borders.size() > 10) return false;
  for (std::size_t count = 1; count <= 3; ++count) {
    for (std::size_t set = 1; set < (std::size_t{1} << borders.size()); ++set) {
      std::size_t members = 0;
      for (std::size_t i = 0; i < borders.size(); ++i) members += (set >> i) & 1;
      if (members != count) continue;
      // The other reached borders: any side.
      std::vector<int> others;
      Sides sides = start;
      for (std::size_t i = 0; i < borders.size(); ++i) {
        if (((set >> i) & 1) != 0) {
          sides[at(borders[i])] = Side::Slide;
        } else {
          others.push_back(borders[i]);
        }
      }
      std::vector<int> side(others.size(), 0);
      while (true) {
        for (std::size_t i = 0; i < others.size(); ++i) {
          sides[at(others[i])] = static_cast<Side>(side[i] == 0 ? 1 : side[i] == 1 ? -1 : 0);
        }
        if (take(sides)) return true;
        if (budget_ <= 0) return false;
        std::size_t digit = 0;
        while (digit < side.size() && ++side[digit] == 3) side[digit++] = 0;
        if (digit == side.size()) break;
      }
    }
  }
  return false;
}

}  // namespace chi::sim
