#include "sim/algebra/implicit_block.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/cancel.h"
#include "expr/incidence.h"
#include "expr/linearity.h"
#include "expr/rounding_size.h"
#include "expr/substitute.h"
#include "numerics/algebraic_solver.h"
#include "numerics/linear_solver.h"
#include "numerics/newton.h"
#include "numerics/rank_revealing.h"
#include "sim/algebra/better_guess.h"
#include "sim/algebra/symbolic_jacobian.h"
#include "sim/algebra/tolerances.h"
#include "sim/algebra/torn_newton.h"

namespace chi::sim {
namespace {

using numerics::EvalStatus;
using numerics::SolveStatus;

std::vector<expr::ExprId> expressions(std::span<const structure::BlockOrder::Row> rows) {
  std::vector<expr::ExprId> roots;
  for (const structure::BlockOrder::Row& row : rows) roots.push_back(row.expr);
  return roots;
}

bool all_finite(std::span<const double> v) {
  return std::ranges::all_of(v, [](double x) { return std::isfinite(x); });
}

bool is_linear_in(expr::Pool& pool, std::span<const expr::ExprId> roots,
                  std::span<const expr::ExprId> unknowns) {
  const auto nonlinear = [](expr::Linearity l) { return l == expr::Linearity::Nonlinear; };
  return std::ranges::none_of(expr::linearity(pool, roots, unknowns), nonlinear);
}

std::vector<double> facts(const std::function<double(expr::VarRef)>& of,
                          std::span<const expr::VarRef> unknowns) {
  std::vector<double> values;
  if (!of) return values;
  for (const expr::VarRef x : unknowns) values.push_back(of(x));
  return values;
}

std::vector<double> bounds(const std::function<double(expr::VarRef)>& of,
                           std::span<const expr::VarRef> unknowns) {
  std::vector<double> values = facts(of, unknowns);
  if (std::ranges::all_of(values, [](double v) { return std::isinf(v); })) values.clear();
  return values;
}

}  // namespace

// Code, matrices and the numbers of the last solve.
struct ImplicitBlock::Work {
  Work(const SolverContext& context, std::span<const structure::BlockOrder::Row> rows,
       std::span<const expr::VarRef> unknowns)
      : roots(expressions(rows)),
        residuals(context.pool, roots, context.leaves, context.boxes),
        jacobian(context, roots, leaves(context, unknowns)),
        nominal(facts(context.nominal, unknowns)),
        lower(bounds(context.lower, unknowns)),
        upper(bounds(context.upper, unknowns)),
        x(unknowns.size()),
        guess(unknowns.size()),
        r(rows.size()),
        values(static_cast<std::size_t>(jacobian.pattern().nonzeros())) {}

  static std::vector<expr::ExprId> leaves(const SolverContext& context,
                                          std::span<const expr::VarRef> unknowns) {
    std::vector<expr::ExprId> result;
    for (const expr::VarRef x : unknowns) result.push_back(leaf_of(context.pool, x));
    return result;
  }

  // What each residual is the sum of (expr::rounding_sizes); NaN if that has no value.
  void measure(const SolverContext& context, const double* frame, std::span<double> out) {
    if (!sizes) {
      sizes.emplace(context.pool, expr::rounding_sizes(context.pool, roots), context.leaves,
                    context.boxes);
    }
    sizes->evaluate_each(frame, out.data());
  }
  // Whether the equations hold, as far as their terms are known.
  bool balances(const SolverContext& context, const double* frame) {
    std::vector<double> terms(r.size());
    if (!residuals.evaluate(frame, r.data()) || !jacobian.evaluate(frame, values)) return false;
    measure(context, frame, terms);
    return numerics::is_balanced(jacobian.pattern(), values, r, terms);
  }

  std::vector<expr::ExprId> roots;
  code::Formulas residuals;
  std::optional<code::Formulas> sizes;  // once they were needed
  SymbolicJacobian jacobian;
  std::vector<double> nominal, lower, upper;
  std::vector<double> x, guess, r, values;
  std::vector<double> factored;  // the coefficients that `linear` has the factors of
  std::optional<numerics::LinearSolver> linear;
  std::optional<numerics::NewtonSolver> newton;
  std::optional<numerics::AlgebraicSolver> algebraic;
  std::optional<TornNewton> torn;
  enum class Quick { Untried, Proven, Unfit } quick = Quick::Untried;
  std::optional<code::FormulaFault> fault;  // of the last evaluation that failed
};

ImplicitBlock::ImplicitBlock(const SolverContext& context,
                             std::span<const structure::BlockOrder::Row> rows,
                             std::span<const expr::VarRef> unknowns)
    : rows_(rows), unknowns_(unknowns) {
  const std::vector<expr::ExprId> leaves = Work::leaves(context, unknowns);
  for (const expr::ExprId leaf : leaves) places_.push_back(context.leaves.place(leaf));
  std::vector<expr::ExprId> roots = expressions(rows);
  linear_ = is_linear_in(context.pool, roots, leaves);
  const auto calls = [&](expr::ExprId e) { return context.pool.has(e, expr::kHasCall); };
  if (linear_ || std::ranges::none_of(roots, calls)) return;
  roots = expr::inline_calls(context.pool, roots);
  linear_ = is_linear_in(context.pool, roots, leaves);
}

ImplicitBlock::ImplicitBlock(ImplicitBlock&&) noexcept = default;
ImplicitBlock& ImplicitBlock::operator=(ImplicitBlock&&) noexcept = default;
ImplicitBlock::~ImplicitBlock() = default;

ImplicitBlock::Work& ImplicitBlock::work(const SolverContext& context) {
  if (!work_) work_ = std::make_unique<Work>(context, rows_, unknowns_);
  return *work_;
}

void ImplicitBlock::store(std::span<const double> x, double* frame) const {
  for (std::size_t j = 0; j < x.size(); ++j) frame[places_[j]] = x[j];
}

bool ImplicitBlock::solve(const SolverContext& context, double* frame, Effort effort,
                          SolveFailure& failure) {
  Work& w = work(context);
  iterations_ = rank_deficiency_ = 0;
  w.fault.reset();
  for (std::size_t j = 0; j < places_.size(); ++j) w.guess[j] = frame[places_[j]];
  if (unknowns_.empty()) return check_rows(context, w, frame, failure);
  const bool direct = linear_ && rows_.size() == unknowns_.size();
  if (direct) {
    if (solve_linear(w, frame, failure)) return true;
    store(w.guess, frame);
    if (effort == Effort::Near || failure.status != SolveStatus::Singular) return false;
  }
  const bool scalar = rows_.size() == 1 && unknowns_.size() == 1;
  const bool quick = effort == Effort::Near && !linear_ && rows_.size() == unknowns_.size();
  if (quick && scalar && solve_scalar(context, w, frame)) return true;
  if (quick && !scalar && solve_torn(context, w, frame)) return true;
  if (solve_nonlinear(context, w, frame, effort, failure)) {
    if (quick && !scalar && w.quick == Work::Quick::Untried) prove_torn(context, w, frame);
    // A guess that solves dependent equations ends the iteration before their rank is looked at.
    if (direct) rank_deficiency_ = std::max(rank_deficiency_, 1);
    return true;
  }
  store(w.guess, frame);
  return false;
}

int ImplicitBlock::determinant_sign() const {
  if (!work_ || work_->factored.empty()) return 0;
  return work_->linear->determinant_sign();
}

bool ImplicitBlock::factor(Work& w, double* frame, SolveFailure& failure) {
  if (!w.factored.empty() && w.jacobian.is_constant()) return true;
  numerics::SolveResult result;
  if (!w.jacobian.evaluate(frame, w.values) || !all_finite(w.values)) {
    w.fault = w.jacobian.fault();
    result.status = SolveStatus::Undefined;
    describe(w, result, w.guess, frame, failure);
    return false;
  }
  if (w.factored == w.values && !w.factored.empty()) return true;
  if (!w.linear) w.linear.emplace(w.jacobian.pattern());
  w.factored.clear();
  if (w.linear->factor(w.values) == numerics::FactorStatus::Ok) {
    w.factored = w.values;
    return true;
  }
  result.status = SolveStatus::Singular;
  result.singular_rows = {w.linear->singularity().row};
  result.singular_cols = {w.linear->singularity().col};
  describe(w, result, w.guess, frame, failure);
  return false;
}

bool ImplicitBlock::is_singular_at(const SolverContext& context, double* frame,
                                   SolveFailure& failure) {
  constexpr std::size_t kLargestDense = 500;
  if (rows_.size() != unknowns_.size() || rows_.empty()) return false;
  Work& w = work(context);
  for (std::size_t j = 0; j < places_.size(); ++j) w.guess[j] = frame[places_[j]];
  const bool regular = factor(w, frame, failure);
  if (regular && w.linear->pivot_ratio() > tolerance::kDoubtfulPivots) return false;
  if (!regular && failure.status != SolveStatus::Singular) return false;
  if (rows_.size() > kLargestDense) return !regular;
  const numerics::Dependencies found = numerics::find_dependencies(w.jacobian.pattern(), w.values);
  if (found.rank == static_cast<int>(rows_.size())) return false;
  numerics::SolveResult result;
  result.status = SolveStatus::Singular;
  result.singular_rows = found.rows;
  result.singular_cols = found.cols;
  describe(w, result, w.guess, frame, failure);
  return true;
}

// x = -A⁻¹ F(0), then once more for the residual that rounding has left.
bool ImplicitBlock::solve_linear(Work& w, double* frame, SolveFailure& failure) {
  if (!factor(w, frame, failure)) return false;
  std::ranges::fill(w.x, 0.0);
  for (int round = 0; round < 2; ++round) {
    store(w.x, frame);
    if (!w.residuals.evaluate(frame, w.r.data()) || !all_finite(w.r)) {
      w.fault = w.residuals.fault();
      numerics::SolveResult result;
      result.status = SolveStatus::Undefined;
      describe(w, result, w.guess, frame, failure);
      return false;
    }
    w.linear->solve(w.r);
    for (std::size_t j = 0; j < w.x.size(); ++j) w.x[j] -= w.r[j];
    ++iterations_;
  }
  store(w.x, frame);
  if (all_finite(w.x)) return true;
  numerics::SolveResult result;
  result.status = SolveStatus::Singular;
  describe(w, result, w.guess, frame, failure);
  return false;
}

// Newton's method for one equation, plain and quick. False whenever it is not plain sailing: the
// damped method then starts afresh.
bool ImplicitBlock::solve_scalar(const SolverContext& context, Work& w, double* frame) {
  constexpr int kMostSteps = 8;
  const double nominal = w.nominal.empty() ? 1.0 : w.nominal[0];
  double& x = frame[places_[0]];
  double last = tolerance::kNearSolution;
  for (int k = 0; k < kMostSteps; ++k) {
    double r = 0, slope = 0;
    if (!w.residuals.evaluate(frame, &r)) return false;
    if (r == 0) return true;
    if (!w.jacobian.evaluate(frame, std::span(&slope, 1))) return false;
    const double step = -r / slope;
    const double size = std::abs(step) / std::max(std::abs(x), nominal);
    if (!(size < last)) return last <= tolerance::kStagnation && w.balances(context, frame);
    x += step;
    ++iterations_;
    if (!w.lower.empty() && x < w.lower[0]) return false;
    if (!w.upper.empty() && x > w.upper[0]) return false;
    last = 0.5 * size;
    if (size > tolerance::kLastStepIsNext) continue;
    // The next step would be the last; the slope is good enough for it. It is much shorter, or
    // there is nothing left but rounding, or x is so small that a short step is a long one.
    if (!w.residuals.evaluate(frame, &r)) return false;
    x -= r / slope;
    if (!std::isfinite(x) || !within_bounds(w, frame)) return false;
    return std::abs(r / slope) <= tolerance::kMuchShorter * std::abs(step) ||
           w.balances(context, frame);
  }
  return false;
}

bool ImplicitBlock::within_bounds(const Work& w, const double* frame) const {
  for (std::size_t j = 0; j < places_.size(); ++j) {
    if (!w.lower.empty() && frame[places_[j]] < w.lower[j]) return false;
    if (!w.upper.empty() && frame[places_[j]] > w.upper[j]) return false;
  }
  return true;
}

bool ImplicitBlock::solve_torn(const SolverContext& context, Work& w, double* frame) {
  if (w.quick != Work::Quick::Proven) return false;
  const bool ok = w.torn->solve(frame) && within_bounds(w, frame) &&
                  (w.torn->is_settled() || w.balances(context, frame));
  iterations_ += w.torn->iterations();
  if (!ok) store(w.guess, frame);
  return ok;
}

// After the robust method: whether the quick one comes to the same solution.
void ImplicitBlock::prove_torn(const SolverContext& context, Work& w, double* frame) {
  w.quick = Work::Quick::Unfit;
  w.torn = TornNewton::make(context, rows_, unknowns_);
  if (!w.torn) return;
  if (w.torn->solve(frame) && (w.torn->is_settled() || w.balances(context, frame))) {
    bool same = true;
    for (std::size_t j = 0; j < places_.size(); ++j) {
      const double size = std::max(std::abs(w.x[j]), w.nominal.empty() ? 1.0 : w.nominal[j]);
      same = same && std::abs(frame[places_[j]] - w.x[j]) <= tolerance::kSameSolution * size;
    }
    if (same) w.quick = Work::Quick::Proven;
  }
  store(w.x, frame);
}

// Where equations have values but an infinite slope, as sqrt(x) has at 0: slopes to points beside.
// So steep they are that such a point is left slowly, and not at all if it is the solution.
bool ImplicitBlock::add_secants(Work& w, std::span<const double> x, double* frame,
                                std::span<double> slopes) {
  const numerics::SparsePattern& pattern = w.jacobian.pattern();
  std::vector<double> here(w.r.size()), there(w.r.size());
  if (!w.residuals.evaluate(frame, here.data())) return false;
  w.jacobian.evaluate_each(frame, slopes);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const auto first = static_cast<std::size_t>(pattern.column_starts[j]);
    const auto last = static_cast<std::size_t>(pattern.column_starts[j + 1]);
    const double nominal = w.nominal.empty() ? 1.0 : w.nominal[j];
    for (const double side : {tolerance::kSecant, -tolerance::kSecant}) {
      if (all_finite(slopes.subspan(first, last - first))) break;
      const double beside = x[j] + side * std::max(std::abs(x[j]), nominal);
      frame[places_[j]] = beside;
      w.residuals.evaluate_each(frame, there.data());
      for (std::size_t k = first; k < last; ++k) {
        if (std::isfinite(slopes[k])) continue;
        const auto i = static_cast<std::size_t>(pattern.row_indices[k]);
        slopes[k] = (there[i] - here[i]) / (beside - x[j]);
      }
    }
    frame[places_[j]] = x[j];
  }
  return all_finite(slopes);
}

bool ImplicitBlock::solve_nonlinear(const SolverContext& context, Work& w, double* frame,
                                    Effort effort, SolveFailure& failure) {
  constexpr std::size_t kMostGuessed = 200;
  const auto residual = [&](std::span<const double> x, std::span<double> out) {
    if (is_cancelled()) return EvalStatus::Domain;
    store(x, frame);
    if (w.residuals.evaluate(frame, out.data())) return EvalStatus::Ok;
    w.fault = w.residuals.fault();
    return EvalStatus::Domain;
  };
  const auto jacobian = [&](std::span<const double> x, std::span<double> out) {
    store(x, frame);
    if (w.jacobian.evaluate(frame, out)) return EvalStatus::Ok;
    w.fault = w.jacobian.fault();
    return add_secants(w, x, frame, out) ? EvalStatus::Ok : EvalStatus::Domain;
  };
  const auto sizes = [&](std::span<const double> x, std::span<double> out) {
    store(x, frame);
    w.measure(context, frame, out);
    return EvalStatus::Ok;
  };
  const numerics::NonlinearProblem problem{.pattern = &w.jacobian.pattern(),
                                           .residual = residual,
                                           .jacobian = jacobian,
                                           .sizes = sizes,
                                           .nominal = w.nominal,
                                           .lower = w.lower,
                                           .upper = w.upper,
                                           .linear = linear_};
  w.x = w.guess;
  store(w.x, frame);
  numerics::SolveResult result;
  if (effort == Effort::Near && rows_.size() == unknowns_.size()) {
    if (!w.newton) {
      const numerics::NewtonOptions options{.around_singular_guess = tolerance::kNearSolution};
      w.newton.emplace(w.jacobian.pattern(), options);
    }
    result = w.newton->solve_once(problem, w.x);
  } else {
    if (!w.algebraic) w.algebraic.emplace(w.jacobian.pattern());
    result = w.algebraic->solve(problem, w.x);
    store(w.guess, frame);
    if (!result.converged() && rows_.size() <= kMostGuessed &&
        better_guess(context, w.roots, Work::leaves(context, unknowns_), frame)) {
      std::vector<double> x;
      for (const std::int32_t place : places_) x.push_back(frame[place]);
      numerics::SolveResult again = w.algebraic->solve(problem, x);
      if (again.converged()) {
        w.x = std::move(x);
        result = std::move(again);
      }
    }
  }
  iterations_ += result.iterations;
  rank_deficiency_ = result.rank_deficiency;
  if (result.converged()) {
    store(w.x, frame);
    return true;
  }
  describe(w, result, w.x, frame, failure);
  return false;
}

// Rows without unknowns hold or do not. They are measured as the solvers measure theirs: by what
// they change when their variables change by their own size.
bool ImplicitBlock::check_rows(const SolverContext& context, Work& w, double* frame,
                               SolveFailure& failure) {
  numerics::SolveResult result;
  if (!w.residuals.evaluate(frame, w.r.data())) {
    w.fault = w.residuals.fault();
    result.status = SolveStatus::Undefined;
    describe(w, result, {}, frame, failure);
    return false;
  }
  if (std::ranges::all_of(w.r, [](double r) { return r == 0; })) return true;
  std::vector<expr::ExprId> known = expr::variables(context.pool, w.roots).node;
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  SymbolicJacobian slopes(context, w.roots, known);
  std::vector<double> values(static_cast<std::size_t>(slopes.pattern().nonzeros()));
  std::vector<double> sizes, scale(w.r.size(), 0.0);
  for (const expr::ExprId e : known) {
    const expr::VarRef x = context.pool.variable(e);
    const double nominal = context.nominal ? context.nominal(x) : 1.0;
    sizes.push_back(std::max(std::abs(frame[context.leaves.place(e)]), nominal));
  }
  if (slopes.evaluate(frame, values)) {
    numerics::size_equations(slopes.pattern(), values, sizes, scale);
  }
  double worst = tolerance::kConsistentRow;
  for (std::size_t i = 0; i < w.r.size(); ++i) {
    const double relative = std::abs(w.r[i]) / (scale[i] > 0 ? scale[i] : 1.0);
    if (!(relative > worst)) continue;
    worst = relative;
    result.worst_equation = static_cast<int>(i);
  }
  if (result.worst_equation < 0) return true;
  result.status = SolveStatus::Inconsistent;
  describe(w, result, {}, frame, failure);
  return false;
}

void ImplicitBlock::describe(Work& w, const numerics::SolveResult& result,
                             std::span<const double> x, double* frame, SolveFailure& failure) {
  failure = {};
  failure.status = result.status;
  store(x, frame);
  const bool defined = w.residuals.evaluate_each(frame, w.r.data());
  for (std::size_t i = 0; i < rows_.size(); ++i) failure.rows.push_back({rows_[i], w.r[i]});
  for (std::size_t j = 0; j < x.size(); ++j) failure.unknowns.push_back({unknowns_[j], x[j]});
  failure.worst = result.worst_equation;
  failure.singular_rows = result.singular_rows;
  failure.singular_unknowns = result.singular_cols;
  if (!defined) w.fault = w.residuals.fault();
  if (defined && result.status == SolveStatus::Undefined) {
    std::vector<double> slopes(w.values.size());
    const bool has_slopes = w.jacobian.evaluate(frame, slopes);
    if (!has_slopes) w.fault = w.jacobian.fault();
    failure.fault_at = has_slopes ? SolveFailure::At::OnTheWay : SolveFailure::At::Slope;
    const bool is_here = !has_slopes || !all_finite(w.r) || !all_finite(slopes);
    if (!is_here) failure.status = SolveStatus::NoProgress;
  }
  if (!defined || result.status == SolveStatus::Undefined) failure.fault = w.fault;
  if (failure.fault && failure.fault->root >= 0) failure.worst = failure.fault->root;
  if (rows_.size() == 1) failure.worst = 0;
}

}  // namespace chi::sim
