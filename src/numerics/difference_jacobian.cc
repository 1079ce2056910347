#include "numerics/difference_jacobian.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace chi::numerics {
namespace {

// Greedy, in the order of the columns: each goes into the first group none of whose columns meets
// it in a row. `taken_by[g]` is one more than the last column that met group g.
std::vector<int> assign_groups(const SparsePattern& pattern) {
  const auto n = static_cast<std::size_t>(pattern.cols);
  std::vector<std::vector<int>> groups_of_row(static_cast<std::size_t>(pattern.rows));
  std::vector<int> group(n, 0), taken_by;
  for (std::size_t j = 0; j < n; ++j) {
    const auto first = pattern.row_indices.begin() + pattern.column_starts[j];
    const auto last = pattern.row_indices.begin() + pattern.column_starts[j + 1];
    for (auto row = first; row != last; ++row) {
      for (const int g : groups_of_row[static_cast<std::size_t>(*row)]) {
        taken_by[static_cast<std::size_t>(g)] = static_cast<int>(j) + 1;
      }
    }
    std::size_t g = 0;
    while (g < taken_by.size() && taken_by[g] == static_cast<int>(j) + 1) ++g;
    if (g == taken_by.size()) taken_by.push_back(0);
    group[j] = static_cast<int>(g);
    for (auto row = first; row != last; ++row) {
      groups_of_row[static_cast<std::size_t>(*row)].push_back(group[j]);
    }
  }
  return group;
}

}  // namespace

DifferenceJacobian::DifferenceJacobian(SparsePattern pattern, std::vector<double> typical)
    : pattern_(std::move(pattern)),
      typical_(std::move(typical)),
      increments_(static_cast<std::size_t>(pattern_.cols)),
      y_(increments_.size()),
      yp_(increments_.size()),
      base_(increments_.size()),
      moved_(increments_.size()) {
  const std::vector<int> group = assign_groups(pattern_);
  const int count = group.empty() ? 0 : *std::max_element(group.begin(), group.end()) + 1;
  starts_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const int g : group) ++starts_[static_cast<std::size_t>(g) + 1];
  for (std::size_t g = 1; g < starts_.size(); ++g) starts_[g] += starts_[g - 1];
  columns_.resize(group.size());
  std::vector<int> next(starts_.begin(), starts_.end());
  for (std::size_t j = 0; j < group.size(); ++j) {
    columns_[static_cast<std::size_t>(next[static_cast<std::size_t>(group[j])]++)] =
        static_cast<int>(j);
  }
}

// Both cy δ_j and cyp δ_j must be felt beside y_j and y'_j.
void DifferenceJacobian::choose_increments(std::span<const double> y, std::span<const double> yp,
                                           double cy, double cyp) {
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  for (std::size_t j = 0; j < y.size(); ++j) {
    double size = typical_[j];
    if (cy != 0) size = std::max(size, std::abs(y[j] / cy));
    if (cyp != 0) size = std::max(size, std::abs(yp[j] / cyp));
    increments_[j] = std::copysign(root * size, yp[j]);
  }
}

// `evaluate(sign, first, last)` moves the columns [first, last) of `columns_` by sign · increment,
// puts the function into `moved_` and undoes the move.
template <class Evaluate>
EvalStatus DifferenceJacobian::difference(std::span<const double> base, std::span<double> values,
                                          Evaluate evaluate) {
  for (std::size_t g = 0; g + 1 < starts_.size(); ++g) {
    const auto first = static_cast<std::size_t>(starts_[g]);
    const auto last = static_cast<std::size_t>(starts_[g + 1]);
    double sign = 1;
    EvalStatus status = evaluate(sign, first, last);
    if (status == EvalStatus::Domain) status = evaluate(sign = -1, first, last);
    if (status != EvalStatus::Ok) return status;
    for (std::size_t at = first; at < last; ++at) {
      const auto j = static_cast<std::size_t>(columns_[at]);
      const double scale = 1 / (sign * increments_[j]);
      const auto end = static_cast<std::size_t>(pattern_.column_starts[j + 1]);
      for (auto k = static_cast<std::size_t>(pattern_.column_starts[j]); k < end; ++k) {
        const auto row = static_cast<std::size_t>(pattern_.row_indices[k]);
        values[k] = (moved_[row] - base[row]) * scale;
      }
    }
  }
  return EvalStatus::Ok;
}

EvalStatus DifferenceJacobian::evaluate(OdeProblem& problem, double t, std::span<const double> y,
                                        std::span<const double> f0, std::span<double> values) {
  evaluations_ = 0;
  choose_increments(y, f0, 1, 0);
  std::copy(y.begin(), y.end(), y_.begin());
  return difference(f0, values, [&](double sign, std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
      const auto j = static_cast<std::size_t>(columns_[at]);
      y_[j] = y[j] + sign * increments_[j];
      increments_[j] = sign * (y_[j] - y[j]);  // exactly what was added
    }
    ++evaluations_;
    const EvalStatus status = problem.rhs(t, y_, moved_);
    for (std::size_t at = first; at < last; ++at) {
      const auto j = static_cast<std::size_t>(columns_[at]);
      y_[j] = y[j];
    }
    return status;
  });
}

// Along (cy, cyp) at once: the quotient of F(y + cy δ e_j, y' + cyp δ e_j) is the wanted
// combination.
EvalStatus DifferenceJacobian::evaluate(DaeProblem& problem, double t, std::span<const double> y,
                                        std::span<const double> yp, double cy, double cyp,
                                        std::span<double> values) {
  evaluations_ = 1;
  choose_increments(y, yp, cy, cyp);
  std::copy(y.begin(), y.end(), y_.begin());
  std::copy(yp.begin(), yp.end(), yp_.begin());
  if (const EvalStatus s = problem.residual(t, y, yp, base_); s != EvalStatus::Ok) return s;
  return difference(base_, values, [&](double sign, std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
      const auto j = static_cast<std::size_t>(columns_[at]);
      y_[j] = y[j] + cy * sign * increments_[j];
      yp_[j] = yp[j] + cyp * sign * increments_[j];
    }
    ++evaluations_;
    const EvalStatus status = problem.residual(t, y_, yp_, moved_);
    for (std::size_t at = first; at < last; ++at) {
      const auto j = static_cast<std::size_t>(columns_[at]);
      y_[j] = y[j];
      yp_[j] = yp[j];
    }
    return status;
  });
}

}  // namespace chi::numerics
