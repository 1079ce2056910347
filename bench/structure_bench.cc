// Analysis of equations of growing size, from expressions to the order of solving. The argument is
// the number of equations; every benchmark checks its answer, and google-benchmark fits the
// complexity.
#include <benchmark/benchmark.h>

#include "expr/build.h"
#include "structure/analyse.h"

namespace chi::structure {
namespace {

struct Model {
  expr::Pool pool;
  System system;
};

// n pendulums, x' = vx, y' = vy, m vx' = T x, m vy' = T y - g, x² + y² = 1; hanging from each other
// they are one block of index 3.
Model pendulums(int equations, bool coupled) {
  const int links = equations / 5;
  Model model;
  expr::Pool& pool = model.pool;
  const auto v = [&](int i, int k, int order = 0) {
    return expr::variable(pool, {5 * i + k}, order);
  };
  const auto apart = [&](int i, int k) {
    return i == 0 || !coupled ? v(i, k) : expr::sub(pool, v(i, k), v(i - 1, k));
  };
  for (int i = 0; i < links; ++i) {
    for (int k = 0; k < 2; ++k) {
      model.system.rows.push_back(expr::sub(pool, v(i, k, 1), v(i, k + 2)));
      expr::ExprId force = expr::mul(pool, v(i, 4), apart(i, k));
      if (coupled && i + 1 < links) {
        force = expr::sub(pool, force, expr::mul(pool, v(i + 1, 4), apart(i + 1, k)));
      }
      const expr::ExprId inertia = expr::mul(pool, expr::constant(pool, 1.3), v(i, k + 2, 1));
      expr::ExprId row = expr::sub(pool, inertia, force);
      if (k == 1) row = expr::add(pool, row, expr::constant(pool, 9.81));
      model.system.rows.push_back(row);
    }
    const expr::ExprId square = expr::add(pool, expr::int_power(pool, apart(i, 0), 2),
                                          expr::int_power(pool, apart(i, 1), 2));
    model.system.rows.push_back(expr::sub(pool, square, expr::constant(pool, 1)));
    for (const int k : {0, 2, 4}) model.system.declared.push_back({5 * i + k});
  }
  return model;
}

// A ladder of resistors (whole ohms) and, at every fifth rung, capacitors, with the balance of the
// ground node written too: one equation too many.
Model ladder(int equations) {
  const int nodes = equations / 3;
  Model model;
  expr::Pool& pool = model.pool;
  std::vector<expr::ExprId> balance(static_cast<std::size_t>(nodes) + 1, expr::constant(pool, 0));
  int current = nodes + 1;
  const auto branch = [&](int a, int b, bool capacitor) {
    const expr::ExprId i = expr::variable(pool, {current++});
    const auto u = [&](int order) {
      return expr::sub(pool, expr::variable(pool, {a}, order), expr::variable(pool, {b}, order));
    };
    const expr::ExprId law =
        capacitor ? expr::sub(pool, i, expr::mul(pool, expr::constant(pool, 0.37), u(1)))
                  : expr::sub(pool, u(0), expr::mul(pool, expr::constant(pool, 100), i));
    model.system.rows.push_back(law);
    expr::ExprId &from = balance[static_cast<std::size_t>(a)],
                 &to = balance[static_cast<std::size_t>(b)];
    from = expr::sub(pool, from, i);
    to = expr::add(pool, to, i);
  };
  for (int k = 1; k <= nodes; ++k) {
    branch(k - 1, k, false);
    branch(k, 0, k % 5 == 0);
  }
  model.system.rows.insert(model.system.rows.end(), balance.begin(), balance.end());
  model.system.rows.push_back(expr::sub(pool, expr::variable(pool, {0}), expr::time(pool)));
  for (int j = 0; j < current; ++j) model.system.declared.push_back({j});
  return model;
}

void run(benchmark::State& state, const Model& model, bool redundant) {
  for (auto _ : state) {
    state.PauseTiming();
    expr::Pool pool = model.pool;
    state.ResumeTiming();
    const Analysis analysis = analyse(pool, model.system);
    if (analysis.singular || analysis.redundant.size() != (redundant ? 1 : 0)) {
      state.SkipWithError("wrong analysis");
      break;
    }
    const auto choice = choose_states(pool, analysis);
    if (!choice || !order_blocks(pool, analysis, choice->states).is_square()) {
      state.SkipWithError("wrong order");
      break;
    }
  }
  state.SetComplexityN(state.range(0));
}

void hanging_pendulums(benchmark::State& state) {
  run(state, pendulums(static_cast<int>(state.range(0)), true), false);
}
void single_pendulums(benchmark::State& state) {
  run(state, pendulums(static_cast<int>(state.range(0)), false), false);
}
void resistor_ladder(benchmark::State& state) {
  run(state, ladder(static_cast<int>(state.range(0))), true);
}

#define CHI_SIZES \
  RangeMultiplier(10)->Range(1000, 100'000)->Complexity()->Unit(benchmark::kMillisecond)
BENCHMARK(hanging_pendulums)->CHI_SIZES;
BENCHMARK(single_pendulums)->CHI_SIZES;
BENCHMARK(resistor_ladder)->CHI_SIZES;

}  // namespace
}  // namespace chi::structure
