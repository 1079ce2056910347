#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "run_model.h"

// Queues against theory, with fixed seeds. The mean of 20 replications is to lie within its 99.9 %
// confidence interval.
namespace chi::conformance {
namespace {

constexpr int kReplications = 20;
constexpr double kStudent = 3.883;  // Student's t, 19 degrees of freedom, 0.9995

struct Estimate {
  double mean = 0;
  double half_width = 0;
};

/// Runs the model once a seed; it prints one number.
Estimate replicate(std::string_view model, RunRequest request) {
  double sum = 0, squares = 0;
  for (int i = 0; i < kReplications; ++i) {
    request.seed = 1000 + static_cast<std::uint64_t>(i);
    const Ran ran = run_model(model, request);
    EXPECT_EQ(ran.report, "");
    const double value = std::stod("0" + ran.output);
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kReplications;
  const double variance = (squares - sum * mean) / (kReplications - 1);
  return {mean, kStudent * std::sqrt(variance / kReplications)};
}

void expect_agrees(const Estimate& found, double theory, double sharpness) {
  EXPECT_LE(std::fabs(found.mean - theory), found.half_width)
      << fmt::format("{} ± {}, theory {}", found.mean, found.half_width, theory);
  EXPECT_GT(found.half_width, 0.0);
  EXPECT_LT(found.half_width, sharpness * theory) << "too blunt to show anything";
}

/// Poisson arrivals at rate 1, a queue, `m` servers with service times from `service`. Prints the
/// mean time in the system of the last n of 1.1 n customers.
std::string open_queue(std::string_view service, int servers) {
  return fmt::format(R"(
proc G(a: !real) = |[ u: -> real := exponential(1.0) | *[ true -> delta sample u; a!time ] ]|
proc B(a: ?real, b: (!real)^{0}) = |[ xs: real* := [], x: real
| *[ true; a?x -> xs := xs ++ [x]
   | j: nat <- 0..{0}-1: len(xs) > 0; b.j!hd(xs) -> xs := tl(xs)
   ]
]|
proc M(a: ?real, b: !real) = |[ x: real, u: -> real := {1} | *[ true -> a?x; delta sample u; b!x ] ]|
proc E(c: (?real)^{0}, n: nat) = |[ x: real, k, w: nat := 0, s: real := 0.0
| w := n div 10
; *[ j: nat <- 0..{0}-1: k < n + w; c.j?x -> [ k >= w -> s := s + (time - x) | k < w -> skip ]; k := k + 1 ]
; !s / n; terminate
]|
sys S(n: nat) = |[ a: -real, b, c: (-real)^{0} | G(a) || B(a, b) || j: nat <- 0..{0}-1: M(b.j, c.j) || E(c, n) ]|
)",
                     servers, service);
}

const RunRequest kCustomers{.params = {{"n", "20000"}}};

TEST(Queues, MM1) {
  // Rates 1 and 2: W = 1 / (mu - lambda).
  expect_agrees(replicate(open_queue("exponential(0.5)", 1), kCustomers), 1.0, 0.03);
}

// Pollaczek and Khinchine: W = E[S] + lambda E[S^2] / (2 (1 - rho)).
double pollaczek_khinchine(double mean, double variance) {
  return mean + (variance + mean * mean) / (2 * (1 - mean));
}

TEST(Queues, MD1) {
  expect_agrees(replicate(open_queue("constant(0.5)", 1), kCustomers), pollaczek_khinchine(0.5, 0),
                0.03);
}

TEST(Queues, MG1) {
  expect_agrees(replicate(open_queue("uniform(0.0, 1.0)", 1), kCustomers),
                pollaczek_khinchine(0.5, 1.0 / 12), 0.03);
  expect_agrees(replicate(open_queue("gamma(0.5, 1.0)", 1), kCustomers),
                pollaczek_khinchine(0.5, 0.5), 0.05);
  expect_agrees(replicate(open_queue("erlang(0.6, 3)", 1), kCustomers),
                pollaczek_khinchine(0.6, 0.12), 0.05);
}

TEST(Queues, MMc) {
  // Erlang's C formula: the probability to wait with c servers and offered load a.
  const int c = 3;
  const double a = 2.0, service = 2.0;
  double term = 1, sum = 0;
  for (int k = 0; k < c; ++k) {
    sum += term;
    term *= a / (k + 1);
  }
  const double last = term * c / (c - a);
  const double wait = last / (sum + last) * service / (c - a);
  expect_agrees(replicate(open_queue(fmt::format("exponential({})", service), c), kCustomers),
                service + wait, 0.03);
}

// Little: the mean number in the system is the arrival rate times the mean time there, exactly over
// a busy run.
TEST(Queues, LittlesLaw) {
  const std::string output = output_of(R"(
proc G(a: !real, n: nat, ref l: nat, ref area, last: real) = |[ u: -> real := exponential(1.0), i: nat
| *[ i < n -> delta sample u; area := area + l * (time - last); last := time; l := l + 1; a!time; i := i + 1 ] ]|
proc B(a: ?real, b: !real) = |[ xs: real*, x: real
| *[ true; a?x -> xs := xs ++ [x] | len(xs) > 0; b!hd(xs) -> xs := tl(xs) ] ]|
proc M(b: ?real, n: nat, ref l: nat, ref area, last: real) = |[ u: -> real := exponential(0.8), x, s: real, i: nat
| *[ i < n -> b?x; delta sample u; s := s + (time - x); area := area + l * (time - last); last := time; l := l - 1; i := i + 1 ]
; !abs(area - s) < 1e-6 * s, l; terminate ]|
sys S() = |[ a, b: -real, l: nat, area, last: real | G(a, 20000, l, area, last) || B(a, b) || M(b, 20000, l, area, last) ]|
)");
  EXPECT_EQ(output, "true0");
}

TEST(Queues, ClosedNetworkByMeanValueAnalysis) {
  // Four pallets go round three stations with exponential times. Mean value analysis (Reiser and
  // Lavenberg 1980).
  const std::vector<double> service = {1.0, 0.5, 2.0};
  std::vector<double> queue(service.size(), 0.0);
  double throughput = 0;
  for (int n = 1; n <= 4; ++n) {
    double round = 0;
    std::vector<double> stay;
    for (std::size_t i = 0; i < service.size(); ++i) {
      stay.push_back(service[i] * (1 + queue[i]));
      round += stay.back();
    }
    throughput = n / round;
    for (std::size_t i = 0; i < service.size(); ++i) queue[i] = throughput * stay[i];
  }
  constexpr std::string_view model = R"(
proc B(a: ?nat, b: !nat, n: nat) = |[ xs: nat* := range(n), x: nat
| *[ true; a?x -> xs := xs ++ [x] | len(xs) > 0; b!hd(xs) -> xs := tl(xs) ] ]|
proc M(a: ?nat, b: !nat, t: real) = |[ x: nat, u: -> real := exponential(t) | *[ true -> a?x; delta sample u; b!x ] ]|
proc Count(a: ?nat, b: !nat) = |[ x: nat, k: nat, t0: real
| *[ k < 11000 -> a?x; b!x; k := k + 1; [ k = 1000 -> t0 := time | k /= 1000 -> skip ] ]; !10000 / (time - t0); terminate ]|
sys S() = |[ a, b, c: -nat, x, y, z, w: -nat
| B(w, a, 4) || M(a, x, 1.0) || B(x, b, 0) || M(b, y, 0.5) || B(y, c, 0) || M(c, z, 2.0) || Count(z, w) ]|
)";
  expect_agrees(replicate(model, {}), throughput, 0.02);
}

}  // namespace
}  // namespace chi::conformance
