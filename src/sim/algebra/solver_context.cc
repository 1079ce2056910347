#include "sim/algebra/solver_context.h"

#include "expr/build.h"
#include "expr/cone.h"

namespace chi::sim {
namespace {

bool has_place(expr::Op op) {
  using expr::Op;
  return op == Op::Variable || op == Op::Time || op == Op::DiscreteReal || op == Op::DiscreteBool ||
         op == Op::Delay;
}

}  // namespace

expr::ExprId leaf_of(expr::Pool& pool, expr::VarRef x) {
  return expr::variable(pool, x.var, x.order);
}

void enter_leaves(const SolverContext& context, std::span<const expr::ExprId> roots) {
  const expr::Cone cone(context.pool, roots, {.delayed = false});
  for (const expr::ExprId e : cone.nodes()) {
    if (has_place(context.pool.op(e))) context.leaves.place(e);
  }
}

}  // namespace chi::sim
