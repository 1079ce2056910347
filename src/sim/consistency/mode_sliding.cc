#include <algorithm>
#include <cmath>
#include <set>

#include "sim/consistency/mode_search.h"

// Sliding in the search for a mode: on which borders, and which of these are left.
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool is_across(Side was, Side now) {
  return (was == Side::Plus && now == Side::Minus) || (was == Side::Minus && now == Side::Plus);
}

constexpr char kFromBoth = 3;  // of the sides from which modes lead back

constexpr double kMiddle = 0.5;  // of the range of a weight

/// x, |x_k| <= 1/2, for which all of y = start + Σ_k x_k slopes_k are small, too: coordinate by
/// coordinate, the largest above the others more and more, until none is near the end of its range.
void balance(const std::vector<double>& start, const std::vector<std::vector<double>>& slopes,
             std::vector<double>& x) {
  constexpr int kSweeps = 50, kHalvings = 30;
  constexpr double kWithin = 0.9 * kMiddle;
  std::vector<double> y = start;
  const auto fits = [&] {
    return std::ranges::all_of(y, [](double one) { return std::abs(one) < kWithin; });
  };
  for (const double power : {2.0, 8.0, 32.0}) {
    for (int sweep = 0; sweep < kSweeps && !fits(); ++sweep) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        const auto rises_at = [&](double there) {
          const double step = there - x[k];
          double largest = std::abs(there), sum = 0;
          for (std::size_t i = 0; i < y.size(); ++i) {
            largest = std::max(largest, std::abs(y[i] + step * slopes[k][i]));
          }
          const auto add = [&](double value, double slope) {
            if (value == 0) return;
            sum += slope * std::copysign(std::pow(std::abs(value) / largest, power - 1), value);
          };
          add(there, 1);
          for (std::size_t i = 0; i < y.size(); ++i) add(y[i] + step * slopes[k][i], slopes[k][i]);
          return sum > 0;
        };
        double low = -kMiddle, high = kMiddle;
        for (int i = 0; i < kHalvings; ++i) {
          const double half = 0.5 * (low + high);
          (rises_at(half) ? high : low) = half;
        }
        const double step = 0.5 * (low + high) - x[k];
        for (std::size_t i = 0; i < y.size(); ++i) y[i] += step * slopes[k][i];
        x[k] += step;
      }
    }
  }
}

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
/// method [1] for the least energy that friction leaves.
bool ModeSearch::iterate_sliding(Sides sides, bool may_rest) {
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
    std::vector<int> sliding;
    for (const int b : part_.mode_borders_) {
      if (back[at(b)] == kFromBoth && is_across(sides[at(b)], next[at(b)])) sliding.push_back(b);
    }
    sides = slide_on(sliding, std::move(next), may_rest);
  }
  return false;
}

/// With more surfaces of friction than velocities not all can slide: who slides on some of them
/// rests on the others. Only where nothing else was found: one surface that is written in several
/// ways cannot slide on all of them, either, but they follow each other.
Sides ModeSearch::slide_on(const std::vector<int>& borders, Sides sides, bool may_rest) {
  Sides all = sides;
  for (const int b : borders) all[at(b)] = Side::Slide;
  if (borders.empty() || attempt(all).consistent()) return all;
  const Sides followed = with_switched(all);
  if (followed != all && attempt(followed).consistent()) return followed;
  if (attempt(all).solved) return all;
  std::vector<int> sliding;
  for (const int b : part_.mode_borders_) {
    if (all[at(b)] == Side::Slide) sliding.push_back(b);
  }
  if (!may_rest || sliding.size() < 2) return all;
  // The new ones first: they are why the old ones do not move any more.
  std::ranges::stable_sort(sliding, {},
                           [&](int b) { return std::ranges::find(borders, b) == borders.end(); });
  for (const int b : sliding) sides[at(b)] = Side::On;
  for (const int b : sliding) {
    sides[at(b)] = Side::Slide;
    if (!attempt(sides).solved) sides[at(b)] = Side::Rest;
  }
  return sides;
}

/// Who slides on more surfaces than there are directions to move in has no weights that hold him
/// there, or any. That shows on the surfaces themselves; beside them rounding has its say.
bool ModeSearch::has_weights(const Attempt& attempt, const Sides& sides) {
  if (attempt.plan == part_.plan_ || attempt.plan->equations().sliding.empty()) return true;
  Attempt exact{.plan = attempt.plan, .frame = attempt.frame};
  if (!initial_) {
    for (Reached& border : reached_by_known(exact, exact.plan->ip_solver(), sides)) {
      border.put(exact.frame, 0);
    }
  }
  return exact.plan->is_leading_regular(exact.frame);
}

/// The modes that lead back to a border may differ in more than its sides: `x + v*abs(v)/2 > 0`, as
/// a variable of its own, changes with `v` where both are zero, and only together they hold the
/// motion there. What differs is switched with the border that slides.
Sides ModeSearch::with_switched(Sides sides) {
  const auto leads_back = [&](int border, Side from) -> const Sides* {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Attempt& a = *order_[i];
      if (!a.solved || a.jumped || assumed_[i][at(border)] != from) continue;
      if (is_across(from, a.right[at(border)])) return &assumed_[i];
    }
    return nullptr;
  };
  for (const int first : part_.mode_borders_) {
    if (sides[at(first)] != Side::Slide) continue;
    const Sides* const plus = leads_back(first, Side::Plus);
    const Sides* const minus = leads_back(first, Side::Minus);
    if (plus == nullptr || minus == nullptr) continue;
    for (const int b : part_.mode_borders_) {
      const Side above = (*plus)[at(b)], below = (*minus)[at(b)];
      if (sides[at(b)] == Side::Slide || above == below || !is_reached_now(b)) continue;
      const bool with_it = above == Side::Plus || below == Side::Minus;
      if (!with_it && above != Side::Minus && below != Side::Plus) continue;
      sides[at(b)] = Stand::follow(first, with_it ? 1 : -1);
    }
  }
  return sides;
}

/// Where bodies rest on more surfaces than it takes, how these share the forces is not determined,
/// and makes no difference to the motion, as long as there is a way. The weights that the others
/// have depend on those of the borders that rest, linearly: these begin in the middle, and go from
/// there until all are within their ranges.
void ModeSearch::choose_shares(Attempt& attempt) {
  const ModeEquations& mode = attempt.plan->equations();
  if (mode.shares.empty()) return;
  // Rows: the weights of sliding borders, then the shares, all less the middle.
  const std::size_t slides = mode.weights.size(), shares = mode.shares.size();
  std::vector<double> middle(slides, 0.0), x(shares, 0.0);
  std::vector<std::vector<double>> slopes(shares, std::vector<double>(slides, 0.0));
  const auto weights_with = [&](std::vector<double>& frame, std::vector<double>& weights) {
    if (!attempt.plan->solve_leading(frame)) return false;
    for (std::size_t i = 0; i < slides; ++i) {
      weights[i] = frame[at(part_.place(mode.weights[i]))] - kMiddle;
    }
    return true;
  };
  std::vector<double> frame = attempt.frame;
  if (!weights_with(frame, middle)) return;
  for (std::size_t k = 0; k < shares; ++k) {
    frame = attempt.frame;
    frame[at(part_.place(mode.shares[k]))] += kMiddle;
    if (!weights_with(frame, slopes[k])) return;
    for (std::size_t i = 0; i < slides; ++i) slopes[k][i] = (slopes[k][i] - middle[i]) / kMiddle;
  }
  balance(middle, slopes, x);
  for (std::size_t k = 0; k < shares; ++k) {
    attempt.frame[at(part_.place(mode.shares[k]))] = kMiddle + x[k];
  }
  attempt.plan->solve_leading(attempt.frame);
}

}  // namespace chi::sim
