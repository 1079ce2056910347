#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/check.h"
#include "numerics/complementarity.h"
#include "numerics/linear_solver.h"

namespace chi::numerics {
namespace {

using Vector = std::vector<double>;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// From each pair one unknown to solve for: true means the second, b.
using Choice = std::vector<char>;

class MixedSolver {
 public:
  MixedSolver(const MixedComplementarity& p, const ComplementarityOptions& options)
      : p_(p), options_(options), n_(p.free + p.pairs), linear_(full_pattern(n_, n_)) {}

  MixedSolution run() {
    MixedSolution out;
    const std::optional<Choice> choice = find_regular();
    if (!choice) {
      out.singular = true;
      return out;
    }
    const Complementarity reduced = reduce(*choice);
    const ComplementaritySolution solved = solve_complementarity(reduced, options_);
    out.status = solved.status;
    out.uniqueness = solved.uniqueness;
    if (solved.status == ComplementarityStatus::Solved) expand(*choice, solved, out);
    return out;
  }

 private:
  std::span<const double> column(const Vector& matrix, int j) const {
    return std::span(matrix).subspan(at(j) * at(n_), at(n_));
  }

  bool factor(const Choice& choice) {
    Vector values(p_.free_columns);
    for (int k = 0; k < p_.pairs; ++k) {
      const auto c = column(choice[at(k)] != 0 ? p_.second_columns : p_.first_columns, k);
      values.insert(values.end(), c.begin(), c.end());
    }
    return linear_.factor(values) == FactorStatus::Ok && linear_.pivot_ratio() > 1e-11;
  }

  std::optional<Choice> find_regular() {
    Choice choice = choose_by_pivoting();
    if (factor(choice)) return choice;
    if (p_.pairs > std::min(options_.enumerate_up_to, 20)) return std::nullopt;
    for (std::uint32_t bits = 0; bits < (1U << p_.pairs); ++bits) {
      for (int k = 0; k < p_.pairs; ++k) choice[at(k)] = (bits >> k & 1U) == 0;
      if (factor(choice)) return choice;
    }
    return std::nullopt;
  }

  // Gaussian elimination: the free unknowns first, then always the largest column that is left of a
  // pair not yet decided; b before a in a tie, for with all diodes off b is what is solved for.
  Choice choose_by_pivoting() const {
    Vector work(p_.free_columns);
    work.insert(work.end(), p_.second_columns.begin(), p_.second_columns.end());
    work.insert(work.end(), p_.first_columns.begin(), p_.first_columns.end());
    const int columns = p_.free + 2 * p_.pairs;
    std::vector<char> row_used(at(n_), 0), column_used(at(columns), 0);
    Choice choice(at(p_.pairs), 1);
    for (int round = 0; round < n_; ++round) {
      int row = -1, best = -1;
      double size = 1e-12;
      const int first = round < p_.free ? 0 : p_.free, last = round < p_.free ? p_.free : columns;
      for (int j = first; j < last; ++j) {
        if (column_used[at(j)] != 0) continue;
        for (int i = 0; i < n_; ++i) {
          const double v = std::abs(work[at(j) * at(n_) + at(i)]);
          if (row_used[at(i)] == 0 && v > size * (1 + 1e-9)) {
            size = v;
            row = i;
            best = j;
          }
        }
      }
      if (best < 0) break;
      row_used[at(row)] = column_used[at(best)] = 1;
      if (best >= p_.free) {
        const int k = (best - p_.free) % p_.pairs;
        choice[at(k)] = best < p_.free + p_.pairs;
        column_used[at(p_.free + k)] = column_used[at(p_.free + p_.pairs + k)] = 1;
      }
      eliminate(work, row_used, row, best, columns);
    }
    return choice;
  }

  void eliminate(Vector& work, const std::vector<char>& row_used, int row, int pivot_column,
                 int columns) const {
    const Vector pivot(work.begin() + pivot_column * n_, work.begin() + (pivot_column + 1) * n_);
    for (int j = 0; j < columns; ++j) {
      const double factor = work[at(j) * at(n_) + at(row)] / pivot[at(row)];
      if (factor == 0.0) continue;
      for (int i = 0; i < n_; ++i) {
        if (row_used[at(i)] == 0) work[at(j) * at(n_) + at(i)] -= factor * pivot[at(i)];
      }
    }
  }

  // With y = (u, chosen) and v the others: y = -K⁻¹c - K⁻¹N v. Rows of the chosen are an LCP in v.
  Complementarity reduce(const Choice& choice) {
    fixed_ = p_.offset;
    linear_.solve(fixed_);
    for (double& v : fixed_) v = -v;
    response_.clear();
    Complementarity reduced{p_.pairs, {}, {fixed_.begin() + p_.free, fixed_.end()}};
    for (int k = 0; k < p_.pairs; ++k) {
      const auto c = column(choice[at(k)] != 0 ? p_.first_columns : p_.second_columns, k);
      Vector r(c.begin(), c.end());
      linear_.solve(r);
      for (double& v : r) v = -v;
      reduced.matrix.insert(reduced.matrix.end(), r.begin() + p_.free, r.end());
      response_.push_back(std::move(r));
    }
    return reduced;
  }

  void expand(const Choice& choice, const ComplementaritySolution& solved,
              MixedSolution& out) const {
    out.u.assign(fixed_.begin(), fixed_.begin() + p_.free);
    out.a.resize(at(p_.pairs));
    out.b.resize(at(p_.pairs));
    for (int k = 0; k < p_.pairs; ++k) {
      for (int i = 0; i < p_.free; ++i) out.u[at(i)] += response_[at(k)][at(i)] * solved.z[at(k)];
      const bool second_is_basic = choice[at(k)] != 0;
      out.a[at(k)] = second_is_basic ? solved.z[at(k)] : solved.w[at(k)];
      out.b[at(k)] = second_is_basic ? solved.w[at(k)] : solved.z[at(k)];
    }
  }

  const MixedComplementarity& p_;
  const ComplementarityOptions& options_;
  int n_ = 0;
  LinearSolver linear_;
  Vector fixed_;
  std::vector<Vector> response_;
};

}  // namespace

MixedSolution solve_mixed_complementarity(const MixedComplementarity& problem,
                                          const ComplementarityOptions& options) {
  CHI_CHECK(problem.offset.size() == at(problem.free + problem.pairs), "one equation per unknown");
  return MixedSolver(problem, options).run();
}

}  // namespace chi::numerics
