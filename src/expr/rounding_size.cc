#include "expr/rounding_size.h"

#include "expr/build.h"
#include "expr/chain_rule.h"
#include "expr/cone.h"

namespace chi::expr {

std::vector<ExprId> rounding_sizes(Pool& pool, std::span<const ExprId> roots) {
  const Cone cone(pool, roots, {.delayed = false, .smooth_only = true});
  std::vector<ExprId> sizes(static_cast<std::size_t>(cone.size()));
  const auto size_of = [&](ExprId e) { return sizes[static_cast<std::size_t>(cone.position(e))]; };
  for (int p = 0; p < cone.size(); ++p) {
    const ExprId e = cone[p];
    ExprId total = unary(pool, Op::Abs, e);
    if (is_choice(pool.op(e))) {
      const int first = pool.operands(e).size() - 2;
      total = sum(
          pool, total,
          choose(pool, e, size_of(pool.operand(e, first)), size_of(pool.operand(e, first + 1))));
    } else if (pool.op(e) != Op::Delay) {  // whose value was computed before
      for (int i = 0; i < pool.operands(e).size(); ++i) {
        if (!is_differentiable(pool, e, i)) continue;
        const ExprId term = chain(pool, e, i, size_of(pool.operand(e, i)));
        if (term) total = add(pool, total, unary(pool, Op::Abs, term));
      }
    }
    sizes[static_cast<std::size_t>(p)] = total;
  }
  std::vector<ExprId> result;
  for (const ExprId root : roots) result.push_back(size_of(root));
  return result;
}

}  // namespace chi::expr
