#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/substitute.h"
#include "sim/mode_search.h"

// Where a search for a mode begins: which borders are reached, left or in doubt.
namespace chi::sim {
namespace {

using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

/// The sides that values tell; those of borders that are reached, or that have no value, are kept.
/// What makes a kink of a border may have been assigned another value: no kink is kept unasked.
Sides ModeSearch::start_sides() {
  const std::span<const Part::BorderValue> values = part_.border_values(loaded_);
  Sides sides = part_.sides_;
  for (std::size_t b = 0; b < sides.size(); ++b) {
    if (std::isnan(values[b].value)) continue;
    if (sides[b] == Side::Kink) {
      const auto border = static_cast<int>(b);
      if (part_.is_near_kink(border, values[b].value, loaded_) &&
          part_.is_still_kink(part_.plan_, part_.sides_, border, loaded_)) {
        continue;
      }
      sides[b] = Side::On;
    }
    if (std::abs(values[b].value) <= values[b].band) continue;
    sides[b] = values[b].value > 0 ? Side::Plus : Side::Minus;
  }
  return sides;
}

/// What was assigned may have taken the part off borders along which it slid, though their
/// differences, of unknowns, still have the values from before: any mode without sliding tells.
void ModeSearch::leave_surfaces(Sides& start) {
  Sides loose = start;
  bool slides = false;
  for (const int b : part_.mode_borders()) {
    const Side side = start[at(b)];
    if (side != Side::Slide && side != Side::Follow && side != Side::Rest) continue;
    loose[at(b)] = Side::Minus;
    slides = true;
  }
  if (!slides || attempt(start).solved) return;
  const Attempt& free = attempt(loose);
  if (!free.solved) return;
  const std::span<const Part::BorderValue> values = part_.border_values(free.frame);
  for (const int b : part_.mode_borders()) {
    const Part::BorderValue g = values[at(b)];
    if (start[at(b)] == Side::Kink || !(std::abs(g.value) > g.band)) continue;
    start[at(b)] = g.value > 0 ? Side::Plus : Side::Minus;
  }
}

/// An event is found a little before its border, or behind it: `sqrt(-x)`, which is to hold from
/// there on, may have no value yet. A variable of the difference is moved such that it is zero, by
/// less than what is known of it. Whether there was anything to move.
bool ModeSearch::put_on_borders(Attempt& attempt) {
  constexpr int kRounds = 3;  // to the last bit
  if (initial_) return false;
  expr::Pool& pool = part_.workshop_.pool();
  const std::vector<VarRef> known = structure::known_values(attempt.plan->analysis());
  const std::vector<expr::Replacement> assigned = attempt.plan->ip_solver().assigned();
  std::vector<expr::ExprId> differences;
  for (const int border : part_.mode_borders()) {
    differences.push_back(part_.conditions_.borders()[at(border)].difference);
  }
  differences = expr::substitute(pool, differences, assigned);
  code::Formulas formulas(pool, differences, part_.leaves_, part_.workshop_.boxes);
  part_.fit(attempt.frame);
  std::vector<double> values(differences.size());
  formulas.evaluate_each(attempt.frame.data(), values.data());
  bool moved = false;
  for (std::size_t k = 0; k < differences.size(); ++k) {
    const std::size_t border = at(part_.mode_borders()[k]);
    const expr::ExprId difference = differences[k];
    for (int round = 0; round < kRounds; ++round) {
      const double band = part_.border_values(attempt.frame)[border].band;
      if (!(values[k] != 0 && std::abs(values[k]) <= band)) break;
      const expr::Occurrences in = expr::variables(pool, std::array{difference});
      double best = 0, step = 0;
      std::size_t place = 0;
      for (const expr::ExprId leaf : in.node) {
        const VarRef x = pool.variable(leaf);
        if (std::ranges::find(known, x) == known.end()) continue;
        const expr::ExprId slope = expr::partial(pool, difference, leaf);
        double value = 0;
        code::Formulas(pool, std::array{slope}, part_.leaves_, part_.workshop_.boxes)
            .evaluate_each(attempt.frame.data(), &value);
        if (!(std::abs(value) > best)) continue;
        best = std::abs(value);
        step = -values[k] / value;
        place = at(part_.place(x));
      }
      if (best == 0) break;
      attempt.frame[place] += step;
      moved = true;
      formulas.evaluate_each(attempt.frame.data(), values.data());
    }
  }
  return moved;
}

/// The borders of which some attempt thought otherwise than it assumed, or that are reached.
std::vector<int> ModeSearch::doubtful() {
  std::set<int> found;
  bool any_solved = false;
  for (const int b : part_.mode_borders_) {
    if (is_reached_now(b)) found.insert(b);
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (!order_[i]->solved) continue;
    any_solved = true;
    for (const int b : part_.mode_borders_) {
      if (order_[i]->right[at(b)] != assumed_[i][at(b)]) found.insert(b);
    }
  }
  if (!any_solved) found.insert(part_.mode_borders_.begin(), part_.mode_borders_.end());
  return {found.begin(), found.end()};
}

/// By the values that the search begins with, or by what statements assigned: unknowns that depend
/// on that still have their values from before. At the start unknowns have guesses: what the modes
/// make of these counts.
bool ModeSearch::is_reached_now(int border) {
  if (is_reached(loaded_, border)) return true;
  if (initial_) {
    return std::ranges::any_of(
        order_, [&](const Attempt* a) { return a->solved && is_reached(a->frame, border); });
  }
  if (part_.plan_ == nullptr || part_.assigned_.empty()) return false;
  if (assigned_.empty()) {
    assigned_ = loaded_;
    part_.fit(assigned_);
    if (!part_.plan_->ip_solver().solve(assigned_.data(), Effort::Near)) assigned_ = loaded_;
  }
  return is_reached(assigned_, border);
}

bool ModeSearch::is_reached(const std::vector<double>& frame, int border) {
  const std::span<const Part::BorderValue> values = part_.border_values(frame);
  return std::abs(values[at(border)].value) <= values[at(border)].band;
}

/// The borders on which sliding is possible: reached before, and in the modes on both sides. Where
/// the sides put the difference elsewhere by their equations, or by an impulse, there is nothing to
/// slide on; nor where one of them has no solution.
std::vector<int> ModeSearch::reached() {
  const Sides nowhere(part_.sides_.size(), Side::None);
  std::vector<char> is_pushed(nowhere.size(), 0);
  for (const Attempt* a : order_) {
    if (a->refused.empty()) continue;
    const Sides pushed = pushed_sides(a->refused, nowhere);
    for (const int b : part_.mode_borders_) {
      if (pushed[at(b)] != Side::None) is_pushed[at(b)] = 1;
    }
  }
  std::vector<int> found;
  for (const int b : part_.mode_borders_) {
    if (is_pushed[at(b)] || !is_reached_now(b)) continue;
    bool everywhere = true, is_plus_solved = false, is_minus_solved = false;
    for (std::size_t i = 0; i < order_.size() && everywhere; ++i) {
      const Attempt& a = *order_[i];
      if (!a.solved || a.jumped) continue;
      everywhere = is_reached(a.frame, b);
      is_plus_solved = is_plus_solved || assumed_[i][at(b)] == Side::Plus;
      is_minus_solved = is_minus_solved || assumed_[i][at(b)] == Side::Minus;
    }
    if (everywhere && is_plus_solved && is_minus_solved) found.push_back(b);
  }
  return found;
}

}  // namespace chi::sim
