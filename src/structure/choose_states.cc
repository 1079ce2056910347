#include <algorithm>
#include <limits>
#include <utility>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "graph/dummy_derivatives.h"
#include "structure/analyse.h"
#include "structure/pivoting.h"

namespace chi::structure {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Whether the declarations determine the choice of one problem: no candidate that was left out
// could take the place of a chosen one of its kind, declared or not. In the matroid of columns that
// can be matched, one can replace another if an alternating path leads from it to the other.
class Uniqueness {
 public:
  Uniqueness(const graph::Bipartite& pattern, std::span<const char> is_declared)
      : pattern_(pattern), is_declared_(is_declared) {}

  bool holds(const std::vector<graph::VarId>& chosen) {
    graph::BipartiteBuilder builder(pattern_.num_eqs(), pattern_.num_vars());
    for (const graph::VarId var : chosen) {
      for (const graph::EqId eq : pattern_.eqs_of(var)) builder.add(eq, var);
    }
    matching_ = graph::match_maximum(builder.build());
    return !replaceable(true) && !replaceable(false);
  }

 private:
  bool replaceable(bool declared) {
    Table<graph::EqId, char> seen(pattern_.num_eqs(), 0);
    std::vector<graph::VarId> open;
    for (graph::VarId var{0}; var.index < pattern_.num_vars(); ++var.index) {
      if (!matching_.eq_of[var] && is(var, declared)) open.push_back(var);
    }
    while (!open.empty()) {
      const graph::VarId var = open.back();
      open.pop_back();
      for (const graph::EqId eq : pattern_.eqs_of(var)) {
        if (seen[eq]) continue;
        seen[eq] = 1;
        if (!matching_.var_of[eq]) continue;
        if (is(matching_.var_of[eq], declared)) return true;
        open.push_back(matching_.var_of[eq]);
      }
    }
    return false;
  }
  bool is(graph::VarId var, bool declared) const {
    return (is_declared_[at(var.index)] != 0) == declared;
  }

  const graph::Bipartite& pattern_;
  std::span<const char> is_declared_;
  graph::Matching matching_;
};

// Passes the choice on and watches whether it was free.
class Watching : public graph::DummyChooser {
 public:
  Watching(graph::DummyChooser& inner, const Analysis& analysis)
      : inner_(inner), analysis_(analysis) {}

  std::vector<graph::VarId> choose(const graph::DummyProblem& problem) override {
    std::vector<graph::VarId> chosen = inner_.choose(problem);
    const graph::Bipartite& pattern = problem.jacobian.pattern;
    if (was_free || pattern.num_eqs() == pattern.num_vars()) return chosen;
    std::vector<char> declared;
    for (const graph::VarId outer : problem.jacobian.outer_var) {
      declared.push_back(analysis_.is_declared[at(outer.index)]);
    }
    was_free = !Uniqueness(pattern, declared).holds(chosen);
    return chosen;
  }

  bool was_free = false;

 private:
  graph::DummyChooser& inner_;
  const Analysis& analysis_;
};

// Pivots of this size, relative to the best, will do: for a declared variable, and for a derivative
// that only differentiation brought in, so that of y' = vy it is vy that becomes a state.
constexpr double kDeclared = 1e-3;
constexpr double kNotWritten = 0.5;

double good_enough(bool declared, bool written) {
  if (declared) return written ? 2 * kDeclared : kDeclared;
  return written ? 1.0 : kNotWritten;
}

// The values of the Jacobian J = ∂f_i/∂x_j^(d_j - c_i) at a point, for the equations with c_i > 0.
class NumericalChooser : public graph::DummyChooser {
 public:
  NumericalChooser(expr::Pool& pool, const Analysis& analysis, const graph::Bipartite& jacobian,
                   PointValues& point, bool prefer_declared)
      : analysis_(analysis),
        point_(point),
        prefer_declared_(prefer_declared),
        written_(written_orders(analysis)),
        value_(jacobian.num_edges(), 0.0) {
    std::vector<ExprId> roots, leaves;
    std::vector<graph::EqId> eqs;
    for (graph::EqId eq{0}; eq.index < jacobian.num_eqs(); ++eq.index) {
      if (analysis.c[at(eq.index)] == 0) continue;
      eqs.push_back(eq);
      roots.push_back(analysis.derivatives[at(eq.index)][0]);
      for (const graph::VarId var : jacobian.vars_of(eq)) leaves.push_back(leaf(pool, eq, var));
    }
    std::sort(leaves.begin(), leaves.end());
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
    const expr::Jacobian symbolic = expr::jacobian(pool, roots, leaves);
    const std::vector<double> numbers = point.values(symbolic.entry);
    for (std::size_t i = 0; i < eqs.size(); ++i) {
      for (std::int32_t k = symbolic.row_start[i]; k < symbolic.row_start[i + 1]; ++k) {
        const VarRef x = pool.variable(leaves[at(symbolic.column[at(k)])]);
        const graph::VarId var{analysis.unknown_index(x.var)};
        if (x.order != order(eqs[i], var)) continue;
        if (const graph::EdgeId edge = jacobian.find_edge(eqs[i], var)) {
          value_[edge] = numbers[at(k)];
        }
      }
    }
  }

  std::vector<graph::VarId> choose(const graph::DummyProblem& problem) override {
    const graph::Bipartite& pattern = problem.jacobian.pattern;
    NumberRows rows;
    rows.columns = pattern.num_vars();
    std::vector<double> enough;
    std::vector<double> nominal;
    for (const graph::VarId outer : problem.jacobian.outer_var) {
      const VarRef x{analysis_.unknowns[at(outer.index)],
                     analysis_.d[at(outer.index)] - problem.level};
      const bool declared = prefer_declared_ && analysis_.is_declared[at(outer.index)];
      const bool written = x.order <= written_[at(outer.index)];
      enough.push_back(good_enough(declared, written));
      nominal.push_back(point_.nominal(x));
    }
    graph::EdgeId edge{0};
    for (graph::EqId eq{0}; eq.index < pattern.num_eqs(); ++eq.index) {
      for (const graph::VarId var : pattern.vars_of(eq)) {
        rows.column.push_back(var.index);
        rows.value.push_back(value_[problem.jacobian.outer_edge[edge]] * nominal[at(var.index)]);
        ++edge.index;
      }
      rows.row_start.push_back(static_cast<std::int32_t>(rows.column.size()));
    }
    std::vector<graph::VarId> chosen;
    for (const std::int32_t c : regular_columns(rows, enough)) chosen.push_back({c});
    return chosen;
  }

 private:
  int order(graph::EqId eq, graph::VarId var) const {
    return analysis_.d[at(var.index)] - analysis_.c[at(eq.index)];
  }
  ExprId leaf(expr::Pool& pool, graph::EqId eq, graph::VarId var) const {
    return expr::variable(pool, analysis_.unknowns[at(var.index)], order(eq, var));
  }

  const Analysis& analysis_;
  PointValues& point_;
  const bool prefer_declared_;
  const std::vector<int> written_;  // the highest derivative in the undifferentiated equations
  Table<graph::EdgeId, double> value_;
};

graph::Offsets offsets_of(const Analysis& analysis) {
  graph::Offsets offsets;
  for (const int c : analysis.c) offsets.c.add(c);
  for (const int d : analysis.d) offsets.d.add(d);
  offsets.transversal = analysis.transversal;
  return offsets;
}

StateChoice write(const Analysis& analysis, const graph::DummyDerivatives& dummies) {
  StateChoice choice;
  for (std::size_t j = 0; j < analysis.unknowns.size(); ++j) {
    const expr::VarId x = analysis.unknowns[j];
    const int d = analysis.d[j], count = dummies.count[{static_cast<std::int32_t>(j)}];
    for (int k = 0; k < d - count; ++k) choice.states.push_back({x, k});
    for (int k = d - count + 1; k <= d; ++k) choice.dummies.push_back({x, k});
  }
  return choice;
}

}  // namespace

std::optional<StateChoice> choose_states(expr::Pool& pool, const Analysis& analysis,
                                         PointValues* point, bool prefer_declared) {
  const graph::Offsets offsets = offsets_of(analysis);
  if (std::all_of(analysis.c.begin(), analysis.c.end(), [](int c) { return c == 0; })) {
    return write(analysis, {{static_cast<int>(analysis.unknowns.size()), 0}});
  }
  std::optional<graph::DummyDerivatives> dummies;
  bool was_free = false;
  const auto select = [&](graph::DummyChooser& chooser) {
    Watching watching(chooser, analysis);
    dummies = graph::select_dummies(analysis.sigma, offsets, watching);
    was_free = watching.was_free;
  };
  if (point) {
    const graph::Bipartite jacobian = graph::jacobian_pattern(analysis.sigma, offsets);
    NumericalChooser chooser(pool, analysis, jacobian, *point, prefer_declared);
    select(chooser);
  } else {
    Table<graph::VarId, graph::Preference> preferences;
    for (const char declared : analysis.is_declared) {
      preferences.add(declared ? graph::Preference::Dependent : graph::Preference::None);
    }
    graph::StructuralChooser chooser(analysis.sigma, offsets, preferences);
    select(chooser);
  }
  if (!dummies) return std::nullopt;
  StateChoice choice = write(analysis, *dummies);
  choice.was_free = was_free && choice.states != known_values(analysis);
  return choice;
}

}  // namespace chi::structure
