#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/algebra/solve_failure.h"
#include "sim/algebra/solver_context.h"

namespace chi::sim {

/// Equations that are solved together: a block of the block triangular form, or the part of a
/// system that has too many or too few equations.
///
/// Linear and square: sparse LU and a step of iterative refinement, independent of the guess; the
/// factors are kept while the coefficients stay. Nonlinear: Newton's method with the exact
/// Jacobian; inside a step, torn (torn_newton.h). Not square, or singular but consistent
/// (Effort::Full only): shortest least-squares steps. Code and matrices are made when first needed.
class ImplicitBlock {
 public:
  /// `rows` and `unknowns` outlive this. The leaves of the rows have their places.
  ImplicitBlock(const SolverContext& context, std::span<const structure::BlockOrder::Row> rows,
                std::span<const expr::VarRef> unknowns);
  ImplicitBlock(ImplicitBlock&&) noexcept;
  ImplicitBlock& operator=(ImplicitBlock&&) noexcept;
  ~ImplicitBlock();

  bool is_linear() const { return linear_; }
  std::span<const std::int32_t> places() const { return places_; }  ///< of the unknowns

  /// From the guess in the frame to the solution. If it fails the frame has its guess again and
  /// `failure` tells why.
  bool solve(const SolverContext& context, double* frame, Effort effort, SolveFailure& failure);
  /// Whether the equations depend on each other at the values of the frame, up to rounding;
  /// `failure` then names those that do. A block that is not square never does.
  bool is_singular_at(const SolverContext& context, double* frame, SolveFailure& failure);
  int iterations() const { return iterations_; }            ///< of the last solve
  int rank_deficiency() const { return rank_deficiency_; }  ///< of the last solve
  /// Of the determinant in the last solve of linear equations; 0 for others.
  int determinant_sign() const;
  std::span<const structure::BlockOrder::Row> rows() const { return rows_; }
  std::span<const expr::VarRef> unknowns() const { return unknowns_; }

 private:
  struct Work;
  Work& work(const SolverContext& context);
  bool solve_linear(Work& w, double* frame, SolveFailure& failure);
  bool solve_scalar(const SolverContext& context, Work& w, double* frame);
  bool solve_torn(const SolverContext& context, Work& w, double* frame);
  void prove_torn(const SolverContext& context, Work& w, double* frame);
  bool within_bounds(const Work& w, const double* frame) const;
  bool solve_nonlinear(const SolverContext& context, Work& w, double* frame, Effort effort,
                       SolveFailure& failure);
  bool add_secants(Work& w, std::span<const double> x, double* frame, std::span<double> slopes);
  bool check_rows(const SolverContext& context, Work& w, double* frame, SolveFailure& failure);
  bool factor(Work& w, double* frame, SolveFailure& failure);
  void store(std::span<const double> x, double* frame) const;
  void describe(Work& w, const numerics::SolveResult& result, std::span<const double> x,
                double* frame, SolveFailure& failure);

  std::span<const structure::BlockOrder::Row> rows_;
  std::span<const expr::VarRef> unknowns_;
  std::vector<std::int32_t> places_;
  bool linear_ = false;
  int iterations_ = 0;
  int rank_deficiency_ = 0;
  std::unique_ptr<Work> work_;
};

}  // namespace chi::sim
