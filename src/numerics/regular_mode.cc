#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/QR>

#include "numerics/one_step.h"

namespace chi::numerics {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int kFirstBorder = 4, kWidestBorder = 512;
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

  /// What a functional makes of the columns of the right kernel.
  Eigen::RowVectorXd seen(int f) const {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(right.cols());
    for (const auto& [j, a] : step_.row(f).terms) sum += a * right.row(j);
    return sum;
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
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(all.bottomRows(width).transpose());
    const double zero = kSingular * std::max(1.0, all.topRows(n).cwiseAbs().maxCoeff());
    const Eigen::Index rank = (qr.matrixQR().diagonal().array().abs() > zero).count();
    Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(width, width - rank);
    for (Eigen::Index k = 0; k < width - rank; ++k) unit(rank + k, k) = 1;
    unit.applyOnTheLeft(qr.householderQ());
    Eigen::MatrixXd result = all.topRows(n) * unit;
    for (Eigen::Index k = 0; k < result.cols(); ++k) result.col(k).normalize();
    return result;
  }

  const OneStep& step_;
  int width_;
  std::vector<int> inner_;
  std::vector<double> inner_values_, values_;
  std::optional<LinearSolver> solver_;
};

/// Leaves out the direction of `row`, a combination of the columns: what is orthogonal to it stays.
void deflate(Eigen::MatrixXd& kernel, const Eigen::RowVectorXd& row) {
  Eigen::VectorXd essential(row.size() - 1);
  double tau = 0, beta = 0;
  const Eigen::VectorXd column = row.transpose();
  column.makeHouseholder(essential, tau, beta);
  Eigen::VectorXd work(kernel.rows());
  kernel.applyHouseholderOnTheRight(essential, tau, work.data());
  kernel = kernel.rightCols(kernel.cols() - 1).eval();
}

struct Exchange {
  int law = -1, piece = -1;
};

/// The exchange that sees most of both kernels. A new row raises the rank iff it sees the right
/// kernel and stands where the left one is.
Exchange best_exchange(const OneStep& step, const Mode& mode, const Bordered& kernel,
                       const std::vector<char>& exchanged, unsigned seed) {
  constexpr double kLeast = 1e-9;
  double best = kLeast;
  Exchange result;
  for (std::size_t k = 0; k < mode.size(); ++k) {
    if (exchanged[k] != 0) continue;
    const std::vector<Piece>& pieces = step.problem().laws[k].pieces;
    const auto first = static_cast<Eigen::Index>(step.first_row(static_cast<int>(k)));
    const auto count = static_cast<Eigen::Index>(pieces.front().rows.size());
    if (kernel.left.middleRows(first, count).cwiseAbs().maxCoeff() < kLeast) continue;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      if (static_cast<int>(p) == mode[k]) continue;
      double change = 0;
      for (Eigen::Index r = 0; r < count; ++r) {
        const double seen = kernel.seen(pieces[p].rows[static_cast<std::size_t>(r)]).norm();
        change += seen * kernel.left.row(first + r).norm();
      }
      // The same seed prefers the same laws, by up to a fifth.
      const auto hash = static_cast<unsigned>(k * 2654435761U + p * 40503U + seed * 97U);
      const double score = change * (1 + 0.2 * static_cast<double>(hash % 1024U) / 1024);
      if (score > best) {
        best = score;
        result = {static_cast<int>(k), static_cast<int>(p)};
      }
    }
  }
  return result;
}

}  // namespace

std::optional<Mode> regular_mode(OneStep& step, Mode mode, unsigned seed) {
  constexpr double kSeen = 1e-9;
  std::vector<double> v;
  if (step.solve(mode, v)) return mode;
  if (!step.is_square() || mode.empty()) return std::nullopt;
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
    // One exchange takes a direction from each kernel for each of its rows, and the next ones are
    // chosen by what is left of them; then the kernels are looked at again.
    std::vector<char> exchanged(mode.size(), 0);
    bool has_exchanged = false;
    while (kernel->right.cols() > 0 && kernel->left.cols() > 0) {
      const Exchange next = best_exchange(step, mode, *kernel, exchanged, seed);
      if (next.law < 0) break;
      has_exchanged = true;
      exchanged[at(next.law)] = 1;
      mode[at(next.law)] = next.piece;
      const std::vector<int>& rows = step.problem().laws[at(next.law)].pieces[at(next.piece)].rows;
      for (std::size_t r = 0; r < rows.size() && kernel->right.cols() > 0; ++r) {
        const auto place =
            static_cast<Eigen::Index>(step.first_row(next.law)) + static_cast<Eigen::Index>(r);
        const Eigen::RowVectorXd seen = kernel->seen(rows[r]), stands = kernel->left.row(place);
        if (seen.norm() < kSeen || stands.norm() < kSeen) continue;
        deflate(kernel->right, seen);
        deflate(kernel->left, stands);
      }
    }
    if (!has_exchanged) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace chi::numerics
