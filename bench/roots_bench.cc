// Projects P9.1 and P9.2 of Cellier & Kofman, "Continuous System Simulation", ch. 9: what it costs
// to detect and to locate state events, and what is missed, by method. Each benchmark states its
// answer: misses against exact root counts, evaluations per event.
#include <cmath>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "numerics/root_isolation.h"
#include "numerics/root_location.h"

namespace {

using namespace chi::numerics;

Polynomial random_step(std::mt19937_64& random, double offset) {
  std::normal_distribution<double> normal;
  std::vector<double> terms = {offset + 0.3 * normal(random)};
  double size = 1.0;
  for (int i = 1; i <= 5; ++i, size *= 0.6) terms.push_back(size * normal(random));
  return make_polynomial(terms);
}

// Two crossings a given part of the step apart, on a slope.
Polynomial needle(std::mt19937_64& random, double width) {
  std::uniform_real_distribution<double> uniform(0.05, 0.95);
  const double a = uniform(random), b = 1 + uniform(random);  // (x-a)² - w²/4 times (b + x)
  const double c0 = a * a - width * width / 4, c1 = -2 * a;
  return make_polynomial(std::vector<double>{b * c0, b * c1 + c0, b + c1, 1.0});
}

std::vector<Polynomial> make_steps(double (*pick)(std::mt19937_64&)) {
  std::mt19937_64 random(1);
  std::vector<Polynomial> steps;
  for (int i = 0; i < 4096; ++i) {
    const double width = pick(random);
    steps.push_back(width > 0 ? needle(random, width) : random_step(random, width));
  }
  return steps;
}

void detect(benchmark::State& state, double (*pick)(std::mt19937_64&)) {
  const auto method = static_cast<RootDetection>(state.range(0));
  const std::vector<Polynomial> steps = make_steps(pick);
  int found = 0, exact = 0;
  for (const Polynomial& p : steps) {
    found += isolate(p, {.method = method}).count;
    exact += isolate(p).count;
  }
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(isolate(steps[i], {.method = method}));
    i = (i + 1) % steps.size();
  }
  state.SetLabel(std::string(name(method)));
  state.counters["roots_per_1000"] = 1000.0 * exact / static_cast<double>(steps.size());
  state.counters["missed_per_1000"] = 1000.0 * (exact - found) / static_cast<double>(steps.size());
}

void BM_DetectQuietSteps(benchmark::State& state) {  // far from zero: the usual case
  detect(state, [](std::mt19937_64&) { return -8.0; });
}
void BM_DetectBusySteps(benchmark::State& state) {  // zero, one or a few roots
  detect(state, [](std::mt19937_64&) { return -0.01; });
}
void BM_DetectNeedles(benchmark::State& state) {  // two roots 1e-1 to 1e-8 of the step apart
  detect(state, [](std::mt19937_64& random) {
    return std::pow(10.0, -1 - 7 * std::uniform_real_distribution<double>()(random));
  });
}
BENCHMARK(BM_DetectQuietSteps)->DenseRange(0, 3);
BENCHMARK(BM_DetectBusySteps)->DenseRange(0, 3);
BENCHMARK(BM_DetectNeedles)->DenseRange(0, 3);

// Nonlinear event functions, known by evaluation only.
void BM_DetectFunctions(benchmark::State& state) {
  const auto method = static_cast<RootDetection>(state.range(0));
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform;
  double evaluations = 0.0, found = 0.0, exact = 0.0, functions = 0.0;
  for (auto _ : state) {
    const double a = 0.05 + 0.9 * uniform(random), width = std::pow(10.0, -1 - 5 * uniform(random));
    const auto g = [&](double x) {
      return std::exp(x) *
             (2 * std::pow(std::sin((x - a) / 2), 2) - 2 * std::pow(std::sin(width / 4), 2));
    };
    const Isolation roots = isolate(g, {.method = method});
    evaluations += roots.evaluations;
    found += roots.count;
    exact += (a + width / 2 <= 1) + (a - width / 2 > 0);
    ++functions;
  }
  state.SetLabel(std::string(name(method)));
  state.counters["evaluations"] = evaluations / functions;
  state.counters["missed_per_1000"] = 1000 * (exact - found) / functions;
}
BENCHMARK(BM_DetectFunctions)->DenseRange(0, 2);

// One event on the step of an integrator: a bracket from the step's ends, to two ulps.
void BM_Locate(benchmark::State& state) {
  const auto method = static_cast<RootFinder>(state.range(0));
  std::mt19937_64 random(3);
  double evaluations = 0.0, slopes = 0.0, events = 0.0;
  int most = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const Polynomial p = random_step(random, -0.5);
    const auto value = [&](double x) { return evaluate(p, x) + 1e-4 * std::sin(9 * x); };
    const Polynomial d = derivative(p);
    const auto slope = [&](double x) { return evaluate(d, x) + 9e-4 * std::cos(9 * x); };
    state.ResumeTiming();
    const RootFunction g = {.value = value, .slope = slope, .polynomial = &p};
    const Location found = locate(g, 0.0, 1.0, {.method = method});
    if (!found.bracketed) continue;
    evaluations += found.evaluations;
    slopes += found.slope_evaluations;
    most = std::max(most, found.evaluations);
    ++events;
  }
  state.SetLabel(std::string(name(method)));
  state.counters["evaluations"] = evaluations / events;
  state.counters["slopes"] = slopes / events;
  state.counters["worst"] = most;
}
BENCHMARK(BM_Locate)->DenseRange(0, 7)->Iterations(20000);

}  // namespace

BENCHMARK_MAIN();
