#include <algorithm>
#include <array>
#include <cmath>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "sim/isolate.h"
#include "sim/mode_search.h"

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
bool ModeSearch::find_kinks(Sides& start) {
  Sides found = start;
  for (const int b : part_.mode_borders_) {
    if (found[at(b)] == Side::Kink || !is_reached(loaded_, b)) continue;
    if (decides_alone(b) && is_kink(start, b)) found[at(b)] = Side::Kink;
  }
  while (found != start) {
    const std::vector<int> borders = kinks_to_solve_for(found);
    if (borders.empty()) {
      start = found;
      ++part_.kinks_found_;
      return true;
    }
    for (const int b : borders) found[at(b)] = start[at(b)];
  }
  return false;
}

/// No process waits for it, and no condition depends on other borders, too, which it might select.
bool ModeSearch::decides_alone(int border) const {
  if (part_.statement_spans_.count(border) != 0) return false;
  return std::ranges::none_of(part_.mode_conditions_, [&](int c) {
    const auto borders = part_.conditions_.borders_of(c);
    return borders.size() > 1 && std::ranges::find(borders, border) != borders.end();
  });
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

/// Whether the equations on both sides of a border have the same values on it. The nearest point of
/// the border is found by moving one variable.
bool ModeSearch::is_kink(const Sides& start, int border) {
  expr::Pool& pool = part_.workshop_.pool();
  Sides beside = start;
  std::optional<Diagnostic> why;
  beside[at(border)] = Side::Plus;
  const std::optional<ModeEquations> plus =
      part_.mode_equations(part_.condition_truths(beside), why);
  beside[at(border)] = Side::Minus;
  const std::optional<ModeEquations> minus =
      part_.mode_equations(part_.condition_truths(beside), why);
  if (!plus || !minus || plus->system.rows.size() != minus->system.rows.size() ||
      plus->system.declared != minus->system.declared) {
    return false;
  }
  const expr::ExprId distance = part_.conditions_.borders()[at(border)].difference;
  const expr::Occurrences moved = expr::variables(pool, std::array{distance});
  if (moved.node.empty()) return false;
  const expr::ExprId leaf = moved.node.front();
  std::vector<expr::ExprId> roots = {distance, expr::partial(pool, distance, leaf)};
  for (std::size_t i = 0; i < plus->system.rows.size(); ++i) {
    if (plus->system.rows[i] == minus->system.rows[i]) continue;
    roots.push_back(plus->system.rows[i]);
    roots.push_back(minus->system.rows[i]);
  }
  code::Formulas formulas(pool, roots, part_.leaves_, part_.workshop_.boxes);
  const std::size_t place = at(part_.leaves_.place(leaf));
  // Friction is continuous where nothing presses: only if no mode has a force there, it stays so.
  return is_continuous(formulas, place, loaded_) &&
         std::ranges::all_of(order_, [&](const Attempt* a) {
           return !a->solved || a->jumped || !is_reached(a->frame, border) ||
                  is_continuous(formulas, place, a->frame);
         });
}

/// The formulas: a difference, its slope by the variable at `place`, and pairs that are the same
/// where the difference is zero.
bool ModeSearch::is_continuous(code::Formulas& formulas, std::size_t place,
                               const std::vector<double>& there) const {
  std::vector<double> frame = there, values(at(formulas.size()));
  part_.fit(frame);
  const double here = frame[place];
  for (int step = 0; step < 3; ++step) {
    formulas.evaluate_each(frame.data(), values.data());
    frame[place] -= values[0] / values[1];
  }
  formulas.evaluate_each(frame.data(), values.data());
  const double moved_by = std::abs(frame[place] - here);
  const RunOptions& options = part_.workshop_.options;
  if (!(moved_by <= options.atol + options.rtol * std::abs(here))) return false;
  for (std::size_t k = 2; k + 1 < values.size(); k += 2) {
    const double size = std::abs(values[k]) + std::abs(values[k + 1]);
    const double allowed = kLeft * (1 + size) + 1e-3 * options.atol;
    if (!(std::abs(values[k] - values[k + 1]) <= allowed)) return false;
  }
  return true;
}

}  // namespace chi::sim
