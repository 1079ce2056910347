// Symbolic work on two model families whose answers are known: a cascade of n first-order lags with
// a nonlinear term, x_i' = k (x_{i-1} - x_i) + sin(x_i) x_{i-1}, and the heat equation on n points,
// T_i' = a (T_{i-1} - 2 T_i + T_{i+1}). Counters: nodes of the pool, bytes per node, Jacobian
// entries.
#include <vector>

#include <benchmark/benchmark.h>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/linearity.h"

namespace chi::expr {
namespace {

struct Model {
  Pool pool;
  std::vector<ExprId> residuals;
  std::vector<ExprId> states;
};

Model cascade(int n) {
  Model m;
  Pool& p = m.pool;
  const ExprId k = constant(p, 0.7);
  ExprId before = unary(p, Op::Sin, time(p));
  for (int i = 0; i < n; ++i) {
    const ExprId x = variable(p, {i}), rate = variable(p, {i}, 1);
    const ExprId lag = mul(p, k, sub(p, before, x));
    m.residuals.push_back(sub(p, rate, add(p, lag, mul(p, unary(p, Op::Sin, x), before))));
    m.states.push_back(x);
    before = x;
  }
  return m;
}

Model heat(int n) {
  Model m;
  Pool& p = m.pool;
  const ExprId a = constant(p, 1.5), two = constant(p, 2), edge = constant(p, 20);
  for (int i = 0; i < n; ++i) {
    const ExprId t = variable(p, {i});
    const ExprId left = i == 0 ? edge : variable(p, {i - 1}),
                 right = i == n - 1 ? edge : variable(p, {i + 1});
    const ExprId bend = add(p, sub(p, left, mul(p, two, t)), right);
    m.residuals.push_back(sub(p, variable(p, {i}, 1), mul(p, a, bend)));
    m.states.push_back(t);
  }
  return m;
}

using Make = Model (*)(int);

void count(benchmark::State& state, const Pool& pool) {
  state.counters["nodes"] = pool.size();
  state.counters["bytes/node"] = static_cast<double>(pool.memory()) / pool.size();
  state.SetComplexityN(state.range(0));
}

void BM_Build(benchmark::State& state, Make make) {
  for (auto _ : state) {
    const Model m = make(static_cast<int>(state.range(0)));
    benchmark::DoNotOptimize(m.residuals.data());
    count(state, m.pool);
  }
}

// Runs `work` on a fresh model each time; only the work is timed.
template <class Work>
void timed(benchmark::State& state, Make make, Work work) {
  for (auto _ : state) {
    state.PauseTiming();
    Model m = make(static_cast<int>(state.range(0)));
    state.ResumeTiming();
    work(m);
    state.PauseTiming();
    count(state, m.pool);
    m = {};
    state.ResumeTiming();
  }
}

void BM_TimeDerivative(benchmark::State& state, Make make) {
  timed(state, make,
        [](Model& m) { benchmark::DoNotOptimize(time_derivative(m.pool, m.residuals)); });
}

void BM_TimeDerivatives3(benchmark::State& state, Make make) {
  timed(state, make, [](Model& m) {
    const std::vector<int> orders(m.residuals.size(), 3);
    benchmark::DoNotOptimize(time_derivatives(m.pool, m.residuals, orders));
  });
}

void BM_Jacobian(benchmark::State& state, Make make) {
  timed(state, make, [&](Model& m) {
    const Jacobian j = jacobian(m.pool, m.residuals, m.states);
    state.counters["entries"] = static_cast<double>(j.entry.size());
  });
}

void BM_Incidence(benchmark::State& state, Make make) {
  timed(state, make, [](Model& m) { benchmark::DoNotOptimize(incidence(m.pool, m.residuals)); });
}

void BM_LinearForms(benchmark::State& state, Make make) {
  timed(state, make,
        [](Model& m) { benchmark::DoNotOptimize(linear_forms(m.pool, m.residuals, m.states)); });
}

// One derivative of one equation in the pool of a large model: must not depend on the model's size.
void BM_OneOfMany(benchmark::State& state, Make make) {
  Model m = make(static_cast<int>(state.range(0)));
  std::size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(time_derivative(m.pool, m.residuals[i++ % m.residuals.size()]));
  count(state, m.pool);
}

#define CHI_BENCH(name)                                                                        \
  BENCHMARK_CAPTURE(name, cascade, cascade)->Arg(1000)->Arg(10000)->Arg(100000)->Complexity(); \
  BENCHMARK_CAPTURE(name, heat, heat)->Arg(1000)->Arg(10000)->Arg(100000)->Complexity()
CHI_BENCH(BM_Build);
CHI_BENCH(BM_TimeDerivative);
CHI_BENCH(BM_TimeDerivatives3);
CHI_BENCH(BM_Jacobian);
CHI_BENCH(BM_Incidence);
CHI_BENCH(BM_LinearForms);
CHI_BENCH(BM_OneOfMany);

}  // namespace
}  // namespace chi::expr
