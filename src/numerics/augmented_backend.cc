#include "numerics/augmented_backend.h"

#include <algorithm>
#include <cstddef>

namespace chi::numerics {
namespace {

constexpr double kDamping = 1e-5;  // δ

std::size_t at(int index) { return static_cast<std::size_t>(index); }

SparsePattern augmented(const SparsePattern& p) {
  PatternBuilder builder(p.rows + p.cols, p.rows + p.cols);
  for (int i = 0; i < p.rows + p.cols; ++i) builder.add(i, i);
  for (int j = 0; j < p.cols; ++j) {
    for (int k = p.column_starts[at(j)]; k < p.column_starts[at(j) + 1]; ++k) {
      builder.add(p.row_indices[at(k)], p.rows + j);
      builder.add(p.rows + j, p.row_indices[at(k)]);
    }
  }
  return builder.build();
}

}  // namespace

AugmentedBackend::AugmentedBackend(const SparsePattern& pattern)
    : pattern_(pattern), linear_(augmented(pattern)) {
  const SparsePattern& whole = linear_.pattern();
  values_.assign(at(whole.nonzeros()), 0.0);
  for (int i = 0; i < whole.rows; ++i) {
    values_[at(find_entry(whole, i, i))] = i < pattern.rows ? 1.0 : -kDamping * kDamping;
  }
  for (int j = 0; j < pattern.cols; ++j) {
    for (int k = pattern.column_starts[at(j)]; k < pattern.column_starts[at(j) + 1]; ++k) {
      const int i = pattern.row_indices[at(k)];
      upper_.push_back(find_entry(whole, i, pattern.rows + j));
      lower_.push_back(find_entry(whole, pattern.rows + j, i));
    }
  }
  weights_.resize(at(pattern.cols));
  row_scale_.resize(at(pattern.rows));
  right_.resize(at(whole.rows));
}

bool AugmentedBackend::factor(const NonlinearProblem& problem, std::span<const double> jacobian) {
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    weights_[j] = problem.nominal.empty() ? 1.0 : problem.nominal[j];
  }
  std::ranges::fill(row_scale_, 0.0);
  size_equations(pattern_, jacobian, weights_, row_scale_);
  bool any = false;
  for (double& s : row_scale_) {
    any = any || s > 0;
    s = s > 0 ? 1 / s : 1.0;
  }
  for (int j = 0; j < pattern_.cols; ++j) {
    for (int k = pattern_.column_starts[at(j)]; k < pattern_.column_starts[at(j) + 1]; ++k) {
      const double scale = row_scale_[at(pattern_.row_indices[at(k)])] * weights_[at(j)];
      values_[at(upper_[at(k)])] = values_[at(lower_[at(k)])] = scale * jacobian[at(k)];
    }
  }
  return any && linear_.factor(values_) == FactorStatus::Ok;
}

void AugmentedBackend::step(std::span<const double> residual, std::span<double> out) {
  std::ranges::fill(right_, 0.0);
  for (std::size_t i = 0; i < residual.size(); ++i) right_[i] = -row_scale_[i] * residual[i];
  linear_.solve(right_);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = weights_[j] * right_[residual.size() + j];
}

}  // namespace chi::numerics
