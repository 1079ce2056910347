#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "expr/build.h"
#include "expr/chain_rule.h"
#include "expr/cone.h"
#include "expr/differentiate.h"

namespace chi::expr {
namespace {

struct Step {
  FunctionId f;
  int param = -1;
};

// The derivative of `f` by `param` in the canonical order of parameters, as far as it exists: `f`
// is where the chain from the underlying function ends, and `param` the next step to make, -1 if
// complete.
Step follow(const Pool& pool, FunctionId f, int param) {
  std::vector<int> order{param};
  for (; pool.function(f).parent; f = pool.function(f).parent)
    order.push_back(pool.function(f).param);
  std::sort(order.begin(), order.end());
  for (const int i : order) {
    const FunctionId next = pool.function(f).derivatives[static_cast<std::size_t>(i)];
    if (!next) return {f, i};
    f = next;
  }
  return {f, -1};
}

// A derivative of a called function that the body of `step.f` needs before it can be
// differentiated.
Step missing(const Pool& pool, const Step& step) {
  const Cone cone(pool, std::array{pool.function(step.f).body});
  std::vector<char> depends(static_cast<std::size_t>(cone.size()), 0);
  for (int at = 0; at < cone.size(); ++at) {
    const ExprId e = cone[at];
    if (pool.op(e) == Op::ParamReal)
      depends[static_cast<std::size_t>(at)] = pool.param(e) == step.param;
    const Operands operands = pool.operands(e);
    for (int i = 0; i < operands.size(); ++i) {
      if (!depends[static_cast<std::size_t>(cone.position(operands[i]))]) continue;
      depends[static_cast<std::size_t>(at)] = 1;
      if (pool.op(e) != Op::Call || !is_differentiable(pool, e, i)) continue;
      const Step inner = follow(pool, pool.called(e), i);
      if (inner.param >= 0) return inner;
    }
  }
  return {};
}

}  // namespace

// Bodies call earlier functions, so the derivatives needed first are found along the call graph:
// with an explicit stack, for it can be as deep as the model's author likes.
FunctionId derivative(Pool& pool, FunctionId f, int param) {
  CHI_CHECK(!pool.function(f).boolean && param < pool.function(f).arity, "no such derivative");
  Step goal = follow(pool, f, param);
  std::vector<Step> stack;
  while (goal.param >= 0) {
    stack.push_back(goal);
    while (!stack.empty()) {
      const Step step = stack.back();
      const ExprId body = pool.function(step.f).body;
      const Step first = body ? missing(pool, step) : Step{};
      if (first.param >= 0) {
        stack.push_back(first);
        continue;
      }
      stack.pop_back();
      pool.add_derivative(step.f, step.param,
                          body ? partial(pool, body, param_real(pool, step.param)) : ExprId{});
    }
    goal = follow(pool, f, param);
  }
  return goal.f;
}

}  // namespace chi::expr
