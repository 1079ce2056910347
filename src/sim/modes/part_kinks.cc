#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "sim/modes/part.h"
#include "sim/modes/tolerances.h"

// Equations across borders on which nothing steps (mode_kinks.cc).
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::Op;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// What has to be taken from x to get e, if that is plain to see.
ExprId taken_from(expr::Pool& pool, ExprId x, ExprId e) {
  if (e == x) return expr::constant(pool, 0);
  const expr::Operands of = pool.operands(e);
  if (pool.op(e) == Op::Sub && of[0] == x) return of[1];
  if (pool.op(e) == Op::Add && of[0] == x) return expr::neg(pool, of[1]);
  if (pool.op(e) == Op::Add && of[1] == x) return expr::neg(pool, of[0]);
  return {};
}

/// `if condition then a else b`, with what both have in common outside: the unknown that an
/// equation is to be solved for must not get into the `if`.
ExprId choose(expr::Pool& pool, ExprId condition, ExprId a, ExprId b) {
  if (a == b) return a;
  std::vector<ExprId> terms = {a};
  for (const ExprId sum : {a, b}) {
    if (pool.op(sum) != Op::Add && pool.op(sum) != Op::Sub) continue;
    terms.push_back(pool.operands(sum)[0]);
    if (pool.op(sum) == Op::Add) terms.push_back(pool.operands(sum)[1]);
  }
  for (const ExprId x : terms) {
    const ExprId from_a = taken_from(pool, x, a), from_b = taken_from(pool, x, b);
    if (!from_a || !from_b) continue;
    const ExprId taken = expr::if_else(pool, expr::IfKind::Plain, condition, from_a, from_b);
    return expr::sub(pool, x, taken);
  }
  return expr::if_else(pool, expr::IfKind::Plain, condition, a, b);
}

}  // namespace

const Part::Mentions& Part::mentions() {
  if (mentions_) return *mentions_;
  mentions_.emplace();
  std::vector<ExprId> rows;
  for (const flat::Equation& e : equations_.set.equations) rows.push_back(e.left);
  for (const ExprId leaf : expr::variables(workshop_.pool(), rows).node) ++mentions_->rows[leaf];
  for (const flat::Unknown& u : equations_.set.unknowns) mentions_->declared.insert(u.variable.var);
  return *mentions_;
}

bool Part::is_of_laws(int border) {
  expr::Pool& pool = workshop_.pool();
  of_laws_.resize(conditions_.borders().size(), Answer::Open);
  Answer& answer = of_laws_[at(border)];
  if (answer != Answer::Open) return answer == Answer::Yes;
  answer = Answer::No;
  if (uses().decides_guard(border)) return false;
  const auto is_unknown = [&](expr::VarRef x) {
    return x.order > 0 || mentions().declared.count(x.var) != 0;
  };
  std::vector<ExprId> mine;
  for (const int e : uses().equations(border)) {
    const ExprId row = equations_.set.equations[flat::EquationId{e}].left;
    mine.push_back(row);
    const expr::Occurrences in = expr::variables(pool, std::array{row});
    const bool gives_one = std::ranges::any_of(in.node, [&](ExprId leaf) {
      const ExprId slope = expr::partial(pool, row, leaf);
      return pool.op(slope) == Op::Constant && pool.constant(slope) != 0 &&
             is_unknown(pool.variable(leaf));
    });
    const auto unknowns_if = [&](int condition, bool is_true) {
      const expr::Truth truth{conditions_.condition(condition), is_true};
      const std::vector<ExprId> branch = expr::select_branches(pool, {{row}}, {{truth}});
      std::vector<ExprId> unknowns = expr::variables(pool, branch).node;
      std::erase_if(unknowns, [&](ExprId leaf) { return !is_unknown(pool.variable(leaf)); });
      std::ranges::sort(unknowns);
      return unknowns;
    };
    const bool is_law = gives_one || std::ranges::all_of(equation_conditions_[at(e)], [&](int c) {
                          return unknowns_if(c, true) == unknowns_if(c, false);
                        });
    if (!is_law) return false;
  }
  // The parameter of a curve, as of an ideal diode, is told by its laws alone, now by one of them
  // and now by another.
  const ExprId difference = conditions_.borders()[at(border)].difference;
  const expr::Occurrences in_mine = expr::variables(pool, mine);
  for (const ExprId leaf : expr::variables(pool, std::array{difference}).node) {
    const auto rows = mentions().rows.find(leaf);
    const bool is_told =
        rows != mentions().rows.end() && rows->second > std::ranges::count(in_mine.node, leaf);
    if (is_unknown(pool.variable(leaf)) && !is_told) return false;
  }
  answer = Answer::Yes;
  return true;
}

/// Near enough to a kink not to leave it: much more than what counts as zero, so that one does not
/// come and go. What time alone reaches it leaves at once, and exactly.
bool Part::is_near_kink(int border, double distance, const std::vector<double>& frame) {
  if (time_borders_.is_of_time(border)) return false;
  return std::abs(distance) <= tolerance::kNearCorner * tolerance_at(border, frame);
}

bool Part::is_still_kink(Plan* plan, const Sides& sides, int border, std::vector<double>& frame) {
  const auto [place, is_new] = meetings_.try_emplace({plan, border});
  if (is_new) place->second = meeting(sides, border);
  if (place->second.formulas == nullptr) return true;
  const double rounding = tolerance::kDifferenceRounding * border_size(border, frame);
  const RunOptions& options = workshop_.options;
  return gap_at(place->second, frame, tolerance::kMeetingOfRtol * options.rtol, options.atol,
                rounding)
             .meets != Truth::False;
}

bool Part::has_kinks_apart(std::vector<double>& frame) {
  return std::ranges::any_of(mode_borders_, [&](int b) {
    return sides_[at(b)] == Side::Kink && !is_still_kink(plan_, sides_, b, frame);
  });
}

Part::Meeting Part::meeting(const Sides& sides, int border) {
  expr::Pool& pool = workshop_.pool();
  const ExprId distance = differences(sides)[at(border)];
  const expr::Occurrences moved = expr::variables(pool, std::array{distance});
  if (moved.node.empty()) return {};
  const ExprId leaf = moved.node.front();
  std::vector<ExprId> roots = {distance, expr::partial(pool, distance, leaf)};
  const bool has_pairs = uses().decides_guard(border) ? pair_modes(sides, border, roots)
                                                      : pair_branches(sides, border, roots);
  if (!has_pairs) return {};
  return {std::make_unique<code::Formulas>(pool, roots, leaves_, workshop_.boxes),
          at(leaves_.place(leaf))};
}

/// Adds pairs of rows, above and below the border, that differ. False if they are not the same
/// equations.
bool Part::pair_modes(const Sides& sides, int border, std::vector<ExprId>& pairs) {
  Sides beside = sides;
  std::optional<Diagnostic> why;
  beside[at(border)] = Side::Plus;
  const std::optional<ModeEquations> plus = mode_equations(condition_truths(beside), why);
  beside[at(border)] = Side::Minus;
  std::optional<ModeEquations> minus = mode_equations(condition_truths(beside), why);
  if (!plus || !minus || plus->system.rows.size() != minus->system.rows.size() ||
      plus->system.declared != minus->system.declared) {
    return false;
  }
  pair_rows(*plus, *minus);
  for (std::size_t i = 0; i < plus->system.rows.size(); ++i) {
    if (plus->system.rows[i] == minus->system.rows[i]) continue;
    pairs.push_back(plus->system.rows[i]);
    pairs.push_back(minus->system.rows[i]);
  }
  return true;
}

/// The same where the border decides nothing but branches of `if`s: of the equations with these.
bool Part::pair_branches(const Sides& sides, int border, std::vector<ExprId>& pairs) {
  Sides plus = sides, minus = sides;
  plus[at(border)] = Side::Plus;
  minus[at(border)] = Side::Minus;
  for (const int e : uses().equations(border)) {
    if (!is_active(equations_.set.equations[flat::EquationId{e}].branch, sides)) continue;
    const ExprId above = row_on(e, plus), below = row_on(e, minus);
    if (!above || !below) return false;
    if (above == below) continue;
    pairs.push_back(above);
    pairs.push_back(below);
  }
  return true;
}

/// The formulas: a difference, its slope by the variable at `place`, and others. That variable is
/// moved to where the difference is zero; `values` is what the formulas are there.
void Part::put_on_border(code::Formulas& formulas, std::size_t place, std::vector<double>& frame,
                         std::vector<double>& values) {
  for (int step = 0; step < 3; ++step) {
    formulas.evaluate_each(frame.data(), values.data());
    frame[place] -= values[0] / values[1];
  }
  formulas.evaluate_each(frame.data(), values.data());
}

/// The frame is as before afterwards.
Part::Gap Part::gap_at(Meeting& meeting, std::vector<double>& frame, double relative,
                       double absolute, double rounding) {
  code::Formulas& formulas = *meeting.formulas;
  std::vector<double>& values = gap_values_;
  fit(frame);
  values.resize(at(formulas.size()));
  gap_moved_.resize(values.size());
  const double here = frame[meeting.place];
  put_on_border(formulas, meeting.place, frame, values);
  const double border = frame[meeting.place];
  Gap gap{here, std::abs(border - here), Truth::True};
  // A root is far from zero where its argument is not quite.
  std::vector<double>& beside = gap_beside_;
  beside.assign(values.size(), 0.0);
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    if (!(rounding > 0)) break;
    frame[meeting.place] = border + (side == 0 ? rounding : -rounding) / values[1];
    formulas.evaluate_each(frame.data(), gap_moved_.data());
    for (std::size_t k = 2 + side; k < values.size(); k += 2) {
      beside[k] = std::abs(gap_moved_[k] - values[k]);
    }
  }
  frame[meeting.place] = here;
  for (std::size_t k = 2; k + 1 < values.size(); k += 2) {
    const double distance = std::abs(values[k] - values[k + 1]);
    const double size = std::abs(values[k]) + std::abs(values[k + 1]);
    const double open = std::fmax(beside[k], 0.0) + std::fmax(beside[k + 1], 0.0);
    if (distance > relative * size + absolute + open) gap.meets = Truth::False;
    if (std::isnan(distance) && gap.meets == Truth::True) gap.meets = Truth::Undefined;
  }
  return gap;
}

/// The equations of a mode; those that differ across the kinks look themselves where they are.
std::optional<ModeEquations> Part::kinked_equations(const Sides& sides,
                                                    std::optional<Diagnostic>& why) {
  expr::Pool& pool = workshop_.pool();
  std::vector<int> kinks;
  Sides base = sides;
  for (const int b : mode_borders_) {
    if (sides[at(b)] != Side::Kink) continue;
    kinks.push_back(b);
    base[at(b)] = Side::Minus;
  }
  std::optional<ModeEquations> mode = mode_equations(condition_truths(base), why);
  if (kinks.empty()) return mode;
  const BorderGroups groups = border_groups(sides, kinks);
  if (!mode) return mode;
  std::size_t corners = 1;  // of the largest group
  for (const std::vector<int>& group : groups.borders) {
    if (group.size() > kMostInGroup) {
      if (!std::ranges::all_of(kinks, [&](int b) { return is_of_laws(b); })) return std::nullopt;
      return mode_equations(condition_truths(base), why, &sides);
    }
    corners = std::max(corners, std::size_t{1} << group.size());
  }
  std::vector<std::vector<ExprId>> rows = {mode->system.rows};  // by corner
  for (std::size_t corner = 1; corner < corners; ++corner) {
    Sides here = base;
    for (const std::vector<int>& group : groups.borders) {
      for (std::size_t k = 0; k < group.size(); ++k) {
        if (((corner >> k) & 1) != 0) here[at(group[k])] = Side::Plus;
      }
    }
    std::optional<ModeEquations> one = mode_equations(condition_truths(here), why);
    if (!one || one->system.rows.size() != rows[0].size() ||
        one->system.declared != mode->system.declared) {
      return std::nullopt;
    }
    pair_rows(*mode, *one);
    for (std::size_t i = 0; i < rows[0].size(); ++i) {
      if (groups.of_equation[at(one->equations[i])] != groups.of_equation[at(mode->equations[i])]) {
        return std::nullopt;
      }
    }
    rows.push_back(std::move(one->system.rows));
  }
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    const int group = groups.of_equation[at(mode->equations[i])];
    if (group < 0) continue;
    const std::vector<int>& borders = groups.borders[at(group)];
    for (std::size_t k = borders.size(); k-- > 0;) {
      const Border& border = conditions_.borders()[at(borders[k])];
      const ExprId above = expr::binary(pool, Op::Greater, border.left, border.right);
      for (std::size_t corner = 0; corner < std::size_t{1} << k; ++corner) {
        ExprId& below = rows[corner][i];
        below = choose(pool, above, rows[corner | (std::size_t{1} << k)][i], below);
      }
    }
  }
  mode->system.rows = std::move(rows[0]);
  return mode;
}

}  // namespace chi::sim
