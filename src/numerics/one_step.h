#pragma once
#include <optional>
#include <span>
#include <vector>

#include "numerics/linear_solver.h"
#include "numerics/mode_problem.h"

namespace chi::numerics {

/// The one-step problem of a ModeProblem at a small step h: with jets of what is known in place of
/// samples,
///
///     f(h) = e (w(h) - w⁻)/h + a w(h) + Σ_k c^(k) h^k     (no 1/k!),
///
/// which is s times the Laplace transform at s = 1/h of the distribution that starts at w⁻: the
/// rational complementarity problem of Heemels, Schumacher and Weiland [1]. For affine laws a
/// condition holds in it for all small h iff it holds just after the instant, impulses first; w(h)
/// has the impulse as coefficient of 1/h and the value after the instant as that of h⁰. The
/// equations are taken as they are: no index reduction.
///
/// [1] W. P. M. H. Heemels, J. M. Schumacher and S. Weiland, "Linear complementarity systems",
///     SIAM J. Appl. Math. 60(4), 2000, 1234-1269.
class OneStep {
 public:
  /// The laws are complete. The problem outlives this.
  OneStep(const ModeProblem& problem, double h);

  const ModeProblem& problem() const { return problem_; }
  /// What is known, or the values before, are other ones; all factors are as they were. A mode that
  /// was solved last costs no factorisation then.
  void renew();
  int size() const { return problem_.variables(); }
  /// As many rows as variables: otherwise no mode can be solved.
  bool is_square() const { return rows_ == size(); }

  struct Row {
    SparseRow terms;  ///< over scaled variables
    double constant = 0;
  };
  /// A functional at h, scaled to unit size, over scaled variables v_j = w_j / column_scale(j).
  const Row& row(int f) const { return table_[static_cast<std::size_t>(f)]; }
  double column_scale(int j) const { return columns_[static_cast<std::size_t>(j)]; }
  double row_scale(int f) const { return scales_[static_cast<std::size_t>(f)]; }  ///< divided by

  /// Solves the rows of a mode for the scaled variables. False if they are singular.
  bool solve(const Mode& mode, std::vector<double>& v);
  double value(int f, std::span<const double> v) const;
  /// What counts as zero of a functional: rounding of its terms, and of the solution as a whole.
  double zero(int f, std::span<const double> v) const;
  /// Whether all conditions of the mode hold, within what counts as zero.
  bool holds(const Mode& mode, std::span<const double> v) const;

  /// The functionals of the rows of a mode, in the order of the system's rows.
  void rows_of(const Mode& mode, std::vector<int>& out) const;
  int first_row(int law) const { return first_row_[static_cast<std::size_t>(law)]; }
  /// The pattern of the rows of any mode.
  const SparsePattern& pattern() const;
  /// Writes the values of the rows of a mode in this pattern.
  void fill(const Mode& mode, std::span<double> values) const;
  int solves() const { return solves_; }

 private:
  void scale();
  double constant(const Functional& f) const;
  void make_pattern() const;

  const ModeProblem& problem_;
  double h_;
  std::vector<Row> table_;
  std::vector<double> columns_, scales_;
  std::vector<int> first_row_;
  int rows_ = 0;
  mutable std::optional<LinearSolver> solver_;
  std::optional<Mode> factored_;  // by the solver
  std::vector<int> rows_of_mode_;
  std::vector<double> residual_;
  mutable SparsePattern pattern_;
  struct Entry {
    int place = 0;
    double value = 0;
  };
  mutable std::vector<std::vector<Entry>> plain_entries_;               // per plain row
  mutable std::vector<std::vector<std::vector<Entry>>> piece_entries_;  // per law and piece
  mutable bool has_pattern_ = false;
  mutable std::vector<double> values_;
  int solves_ = 0;
};

/// A mode near the given one whose rows are independent at this step: laws are exchanged by the
/// kernels of the rows, each exchange raising the rank. None if there is none, or too many ranks are
/// missing. `seed` decides between equal ones.
std::optional<Mode> regular_mode(OneStep& step, Mode mode, unsigned seed);

}  // namespace chi::numerics
