#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "sim/algebra/isolate.h"
#include "sim/consistency/mode_search.h"

// Borders across which all equations are continuous, as of a valve whose flow dies away when the
// pressures get equal. A flow that dies away brings the motion ever closer to them, without an end;
// where many do so at once, rounding says of every mode that it leads to another one. But there is
// nothing to decide, and nothing to slide on: while the motion is near, the equations look at the
// values themselves, and step size control does the rest.
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// What is left of a difference that vanishes, beside its terms.
constexpr double kLeft = 1e-12;

}  // namespace

/// Whether there are any; `start` says so then.
bool ModeSearch::find_kinks(Sides& start, Kinks which) {
  const bool may_be_far = part_.is_crowded();
  Sides found = start;
  for (const int b : part_.mode_borders_) {
    if (found[at(b)] == Side::Kink || !(is_reached(loaded_, b) || is_in_the_way(which, b)))
      continue;
    const bool is_one = which == Kinks::Assigned ? decides_alone(b) && is_kink(start, b, may_be_far)
                                                 : is_kink_of_laws(start, b, may_be_far);
    if (is_one) found[at(b)] = Side::Kink;
  }
  while (found != start) {
    const std::vector<int> borders =
        which == Kinks::Assigned ? kinks_to_solve_for(found) : std::vector<int>{};
    if (borders.empty()) {
      start = found;
      ++part_.kinks_found_;
      return true;
    }
    for (const int b : borders) found[at(b)] = start[at(b)];
  }
  return false;
}

/// Where a square root ends the steps get short long before that: its argument vanishes with the
/// square of what flows.
bool ModeSearch::is_in_the_way(Kinks which, int border) {
  if (which == Kinks::Assigned || (which == Kinks::Any && !part_.is_crowded())) return false;
  return part_.is_near_kink(border, part_.border_value(border, loaded_).value, loaded_);
}

/// What comes to a kink may rest there, as the level of a tank that runs empty. Then it does so
/// exactly: beside the kink, nearer than anybody can tell, slopes may be infinite, and it would go
/// to and fro in steps that are ever so short.
void ModeSearch::rest_on_kinks(Attempt& attempt, const Sides& sides) {
  std::vector<int> kinks;
  for (const int b : part_.mode_borders_) {
    const bool is_new = part_.sides_[at(b)] != Side::Kink || attempt.plan != part_.plan_;
    if (sides[at(b)] == Side::Kink && is_new) kinks.push_back(b);
  }
  if (kinks.empty()) return;
  Attempt resting{.plan = attempt.plan, .frame = attempt.frame};
  SystemSolver& solver = resting.plan->ip_solver();
  bool moved = false;
  for (Reached& border : reached_by_known(resting, solver, sides, kinks)) {
    moved |= border.put(resting.frame, 0);
  }
  if (!moved || !solver.solve(resting.frame.data(), Effort::Near)) return;
  const bool rests = std::ranges::all_of(kinks, [&](int b) {
    Part::Climbed climbed;
    return is_reached(resting.frame, b) &&
           part_.derivative_sign(*resting.plan, resting.frame, part_.differences(sides)[at(b)],
                                 part_.vanishing_slope(resting.frame, b), climbed) == 0;
  });
  if (rests) attempt.frame = std::move(resting.frame);
}

bool ModeSearch::find_any_kinks(Sides& start) {
  return find_kinks(start, Kinks::Assigned) || find_kinks(start, Kinks::Any);
}

/// Whether the corners of several laws are reached at once, and the equations do not tell their
/// unknowns apart there: in pipes side by side, c q|q| each, that carry nothing. No derivative
/// says on which side of its corner each of them goes on.
bool ModeSearch::is_singular_corner() {
  if (initial_ || part_.plan_ == nullptr || part_.plan_->is_singular()) return false;
  std::vector<int> corners;
  const std::span<const Part::BorderValue> borders = part_.border_values(loaded_);
  for (const int b : part_.mode_borders_) {
    if (std::abs(borders[at(b)].value) <= borders[at(b)].band && part_.is_of_laws(b)) {
      corners.push_back(b);
    }
  }
  if (corners.size() < 2) return false;
  expr::Pool& pool = part_.workshop_.pool();
  std::vector<double> frame = loaded_;
  for (const int b : corners) {
    const expr::ExprId distance = part_.difference(b);
    const expr::Occurrences moved = expr::variables(pool, std::array{distance});
    if (moved.node.empty()) return false;
    const expr::ExprId leaf = moved.node.front();
    const std::array roots{distance, expr::partial(pool, distance, leaf)};
    code::Formulas formulas(pool, roots, part_.leaves_, part_.workshop_.boxes);
    part_.fit(frame);
    std::vector<double> values(roots.size());
    Part::put_on_border(formulas, at(part_.leaves_.place(leaf)), frame, values);
  }
  return part_.plan_->ip_solver().is_singular_at(frame.data());
}

/// The corner of a flow law, say, in a network of pipes: an `if` between formulas that meet,
/// whatever the other borders of its condition say. Just before the corner the equations behind it
/// have no solution, and just behind it those before it: what moves through it has to look itself.
bool ModeSearch::is_kink_of_laws(const Sides& start, int border, bool may_be_far) {
  constexpr std::size_t kMostOthers = 4;
  if (part_.statement_spans_.count(border) != 0 || !part_.is_of_laws(border)) return false;
  std::set<int> others;
  for (const int c : part_.uses().conditions(border)) {
    const auto borders = part_.conditions_.borders_of(c);
    others.insert(borders.begin(), borders.end());
  }
  others.erase(border);
  if (others.size() > kMostOthers) return false;
  for (std::size_t set = 0; set < std::size_t{1} << others.size(); ++set) {
    Sides sides = start;
    std::size_t k = 0;
    for (const int b : others) sides[at(b)] = ((set >> k++) & 1) != 0 ? Side::Plus : Side::Minus;
    if (!is_kink(sides, border, may_be_far)) return false;
  }
  return true;
}

/// Formulas that meet on their borders, as those of flow laws do, make one equation: solved as it
/// stands, its values tell which branch it is. Nothing is lost where they do not meet: the values
/// are a guess, and sides to begin with.
bool ModeSearch::take_whole(const Sides& start) {
  Sides whole = start;
  bool any = false;
  for (const int b : part_.mode_borders_) {
    if (!part_.is_of_laws(b)) continue;
    whole[at(b)] = Side::Kink;
    any = true;
  }
  if (!any) return false;
  const std::size_t made = order_.size();
  const Attempt& solved = attempt(whole);
  const auto forget = [&] {  // it is no mode
    if (order_.size() == made) return;
    show_loaded();
    order_.pop_back();
    assumed_.pop_back();
    attempts_.erase({whole, jumps_});
  };
  if (!solved.solved || solved.jumped) return forget(), false;
  const std::vector<double> before = loaded_;
  std::vector<double> values = loaded_;
  values.resize(std::max(values.size(), solved.frame.size()), 0.0);
  for (const expr::VarRef x : solved.plan->values()) {
    const std::size_t place = at(part_.place(x));
    if (!solved.plan->has_lower(x) && place < solved.frame.size()) {
      values[place] = solved.frame[place];
    }
  }
  forget();
  show_loaded();
  auto attempts = std::exchange(attempts_, {});  // they are of use if this leads to nothing
  auto order = std::exchange(order_, {});
  auto assumed = std::exchange(assumed_, {});
  loaded_ = part_.frame_ = std::move(values);
  part_.fit(loaded_);
  part_.fit(part_.frame_);
  part_.sides_.swap(whole);
  Sides sides = start_sides();
  part_.sides_.swap(whole);
  for (std::size_t b = 0; b < sides.size(); ++b) {
    if (sides[b] == Side::Kink) sides[b] = start[b];
  }
  if (iterate(sides) || (find_any_kinks(sides) && iterate(sides))) return true;
  show_loaded();
  attempts_ = std::move(attempts);
  order_ = std::move(order);
  assumed_ = std::move(assumed);
  loaded_ = part_.frame_ = before;
  part_.fit(part_.frame_);
  return false;
}

/// No process waits for it, and no condition depends on other borders, too, which it might select.
bool ModeSearch::decides_alone(int border) const {
  if (part_.statement_spans_.count(border) != 0) return false;
  return std::ranges::all_of(part_.uses().conditions(border),
                             [&](int c) { return part_.conditions_.borders_of(c).size() == 1; });
}

/// Kinks in equations that are not simply solved for an unknown outside them. An ideal diode has
/// the same values on both sides of its corner, too; but there which side it is decides what the
/// unknowns are.
std::vector<int> ModeSearch::kinks_to_solve_for(const Sides& sides) {
  std::vector<int> kinks;
  for (const int b : part_.mode_borders_) {
    if (sides[at(b)] == Side::Kink) kinks.push_back(b);
  }
  Plan* const plan = part_.plan_for(sides).plan;
  if (plan == nullptr || plan->is_singular()) return kinks;
  const Part::BorderGroups groups = part_.border_groups(sides, kinks);
  const structure::BlockOrder& order = plan->ip();
  if (!order.is_square()) return kinks;
  std::vector<int> result;
  for (const auto [first, count] : order.blocks) {
    for (std::int32_t k = first; k < first + count; ++k) {
      const std::int32_t e = plan->equations().equations[at(order.rows[at(k)].row)];
      const int group = e < 0 ? -1 : groups.of_equation[at(e)];
      if (group < 0) continue;
      const expr::ExprId unknown = leaf_of(part_.workshop_.pool(), order.unknowns[at(k)]);
      if (count == 1 && isolate(part_.workshop_.pool(), order.rows[at(k)].expr, unknown)) continue;
      const std::vector<int>& borders = groups.borders[at(group)];
      result.insert(result.end(), borders.begin(), borders.end());
    }
  }
  return result;
}

/// Whether the equations on both sides of a border have the same values on it.
bool ModeSearch::is_kink(const Sides& start, int border, bool may_be_far) {
  Part::Meeting meeting = part_.meeting(start, border);
  if (meeting.formulas == nullptr) return false;
  const RunOptions& options = part_.workshop_.options;
  const double far = may_be_far ? Part::kTolerances : 1;
  const auto meets = [&](std::vector<double>& frame) {
    const Part::Gap gap = part_.gap_at(meeting, frame, kLeft, kLeft + 1e-3 * options.atol);
    const double allowed = far * (options.atol + options.rtol * std::abs(gap.from));
    return gap.moved_by <= allowed && gap.meets == Truth::True;
  };
  // Friction is continuous where nothing presses: only if no mode has a force there, it stays so.
  return meets(loaded_) && std::ranges::all_of(order_, [&](Attempt* a) {
           return !a->solved || a->jumped || !is_reached(a->frame, border) || meets(a->frame);
         });
}

}  // namespace chi::sim
