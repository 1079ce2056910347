#include "numerics/linear_solver.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <klu.h>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include <Eigen/LU>

#include "base/check.h"

namespace chi::numerics {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::size_t at(int index) { return static_cast<std::size_t>(index); }

double power_of_two_near(double x) { return std::ldexp(1.0, std::ilogb(x)); }

bool prefers_sparse(const SparsePattern& p) {
  const double n = p.rows;
  return p.rows > 12 && p.nonzeros() < 0.3 * n * n;
}

// R A C with power-of-two diagonals R, C such that rows and columns are of size one.
struct Scaling {
  std::vector<double> row;
  std::vector<double> col;
  std::vector<double> values;

  // Returns an empty row or column if there is one.
  Singularity apply(const SparsePattern& p, std::span<const double> given) {
    row.assign(at(p.rows), 0.0);
    col.assign(at(p.cols), 0.0);
    values.assign(given.begin(), given.end());
    for (std::size_t k = 0; k < values.size(); ++k) {
      double& largest = row[at(p.row_indices[k])];
      largest = std::max(largest, std::abs(values[k]));
    }
    Singularity empty;
    for (int i = 0; i < p.rows; ++i) {
      if (row[at(i)] == 0.0) empty.row = i;
      row[at(i)] = row[at(i)] == 0.0 ? 1.0 : 1.0 / power_of_two_near(row[at(i)]);
    }
    for (int j = 0; j < p.cols; ++j) {
      double largest = 0.0;
      for (int k = p.column_starts[at(j)]; k < p.column_starts[at(j) + 1]; ++k) {
        values[at(k)] *= row[at(p.row_indices[at(k)])];
        largest = std::max(largest, std::abs(values[at(k)]));
      }
      if (largest == 0.0) empty.col = j;
      col[at(j)] = largest == 0.0 ? 1.0 : 1.0 / power_of_two_near(largest);
      for (int k = p.column_starts[at(j)]; k < p.column_starts[at(j) + 1]; ++k) {
        values[at(k)] *= col[at(j)];
      }
    }
    return empty;
  }
};

// The scaled matrix by dense LU.
class DenseFactors {
 public:
  explicit DenseFactors(int n) : matrix_(n, n), lu_(n), work_(n) {}

  Singularity factor(const SparsePattern& p, const std::vector<double>& values, double tolerance) {
    matrix_.setZero();
    for (int j = 0; j < p.cols; ++j) {
      for (int k = p.column_starts[at(j)]; k < p.column_starts[at(j) + 1]; ++k) {
        matrix_(p.row_indices[at(k)], j) = values[at(k)];
      }
    }
    lu_.compute(matrix_);
    const auto diagonal = lu_.matrixLU().diagonal().cwiseAbs();
    Eigen::Index worst = 0;
    const double smallest = diagonal.minCoeff(&worst);
    ratio_ = smallest / diagonal.maxCoeff();
    if (smallest > tolerance) return {};
    ratio_ = 0.0;
    // P A = L U: row i of A went to place indices()[i].
    Singularity found = {-1, static_cast<int>(worst)};
    for (int i = 0; i < p.rows; ++i) {
      if (lu_.permutationP().indices()[i] == worst) found.row = i;
    }
    return found;
  }

  void solve(double* b) {
    Eigen::Map<Eigen::VectorXd> x(b, work_.size());
    work_.noalias() = lu_.permutationP() * x;
    lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(work_);
    lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(work_);
    x = work_;
  }

  void solve_transposed(double* b) {
    Eigen::Map<Eigen::VectorXd> x(b, work_.size());
    work_ = x;
    lu_.matrixLU().triangularView<Eigen::Upper>().transpose().solveInPlace(work_);
    lu_.matrixLU().triangularView<Eigen::UnitLower>().transpose().solveInPlace(work_);
    x.noalias() = lu_.permutationP().transpose() * work_;
  }

  double ratio() const { return ratio_; }
  int sign() const {
    const auto diagonal = lu_.matrixLU().diagonal();
    const auto negative = (diagonal.array() < 0).count();
    return static_cast<int>(lu_.permutationP().determinant()) * (negative % 2 == 0 ? 1 : -1);
  }

 private:
  Eigen::MatrixXd matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd work_;
  double ratio_ = 0.0;
};

// The scaled matrix by KLU.
class SparseFactors {
 public:
  explicit SparseFactors(SparsePattern& p) : pattern_(p) {
    klu_defaults(&common_);
    common_.scale = 0;  // scaled already
    symbolic_ = klu_analyze(p.rows, p.column_starts.data(), p.row_indices.data(), &common_);
    check_memory();
  }
  SparseFactors(const SparseFactors&) = delete;
  SparseFactors& operator=(const SparseFactors&) = delete;
  ~SparseFactors() {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  // A pattern without a full transversal is singular whatever its values: KLU does not analyse it.
  Singularity factor(std::vector<double>& values, double tolerance) {
    ratio_ = 0.0;
    if (symbolic_ == nullptr) return {0, 0};
    if (symbolic_->structural_rank < pattern_.rows) return unmatched();
    if (!refactor(values)) {
      klu_free_numeric(&numeric_, &common_);
      numeric_ = klu_factor(starts(), rows(), values.data(), symbolic_, &common_);
      check_memory();
      if (numeric_ == nullptr || common_.status == KLU_SINGULAR) {
        const Singularity found = {-1, std::max(0, common_.singular_col)};
        klu_free_numeric(&numeric_, &common_);
        return found;
      }
    }
    const auto* pivots = static_cast<const double*>(numeric_->Udiag);
    double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
    int worst = 0;
    for (int k = 0; k < pattern_.rows; ++k) {
      const double size = std::abs(pivots[k]);
      if (size < smallest) worst = k;
      smallest = std::min(smallest, size);
      largest = std::max(largest, size);
    }
    if (!(smallest > tolerance)) return {numeric_->Pnum[worst], symbolic_->Q[worst]};
    ratio_ = smallest / largest;
    return {};
  }

  void solve(double* b) { klu_solve(symbolic_, numeric_, pattern_.rows, 1, b, &common_); }
  void solve_transposed(double* b) {
    klu_tsolve(symbolic_, numeric_, pattern_.rows, 1, b, &common_);
  }
  double ratio() const { return ratio_; }
  // P A Q = L U.
  int sign() {
    const auto* pivots = static_cast<const double*>(numeric_->Udiag);
    int result = parity(numeric_->Pnum) * parity(symbolic_->Q);
    for (int k = 0; k < pattern_.rows; ++k) {
      if (pivots[k] < 0) result = -result;
    }
    return result;
  }

 private:
  // A cycle of even length is an odd permutation.
  int parity(const int* permutation) {
    seen_.assign(at(pattern_.rows), 0);
    int result = 1;
    for (int first = 0; first < pattern_.rows; ++first) {
      for (int k = permutation[first]; k != first && seen_[at(first)] == 0; k = permutation[k]) {
        seen_[at(k)] = 1;
        result = -result;
      }
    }
    return result;
  }

  int* starts() { return pattern_.column_starts.data(); }
  int* rows() { return pattern_.row_indices.data(); }

  // Keeps the pivot order; false if there is none, or if it has become unstable.
  bool refactor(std::vector<double>& values) {
    constexpr double kLeastGrowth = 1e-6;
    if (numeric_ == nullptr) return false;
    if (klu_refactor(starts(), rows(), values.data(), symbolic_, numeric_, &common_) == 0 ||
        common_.status == KLU_SINGULAR) {
      return false;
    }
    if (klu_rgrowth(starts(), rows(), values.data(), symbolic_, numeric_, &common_) == 0) {
      return false;
    }
    return common_.rgrowth > kLeastGrowth;
  }

  // BTF puts unmatched rows and columns last.
  Singularity unmatched() const {
    const int last = pattern_.rows - 1;
    return {symbolic_->P[last], symbolic_->Q[last]};
  }

  void check_memory() const {
    if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
  }

  SparsePattern& pattern_;
  klu_common common_ = {};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  double ratio_ = 0.0;
  std::vector<char> seen_;
};

}  // namespace

struct LinearSolver::Implementation {
  explicit Implementation(SparsePattern given, LinearMethod method) : pattern(std::move(given)) {
    CHI_CHECK(pattern.rows == pattern.cols, "a square matrix is due");
    const bool use_sparse =
        method == LinearMethod::Sparse || (method == LinearMethod::Auto && prefers_sparse(pattern));
    if (use_sparse && pattern.rows > 0) {
      sparse = std::make_unique<SparseFactors>(pattern);
    } else {
      dense = std::make_unique<DenseFactors>(pattern.rows);
    }
  }

  FactorStatus factor(std::span<const double> values) {
    CHI_CHECK(std::ssize(values) == pattern.nonzeros(), "one value for each entry");
    if (pattern.rows == 0) return FactorStatus::Ok;
    if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) {
      return FactorStatus::NotFinite;
    }
    found = scaling.apply(pattern, values);
    if (found.row >= 0 || found.col >= 0) return FactorStatus::Singular;
    const double tolerance = pattern.rows * kEpsilon;
    found = sparse ? sparse->factor(scaling.values, tolerance)
                   : dense->factor(pattern, scaling.values, tolerance);
    return found.row >= 0 || found.col >= 0 ? FactorStatus::Singular : FactorStatus::Ok;
  }

  SparsePattern pattern;
  std::unique_ptr<DenseFactors> dense;
  std::unique_ptr<SparseFactors> sparse;
  Scaling scaling;
  Singularity found;
};

LinearSolver::LinearSolver(SparsePattern pattern, LinearMethod method)
    : implementation_(std::make_unique<Implementation>(std::move(pattern), method)) {}
LinearSolver::LinearSolver(LinearSolver&&) noexcept = default;
LinearSolver& LinearSolver::operator=(LinearSolver&&) noexcept = default;
LinearSolver::~LinearSolver() = default;

const SparsePattern& LinearSolver::pattern() const { return implementation_->pattern; }
bool LinearSolver::is_sparse() const { return implementation_->sparse != nullptr; }
FactorStatus LinearSolver::factor(std::span<const double> values) {
  return implementation_->factor(values);
}
const Singularity& LinearSolver::singularity() const { return implementation_->found; }

double LinearSolver::pivot_ratio() const {
  const Implementation& i = *implementation_;
  return i.sparse ? i.sparse->ratio() : i.dense->ratio();
}

// Scales are positive.
int LinearSolver::determinant_sign() const {
  const Implementation& i = *implementation_;
  if (i.pattern.rows == 0) return 1;
  return i.sparse ? i.sparse->sign() : i.dense->sign();
}

// (R A C) y = R b, x = C y.
void LinearSolver::solve(std::span<double> b) const {
  if (b.empty()) return;
  Implementation& i = *implementation_;
  for (std::size_t k = 0; k < b.size(); ++k) b[k] *= i.scaling.row[k];
  i.sparse ? i.sparse->solve(b.data()) : i.dense->solve(b.data());
  for (std::size_t k = 0; k < b.size(); ++k) b[k] *= i.scaling.col[k];
}

void LinearSolver::solve_transposed(std::span<double> b) const {
  if (b.empty()) return;
  Implementation& i = *implementation_;
  for (std::size_t k = 0; k < b.size(); ++k) b[k] *= i.scaling.col[k];
  i.sparse ? i.sparse->solve_transposed(b.data()) : i.dense->solve_transposed(b.data());
  for (std::size_t k = 0; k < b.size(); ++k) b[k] *= i.scaling.row[k];
}

}  // namespace chi::numerics
