#include "numerics/one_step.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace chi::numerics {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kZeroOfTerms = 1e-10;     // of its terms, a condition counts as zero
constexpr double kZeroOfSolution = 1e-14;  // and of the largest scaled value

}  // namespace

OneStep::OneStep(const ModeProblem& problem, double h) : problem_(problem), h_(h) {
  std::map<int, double> terms;
  for (const Functional& f : problem.functionals) {
    terms.clear();
    Row row;
    row.constant = constant(f);
    for (const auto& [j, e] : f.rate) terms[j] += e / h;
    for (const auto& [j, a] : f.value) terms[j] += a;
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

double OneStep::constant(const Functional& f) const {
  double sum = 0, power = 1;
  for (const auto& [j, e] : f.rate) sum -= e / h_ * problem_.before[at(j)];
  for (const double c : f.known) {
    sum += c * power;
    power *= h_;
  }
  return sum;
}

void OneStep::renew() {
  for (std::size_t f = 0; f < table_.size(); ++f) {
    table_[f].constant = constant(problem_.functionals[f]) / scales_[f];
  }
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
  if (factored_ != mode) {
    factored_.reset();
    fill(mode, values_);
    if (solver_->factor(values_) != FactorStatus::Ok) return false;
    factored_ = mode;
    rows_of(mode, rows_of_mode_);
  }
  const std::vector<int>& rows = rows_of_mode_;
  for (std::size_t i = 0; i < rows.size(); ++i) v[i] = -row(rows[i]).constant;
  solver_->solve(v);
  residual_.resize(v.size());  // one step of refinement
  for (std::size_t i = 0; i < rows.size(); ++i) residual_[i] = -value(rows[i], v);
  solver_->solve(residual_);
  for (std::size_t j = 0; j < v.size(); ++j) v[j] += residual_[j];
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

}  // namespace chi::numerics
