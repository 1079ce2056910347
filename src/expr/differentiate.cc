#include "expr/differentiate.h"

#include <algorithm>
#include <array>
#include <utility>

#include "expr/build.h"
#include "expr/chain_rule.h"
#include "expr/cone.h"

namespace chi::expr {
namespace {

// Forward sweeps that differentiate each node once, over any number of `run`s. The derivative of a
// leaf comes from `seed`, none for zero. A sweep by time also differentiates the history in a
// `delay`.
class Forward {
 public:
  enum class By { Leaf, Time };
  Forward(Pool& pool, By by, std::function<ExprId(ExprId)> seed)
      : pool_(pool),
        by_(by),
        seed_(std::move(seed)),
        done_(pool.size()),
        zero_(constant(pool, 0)) {}

  std::vector<ExprId> run(std::span<const ExprId> roots) {
    const Cone cone(pool_, roots, {.delayed = by_ == By::Time, .smooth_only = true}, &done_);
    for (const ExprId e : cone.nodes()) {
      if (done_.find(e) >= 0) continue;
      const ExprId d = is_leaf(pool_.op(e)) ? seed_(e) : node(e);
      done_.set(e, (d ? d : zero_).index);
    }
    std::vector<ExprId> results;
    for (const ExprId root : roots) results.push_back({done_.find(root)});
    return results;
  }

 private:
  // The derivative of an operand, none for zero.
  ExprId of(ExprId e) const {
    const ExprId d{done_.find(e)};
    return !d || is_zero(pool_, d) ? ExprId{} : d;
  }

  ExprId node(ExprId e) {
    const Op op = pool_.op(e);
    if (pool_.has(e, kBoolean)) return {};
    if (by_ == By::Time && !pool_.has(e, kMoving)) return {};
    if (by_ == By::Time && op == Op::Delay) return delay_by_time(e);
    const Operands operands = pool_.operands(e);
    if (is_choice(op)) {
      const int first = is_if(op) ? 1 : 0;
      return choose(pool_, e, of(operands[first]), of(operands[first + 1]));
    }
    ExprId total;
    for (int i = 0; i < operands.size(); ++i) {
      if (!is_differentiable(pool_, e, i)) continue;
      if (const ExprId d = of(operands[i])) total = sum(pool_, total, chain(pool_, e, i, d));
    }
    return total;
  }

  ExprId delay_by_time(ExprId e) {
    const Operands operands = pool_.operands(e);
    const ExprId dx = of(operands[0]);
    const ExprId dx0 = operands.size() > 2 ? of(operands[2]) : ExprId{};
    if (!dx && !dx0) return {};
    const ExprId before = operands.size() > 2 ? (dx0 ? dx0 : zero_) : ExprId{};
    const ExprId moved = delay(pool_, dx ? dx : zero_, operands[1], before);
    const ExprId dtau = of(operands[1]);
    return dtau ? mul(pool_, moved, sub(pool_, constant(pool_, 1), dtau)) : moved;
  }

  Pool& pool_;
  By by_;
  std::function<ExprId(ExprId)> seed_;
  NodeIndex done_;  // node → its derivative
  ExprId zero_;
};

Forward by_time(Pool& pool, const VariableDerivative& of_variable) {
  const auto seed = [&pool, &of_variable](ExprId e) -> ExprId {
    if (pool.op(e) == Op::Time) return constant(pool, 1);
    if (pool.op(e) != Op::Variable) return {};
    const VarRef v = pool.variable(e);
    return of_variable ? of_variable(pool, v) : variable(pool, v.var, v.order + 1);
  };
  return {pool, Forward::By::Time, seed};
}

}  // namespace

std::vector<ExprId> partials(Pool& pool, std::span<const ExprId> roots, ExprId leaf) {
  const auto seed = [&pool, leaf](ExprId e) { return e == leaf ? constant(pool, 1) : ExprId{}; };
  return Forward(pool, Forward::By::Leaf, seed).run(roots);
}

ExprId partial(Pool& pool, ExprId root, ExprId leaf) {
  return partials(pool, std::array{root}, leaf)[0];
}

std::vector<ExprId> time_derivative(Pool& pool, std::span<const ExprId> roots,
                                    const VariableDerivative& of_variable) {
  return by_time(pool, of_variable).run(roots);
}

ExprId time_derivative(Pool& pool, ExprId root) {
  return time_derivative(pool, std::array{root})[0];
}

std::vector<std::vector<ExprId>> time_derivatives(Pool& pool, std::span<const ExprId> roots,
                                                  std::span<const int> orders,
                                                  const VariableDerivative& of_variable) {
  std::vector<std::vector<ExprId>> towers;
  for (const ExprId root : roots) towers.push_back({root});
  Forward forward = by_time(pool, of_variable);
  const int highest = orders.empty() ? 0 : *std::max_element(orders.begin(), orders.end());
  for (int k = 1; k <= highest; ++k) {
    std::vector<ExprId> level;
    for (std::size_t i = 0; i < towers.size(); ++i) {
      if (orders[i] >= k) level.push_back(towers[i].back());
    }
    const std::vector<ExprId> next = forward.run(level);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < towers.size(); ++i) {
      if (orders[i] >= k) towers[i].push_back(next[taken++]);
    }
  }
  return towers;
}

}  // namespace chi::expr
