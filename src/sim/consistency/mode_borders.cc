#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/substitute.h"
#include "sim/consistency/mode_search.h"

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

/// The borders that are reached, as functions of what is known in the attempt. One of `kinks`
/// (ascending), in whose neighbourhood a motion may end, is reached within the tolerances.
std::vector<ModeSearch::Reached> ModeSearch::reached_by_known(const Attempt& attempt,
                                                              const SystemSolver& solver,
                                                              const Sides& sides,
                                                              const std::vector<int>& kinks) {
  expr::Pool& pool = part_.workshop_.pool();
  std::vector<expr::ExprId> differences;
  const std::span<const expr::ExprId> all = part_.differences(sides);
  for (const int border : part_.mode_borders()) differences.push_back(all[at(border)]);
  differences = expr::substitute(pool, differences, solver.assigned());
  code::Formulas formulas(pool, differences, part_.leaves_, part_.workshop_.boxes);
  std::vector<double> frame = attempt.frame;
  part_.fit(frame);
  std::vector<double> values(differences.size());
  formulas.evaluate_each(frame.data(), values.data());
  const structure::BlockOrder& order = solver.order();
  std::vector<VarRef> unknown;
  for (const auto* some : {&order.unknowns, &order.under_unknowns, &order.over_unknowns}) {
    unknown.insert(unknown.end(), some->begin(), some->end());
  }
  std::ranges::sort(unknown);
  const auto is_known = [&](VarRef x) {
    return attempt.plan->has_lower(x) && !std::ranges::binary_search(unknown, x);
  };
  const std::span<const Part::BorderValue> borders = part_.border_values(frame);
  std::vector<Reached> result;
  for (std::size_t k = 0; k < differences.size(); ++k) {
    const int border = part_.mode_borders()[k];
    double band = borders[at(border)].band;
    if (std::ranges::binary_search(kinks, border)) {
      band = std::max(band, part_.tolerance_at(border, frame));
    }
    if (!(std::abs(values[k]) <= band)) continue;
    std::vector<expr::ExprId> roots = {differences[k]};
    std::vector<std::int32_t> places;
    for (const expr::ExprId leaf : expr::variables(pool, std::array{differences[k]}).node) {
      const VarRef x = pool.variable(leaf);
      if (!is_known(x)) continue;
      roots.push_back(expr::partial(pool, differences[k], leaf));
      places.push_back(part_.place(x));
    }
    if (places.empty()) continue;
    const Side side = sides[at(border)];
    result.push_back({.side = side == Side::Plus    ? 1
                              : side == Side::Minus ? -1
                                                    : 0,
                      .size = part_.border_size(border, frame),
                      .places = std::move(places),
                      .formulas = {pool, roots, part_.leaves_, part_.workshop_.boxes}});
  }
  return result;
}

/// Moves the known value that counts most such that the difference is as wanted; whether there was
/// anything to move.
bool ModeSearch::Reached::put(std::vector<double>& frame, double wanted) {
  constexpr int kRounds = 3;  // to the last bit
  std::vector<double> values(1 + places.size());
  bool moved = false;
  for (int round = 0; round < kRounds; ++round) {
    formulas.evaluate_each(frame.data(), values.data());
    if (!(values[0] != wanted)) break;
    std::size_t best = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (std::abs(values[i]) > (best == 0 ? 0.0 : std::abs(values[best]))) best = i;
    }
    if (best == 0) break;
    frame[at(places[best - 1])] += (wanted - values[0]) / values[best];
    moved = true;
  }
  return moved;
}

/// An event is found a little before its border, or behind it: `sqrt(-x)`, which is to hold from
/// there on, may have no value yet. A variable of the difference is moved such that it is zero, by
/// less than what is known of it. Rounding may leave no such value, or an argument that is another
/// one than the difference in its last bits: then it is moved on to the side of this mode, as
/// little as will do.
bool ModeSearch::solve_on_borders(Attempt& attempt, SystemSolver& solver, const Sides& sides) {
  constexpr double kRounding = std::numeric_limits<double>::epsilon();
  if (initial_ || !solver.failure().fault) return false;
  std::vector<Reached> borders = reached_by_known(attempt, solver, sides);
  if (borders.empty()) return false;
  for (const double depth : {0.0, 1.0, 16.0, 256.0, 4096.0, 65536.0}) {
    load(attempt);
    bool moved = false;
    for (Reached& border : borders) {
      moved |= border.put(attempt.frame, border.side * depth * kRounding * border.size);
    }
    if (!moved) continue;
    attempt.solved = solver.solve(attempt.frame.data(), Effort::Near);
    part_.iterations_ += solver.iterations();
    if (attempt.solved) return true;
  }
  return false;
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
  const Part::BorderValue g = part_.border_value(border, frame);
  return std::abs(g.value) <= g.band;
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
