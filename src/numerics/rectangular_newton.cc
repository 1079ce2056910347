#include "numerics/rectangular_newton.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "numerics/augmented_backend.h"
#include "numerics/damped_newton.h"
#include "numerics/rank_revealing.h"

namespace chi::numerics {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Works with A = R J W, R making rows of size one and W the nominal values; a step is W y. Lengths
// are those of y: an unknown far from zero is no easier to move than one near it.
class RectangularBackend final : public NewtonBackend {
 public:
  RectangularBackend(const SparsePattern& pattern, double rank_tolerance)
      : pattern_(pattern), rank_tolerance_(rank_tolerance) {
    matrix_.resize(at(pattern.rows) * at(pattern.cols));
    kernel_.resize(at(pattern.cols) * at(pattern.cols));
    rows_of_kernel_.resize(kernel_.size());
    for (std::vector<double>* v : {&weights_, &y_, &target_, &coefficients_, &bent_}) {
      v->resize(at(pattern.cols));
    }
    row_scale_.resize(at(pattern.rows));
    scaled_residual_.resize(at(pattern.rows));
    fixed_.reserve(at(pattern.cols));
  }

  bool factor(const NonlinearProblem& problem, std::span<const double> jacobian) override {
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      weights_[j] = problem.nominal.empty() ? 1.0 : problem.nominal[j];
    }
    std::ranges::fill(row_scale_, 0.0);
    size_equations(pattern_, jacobian, weights_, row_scale_);
    for (double& s : row_scale_) s = s > 0 ? 1 / s : 1.0;
    std::ranges::fill(matrix_, 0.0);
    for (int j = 0; j < pattern_.cols; ++j) {
      for (int k = pattern_.column_starts[at(j)]; k < pattern_.column_starts[at(j) + 1]; ++k) {
        const std::size_t i = at(pattern_.row_indices[at(k)]);
        matrix_[at(j) * at(pattern_.rows) + i] = row_scale_[i] * jacobian[at(k)] * weights_[at(j)];
      }
    }
    qr_.factor(pattern_.rows, pattern_.cols, matrix_, rank_tolerance_);
    return qr_.rank() > 0 || pattern_.cols == 0;
  }

  void step(std::span<const double> residual, std::span<double> out) override {
    for (std::size_t i = 0; i < residual.size(); ++i) {
      scaled_residual_[i] = -row_scale_[i] * residual[i];
    }
    qr_.solve(scaled_residual_, out);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] *= weights_[j];
  }

  // P4 §6: minimum-norm solution plus kernel vectors, chosen so that no component leaves its
  // bounds. Each round fixes the components that still do; there are at most as many as unknowns.
  void bend(const NonlinearProblem& problem, std::span<const double> x,
            std::span<double> step) override {
    const int open = pattern_.cols - qr_.rank();
    if (open == 0 || (problem.lower.empty() && problem.upper.empty())) return;
    const std::span<double> kernel = std::span(kernel_).first(at(pattern_.cols) * at(open));
    qr_.null_space(kernel);
    fixed_.clear();
    for (std::size_t j = 0; j < step.size(); ++j) y_[j] = bent_[j] = step[j] / weights_[j];
    while (fix_offenders(problem, x)) {
      if (static_cast<int>(fixed_.size()) > open || !combine(kernel, open)) return;
    }
    for (std::size_t j = 0; j < step.size(); ++j) step[j] = bent_[j] * weights_[j];
  }

  int rank_deficiency() const override { return pattern_.cols - qr_.rank(); }

 private:
  // Adds the components that `bent_` takes out of bounds to `fixed_`; whether there are any.
  bool fix_offenders(const NonlinearProblem& problem, std::span<const double> x) {
    const std::size_t before = fixed_.size();
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (std::ranges::find(fixed_, static_cast<int>(j)) != fixed_.end()) continue;
      const double next = x[j] + bent_[j] * weights_[j];
      double border = next;
      if (!problem.lower.empty()) border = std::max(border, problem.lower[j]);
      if (!problem.upper.empty()) border = std::min(border, problem.upper[j]);
      if (border == next) continue;
      fixed_.push_back(static_cast<int>(j));
      target_[j] = (border - x[j]) / weights_[j];
    }
    return fixed_.size() > before;
  }

  // bent = y + N z with bent_j = target_j for all fixed j; false if the kernel does not allow it.
  bool combine(std::span<const double> kernel, int open) {
    const int count = static_cast<int>(fixed_.size());
    const std::span<double> rows = std::span(rows_of_kernel_).first(at(count) * at(open));
    const std::span<double> wanted = std::span(bent_).first(at(count));
    for (int r = 0; r < count; ++r) {
      const std::size_t j = at(fixed_[at(r)]);
      wanted[at(r)] = target_[j] - y_[j];
      for (int k = 0; k < open; ++k)
        rows[at(k) * at(count) + at(r)] = kernel[at(k) * y_.size() + j];
    }
    const std::span<double> z = std::span(coefficients_).first(at(open));
    kernel_qr_.factor(count, open, rows, 1e-8);
    const double missed = kernel_qr_.solve(wanted, z);
    if (kernel_qr_.rank() < count || missed > 1e-10) return false;
    std::ranges::copy(y_, bent_.begin());
    for (int k = 0; k < open; ++k) {
      for (std::size_t j = 0; j < y_.size(); ++j)
        bent_[j] += z[at(k)] * kernel[at(k) * y_.size() + j];
    }
    for (const int j : fixed_) bent_[at(j)] = target_[at(j)];
    return true;
  }

  const SparsePattern& pattern_;
  double rank_tolerance_ = 0.0;
  RankRevealingQr qr_, kernel_qr_;
  std::vector<double> matrix_, kernel_, rows_of_kernel_, weights_, row_scale_, scaled_residual_;
  std::vector<double> y_, bent_, target_, coefficients_;
  std::vector<int> fixed_;
};

}  // namespace

struct RectangularNewton::Implementation {
  Implementation(const SparsePattern& given, const RectangularOptions& options)
      : pattern(given),
        backend(make_backend(pattern, options)),
        iteration(pattern, options.newton, *backend, options.consistency),
        restarts(options.newton.restarts) {}

  static std::unique_ptr<NewtonBackend> make_backend(const SparsePattern& pattern,
                                                     const RectangularOptions& options) {
    if (1.0 * pattern.rows * pattern.cols <= options.largest_dense) {
      return std::make_unique<RectangularBackend>(pattern, options.rank_tolerance);
    }
    return std::make_unique<AugmentedBackend>(pattern);
  }

  SparsePattern pattern;
  std::unique_ptr<NewtonBackend> backend;
  DampedNewton iteration;
  int restarts = 0;
};

RectangularNewton::RectangularNewton(const SparsePattern& pattern, RectangularOptions options)
    : implementation_(std::make_unique<Implementation>(pattern, options)) {}
RectangularNewton::RectangularNewton(RectangularNewton&&) noexcept = default;
RectangularNewton& RectangularNewton::operator=(RectangularNewton&&) noexcept = default;
RectangularNewton::~RectangularNewton() = default;

SolveResult RectangularNewton::solve(const NonlinearProblem& problem, std::span<double> x) {
  return implementation_->iteration.solve(problem, x, implementation_->restarts);
}

}  // namespace chi::numerics
