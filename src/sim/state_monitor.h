#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "numerics/function_ref.h"
#include "numerics/lu_solver.h"
#include "sim/plan.h"

namespace chi::sim {

/// Watches how good a choice of states is while the motion goes on.
///
/// The differentiated equations of a plan determine some of its highest derivatives, the dependent
/// ones, from the others. With A = [D R] their Jacobian by the dependent and by the other columns,
/// an entry of W = D^-1 R is by how much the volume that D spans grows if this column of R takes
/// the place of that one of D (M. Gu and S. C. Eisenstat, "Efficient algorithms for computing a
/// strong rank-revealing QR factorization", SIAM J. Sci. Comput. 17, 1996, lemma 3.1): where no
/// entry is large, no other choice is much better. Sparse, so that large mechanisms can be watched
/// at every step.
class StateMonitor {
 public:
  StateMonitor(const SolverContext& context, const Plan& plan);

  /// Whether there is anything to choose, and not too much to watch.
  bool watches() const { return formulas_ != nullptr; }

  struct Growth {
    double plain = 0;  ///< the largest entry of W
    double sized = 0;  ///< the same with every column measured in units of `size`
  };
  /// None if the equations have no values there. Infinite if D is singular.
  std::optional<Growth> growth(const StateVariant& variant, std::span<const double> frame,
                               numerics::FunctionRef<double(expr::VarRef)> size);

  const StateVariant* wished = nullptr;  ///< chosen at an instant, by what the modeller declared
  const StateVariant* seen = nullptr;    ///< at the last step
  double least = 0;                      ///< growth that it had since then

 private:
  void use(const StateVariant& variant);

  const Plan& plan_;
  int rows_ = 0;
  std::vector<std::int32_t> columns_;                           // unknowns that occur
  std::vector<std::pair<std::int32_t, std::int32_t>> entries_;  // row, column
  std::unique_ptr<code::Formulas> formulas_;
  std::vector<double> values_;
  const StateVariant* used_ = nullptr;
  std::vector<std::int32_t> dependent_;          // columns of D, as many as rows if all is well
  std::vector<std::int32_t> place_;              // per entry: in D, or -1
  std::vector<std::vector<std::int32_t>> rest_;  // per column: its entries, if it is of R
  std::unique_ptr<numerics::LuSolver<double>> lu_;
  std::vector<double> solution_, sizes_;
};

}  // namespace chi::sim
