#include "structure/analyse.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/cancel.h"
#include "base/doing.h"
#include "expr/build.h"
#include "expr/cone.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/substitute.h"
#include "graph/dulmage_mendelsohn.h"
#include "graph/sigma.h"
#include "structure/hidden.h"
#include "structure/hidden_values.h"
#include "structure/row_matrix.h"

namespace chi::structure {
namespace {

using expr::ExprId;
using expr::VarId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr int kOpenSubsetsTried = 16;

class Analyser {
 public:
  Analyser(expr::Pool& pool, const System& system, const graph::Matching& hint, Probe* probe)
      : pool_(pool),
        system_(system),
        hint_(hint),
        probe_(probe),
        exprs_(system.rows),
        of_(system.rows.size()),
        by_values_(system.rows.size(), 0),
        rewritten_(system.rows.size(), 0) {}

  Analysis run() {
    find_unknowns();
    for (std::int32_t r = 0; r < rows(); ++r) result_.kept.push_back(r);
    for (;;) {
      check_cancelled();
      matrix_ = row_matrix(pool_, kept_exprs(), result_.unknowns);
      if (rewrite_cancelled()) continue;
      if (!drop_redundant()) break;
      result_.sigma = signature(matrix_, count());
      const auto offsets = graph::find_offsets(result_.sigma, hint_);
      if (!offsets) {
        report_unmatched();
        break;
      }
      if (show_hidden(*offsets) || show_hidden_by_values(*offsets)) continue;
      finish(*offsets);
      break;
    }
    return std::move(result_);
  }

 private:
  using Terms = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;  // row, order

  std::int32_t rows() const { return static_cast<std::int32_t>(system_.rows.size()); }
  int count() const { return static_cast<int>(result_.unknowns.size()); }

  std::vector<ExprId> kept_exprs() const {
    std::vector<ExprId> exprs;
    for (const std::int32_t r : result_.kept) exprs.push_back(exprs_[at(r)]);
    return exprs;
  }

  void find_unknowns() {
    result_.unknowns = system_.declared;
    const expr::Follow present{.delayed = false, .evented_conditions = false};
    const expr::Cone cone(pool_, system_.rows, present);
    std::vector<VarRef> differentiated;
    for (const ExprId node : cone.nodes()) {
      if (pool_.op(node) != expr::Op::Variable) continue;
      const VarRef x = pool_.variable(node);
      if (x.order == 0) continue;
      differentiated.push_back(x);
      result_.unknowns.push_back(x.var);
    }
    std::sort(result_.unknowns.begin(), result_.unknowns.end());
    const auto end = std::unique(result_.unknowns.begin(), result_.unknowns.end());
    result_.unknowns.erase(end, result_.unknowns.end());
    for (const VarId x : result_.unknowns) {
      const bool declared = std::binary_search(system_.declared.begin(), system_.declared.end(), x);
      result_.is_declared.push_back(declared ? 1 : 0);
    }
    result_.given_orders.assign(result_.unknowns.size(), 0);
    for (const VarRef x : differentiated) {
      int& highest = result_.given_orders[at(result_.unknown_index(x.var))];
      highest = std::max(highest, x.order);
    }
  }

  // Rows in which something cancels are written without it, so that the expressions show their
  // true incidence to all that look at them later.
  bool rewrite_cancelled() {
    bool any = false;
    for (std::size_t k = 0; k < result_.kept.size(); ++k) {
      const LinearForm& form = matrix_.forms[k];
      const std::int32_t r = result_.kept[k];
      if (!form.cancelled || rewritten_[at(r)]) continue;
      rewritten_[at(r)] = 1;
      Terms terms = terms_of(r);
      bool ok = true;
      for (auto& [place, coefficient] : terms) ok &= product(coefficient, form.factor, coefficient);
      ExprId written = build(pool_, form);
      if (ok) {
        of_[at(r)] = std::move(terms);
      } else {  // the numbers get too long: the row stays as large as it is
        const double share = 1 / static_cast<double>(form.factor);
        written = expr::mul(pool_, expr::constant(pool_, share), written);
      }
      exprs_[at(r)] = written;
      any = true;
    }
    return any;
  }

  Terms terms_of(std::int32_t r) const {
    return of_[at(r)].empty() ? Terms{{{r, 0}, 1}} : of_[at(r)];
  }

  // False if the rows contradict each other or leave something over.
  bool drop_redundant() {
    const auto dependencies = find_dependencies(matrix_.entries, matrix_.columns_with_unknowns());
    if (dependencies.empty()) return true;
    std::vector<char> dropped(result_.kept.size(), 0);
    for (const auto kind : {Singular::Kind::Contradiction, Singular::Kind::Over}) {
      for (const Dependency& d : dependencies) {
        if (d.rest.empty()) continue;
        const bool is_number = d.rest.size() == 1 && d.rest[0].first == matrix_.constant_column();
        if (is_number == (kind == Singular::Kind::Contradiction)) {
          std::vector<std::int32_t> members;
          for (const auto& [k, coefficient] : d.of) members.push_back(k);
          const std::vector<std::int32_t> given = given_rows(members);
          result_.singular = Singular{kind, given, unknowns_in(given)};
          return false;
        }
      }
    }
    for (const Dependency& d : dependencies) {
      dropped[at(d.row)] = 1;
      result_.redundant.push_back(result_.kept[at(d.row)]);
    }
    std::sort(result_.redundant.begin(), result_.redundant.end());
    std::vector<std::int32_t> kept;
    for (std::size_t k = 0; k < dropped.size(); ++k) {
      if (!dropped[k]) kept.push_back(result_.kept[k]);
    }
    result_.kept = std::move(kept);
    matrix_ = row_matrix(pool_, kept_exprs(), result_.unknowns);
    return true;
  }

  // The rows as given that the kept rows with these numbers are made of.
  std::vector<std::int32_t> given_rows(const std::vector<std::int32_t>& members) const {
    std::vector<std::int32_t> given;
    for (const std::int32_t k : members) {
      for (const auto& [place, coefficient] : terms_of(result_.kept[at(k)])) {
        given.push_back(place.first);
      }
    }
    std::sort(given.begin(), given.end());
    given.erase(std::unique(given.begin(), given.end()), given.end());
    return given;
  }

  std::vector<VarId> unknowns_in(const std::vector<std::int32_t>& given) const {
    std::vector<ExprId> rows;
    for (const std::int32_t r : given) rows.push_back(system_.rows[at(r)]);
    std::vector<VarId> unknowns;
    for (const ExprId node : expr::variables(pool_, rows).node) {
      const VarId x = pool_.variable(node).var;
      if (result_.unknown_index(x) >= 0) unknowns.push_back(x);
    }
    std::sort(unknowns.begin(), unknowns.end());
    unknowns.erase(std::unique(unknowns.begin(), unknowns.end()), unknowns.end());
    return unknowns;
  }

  void report_unmatched() {
    const graph::Bipartite& pattern = result_.sigma.pattern;
    const graph::Matching maximum = graph::match_maximum(pattern, hint_);
    graph::Subset subset = graph::smallest_singular_subset(pattern, maximum);
    const bool over = !subset.eqs.empty();
    if (!over) {
      int tried = 0;
      for (graph::VarId var{0}; var.index < count() && tried < kOpenSubsetsTried; ++var.index) {
        if (maximum.eq_of[var]) continue;
        graph::Subset open = graph::minimal_open_subset(pattern, maximum, var);
        if (tried++ == 0 || open.vars.size() < subset.vars.size()) subset = std::move(open);
      }
    }
    std::vector<std::int32_t> members;
    for (const graph::EqId eq : subset.eqs) members.push_back(eq.index);
    Singular singular{over ? Singular::Kind::Over : Singular::Kind::Under, given_rows(members), {}};
    for (const graph::VarId var : subset.vars) {
      singular.unknowns.push_back(result_.unknowns[at(var.index)]);
    }
    result_.singular = std::move(singular);
  }

  expr::VariableDerivative of_variable() const {
    return [this](expr::Pool& pool, VarRef x) {
      return result_.unknown_index(x.var) < 0 ? expr::constant(pool, 0.0)
                                              : expr::variable(pool, x.var, x.order + 1);
    };
  }

  // Replaces rows by sums that show more; false if there is nothing to show.
  bool show_hidden(const graph::Offsets& offsets) {
    bool any = false;
    std::vector<std::pair<std::int32_t, std::pair<ExprId, Terms>>> replaced;
    for (const HiddenConstraint& hidden : hidden_constraints(matrix_, result_.sigma, offsets)) {
      if (auto sum = sum_up(hidden, offsets)) {
        replaced.push_back({result_.kept[at(hidden.row)], std::move(*sum)});
      }
    }
    for (auto& [r, sum] : replaced) {
      for (const auto& [place, coefficient] : sum.second) {
        if (by_values_[at(place.first)]) by_values_[at(r)] = 1;
      }
      exprs_[at(r)] = sum.first;
      of_[at(r)] = std::move(sum.second);
      rewritten_[at(r)] = 0;
      any = true;
    }
    if (any) hint_ = offsets.transversal;
    return any;
  }

  std::optional<std::pair<ExprId, Terms>> sum_up(const HiddenConstraint& hidden,
                                                 const graph::Offsets& offsets) {
    const int theta = offsets.c[{hidden.row}];
    std::vector<Weighted> parts;
    Terms terms;
    for (const auto& [k, coefficient] : hidden.sum) {
      const std::int32_t r = result_.kept[at(k)];
      const int order = offsets.c[{k}] - theta;
      std::int64_t weight = 0;
      if (!product(coefficient, matrix_.forms[at(k)].factor, weight)) return std::nullopt;
      const std::vector<ExprId> row = {exprs_[at(r)]};
      const std::vector<int> orders = {order};
      parts.push_back(
          {expr::time_derivatives(pool_, row, orders, of_variable())[0].back(), {weight, 1, true}});
      for (const auto& [place, inner] : terms_of(r)) {
        std::int64_t part = 0;
        std::int64_t& total = terms[{place.first, place.second + order}];
        if (!product(inner, weight, part) || !sum(total, part, total)) return std::nullopt;
      }
    }
    const LinearForm form = linear_form(pool_, parts);
    if (!form.is_exact) return std::nullopt;
    for (auto& [place, total] : terms) {
      if (!product(total, form.factor, total)) return std::nullopt;
    }
    std::erase_if(terms, [](const auto& term) { return term.second == 0; });
    return std::pair{build(pool_, form), std::move(terms)};
  }

  // The same where values of variables, not numbers in the text, make rows depend on each other.
  bool show_hidden_by_values(const graph::Offsets& offsets) {
    if (probe_ == nullptr) return false;
    const std::vector<ExprId> rows = kept_exprs();
    std::vector<std::int32_t> redundant;
    const auto found =
        hidden_by_values(pool_, rows, result_.unknowns, result_.sigma, offsets, *probe_);
    for (const ValueConstraint& constraint : found) {
      const int theta = offsets.c[{constraint.row}];
      std::vector<expr::Replacement> cancelled;
      for (const ExprId leaf : constraint.leading) {
        cancelled.push_back({leaf, expr::constant(pool_, 0)});
      }
      std::vector<ExprId> parts;
      Terms terms;
      ExprId sum = expr::constant(pool_, 0);
      for (const auto& [k, coefficient] : constraint.sum) {
        const std::int32_t r = result_.kept[at(k)];
        const int order = offsets.c[{k}] - theta;
        const std::vector<int> orders = {order};
        const std::vector<ExprId> row = {rows[at(k)]};
        const ExprId differentiated =
            expr::time_derivatives(pool_, row, orders, of_variable())[0].back();
        parts.push_back(
            expr::mul(pool_, coefficient, expr::substitute(pool_, differentiated, cancelled)));
        sum = expr::add(pool_, sum, parts.back());
        for (const auto& [place, inner] : terms_of(r)) {
          terms[{place.first, place.second + order}] = 1;
        }
      }
      const std::int32_t r = result_.kept[at(constraint.row)];
      if (constraint.rests_on_known) decide_by(constraint.entries);
      if (vanishes(sum, parts, !constraint.rests_on_known)) {
        redundant.push_back(r);
        continue;
      }
      for (const ExprId divisor : constraint.divisors) result_.divisors.push_back({r, divisor});
      exprs_[at(r)] = sum;
      of_[at(r)] = std::move(terms);
      by_values_[at(r)] = 1;
      rewritten_[at(r)] = 0;
    }
    std::erase_if(result_.kept, [&](std::int32_t r) {
      return std::find(redundant.begin(), redundant.end(), r) != redundant.end();
    });
    result_.redundant.insert(result_.redundant.end(), redundant.begin(), redundant.end());
    std::sort(result_.redundant.begin(), result_.redundant.end());
    hint_ = {};
    result_.saw_values = result_.saw_values || !found.empty();
    return !found.empty();
  }

  bool vanishes(ExprId sum, const std::vector<ExprId>& parts, bool draw_known) {
    constexpr int kDraws = 3;
    constexpr double kZero = 1e-10;
    std::vector<ExprId> roots = parts;
    roots.push_back(sum);
    for (int draw = 0; draw < kDraws; ++draw) {
      const std::vector<double> values = probe_->values(roots, draw, draw_known);
      double size = 0;
      for (std::size_t k = 0; k < parts.size(); ++k) size += std::abs(values[k]);
      if (!(std::abs(values.back()) <= kZero * size)) return false;
    }
    return true;
  }

  void decide_by(const std::vector<ExprId>& entries) {
    const expr::Occurrences leaves = expr::occurrences(pool_, entries, {}, [&](ExprId e) {
      const expr::Op op = pool_.op(e);
      const bool known =
          op == expr::Op::DiscreteReal || op == expr::Op::DiscreteBool ||
          (op == expr::Op::Variable && result_.unknown_index(pool_.variable(e).var) < 0);
      return known ? e : ExprId{};
    });
    std::vector<ExprId>& all = result_.decided_by;
    all.insert(all.end(), leaves.node.begin(), leaves.node.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }

  void finish(const graph::Offsets& offsets) {
    result_.c.assign(offsets.c.begin(), offsets.c.end());
    result_.d.assign(offsets.d.begin(), offsets.d.end());
    result_.derivatives = expr::time_derivatives(pool_, kept_exprs(), result_.c, of_variable());
    result_.degrees_of_freedom = offsets.degrees_of_freedom();
    result_.structural_index = offsets.structural_index();
    result_.transversal = offsets.transversal;
    for (const std::int32_t r : result_.kept) {
      if (of_[at(r)].empty()) continue;
      Combination combination{r, {}, by_values_[at(r)] != 0};
      for (const auto& [place, coefficient] : of_[at(r)]) {
        combination.of.push_back({place.first, place.second, coefficient});
      }
      result_.combinations.push_back(std::move(combination));
    }
  }

  expr::Pool& pool_;
  const System& system_;
  graph::Matching hint_;
  Probe* probe_;
  std::vector<ExprId> exprs_;    // per row, as it is now
  std::vector<Terms> of_;        // per row, what it was made of; empty if it is as given
  std::vector<char> by_values_;  // per row: with coefficients that are no numbers
  std::vector<char> rewritten_;  // per row: nothing cancels in it any more
  RowMatrix matrix_;             // of the kept rows
  Analysis result_;
};

}  // namespace

int Analysis::unknown_index(VarId v) const {
  const auto place = std::lower_bound(unknowns.begin(), unknowns.end(), v);
  return place != unknowns.end() && *place == v ? static_cast<int>(place - unknowns.begin()) : -1;
}

Analysis analyse(expr::Pool& pool, const System& system, const graph::Matching& hint,
                 Probe* probe) {
  const Doing doing("analysing the equations");
  return Analyser(pool, system, hint, probe).run();
}

std::vector<int> written_orders(const Analysis& analysis) {
  std::vector<int> written(analysis.unknowns.size(), 0);
  for (graph::EdgeId edge{0}; edge.index < analysis.sigma.order.size(); ++edge.index) {
    int& highest = written[at(analysis.sigma.pattern.var_of(edge).index)];
    highest = std::max(highest, analysis.sigma.order[edge]);
  }
  for (std::size_t j = 0; j < analysis.given_orders.size(); ++j) {
    written[j] = std::min(written[j], analysis.given_orders[j]);
  }
  return written;
}

std::vector<VarRef> known_values(const Analysis& analysis) {
  std::vector<VarRef> known;
  const std::vector<int> written = written_orders(analysis);
  for (std::size_t j = 0; j < written.size(); ++j) {
    if (analysis.is_declared[j]) continue;
    for (int k = 0; k < std::max(1, written[j]); ++k) known.push_back({analysis.unknowns[j], k});
  }
  return known;
}

}  // namespace chi::structure
