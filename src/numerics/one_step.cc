#include "numerics/one_step.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <Eigen/QR>
#include <Eigen/SVD>

namespace chi::numerics {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kZeroOfTerms = 1e-10;     // of its terms, a condition counts as zero
constexpr double kZeroOfSolution = 1e-14;  // and of the largest scaled value
constexpr int kLargestDense = 600;         // rows of a mode whose kernel is looked for

}  // namespace

OneStep::OneStep(const ModeProblem& problem, double h) : problem_(problem) {
  std::map<int, double> terms;
  for (const Functional& f : problem.functionals) {
    terms.clear();
    Row row;
    for (const auto& [j, e] : f.rate) {
      terms[j] += e / h;
      row.constant -= e / h * problem.before[at(j)];
    }
    for (const auto& [j, a] : f.value) terms[j] += a;
    double power = 1;
    for (const double c : f.known) {
      row.constant += c * power;
      power *= h;
    }
    row.terms.assign(terms.begin(), terms.end());
    table_.push_back(std::move(row));
  }
  rows_ = static_cast<int>(problem.plain.size());
  for (const Law& law : problem.laws) {
    first_row_.push_back(rows_);
    rows_ += static_cast<int>(law.pieces.front().rows.size());
  }
  scale();
}

/// Equilibration of all functionals at once, so that tolerances do not depend on units.
void OneStep::scale() {
  columns_.assign(at(size()), 1.0);
  std::vector<double> largest(at(size()));
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    std::fill(largest.begin(), largest.end(), 0.0);
    for (const Row& row : table_) {
      double size = 0;
      for (const auto& [j, a] : row.terms) size = std::max(size, std::abs(a) * columns_[at(j)]);
      if (size == 0) continue;
      for (const auto& [j, a] : row.terms) {
        largest[at(j)] = std::max(largest[at(j)], std::abs(a) * columns_[at(j)] / size);
      }
    }
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (largest[j] > 0) columns_[j] /= std::sqrt(largest[j]);
    }
  }
  for (Row& row : table_) {
    double size = 0;
    for (auto& [j, a] : row.terms) {
      a *= columns_[at(j)];
      size = std::max(size, std::abs(a));
    }
    if (size == 0) size = std::max(std::abs(row.constant), 1.0);
    for (auto& [j, a] : row.terms) a /= size;
    row.constant /= size;
    scales_.push_back(size);
  }
}

void OneStep::rows_of(const Mode& mode, std::vector<int>& out) const {
  out = problem_.plain;
  for (std::size_t k = 0; k < mode.size(); ++k) {
    const std::vector<int>& rows = problem_.laws[k].pieces[at(mode[k])].rows;
    out.insert(out.end(), rows.begin(), rows.end());
  }
}

const SparsePattern& OneStep::pattern() const {
  if (!has_pattern_) make_pattern();
  return pattern_;
}

void OneStep::make_pattern() const {
  PatternBuilder builder(rows_, size());
  const auto each = [&](const auto& visit) {
    for (std::size_t i = 0; i < problem_.plain.size(); ++i) {
      visit(problem_.plain[i], static_cast<int>(i), &plain_entries_[i]);
    }
    for (std::size_t k = 0; k < problem_.laws.size(); ++k) {
      for (std::size_t p = 0; p < problem_.laws[k].pieces.size(); ++p) {
        const std::vector<int>& rows = problem_.laws[k].pieces[p].rows;
        for (std::size_t r = 0; r < rows.size(); ++r) {
          visit(rows[r], first_row_[k] + static_cast<int>(r), &piece_entries_[k][p]);
        }
      }
    }
  };
  plain_entries_.resize(problem_.plain.size());
  for (const Law& law : problem_.laws) piece_entries_.emplace_back(law.pieces.size());
  each([&](int f, int i, std::vector<Entry>*) {
    for (const auto& [j, a] : row(f).terms) builder.add(i, j);
  });
  pattern_ = builder.build();
  each([&](int f, int i, std::vector<Entry>* entries) {
    for (const auto& [j, a] : row(f).terms) {
      entries->push_back({find_entry(pattern_, i, j), a});
    }
  });
  has_pattern_ = true;
}

void OneStep::fill(const Mode& mode, std::span<double> values) const {
  std::fill(values.begin(), values.end(), 0.0);
  for (const auto& entries : plain_entries_) {
    for (const Entry& e : entries) values[at(e.place)] = e.value;
  }
  for (std::size_t k = 0; k < mode.size(); ++k) {
    for (const Entry& e : piece_entries_[k][at(mode[k])]) values[at(e.place)] = e.value;
  }
}

bool OneStep::solve(const Mode& mode, std::vector<double>& v) {
  if (!is_square()) return false;
  v.assign(at(size()), 0.0);
  if (size() == 0) return true;
  ++solves_;
  if (!solver_) {
    solver_.emplace(pattern());
    values_.resize(at(pattern_.nonzeros()));
  }
  fill(mode, values_);
  if (solver_->factor(values_) != FactorStatus::Ok) return false;
  std::vector<int> rows;
  rows_of(mode, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) v[i] = -row(rows[i]).constant;
  solver_->solve(v);
  std::vector<double> residual(v.size());  // one step of refinement
  for (std::size_t i = 0; i < rows.size(); ++i) residual[i] = -value(rows[i], v);
  solver_->solve(residual);
  for (std::size_t j = 0; j < v.size(); ++j) v[j] += residual[j];
  return std::ranges::all_of(v, [](double x) { return std::isfinite(x); });
}

double OneStep::value(int f, std::span<const double> v) const {
  double sum = row(f).constant;
  for (const auto& [j, a] : row(f).terms) sum += a * v[at(j)];
  return sum;
}

double OneStep::zero(int f, std::span<const double> v) const {
  double size = std::abs(row(f).constant), most = 0;
  for (const auto& [j, a] : row(f).terms) size += std::abs(a * v[at(j)]);
  for (const double x : v) most = std::max(most, std::abs(x));
  return kZeroOfTerms * size + kZeroOfSolution * most;
}

bool OneStep::holds(const Mode& mode, std::span<const double> v) const {
  for (std::size_t k = 0; k < mode.size(); ++k) {
    for (const int f : problem_.laws[k].pieces[at(mode[k])].conditions) {
      if (value(f, v) < -zero(f, v)) return false;
    }
  }
  return true;
}

namespace {

/// Kernels of the rows of a mode.
struct Kernels {
  Eigen::MatrixXd left, right;  // columns: combinations of rows, of variables, that vanish
};

Kernels kernels(const OneStep& step, const Mode& mode) {
  constexpr double kSingular = 1e-12;
  const auto n = static_cast<Eigen::Index>(step.size());
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n);
  std::vector<int> rows;
  step.rows_of(mode, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [j, a] : step.row(rows[i]).terms) m(static_cast<Eigen::Index>(i), j) = a;
  }
  const auto kernel = [&](const Eigen::MatrixXd& of) -> Eigen::MatrixXd {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(of.transpose());
    qr.setThreshold(kSingular);
    const Eigen::Index r = qr.rank();
    Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(n, n - r);
    for (Eigen::Index k = 0; k < n - r; ++k) unit(r + k, k) = 1;
    unit.applyOnTheLeft(qr.householderQ());
    return unit;
  };
  return {kernel(m.transpose()), kernel(m)};
}

}  // namespace

std::optional<Mode> regular_mode(OneStep& step, Mode mode, unsigned seed) {
  std::vector<double> v;
  if (step.solve(mode, v)) return mode;
  if (!step.is_square() || step.size() > kLargestDense) return std::nullopt;
  const ModeProblem& problem = step.problem();
  for (int round = 0; round <= step.size(); ++round) {
    const Kernels kernel = kernels(step, mode);
    if (kernel.right.cols() == 0) {
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
        Eigen::MatrixXd seen = Eigen::MatrixXd::Zero(count, kernel.right.cols());
        for (Eigen::Index r = 0; r < count; ++r) {
          const int f = pieces[p].rows[static_cast<std::size_t>(r)];
          for (const auto& [j, a] : step.row(f).terms) seen.row(r) += a * kernel.right.row(j);
        }
        const Eigen::MatrixXd change = kernel.left.middleRows(first, count).transpose() * seen;
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
