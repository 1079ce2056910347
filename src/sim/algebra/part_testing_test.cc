#include "sim/algebra/part_testing.h"

#include <cstddef>

#include <gtest/gtest.h>

namespace chi::sim::testing {

SolverContext TestPart::context() { return {.pool = pool, .leaves = leaves}; }

void TestPart::analyse(std::vector<int> declared) {
  for (const int v : declared) system.declared.push_back({v});
  analysis = structure::analyse(pool, system);
  ASSERT_FALSE(analysis.singular.has_value());
  const std::optional<structure::StateChoice> chosen = structure::choose_states(pool, analysis);
  ASSERT_TRUE(chosen.has_value());
  choice = *chosen;
  ip = structure::order_blocks(pool, analysis, structure::known_values(analysis));
  ivp = structure::order_blocks(pool, analysis, choice.states);
  enter_leaves(context(), system.rows);
}

double& TestPart::value(int variable, int order) {
  const auto place = static_cast<std::size_t>(leaves.place(x(variable, order)));
  if (frame.size() < static_cast<std::size_t>(leaves.size())) {
    frame.resize(static_cast<std::size_t>(leaves.size()), 0.0);
  }
  return frame[place];
}

double& TestPart::time() {
  const auto place = static_cast<std::size_t>(leaves.place(expr::time(pool)));
  if (frame.size() < static_cast<std::size_t>(leaves.size())) {
    frame.resize(static_cast<std::size_t>(leaves.size()), 0.0);
  }
  return frame[place];
}

structure::BlockOrder make_order(std::vector<expr::ExprId> rows, std::vector<expr::VarRef> unknowns,
                                 std::vector<int> sizes) {
  structure::BlockOrder order;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    order.rows.push_back({static_cast<std::int32_t>(k), 0, rows[k]});
  }
  order.unknowns = std::move(unknowns);
  std::int32_t first = 0;
  for (const int n : sizes) {
    order.blocks.push_back({first, n});
    first += n;
  }
  return order;
}

}  // namespace chi::sim::testing
