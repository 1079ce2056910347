#include "sim/integration/dae_form.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "expr/build.h"
#include "expr/cone.h"
#include "expr/incidence.h"
#include "sim/algebra/points_beside.h"

namespace chi::sim {
namespace {

using numerics::EvalStatus;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool all_finite(std::span<const double> v) {
  return std::ranges::all_of(v, [](double x) { return std::isfinite(x); });
}

}  // namespace

DaeForm::DaeForm(const SolverContext& context, const structure::BlockOrder& ivp,
                 std::span<const expr::VarRef> states, FrameInputs* inputs,
                 std::vector<double>& frame)
    : context_(context),
      order_(ivp),
      inputs_(inputs),
      frame_(frame),
      time_place_(context.leaves.place(expr::time(context.pool))) {
  find_components(states);
  std::vector<expr::ExprId> rows;
  for (const structure::BlockOrder::Row& row : ivp.rows) rows.push_back(row.expr);
  rows_.emplace(context.pool, rows, context.leaves, context.boxes);
  CHI_CHECK(rows.size() + chains_.size() == components_.size(), "the IVP is not square");
  prepare_jacobian(rows);
}

void DaeForm::find_components(std::span<const expr::VarRef> states) {
  components_.assign(states.begin(), states.end());
  const std::vector<char> is_slope = slopes_among_unknowns(states);
  for (std::size_t k = 0; k < is_slope.size(); ++k) {
    if (!is_slope[k]) components_.push_back(order_.unknowns[k]);
  }
  std::vector<std::int32_t> by_name(components_.size());
  std::iota(by_name.begin(), by_name.end(), 0);
  const auto name = [&](std::int32_t i) { return components_[at(i)]; };
  std::ranges::sort(by_name, {}, name);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const expr::VarRef next{states[i].var, states[i].order + 1};
    derivative_places_.push_back(context_.leaves.place(leaf_of(context_.pool, next)));
    const auto found = std::ranges::lower_bound(by_name, next, {}, name);
    const bool is_component = found != by_name.end() && name(*found) == next;
    has_own_derivative_.push_back(!is_component);
    if (is_component) chains_.push_back({static_cast<std::int32_t>(i), *found});
  }
  differential_.assign(components_.size(), 0);
  std::fill_n(differential_.begin(), states.size(), 1);
  for (const expr::VarRef x : components_) {
    places_.push_back(context_.leaves.place(leaf_of(context_.pool, x)));
  }
}

// Per unknown: it is the derivative of a state, and stands only in rows of blocks that compute
// nothing but such derivatives.
std::vector<char> DaeForm::slopes_among_unknowns(std::span<const expr::VarRef> states) const {
  std::vector<char> is_slope;
  for (const expr::VarRef x : order_.unknowns) {
    is_slope.push_back(x.order > 0 &&
                       std::ranges::binary_search(states, expr::VarRef{x.var, x.order - 1}));
  }
  std::vector<expr::ExprId> leaves;
  for (const expr::VarRef x : order_.unknowns) leaves.push_back(leaf_of(context_.pool, x));
  expr::NodeIndex unknown(context_.pool.size());
  for (std::size_t k = 0; k < is_slope.size(); ++k) {
    if (is_slope[k]) unknown.set(leaves[k], static_cast<std::int32_t>(k));
  }
  std::vector<expr::ExprId> rows;
  for (const structure::BlockOrder::Row& row : order_.rows) rows.push_back(row.expr);
  const expr::Occurrences used = expr::variables(context_.pool, rows);
  std::vector<char> stays = is_slope;
  for (const auto [first, count] : order_.blocks) {
    const auto flags = std::span(is_slope).subspan(at(first), at(count));
    if (std::ranges::count(flags, 0) == 0) continue;
    for (std::int32_t k = first; k < first + count; ++k) {
      for (const expr::ExprId e : used.row(k)) {
        if (const std::int32_t found = unknown.find(e); found >= 0) stays[at(found)] = 0;
      }
    }
  }
  return stays;
}

void DaeForm::prepare_jacobian(std::span<const expr::ExprId> rows) {
  std::vector<expr::ExprId> leaves;
  std::vector<std::int32_t> column;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    leaves.push_back(leaf_of(context_.pool, components_[i]));
    column.push_back(static_cast<std::int32_t>(i));
  }
  for (std::size_t i = 0; i < has_own_derivative_.size(); ++i) {
    if (!has_own_derivative_[i]) continue;
    leaves.push_back(leaf_of(context_.pool, {components_[i].var, components_[i].order + 1}));
    column.push_back(static_cast<std::int32_t>(i));
  }
  partials_.emplace(context_, rows, leaves);
  const numerics::SparsePattern& p = partials_->pattern();
  numerics::PatternBuilder builder(size(), size());
  for (int c = 0; c < p.cols; ++c) {
    for (int k = p.column_starts[at(c)]; k < p.column_starts[at(c) + 1]; ++k) {
      builder.add(p.row_indices[at(k)], column[at(c)]);
    }
  }
  const int first_chain = static_cast<int>(rows.size());
  for (std::size_t k = 0; k < chains_.size(); ++k) {
    builder.add(first_chain + static_cast<int>(k), chains_[k].state);
    builder.add(first_chain + static_cast<int>(k), chains_[k].next);
  }
  pattern_ = builder.build();
  for (int c = 0; c < p.cols; ++c) {
    for (int k = p.column_starts[at(c)]; k < p.column_starts[at(c) + 1]; ++k) {
      const int to = numerics::find_entry(pattern_, p.row_indices[at(k)], column[at(c)]);
      entries_.push_back({to, c >= size()});
    }
  }
  for (std::size_t k = 0; k < chains_.size(); ++k) {
    const int row = first_chain + static_cast<int>(k);
    chain_entries_.push_back({numerics::find_entry(pattern_, row, chains_[k].state), true});
    chain_entries_.push_back({numerics::find_entry(pattern_, row, chains_[k].next), false});
  }
  values_.resize(entries_.size());
}

void DaeForm::put(double t, std::span<const double> y, std::span<const double> yp) {
  write(y, frame_.data());
  for (std::size_t i = 0; i < has_own_derivative_.size(); ++i) {
    if (has_own_derivative_[i]) frame_[at(derivative_places_[i])] = yp[i];
  }
  frame_[at(time_place_)] = t;
  if (inputs_) inputs_->set(t, frame_.data());
}

EvalStatus DaeForm::residual(double t, std::span<const double> y, std::span<const double> yp,
                             std::span<double> r) {
  put(t, y, yp);
  if (!rows_->evaluate(frame_.data(), r.data())) return note_failure(rows_->fault());
  std::size_t row = order_.rows.size();
  for (const Chain& chain : chains_) r[row++] = yp[at(chain.state)] - y[at(chain.next)];
  return all_finite(r) ? EvalStatus::Ok : note_failure({});
}

EvalStatus DaeForm::jacobian(double t, std::span<const double> y, std::span<const double> yp,
                             double cy, double cyp, std::span<double> values) {
  const auto evaluate = [&](std::span<const double> point) {
    put(t, point, yp);
    return partials_->evaluate(frame_.data(), values_) && all_finite(values_);
  };
  bool found = evaluate(y);
  beside_.resize(y.size());
  for (int k = 0; k < kPointsBeside && !found; ++k) {
    point_beside(k, y, yp, beside_);
    found = evaluate(beside_);
  }
  if (!found) {
    put(t, y, yp);
    return note_failure(partials_->evaluate(frame_.data(), values_) ? code::FormulaFault{}
                                                                    : partials_->fault());
  }
  std::ranges::fill(values, 0.0);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    values[at(entries_[k].to)] += (entries_[k].derivative ? cyp : cy) * values_[k];
  }
  for (const Entry& e : chain_entries_) values[at(e.to)] += e.derivative ? cyp : -cy;
  return EvalStatus::Ok;
}

EvalStatus DaeForm::note_failure(const code::FormulaFault& fault) {
  failure_ = {};
  failure_.status = numerics::SolveStatus::Undefined;
  if (fault.root >= 0) {
    failure_.rows.push_back(
        {order_.rows[at(fault.root)], std::numeric_limits<double>::quiet_NaN()});
    failure_.unknowns.push_back({order_.unknowns[at(fault.root)], 0});
    const expr::ExprId leaf = leaf_of(context_.pool, order_.unknowns[at(fault.root)]);
    failure_.unknowns.back().value = frame_[at(context_.leaves.find(leaf))];
    failure_.worst = 0;
    failure_.fault = fault;
    failure_.fault->root = 0;
  }
  return EvalStatus::Domain;
}

void DaeForm::read(const double* frame, std::span<double> y, std::span<double> yp) const {
  for (std::size_t i = 0; i < places_.size(); ++i) y[i] = frame[places_[i]];
  std::ranges::fill(yp, 0.0);
  for (std::size_t i = 0; i < derivative_places_.size(); ++i) yp[i] = frame[derivative_places_[i]];
}

void DaeForm::write(std::span<const double> y, double* frame) const {
  for (std::size_t i = 0; i < places_.size(); ++i) frame[places_[i]] = y[i];
}

}  // namespace chi::sim
