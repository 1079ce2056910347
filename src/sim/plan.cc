#include "sim/plan.h"

#include <algorithm>
#include <iterator>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "structure/instant.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

Plan::Plan(const SolverContext& context, ModeEquations equations, const graph::Matching& hint,
           structure::Probe* probe)
    : context_(context),
      equations_(std::move(equations)),
      analysis_(structure::analyse(context_.pool, equations_.system, hint, probe)) {
  if (is_singular() && analysis_.singular->kind != structure::Singular::Kind::Contradiction) {
    make_static();
  }
  if (is_singular()) return;
  if (!is_static_) {
    const std::vector<VarRef> known = structure::known_values(analysis_);
    ip_ = structure::order_blocks(context_.pool, analysis_, known);
    std::ranges::copy_if(known, std::back_inserter(overruled_), [&](VarRef x) {
      return x.order == analysis_.d[at(analysis_.unknown_index(x.var))];
    });
  }
  for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
    for (int k = 0; k <= analysis_.d[j]; ++k) {
      values_.push_back({analysis_.unknowns[j], k});
      const ExprId leaf = expr::variable(context_.pool, analysis_.unknowns[j], k);
      places_.push_back(context_.leaves.place(leaf));
    }
  }
}

void Plan::append_divisors(const double* frame, std::vector<double>& pivots) {
  const std::size_t count = analysis_.divisors.size(), first = pivots.size();
  if (count == 0) return;
  if (!divisors_) {
    std::vector<ExprId> roots;
    for (const structure::Analysis::Divisor& d : analysis_.divisors) roots.push_back(d.divisor);
    divisors_ =
        std::make_unique<code::Formulas>(context_.pool, roots, context_.leaves, context_.boxes);
  }
  pivots.resize(first + count);
  divisors_->evaluate_each(frame, pivots.data() + first);
}

void Plan::make_static() {
  structure::InstantOrder found =
      structure::order_instant(context_.pool, {.system = equations_.system,
                                               .passing = equations_.passing,
                                               .declared_to_last = equations_.system.declared});
  if (!found.order.is_square()) return;
  is_static_ = true;
  why_static_ = analysis_.singular;
  ip_ = std::move(found.order);
  analysis_ = std::move(found.analysis);
}

bool Plan::has_lower(VarRef x) const {
  const int j = analysis_.unknown_index(x.var);
  return j >= 0 && x.order < analysis_.d[at(j)];
}

bool Plan::rests_on_values() const { return analysis_.saw_values; }

const std::vector<std::size_t>& Plan::switched_rows() {
  if (switched_rows_) return *switched_rows_;
  std::vector<expr::ExprId> rows;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < analysis_.c.size(); ++i) {
    if (analysis_.c[i] == 0) continue;
    rows.push_back(analysis_.derivatives[i].front());
    numbers.push_back(i);
  }
  const expr::Pool& pool = context_.pool;
  const expr::Occurrences found = expr::occurrences(pool, rows, {}, [&](expr::ExprId e) {
    return pool.op(e) == expr::Op::PlainIf ? e : expr::ExprId{};
  });
  switched_rows_.emplace();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!found.row(static_cast<int>(k)).empty()) switched_rows_->push_back(numbers[k]);
  }
  return *switched_rows_;
}

SystemSolver& Plan::ip_solver() {
  if (!ip_solver_) ip_solver_ = std::make_unique<SystemSolver>(context_, ip_);
  return *ip_solver_;
}

SystemSolver& Plan::ip_solver(const std::vector<VarRef>& known_too) {
  if (known_too.empty()) return ip_solver();
  WithKnown& with = with_known_[known_too];
  if (!with.solver) {
    std::vector<VarRef> known = structure::known_values(analysis_);
    known.insert(known.end(), known_too.begin(), known_too.end());
    std::sort(known.begin(), known.end());
    with.order = structure::order_blocks(context_.pool, analysis_, known);
    with.solver = std::make_unique<SystemSolver>(context_, with.order);
  }
  return *with.solver;
}

bool Plan::has_choice() const {
  return !is_static_ &&
         std::any_of(analysis_.c.begin(), analysis_.c.end(), [](int c) { return c > 0; });
}

StateVariant* Plan::variant_for(structure::StateChoice choice) {
  for (const auto& variant : variants_) {
    if (variant->choice.states == choice.states) return variant.get();
  }
  auto variant = std::make_unique<StateVariant>();
  variant->choice = std::move(choice);
  variant->order = structure::order_blocks(context_.pool, analysis_, variant->choice.states);
  variant->solver = std::make_unique<SystemSolver>(context_, variant->order);
  variants_.push_back(std::move(variant));
  return variants_.back().get();
}

StateVariant* Plan::structural_variant() {
  if (!variants_.empty()) return variants_.front().get();
  if (is_static_) {
    auto variant = std::make_unique<StateVariant>();
    variant->order = ip_;
    variants_.push_back(std::move(variant));
    return variants_.back().get();
  }
  auto choice = structure::choose_states(context_.pool, analysis_);
  return choice ? variant_for(std::move(*choice)) : nullptr;
}

StateVariant* Plan::variant_at(structure::PointValues& point) {
  if (!has_choice()) return structural_variant();
  auto choice = structure::choose_states(context_.pool, analysis_, &point);
  return choice ? variant_for(std::move(*choice)) : nullptr;
}

ExprId Plan::time_derivative(ExprId e, int k) {
  const auto of_variable = [this](expr::Pool& pool, VarRef x) {
    return analysis_.unknown_index(x.var) < 0 ? expr::constant(pool, 0)
                                              : expr::variable(pool, x.var, x.order + 1);
  };
  return expr::time_derivatives(context_.pool, std::span(&e, 1), std::span(&k, 1), of_variable)[0]
      .back();
}

// Level m: the rows f_i^(c_i + m) determine x_j^(d_j + m), through the same Jacobian as level 0.
Plan::Level Plan::make_level(int m, const std::vector<ExprId>& rows) {
  structure::Analysis level = analysis_;
  std::vector<VarRef> given;
  for (std::size_t j = 0; j < level.unknowns.size(); ++j) {
    level.d[j] += m;
    for (int k = 0; k < level.d[j]; ++k) given.push_back({level.unknowns[j], k});
    context_.leaves.place(expr::variable(context_.pool, level.unknowns[j], level.d[j]));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    level.c[i] = 0;
    level.derivatives[i] = {rows[i]};
  }
  std::sort(given.begin(), given.end());
  return {structure::order_blocks(context_.pool, level, given), nullptr};
}

SystemSolver& Plan::leading_solver(std::vector<double>& frame) {
  if (!leading_) {
    std::vector<ExprId> rows;
    for (const auto& derivatives : analysis_.derivatives) rows.push_back(derivatives.back());
    leading_ = std::make_unique<Level>(make_level(0, rows));
    leading_->solver = std::make_unique<SystemSolver>(context_, leading_->order);
  }
  if (frame.size() < at(context_.leaves.size())) frame.resize(at(context_.leaves.size()), 0.0);
  return *leading_->solver;
}

bool Plan::solve_leading(std::vector<double>& frame) {
  return leading_solver(frame).solve(frame.data(), Effort::Full);
}

bool Plan::is_leading_regular(std::vector<double> frame) {
  return solve_leading(frame) && leading_->solver->rank_deficiency() == 0;
}

bool Plan::is_leading_singular(std::vector<double>& frame) {
  return leading_solver(frame).is_singular_at(frame.data());
}

void Plan::build_tower(int levels) {
  if (top_.empty()) {
    for (const auto& derivatives : analysis_.derivatives) top_.push_back(derivatives.back());
  }
  while (static_cast<int>(tower_.size()) < levels) {
    for (ExprId& row : top_) row = time_derivative(row, 1);
    tower_.push_back(make_level(static_cast<int>(tower_.size()) + 1, top_));
    Level& added = tower_.back();
    if (added.order.is_square()) {
      added.solver = std::make_unique<SystemSolver>(context_, added.order);
    }
  }
}

bool Plan::climb(double* frame, int levels, int known) {
  for (int m = known; m < levels; ++m) {
    SystemSolver* const solver = tower_[at(m)].solver.get();
    if (solver == nullptr || !solver->solve(frame, Effort::Near)) return false;
  }
  return true;
}

}  // namespace chi::sim
