// Structural analysis on models of growing size. The argument is the number of equations; every
// benchmark checks its answer, and google-benchmark fits the complexity.
#include <random>

#include <benchmark/benchmark.h>

#include "graph/block_triangular.h"
#include "graph/components.h"
#include "graph/dulmage_mendelsohn.h"
#include "graph/dummy_derivatives.h"
#include "graph/matching.h"
#include "graph/pantelides.h"
#include "graph/sigma.h"
#include "graph/tearing.h"

namespace chi::graph {
namespace {

// n pendulums, x' = w, y' = z, w' = T x, z' = T y - g, x² + y² = L². Hanging from each other, a
// pendulum also has the coordinates and the tensions of its neighbours in its equations: then the
// whole chain is one block of index 3.
Signature pendulums(int equations, bool coupled) {
  enum { x, y, w, z, T };
  const int n = equations / 5;
  SignatureBuilder builder(5 * n, 5 * n);
  for (int i = 0; i < n; ++i) {
    const auto add = [&](int eq, int pendulum, int var, int order) {
      if (pendulum < 0 || pendulum >= n || (pendulum != i && !coupled)) return;
      builder.add({5 * i + eq}, {5 * pendulum + var}, order);
    };
    add(0, i, x, 1), add(0, i, w, 0);
    add(1, i, y, 1), add(1, i, z, 0);
    add(2, i, w, 1), add(2, i, T, 0), add(2, i + 1, T, 0);
    add(3, i, z, 1), add(3, i, T, 0), add(3, i + 1, T, 0);
    for (const int k : {i - 1, i, i + 1}) add(2, k, x, 0), add(3, k, y, 0);
    for (const int k : {i - 1, i}) add(4, k, x, 0), add(4, k, y, 0);
  }
  return builder.build();
}

// Four occurrences a row at random places, of order 0 to 2, and one more so that a transversal
// exists: no structure to profit from, offsets vary.
Signature random_dae(int n) {
  std::mt19937_64 random(2001);
  SignatureBuilder builder(n, n);
  for (int i = 0; i < n; ++i) {
    builder.add({i}, {n - 1 - i}, 0);
    for (int k = 0; k < 4; ++k) {
      const auto var = static_cast<int>(random() % static_cast<unsigned>(n));
      builder.add({i}, {var}, static_cast<int>(random() % 3));
    }
  }
  return builder.build();
}

int size_of(const benchmark::State& state) { return static_cast<int>(state.range(0)); }

void require(benchmark::State& state, bool answer_is_right) {
  if (!answer_is_right) state.SkipWithError("wrong answer");
  state.SetComplexityN(state.range(0));
}

void BM_Match(benchmark::State& state) {
  const Signature sigma = pendulums(size_of(state), true);
  int matched = 0;
  for (auto _ : state) matched = match_maximum(sigma.pattern).size();
  require(state, matched == sigma.pattern.num_eqs());
}

void BM_MatchRandom(benchmark::State& state) {
  const Signature sigma = random_dae(size_of(state));
  int matched = 0;
  for (auto _ : state) matched = match_maximum(sigma.pattern).size();
  require(state, matched == sigma.pattern.num_eqs());
}

// A mode change: one equation lost its partner.
void BM_MatchWarm(benchmark::State& state) {
  const Signature sigma = pendulums(size_of(state), true);
  Matching before = match_maximum(sigma.pattern);
  before.eq_of[before.var_of[{7}]] = {};
  before.var_of[{7}] = {};
  int matched = 0;
  for (auto _ : state) matched = match_maximum(sigma.pattern, before).size();
  require(state, matched == sigma.pattern.num_eqs());
}

void BM_Blocks(benchmark::State& state) {
  const Signature sigma = pendulums(size_of(state), false);
  const Matching matching = match_maximum(sigma.pattern);
  int blocks = 0;
  for (auto _ : state) blocks = block_triangular_form(sigma.pattern, matching).size();
  require(state, blocks == sigma.pattern.num_eqs() / 5);
}

void BM_DulmageMendelsohn(benchmark::State& state) {
  const Signature sigma = pendulums(size_of(state), true);
  const Matching matching = match_maximum(sigma.pattern);
  DulmageMendelsohn parts;
  for (auto _ : state) parts = dulmage_mendelsohn(sigma.pattern, matching);
  require(state, parts.eq_part[{0}] == Part::Well);
}

void BM_Components(benchmark::State& state) {
  const Signature sigma = pendulums(size_of(state), false);
  int parts = 0;
  for (auto _ : state) parts = connected_components(sigma.pattern).size();
  require(state, parts == sigma.pattern.num_eqs() / 5);
}

void BM_Sigma(benchmark::State& state, bool coupled) {
  const Signature sigma = pendulums(size_of(state), coupled);
  std::optional<Offsets> offsets;
  for (auto _ : state) offsets = find_offsets(sigma);
  require(state, offsets && offsets->structural_index() == 3 &&
                     offsets->degrees_of_freedom() == 2 * (size_of(state) / 5));
}
void BM_SigmaUncoupled(benchmark::State& state) { BM_Sigma(state, false); }
void BM_SigmaCoupled(benchmark::State& state) { BM_Sigma(state, true); }

void BM_SigmaRandom(benchmark::State& state) {
  const Signature sigma = random_dae(size_of(state));
  std::optional<Offsets> offsets;
  for (auto _ : state) offsets = find_offsets(sigma);
  require(state, offsets.has_value());
}

void BM_SigmaWarm(benchmark::State& state) {
  const Signature sigma = pendulums(size_of(state), true);
  const Matching hint = find_offsets(sigma)->transversal;
  std::optional<Offsets> offsets;
  for (auto _ : state) offsets = find_offsets(sigma, hint);
  require(state, offsets && offsets->structural_index() == 3);
}

// Quadratic here: each constraint's search walks down the whole chain.
void BM_Pantelides(benchmark::State& state) {
  const Signature sigma = pendulums(size_of(state), true);
  DaeStructure dae;
  for (auto _ : state) {
    dae = dae_structure(sigma);
    benchmark::DoNotOptimize(reduce_index(dae));
  }
  require(state, times_differentiated(dae, {4}) == 2);
}

void BM_Dummies(benchmark::State& state) {
  const Signature sigma = pendulums(size_of(state), true);
  const Offsets offsets = *find_offsets(sigma);
  std::optional<DummyDerivatives> dummies;
  for (auto _ : state) {
    StructuralChooser chooser(sigma, offsets, {});
    dummies = select_dummies(sigma, offsets, chooser);
  }
  require(state, dummies.has_value());
}

// A square grid of resistors as one block: each node's current balance mentions its neighbours.
void BM_TearGrid(benchmark::State& state) {
  int side = 1;
  while ((side + 1) * (side + 1) <= size_of(state)) ++side;
  BipartiteBuilder builder(side * side, side * side);
  for (int r = 0; r < side; ++r) {
    for (int c = 0; c < side; ++c) {
      const int node = r * side + c;
      builder.add({node}, {node});
      if (r > 0) builder.add({node}, {node - side});
      if (r + 1 < side) builder.add({node}, {node + side});
      if (c > 0) builder.add({node}, {node - 1});
      if (c + 1 < side) builder.add({node}, {node + 1});
    }
  }
  const Bipartite grid = builder.build();
  const Table<EdgeId, std::uint8_t> may_solve(grid.num_edges(), 1);
  std::size_t torn = 0;
  for (auto _ : state) torn = tear(grid, may_solve).torn.size();
  state.counters["torn"] = static_cast<double>(torn);
  state.counters["side"] = side;
  require(state, torn >= 1);
}

constexpr auto kSizes = [](benchmark::internal::Benchmark* b) {
  b->RangeMultiplier(10)->Range(1000, 1'000'000)->Unit(benchmark::kMillisecond)->Complexity();
};
BENCHMARK(BM_Match)->Apply(kSizes);
BENCHMARK(BM_MatchRandom)->Apply(kSizes);
BENCHMARK(BM_MatchWarm)->Apply(kSizes);
BENCHMARK(BM_Blocks)->Apply(kSizes);
BENCHMARK(BM_DulmageMendelsohn)->Apply(kSizes);
BENCHMARK(BM_Components)->Apply(kSizes);
BENCHMARK(BM_SigmaUncoupled)->Apply(kSizes);
BENCHMARK(BM_SigmaCoupled)->Apply(kSizes);
BENCHMARK(BM_SigmaWarm)->Apply(kSizes);
BENCHMARK(BM_SigmaRandom)
    ->RangeMultiplier(10)
    ->Range(1000, 100'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();
BENCHMARK(BM_Pantelides)
    ->RangeMultiplier(10)
    ->Range(100, 10'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();
BENCHMARK(BM_Dummies)->Apply(kSizes);
BENCHMARK(BM_TearGrid)->Apply(kSizes);

}  // namespace
}  // namespace chi::graph

BENCHMARK_MAIN();
