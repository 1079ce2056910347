#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <variant>
#include <vector>

#include "expr/substitute.h"
#include "sim/algebra/explicit_run.h"
#include "sim/algebra/implicit_block.h"
#include "sim/algebra/solve_failure.h"
#include "sim/algebra/solver_context.h"
#include "structure/analyse.h"

namespace chi::sim {

/// Solves the equations of one part, block by block, in place in a frame.
///
/// Blocks of one equation that can be solved by hand become assignments, and so do small linear
/// blocks with numbers for coefficients; those that follow each other are one piece of code
/// (explicit_run.h). The others are solved by iteration
/// (implicit_block.h). With Effort::Full equations that are singular in the numbers but consistent
/// are solved too, by the shortest change of the guess, and so are the over- and under-determined
/// parts; `rank_deficiency` then tells how many unknowns were left open.
class SystemSolver {
 public:
  struct Counts {
    int explicit_blocks = 0;
    int linear_blocks = 0;     ///< that are solved as linear systems
    int nonlinear_blocks = 0;  ///< that are solved by Newton's method
    int largest_block = 0;     ///< unknowns in the largest of these two
  };

  /// The order outlives this. Near linear in the size of the rows.
  SystemSolver(const SolverContext& context, const structure::BlockOrder& order);

  /// False if a block could not be solved: `failure()`. Blocks before it are solved then, its own
  /// unknowns have their guess again, and those after it are as they were.
  bool solve(double* frame, Effort effort);
  const SolveFailure& failure() const { return failure_; }
  /// Whether some block is singular at the values of the frame, solution or not: `failure()`.
  bool is_singular_at(double* frame);
  int iterations() const { return iterations_; }            ///< Newton steps in the last solve
  int rank_deficiency() const { return rank_deficiency_; }  ///< of the last solve

  const Counts& counts() const { return counts_; }
  const structure::BlockOrder& order() const { return order_; }
  /// Places of the unknowns whose values are a guess for the next solve.
  std::span<const std::int32_t> guessed() const { return guessed_; }
  /// What vanishes where the equations do not determine their unknowns: a number for each divisor
  /// of an assignment and, but for its size, for the determinant of each linear block; as they were
  /// in the last solve. Where one changes its sign along a motion, a singular point was passed.
  void read_pivots(std::vector<double>& pivots) const;
  struct PivotOwner {
    std::vector<structure::BlockOrder::Row> rows;
    std::vector<expr::VarRef> unknowns;
    expr::ExprId divisor;  ///< none: a determinant
  };
  PivotOwner owner_of_pivot(std::size_t pivot) const;
  /// The unknowns that are assigned, each by what is known, or solved for by iteration.
  std::vector<expr::Replacement> assigned() const;
  /// If all is one run of assignments: that.
  const ExplicitRun* explicit_run() const;

 private:
  using Piece = std::variant<ExplicitRun, ImplicitBlock>;
  void build();
  bool isolate_block(std::int32_t block, std::vector<ExplicitRun::Assignment>& run);
  ImplicitBlock& replacement(std::int32_t block);
  bool solve_run(ExplicitRun& run, double* frame, Effort effort);
  bool solve_block(ImplicitBlock& block, double* frame, Effort effort);
  void add_run(std::vector<ExplicitRun::Assignment>& assignments);
  void add_block(std::span<const structure::BlockOrder::Row> rows,
                 std::span<const expr::VarRef> unknowns);
  void describe(ExplicitRun& run, double* frame);

  SolverContext context_;
  const structure::BlockOrder& order_;
  std::vector<Piece> pieces_;
  std::map<std::int32_t, ImplicitBlock> replaced_;  // blocks whose assignments did not work
  std::vector<std::int32_t> guessed_;
  Counts counts_;
  SolveFailure failure_;
  int iterations_ = 0;
  int rank_deficiency_ = 0;
};

}  // namespace chi::sim
