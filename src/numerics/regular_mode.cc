#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/SVD>

#include "numerics/one_step.h"

namespace chi::numerics {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int kFirstBorder = 4, kWidestBorder = 128;
constexpr double kSingular = 1e-11;  // beside the kernels, rows of size one

/// The kernels of the rows of a mode, by bordering: with B and C of d random columns and rows,
///
///     [ M  B ] [ N ]   [ 0 ]
///     [ C  0 ] [ Λ ] = [ I ]
///
/// is regular if M lacks no more than d ranks, and M N z = 0 iff Λ z = 0 (W. Govaerts, "Numerical
/// Methods for Bifurcations of Dynamical Equilibria", 2000, chapter 3). The same factors tell the
/// left kernel, so that a mode costs one sparse factorisation.
class Bordered {
 public:
  Bordered(const OneStep& step, int width) : step_(step), width_(width) {
    const SparsePattern& inner = step.pattern();
    const int n = step.size();
    PatternBuilder builder(n + width, n + width);
    for (int j = 0; j < n; ++j) {
      for (int e = inner.column_starts[at(j)]; e < inner.column_starts[at(j) + 1]; ++e) {
        builder.add(inner.row_indices[at(e)], j);
      }
      for (int k = 0; k < width; ++k) {
        builder.add(j, n + k);
        builder.add(n + k, j);
      }
    }
    SparsePattern pattern = builder.build();
    for (int j = 0; j < n; ++j) {
      for (int e = inner.column_starts[at(j)]; e < inner.column_starts[at(j) + 1]; ++e) {
        inner_.push_back(find_entry(pattern, inner.row_indices[at(e)], j));
      }
    }
    inner_values_.resize(at(inner.nonzeros()));
    values_.resize(at(pattern.nonzeros()));
    std::uint32_t bits = 1;
    for (double& value : values_) {  // those of the rows are written over
      bits = 1664525 * bits + 1013904223;
      value = static_cast<double>(bits >> 8) / (1U << 23) - 1;
    }
    solver_.emplace(std::move(pattern));
  }

  /// False if the rows lack more ranks than there are borders.
  bool find(const Mode& mode) {
    step_.fill(mode, inner_values_);
    for (std::size_t e = 0; e < inner_.size(); ++e) values_[at(inner_[e])] = inner_values_[e];
    if (solver_->factor(values_) != FactorStatus::Ok) return false;
    right = kernel([&](std::span<double> x) { solver_->solve(x); });
    left = kernel([&](std::span<double> x) { solver_->solve_transposed(x); });
    return left.cols() == right.cols();
  }

  Eigen::MatrixXd left, right;  ///< columns: combinations of rows, of variables, that vanish

 private:
  template <class Solve>
  Eigen::MatrixXd kernel(const Solve& solve) {
    const auto n = static_cast<Eigen::Index>(step_.size()), width = Eigen::Index{width_};
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + width, width);
    for (Eigen::Index k = 0; k < width; ++k) {
      all(n + k, k) = 1;
      solve(std::span(all.col(k).data(), static_cast<std::size_t>(n + width)));
    }
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(all.bottomRows(width), Eigen::ComputeFullV);
    const double zero = kSingular * std::max(1.0, all.topRows(n).cwiseAbs().maxCoeff());
    const Eigen::Index rank = (svd.singularValues().array() > zero).count();
    Eigen::MatrixXd result = all.topRows(n) * svd.matrixV().rightCols(width - rank);
    for (Eigen::Index k = 0; k < result.cols(); ++k) result.col(k).normalize();
    return result;
  }

  const OneStep& step_;
  int width_;
  std::vector<int> inner_;
  std::vector<double> inner_values_, values_;
  std::optional<LinearSolver> solver_;
};

}  // namespace

std::optional<Mode> regular_mode(OneStep& step, Mode mode, unsigned seed) {
  std::vector<double> v;
  if (step.solve(mode, v)) return mode;
  if (!step.is_square()) return std::nullopt;
  const ModeProblem& problem = step.problem();
  int width = kFirstBorder;
  std::optional<Bordered> kernel(std::in_place, step, width);
  for (int round = 0; round <= step.size(); ++round) {
    while (!kernel->find(mode)) {
      width *= 2;
      if (width > kWidestBorder) return std::nullopt;
      kernel.emplace(step, width);
    }
    if (kernel->right.cols() == 0) {
      return step.solve(mode, v) ? std::optional(mode) : std::nullopt;
    }
    // A new row raises the rank iff it sees the right kernel and stands where the left one is.
    double best = 1e-9;
    int law = -1, piece = -1;
    for (std::size_t k = 0; k < mode.size(); ++k) {
      const std::vector<Piece>& pieces = problem.laws[k].pieces;
      const auto first = static_cast<Eigen::Index>(step.first_row(static_cast<int>(k)));
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        if (static_cast<int>(p) == mode[k]) continue;
        const auto count = static_cast<Eigen::Index>(pieces[p].rows.size());
        Eigen::MatrixXd seen = Eigen::MatrixXd::Zero(count, kernel->right.cols());
        for (Eigen::Index r = 0; r < count; ++r) {
          const int f = pieces[p].rows[static_cast<std::size_t>(r)];
          for (const auto& [j, a] : step.row(f).terms) seen.row(r) += a * kernel->right.row(j);
        }
        const Eigen::MatrixXd change = kernel->left.middleRows(first, count).transpose() * seen;
        // The same seed prefers the same laws, by up to a fifth.
        const auto hash = static_cast<unsigned>(k * 2654435761U + p * 40503U + seed * 97U);
        const double score = change.norm() * (1 + 0.2 * static_cast<double>(hash % 1024U) / 1024);
        if (score > best) {
          best = score;
          law = static_cast<int>(k);
          piece = static_cast<int>(p);
        }
      }
    }
    if (law < 0) return std::nullopt;
    mode[at(law)] = piece;
  }
  return std::nullopt;
}

}  // namespace chi::numerics
