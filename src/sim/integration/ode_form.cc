#include "sim/integration/ode_form.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "base/check.h"
#include "expr/build.h"
#include "expr/substitute.h"
#include "sim/algebra/points_beside.h"

namespace chi::sim {
namespace {

using numerics::EvalStatus;

// 0 times what is not finite is NaN. Four sums, because one would wait for itself.
bool all_finite(std::span<const double> v) {
  double a = 0, b = 0, c = 0, d = 0;
  std::size_t i = 0;
  for (; i + 4 <= v.size(); i += 4) {
    a += 0 * v[i];
    b += 0 * v[i + 1];
    c += 0 * v[i + 2];
    d += 0 * v[i + 3];
  }
  for (; i < v.size(); ++i) a += 0 * v[i];
  return a + b + (c + d) == 0;
}

}  // namespace

std::vector<expr::VarRef> derivatives_of(std::span<const expr::VarRef> states) {
  std::vector<expr::VarRef> result;
  for (const expr::VarRef x : states) result.push_back({x.var, x.order + 1});
  return result;
}

OdeForm::OdeForm(const SolverContext& context, SystemSolver& whole, const BlockGraph& graph,
                 std::span<const expr::VarRef> states, FrameInputs* inputs,
                 std::vector<double>& frame)
    : context_(context),
      states_(states.begin(), states.end()),
      derivatives_(derivatives_of(states)),
      solver_(choose_solver(whole, graph)),
      inputs_(inputs),
      frame_(frame),
      time_place_(context.leaves.place(expr::time(context.pool))),
      failed_y_(states.size()) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    state_places_.push_back(context.leaves.place(leaf_of(context.pool, states_[i])));
    derivative_places_.push_back(context.leaves.place(leaf_of(context.pool, derivatives_[i])));
  }
  estimated_entries_ = graph.estimated_dependencies(derivatives_, size());
  const ExplicitRun* const run = solver_.explicit_run();
  direct_ = run != nullptr;
  if (!direct_) return;
  std::map<expr::VarRef, expr::ExprId> values;
  for (const ExplicitRun::Assignment& a : run->assignments()) values[a.unknown] = a.value;
  for (const expr::VarRef x : derivatives_) {
    const auto found = values.find(x);  // or it is a state itself
    roots_.push_back(found != values.end() ? found->second : leaf_of(context.pool, x));
  }
  if (!run->is_watched()) {
    direct_code_.emplace(context.pool, roots_, context.leaves, context.boxes);
  }
}

/// Also where equations are solved by iteration: q in q*q = d is a square root.
bool OdeForm::is_rough() {
  if (!solver_.guessed().empty()) return true;
  std::vector<expr::ExprId> rows;
  for (const structure::BlockOrder::Row& row : solver_.order().rows) rows.push_back(row.expr);
  return expr::is_rough(context_.pool, rows);
}

SystemSolver& OdeForm::choose_solver(SystemSolver& whole, const BlockGraph& graph) {
  const std::vector<char> needed = graph.needed_for(derivatives_);
  const bool all = std::ranges::all_of(needed, [](char n) { return n != 0; });
  if (all && whole.explicit_run()) return whole;
  part_ = restrict_order(whole.order(), needed);
  return own_.emplace(context_, part_);
}

void OdeForm::anchor(double t, std::span<const std::int32_t> places, std::span<const double> values,
                     std::span<const double> slopes) {
  guess_places_.assign(places.begin(), places.end());
  guesses_.assign(values.begin(), values.end());
  slopes_.assign(slopes.begin(), slopes.end());
  anchor_t_ = t;
  last_t_ = std::numeric_limits<double>::infinity();
}

void OdeForm::put(double t, std::span<const double> y) {
  for (std::size_t i = 0; i < y.size(); ++i)
    frame_[static_cast<std::size_t>(state_places_[i])] = y[i];
  frame_[static_cast<std::size_t>(time_place_)] = t;
  if (t != last_t_) {
    const bool back = t < last_t_;
    for (std::size_t k = 0; k < guesses_.size(); ++k) {
      double& guess = frame_[static_cast<std::size_t>(guess_places_[k])];
      if (back) guess = guesses_[k];
      guess += slopes_[k] * (t - (back ? anchor_t_ : last_t_));
    }
  }
  last_t_ = t;
  if (inputs_) inputs_->set(t, frame_.data());
}

EvalStatus OdeForm::note_failure(double t, std::span<const double> y) {
  failed_t_ = t;
  std::ranges::copy(y, failed_y_.begin());
  return EvalStatus::Domain;
}

EvalStatus OdeForm::rhs(double t, std::span<const double> y, std::span<double> ydot) {
  put(t, y);
  if (direct_code_) {
    const bool ok = direct_code_->evaluate(frame_.data(), ydot.data()) && all_finite(ydot);
    return ok ? EvalStatus::Ok : note_failure(t, y);
  }
  if (!solver_.solve(frame_.data(), Effort::Near)) return note_failure(t, y);
  for (std::size_t i = 0; i < ydot.size(); ++i) {
    ydot[i] = frame_[static_cast<std::size_t>(derivative_places_[i])];
  }
  return EvalStatus::Ok;
}

void OdeForm::prepare_jacobian() {
  if (has_jacobian()) return;
  if (!direct_) {
    implicit_.emplace(context_, solver_.order(), states_, derivatives_);
    return;
  }
  std::vector<expr::ExprId> leaves;
  for (const expr::VarRef x : states_) leaves.push_back(leaf_of(context_.pool, x));
  symbolic_.emplace(context_, roots_, leaves);
}

const numerics::SparsePattern* OdeForm::jacobian_pattern() const {
  if (symbolic_) return &symbolic_->pattern();
  return implicit_ ? &implicit_->pattern() : nullptr;
}

EvalStatus OdeForm::jacobian(double t, std::span<const double> y, std::span<double> values) {
  const auto evaluate = [&](std::span<const double> at) {
    put(t, at);
    const bool ok = symbolic_ ? symbolic_->evaluate(frame_.data(), values)
                              : solver_.solve(frame_.data(), Effort::Near) &&
                                    implicit_->evaluate(frame_.data(), values);
    return ok && all_finite(values);
  };
  if (evaluate(y)) return EvalStatus::Ok;
  beside_.resize(y.size());
  slope_.resize(y.size());
  if (rhs(t, y, slope_) == EvalStatus::Ok) {
    for (int k = 0; k < kPointsBeside; ++k) {
      point_beside(k, y, slope_, beside_);
      if (evaluate(beside_)) return EvalStatus::Ok;
    }
  }
  return note_failure(t, y);
}

// Found out when somebody asks: most failures only make a step shorter.
const SolveFailure& OdeForm::failure() {
  if (failed_t_) {
    put(*failed_t_, failed_y_);
    if (!solver_.solve(frame_.data(), Effort::Near)) failure_ = solver_.failure();
    failed_t_.reset();
  }
  return failure_;
}

}  // namespace chi::sim
