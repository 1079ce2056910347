// Run-time values: queues, sets and samples. Counts of allocations stand beside the times.
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "code/dict.h"
#include "code/distributions.h"
#include "code/list.h"
#include "code/random.h"
#include "code/set.h"

namespace {

using namespace chi;
using namespace chi::code;

struct World {
  Interner symbols;
  sema::Types types;
  RuntimeTypes runtime{types, symbols};
  Heap heap;
  const RuntimeType& nat = runtime.at(types.basic(sema::BasicType::Nat));
  const RuntimeType& nat_set = runtime.at(types.set(types.basic(sema::BasicType::Nat)));
  const RuntimeType& nat_dict =
      runtime.at(types.dict(types.basic(sema::BasicType::Nat), types.basic(sema::BasicType::Nat)));
};

// xs := xs ++ [x]; x := hd(xs); xs := tl(xs), with range(0) elements in the queue.
void BM_Queue(benchmark::State& state) {
  World w;
  Slot xs[2] = {};
  Slot value = int_slot(0);
  for (std::int64_t i = 0; i < state.range(0); ++i) list_append(w.heap, w.nat, xs, &value);
  const std::int64_t before = w.heap.allocations();
  for (auto _ : state) {
    list_append(w.heap, w.nat, xs, &value);
    list_hd(w.nat, xs, &value);
    list_tl(w.heap, w.nat, xs);
    benchmark::DoNotOptimize(value);
  }
  state.counters["allocations"] = static_cast<double>(w.heap.allocations() - before);
  w.heap.release(xs[0].o);
}
BENCHMARK(BM_Queue)->Arg(0)->Arg(1)->Arg(100)->Arg(10'000)->Arg(1'000'000);

void BM_AppendMany(benchmark::State& state) {
  World w;
  for (auto _ : state) {
    Slot xs[2] = {};
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      Slot value = int_slot(i);
      list_append(w.heap, w.nat, xs, &value);
    }
    w.heap.release(xs[0].o);
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_AppendMany)->RangeMultiplier(10)->Range(1000, 1'000'000)->Complexity();

std::vector<std::int64_t> shuffled(std::int64_t n) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<std::int64_t>(random() >> 1));
  return values;
}

void BM_SetInsertRandom(benchmark::State& state) {
  World w;
  const std::vector<std::int64_t> values = shuffled(state.range(0));
  for (auto _ : state) {
    Slot set[2] = {};
    for (const std::int64_t v : values) {
      Slot value = int_slot(v);
      set_insert(w.heap, w.nat_set, set, &value);
    }
    w.heap.release(set[0].o);
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_SetInsertRandom)->RangeMultiplier(10)->Range(1000, 1'000'000)->Complexity();

void BM_DictUpdate(benchmark::State& state) {
  World w;
  const std::vector<std::int64_t> values = shuffled(state.range(0));
  Slot dict[2] = {};
  for (const std::int64_t v : values) {
    Slot key = int_slot(v), value = int_slot(1);
    dict_set(w.heap, w.nat_dict, dict, &key, &value);
  }
  std::size_t i = 0;
  for (auto _ : state) {
    Slot key = int_slot(values[i]), value = int_slot(2);
    dict_set(w.heap, w.nat_dict, dict, &key, &value);
    i = i + 1 == values.size() ? 0 : i + 1;
  }
  w.heap.release(dict[0].o);
}
BENCHMARK(BM_DictUpdate)->Arg(10)->Arg(1000)->Arg(100'000);

RunError by_value(void*, const Slot* a, const Slot* b, bool* less) {
  *less = a->i < b->i;
  return RunError::None;
}

void BM_SortRandom(benchmark::State& state) {
  World w;
  const std::vector<std::int64_t> values = shuffled(state.range(0));
  for (auto _ : state) {
    Slot xs[2] = {};
    for (const std::int64_t v : values) {
      Slot value = int_slot(v);
      list_append(w.heap, w.nat, xs, &value);
    }
    list_sort(w.heap, w.nat, xs, {by_value, nullptr});
    w.heap.release(xs[0].o);
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_SortRandom)->RangeMultiplier(10)->Range(100, 100'000)->Complexity();

void BM_Sample(benchmark::State& state, DistributionKind kind, std::vector<Slot> arguments) {
  Slot d[6];
  distribution_make(kind, arguments.data(), d);
  distribution_start(stream_key(1, "bench"), d);
  SampleBlocks blocks;
  for (auto _ : state) {
    Slot value;
    distribution_sample(blocks, d, &value);
    benchmark::DoNotOptimize(value);
  }
}
Slot i(std::int64_t x) { return int_slot(x); }
Slot r(double x) { return real_slot(x); }
using Args = std::vector<Slot>;
BENCHMARK_CAPTURE(BM_Sample, constant, DistributionKind::Constant, Args{r(1)});
BENCHMARK_CAPTURE(BM_Sample, uniform_int, DistributionKind::UniformInt, Args{i(0), i(6)});
BENCHMARK_CAPTURE(BM_Sample, uniform_real, DistributionKind::UniformReal, Args{r(0), r(1)});
BENCHMARK_CAPTURE(BM_Sample, exponential, DistributionKind::Exponential, Args{r(1)});
BENCHMARK_CAPTURE(BM_Sample, normal, DistributionKind::Normal, Args{r(0), r(1)});
BENCHMARK_CAPTURE(BM_Sample, erlang_3, DistributionKind::Erlang, Args{r(1), i(3)});
BENCHMARK_CAPTURE(BM_Sample, gamma, DistributionKind::Gamma, Args{r(2.5), r(1)});
BENCHMARK_CAPTURE(BM_Sample, poisson_5, DistributionKind::Poisson, Args{r(5)});
BENCHMARK_CAPTURE(BM_Sample, poisson_100, DistributionKind::Poisson, Args{r(100)});
BENCHMARK_CAPTURE(BM_Sample, binomial, DistributionKind::Binomial, Args{i(1000), r(0.3)});

}  // namespace

BENCHMARK_MAIN();
