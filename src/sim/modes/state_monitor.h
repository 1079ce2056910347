#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "numerics/function_ref.h"
#include "numerics/lu_solver.h"
#include "sim/modes/plan.h"

namespace chi::sim {

/// Watches how good a choice of states is while the motion goes on.
///
/// The differentiated equations of a plan determine some of its highest derivatives, the dependent
/// ones, from the others. With A = [D R] their Jacobian by the dependent and by the other columns,
/// an entry of W = D^-1 R is by how much the volume that D spans grows if this column of R takes
/// the place of that one of D (M. Gu and S. C. Eisenstat, "Efficient algorithms for computing a
/// strong rank-revealing QR factorization", SIAM J. Sci. Comput. 17, 1996, lemma 3.1): where no
/// entry is large, no other choice is much better. The same holds on every level below, where the
/// derivatives that depend are chosen from those of the level above (graph/dummy_derivatives.h):
/// what drives a crank leaves no velocity to choose, but one of two coordinates. Sparse, so that
/// large mechanisms can be watched at every step.
class StateMonitor {
 public:
  StateMonitor(const SolverContext& context, const Plan& plan);

  /// Whether there is anything to choose, and not too much to watch.
  bool watches() const { return formulas_ != nullptr; }

  struct Growth {
    double plain = 0;  ///< the largest entry of W, of all levels
    double sized = 0;  ///< the same with every column measured in units of `size`
  };
  /// None if the equations have no values there. Infinite if D is singular.
  std::optional<Growth> growth(const StateVariant& variant, std::span<const double> frame,
                               numerics::FunctionRef<double(expr::VarRef)> size);

  const StateVariant* wished = nullptr;  ///< chosen at an instant, by what the modeller declared
  const StateVariant* seen = nullptr;    ///< at the last step
  double least = 0;                      ///< growth that it had since then

 private:
  /// One level: its equations, and among which derivatives they choose.
  struct Level {
    std::vector<std::int32_t> row;                   // per row of the monitor: here, or -1
    std::vector<std::int32_t> dependent;             // columns of D, as many as rows if all is well
    std::vector<std::int32_t> place;                 // per entry: in D, or -1
    std::vector<std::vector<std::int32_t>> rest;     // per column: its entries, if it is of R
    std::unique_ptr<numerics::LuSolver<double>> lu;  // none if D is not square
  };
  void use(const StateVariant& variant);
  std::optional<Level> make_level(const StateVariant& variant, int number) const;
  void add_growth(Level& level, Growth& result);

  const Plan& plan_;
  std::vector<int> differentiated_;                             // per row: so often
  std::vector<std::int32_t> columns_;                           // unknowns that occur
  std::vector<std::pair<std::int32_t, std::int32_t>> entries_;  // row, column
  std::unique_ptr<code::Formulas> formulas_;
  std::vector<double> values_;
  const StateVariant* used_ = nullptr;
  std::vector<Level> levels_;  // those that have a choice
  std::vector<double> solution_, sizes_;
};

}  // namespace chi::sim
