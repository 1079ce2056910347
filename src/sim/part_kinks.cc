#include <algorithm>
#include <array>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "sim/part.h"

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

bool Part::is_of_laws(int border) {
  expr::Pool& pool = workshop_.pool();
  const auto mentions = [&](int condition) {
    const auto borders = conditions_.borders_of(condition);
    return std::ranges::find(borders, border) != borders.end();
  };
  of_laws_.resize(conditions_.borders().size(), Answer::Open);
  Answer& answer = of_laws_[at(border)];
  if (answer != Answer::Open) return answer == Answer::Yes;
  answer = Answer::No;
  if (std::ranges::any_of(guard_conditions_, mentions)) return false;
  const auto is_unknown = [&](expr::VarRef x) {
    const auto& unknowns = equations_.set.unknowns;
    return x.order > 0 || std::ranges::any_of(unknowns, [&](const flat::Unknown& u) {
             return u.variable.var == x.var;
           });
  };
  std::vector<ExprId> others;
  for (std::size_t e = 0; e < equation_conditions_.size(); ++e) {
    const ExprId row = equations_.set.equations[flat::EquationId{static_cast<int>(e)}].left;
    if (std::ranges::none_of(equation_conditions_[e], mentions)) {
      others.push_back(row);
      continue;
    }
    const expr::Occurrences in = expr::variables(pool, std::array{row});
    const bool is_law = std::ranges::any_of(in.node, [&](ExprId leaf) {
      const ExprId slope = expr::partial(pool, row, leaf);
      return pool.op(slope) == Op::Constant && pool.constant(slope) != 0 &&
             is_unknown(pool.variable(leaf));
    });
    if (!is_law) return false;
  }
  // The parameter of a curve, as of an ideal diode, is told by its laws alone, now by one of them
  // and now by another.
  const ExprId difference = conditions_.borders()[at(border)].difference;
  const std::vector<ExprId> told = expr::variables(pool, others).node;
  for (const ExprId leaf : expr::variables(pool, std::array{difference}).node) {
    if (is_unknown(pool.variable(leaf)) && std::ranges::find(told, leaf) == told.end()) {
      return false;
    }
  }
  answer = Answer::Yes;
  return true;
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
