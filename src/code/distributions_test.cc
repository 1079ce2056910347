#include "code/distributions.h"

#include <algorithm>
#include <boost/math/distributions.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "code/random.h"

namespace chi::code {
namespace {

SampleBlocks kept_blocks;

namespace bm = boost::math;
using Kind = DistributionKind;

constexpr int kSamples = 50'000;

/// A law under test: its arguments and its distribution function from another source.
struct Case {
  Kind kind = Kind::Constant;
  std::vector<Slot> arguments;
  std::function<double(double)> cdf;
};

Slot i(std::int64_t x) { return int_slot(x); }
Slot r(double x) { return real_slot(x); }

template <class Boost>
std::function<double(double)> cdf_of(Boost law) {
  return [law](double x) {
    const auto [low, high] = bm::support(law);
    if (x < low) return 0.0;
    return x >= high ? 1.0 : bm::cdf(law, x);
  };
}

std::vector<Slot> samples_of(const Case& c, std::uint64_t seed = 1) {
  Slot d[6];
  EXPECT_EQ(distribution_make(c.kind, c.arguments.data(), d), RunError::None);
  distribution_start(stream_key(seed, "test"), d);
  std::vector<Slot> samples(kSamples);
  for (Slot& s : samples) EXPECT_EQ(distribution_sample(kept_blocks, d, &s), RunError::None);
  EXPECT_EQ(d[5].i, kSamples);
  return samples;
}

std::string text_of(const Case& c) {
  std::string text(distribution_name(c.kind));
  for (int k = 0; k < distribution_arity(c.kind); ++k) {
    const Slot a = c.arguments[static_cast<std::size_t>(k)];
    text += " " + (distribution_argument_is_integer(c.kind, k) ? std::to_string(a.i)
                                                               : std::to_string(a.r));
  }
  return text;
}

/// Mean and variance within 4.5 standard errors, the latter from the samples' fourth moment.
void expect_moments(const Case& c, const std::vector<double>& x) {
  Slot d[6];
  ASSERT_EQ(distribution_make(c.kind, c.arguments.data(), d), RunError::None);
  const double mean = distribution_mean(d);
  const double variance = distribution_variance(d);
  double m1 = 0, m2 = 0, m4 = 0;
  for (const double v : x) {
    m1 += v - mean;
    m2 += (v - mean) * (v - mean);
    m4 += std::pow(v - mean, 4);
  }
  m1 /= kSamples, m2 /= kSamples, m4 /= kSamples;
  EXPECT_NEAR(m1, 0, 4.5 * std::sqrt(variance / kSamples) + 1e-12 * std::abs(mean)) << text_of(c);
  EXPECT_NEAR(m2, variance, 4.5 * std::sqrt((m4 - m2 * m2) / kSamples) + 1e-12) << text_of(c);
}

std::vector<Case> continuous_cases() {
  std::vector<Case> cases;
  const auto add = [&](Kind kind, std::vector<Slot> arguments, auto law) {
    cases.push_back({kind, std::move(arguments), cdf_of(law)});
  };
  add(Kind::UniformReal, {r(-2), r(5)}, bm::uniform(-2, 5));
  add(Kind::Exponential, {r(2.5)}, bm::exponential(1 / 2.5));
  for (const std::int64_t k : {1, 3, 16, 17, 60}) {
    const auto n = static_cast<double>(k);
    add(Kind::Erlang, {r(4), i(k)}, bm::gamma_distribution<>(n, 4 / n));
  }
  for (const double shape : {0.05, 0.3, 0.99, 1.0, 1.7, 8.0, 1000.0}) {
    add(Kind::Gamma, {r(shape), r(3)}, bm::gamma_distribution<>(shape, 3));
  }
  add(Kind::Normal, {r(10), r(4)}, bm::normal(10, 2));
  add(Kind::Lognormal, {r(0.5), r(0.25)}, bm::lognormal(0.5, 0.5));
  const double shapes[][2] = {{2, 3}, {0.5, 0.5}, {0.2, 4}, {1, 1}, {30, 0.7}, {50, 80}};
  for (const auto& [p, q] : shapes) {
    add(Kind::Beta, {r(p), r(q)}, bm::beta_distribution<>(p, q));
  }
  add(Kind::Triangle, {r(1), r(2), r(5)}, bm::triangular(1, 2, 5));
  add(Kind::Triangle, {r(1), r(1), r(5)}, bm::triangular(1, 1, 5));
  add(Kind::Triangle, {r(1), r(5), r(5)}, bm::triangular(1, 5, 5));
  add(Kind::Weibull, {r(0.7), r(2)}, bm::weibull(0.7, 2));
  add(Kind::Weibull, {r(3), r(2)}, bm::weibull(3, 2));
  return cases;
}

// Kolmogorov and Smirnov: the largest distance between the two distribution functions, times
// sqrt(n), is below 1.949 with probability 99.9 %; below 2.2, as asked here, with 99.99 %.
TEST(Distributions, ContinuousLawsHaveTheirDistributionFunction) {
  for (const Case& c : continuous_cases()) {
    std::vector<double> x;
    for (const Slot s : samples_of(c)) x.push_back(s.r);
    expect_moments(c, x);
    std::sort(x.begin(), x.end());
    double distance = 0;
    for (std::size_t k = 0; k < x.size(); k += 8) {  // between them F moves by 8 / n at most
      const double f = c.cdf(x[k]);
      distance = std::max({distance, f - static_cast<double>(k) / kSamples,
                           static_cast<double>(k + 1) / kSamples - f});
    }
    EXPECT_LT(distance * std::sqrt(kSamples), 2.2) << text_of(c);
  }
}

std::vector<Case> discrete_cases() {
  std::vector<Case> cases;
  const auto add = [&](Kind kind, std::vector<Slot> arguments, auto law) {
    cases.push_back({kind, std::move(arguments), cdf_of(law)});
  };
  add(Kind::Bernoulli, {r(0.3)}, bm::bernoulli(0.3));
  for (const double p : {0.02, 0.3, 0.9}) add(Kind::Geometric, {r(p)}, bm::geometric(p));
  for (const double m : {0.3, 5.0, 9.99, 10.0, 37.0, 1000.0, 1e6}) {
    add(Kind::Poisson, {r(m)}, bm::poisson(m));
  }
  const auto nearly_normal = [](double x) { return bm::cdf(bm::normal(1e12, 1e6), x + 0.5); };
  cases.push_back({Kind::Poisson, {r(1e12)}, nearly_normal});
  const std::pair<std::int64_t, double> trials[] = {{1, 0.5},
                                                    {20, 0.1},
                                                    {20, 0.5},
                                                    {30, 0.95},
                                                    {1000, 0.005},
                                                    {1000, 0.3},
                                                    {1000, 0.98},
                                                    {1'000'000'000, 1e-9},
                                                    {1'000'000'000, 0.4}};
  for (const auto& [n, p] : trials) {
    add(Kind::Binomial, {i(n), r(p)}, bm::binomial(static_cast<double>(n), p));
  }
  cases.push_back({Kind::UniformInt, {i(-3), i(4)}, [](double x) {
                     return std::clamp((std::floor(x) + 4) / 7, 0.0, 1.0);
                   }});
  return cases;
}

/// 99.99 % point of chi-square with `k` degrees of freedom.
double chi_square_limit(int k) { return bm::quantile(bm::chi_squared(k), 0.9999); }

// Pearson: about fifty classes of equal probability, or one for each value when there are few.
TEST(Distributions, DiscreteLawsHaveTheirProbabilities) {
  for (const Case& c : discrete_cases()) {
    std::vector<double> x;
    for (const Slot s : samples_of(c)) x.push_back(static_cast<double>(s.i));
    expect_moments(c, x);
    std::sort(x.begin(), x.end());
    // A first set of samples fixes the classes, a second one is counted.
    std::vector<double> bounds;
    for (std::size_t k = kSamples / 50; k < x.size(); k += kSamples / 50) {
      if (bounds.empty() || x[k] > bounds.back()) bounds.push_back(x[k]);
    }
    std::vector<double> counts(bounds.size() + 1);
    for (const Slot s : samples_of(c, 2)) {
      const auto at = std::lower_bound(bounds.begin(), bounds.end(), static_cast<double>(s.i));
      ++counts[static_cast<std::size_t>(at - bounds.begin())];
    }
    double statistic = 0;
    int classes = 0;
    double below = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const double upto = k < bounds.size() ? c.cdf(bounds[k]) : 1.0;
      const double expected = (upto - below) * kSamples;
      below = upto;
      if (expected < 1e-9 && counts[k] == 0) continue;
      ASSERT_GT(expected, 0.01) << text_of(c);
      statistic += (counts[k] - expected) * (counts[k] - expected) / std::max(expected, 5.0);
      ++classes;
    }
    EXPECT_LT(statistic, chi_square_limit(std::max(classes - 1, 1))) << text_of(c);
  }
}

TEST(Distributions, SampleNumberNDependsOnNothingBeforeIt) {
  const Slot one = r(1.0);
  Slot d[6], e[6];
  const Slot gamma[] = {r(0.4), r(1.0)};
  ASSERT_EQ(distribution_make(Kind::Exponential, &one, d), RunError::None);
  ASSERT_EQ(distribution_make(Kind::Gamma, gamma, e), RunError::None);
  distribution_start(77, d);
  distribution_start(77, e);
  Slot x, y;
  for (int k = 0; k < 100; ++k) {
    ASSERT_EQ(distribution_sample(kept_blocks, d, &x), RunError::None);
    ASSERT_EQ(distribution_sample(kept_blocks, e, &y), RunError::None);
  }
  ASSERT_EQ(distribution_make(Kind::Exponential, &one, e), RunError::None);  // the stream goes on
  ASSERT_EQ(distribution_sample(kept_blocks, d, &x), RunError::None);
  ASSERT_EQ(distribution_sample(kept_blocks, e, &y), RunError::None);
  EXPECT_EQ(x.r, y.r);
}

// Pinned: the same seed gives the same numbers from version to version.
TEST(Distributions, SameSeedSameNumbers) {
  const auto first = [](const Case& c) { return samples_of(c, 42)[0]; };
  EXPECT_EQ(first({Kind::Exponential, {r(1)}, {}}).r, 1.0631996058425459);
  EXPECT_EQ(first({Kind::Normal, {r(0), r(1)}, {}}).r, -0.088476381398230858);
  EXPECT_EQ(first({Kind::Gamma, {r(2.5), r(1)}, {}}).r, 2.0390248892328953);
  EXPECT_EQ(first({Kind::UniformInt, {i(0), i(1'000'000)}, {}}).i, 345349);
  EXPECT_EQ(first({Kind::Poisson, {r(100)}, {}}).i, 95);
  EXPECT_EQ(first({Kind::Binomial, {i(1000), r(0.5)}, {}}).i, 493);
}

TEST(Distributions, ExtremeArgumentsGiveValidSamples) {
  const Case cases[] = {{Kind::Beta, {r(1e-3), r(1e-3)}, {}},
                        {Kind::Beta, {r(1e-300), r(5)}, {}},
                        {Kind::Beta, {r(1e10), r(1e10)}, {}},
                        {Kind::Gamma, {r(1e-300), r(1)}, {}}};
  for (const Case& c : cases) {
    for (const Slot s : samples_of(c))
      ASSERT_TRUE(s.r >= 0 && s.r <= 1) << text_of(c) << " " << s.r;
  }
  const double next = std::nextafter(1.0, 2.0);
  for (const Slot s : samples_of({Kind::UniformReal, {r(1.0), r(next)}, {}})) ASSERT_EQ(s.r, 1.0);
  const Case all{Kind::UniformInt, {i(INT64_MIN), i(INT64_MAX)}, {}};
  int negative = 0;
  for (const Slot s : samples_of(all)) negative += s.i < 0;
  EXPECT_NEAR(negative, kSamples / 2, 4.5 * std::sqrt(kSamples) / 2);
  for (const Slot s : samples_of({Kind::Geometric, {r(1)}, {}})) ASSERT_EQ(s.i, 0);
  for (const Slot s : samples_of({Kind::Binomial, {i(INT64_MAX), r(1)}, {}}))
    ASSERT_EQ(s.i, INT64_MAX);
  for (const Slot s : samples_of({Kind::Binomial, {i(INT64_MAX), r(0.5)}, {}})) ASSERT_GT(s.i, 0);
  for (const Slot s : samples_of({Kind::Poisson, {r(0)}, {}})) ASSERT_EQ(s.i, 0);
  for (const Slot s : samples_of({Kind::Normal, {r(3), r(0)}, {}})) ASSERT_EQ(s.r, 3.0);
  for (const Slot s : samples_of({Kind::Constant, {i(9)}, {}})) ASSERT_EQ(s.i, 9);
}

TEST(Distributions, TooLargeCountsAreReported) {
  Slot d[6], value;
  const Slot p = r(1e-300);
  ASSERT_EQ(distribution_make(Kind::Geometric, &p, d), RunError::None);
  distribution_start(1, d);
  EXPECT_EQ(distribution_sample(kept_blocks, d, &value), RunError::Overflow);
}

TEST(Distributions, RefusesBadArguments) {
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  const Case cases[] = {{Kind::Bernoulli, {r(1.1)}, {}},
                        {Kind::Bernoulli, {r(nan)}, {}},
                        {Kind::Binomial, {i(-1), r(0.5)}, {}},
                        {Kind::Binomial, {i(3), r(-0.5)}, {}},
                        {Kind::Geometric, {r(0)}, {}},
                        {Kind::Poisson, {r(-1)}, {}},
                        {Kind::Poisson, {r(inf)}, {}},
                        {Kind::UniformInt, {i(3), i(3)}, {}},
                        {Kind::UniformReal, {r(3), r(3)}, {}},
                        {Kind::UniformReal, {r(-1e308), r(1e308)}, {}},
                        {Kind::Exponential, {r(0)}, {}},
                        {Kind::Exponential, {r(inf)}, {}},
                        {Kind::Erlang, {r(1), i(0)}, {}},
                        {Kind::Erlang, {r(-1), i(2)}, {}},
                        {Kind::Gamma, {r(1), r(0)}, {}},
                        {Kind::Normal, {r(0), r(-1)}, {}},
                        {Kind::Lognormal, {r(nan), r(1)}, {}},
                        {Kind::Beta, {r(0), r(1)}, {}},
                        {Kind::Triangle, {r(0), r(3), r(2)}, {}},
                        {Kind::Triangle, {r(1), r(1), r(1)}, {}},
                        {Kind::Weibull, {r(0), r(1)}, {}}};
  for (const Case& c : cases) {
    Slot d[6] = {i(-7), i(0), i(0), i(0), i(0), i(0)};
    EXPECT_EQ(distribution_make(c.kind, c.arguments.data(), d), RunError::BadDistribution)
        << text_of(c);
    EXPECT_EQ(d[0].i, -7);
    EXPECT_NE(distribution_problem(c.kind, c.arguments.data()), "") << text_of(c);
  }
}

/// The library's names, indexed by Builtin.
std::vector<std::string_view> names_of_builtins() {
  return {
#define CHI_BUILTIN(name, text) text,
#include "sema/builtins.def"
#undef CHI_BUILTIN
  };
}

TEST(Distributions, EveryLibraryFunctionMakesItsLaw) {
  EXPECT_EQ(distribution_kind(sema::Builtin::Uniform, true), Kind::UniformInt);
  EXPECT_EQ(distribution_kind(sema::Builtin::Uniform, false), Kind::UniformReal);
  for (int b = static_cast<int>(sema::Builtin::Constant);
       b <= static_cast<int>(sema::Builtin::Weibull); ++b) {
    const auto builtin = static_cast<sema::Builtin>(b);
    const std::string_view name = distribution_name(distribution_kind(builtin, false));
    EXPECT_EQ(name, names_of_builtins()[static_cast<std::size_t>(b)]);
  }
}

}  // namespace
}  // namespace chi::code
