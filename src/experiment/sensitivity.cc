#include "experiment/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "code/random.h"
#include "experiment/statistics.h"

namespace chi::experiment {
namespace {

constexpr int kRows = 7;
/// The first distance, relative to the scale of the parameter; each next one is half as long.
constexpr double kFirst = 0.02;

double uniform(std::uint64_t key, std::uint64_t sample) {
  return (static_cast<double>(code::random_block(key, sample, 0)[0] >> 11) + 0.5) * 0x1p-53;
}

double in_bounds(const Axis& axis, double share) {
  return axis.is_logarithmic ? axis.low * std::pow(axis.high / axis.low, share)
                             : axis.low + share * (axis.high - axis.low);
}

struct Limit {
  double value = 0, error = std::numeric_limits<double>::infinity();
};

/// The limit of a sequence of quotients whose error is a series in h^power, h being halved.
Limit extrapolate(const std::array<double, kRows>& quotients, int power) {
  Limit best;
  std::array<std::array<double, kRows>, kRows> table;
  for (std::size_t k = 0; k < kRows; ++k) {
    table[k][0] = quotients[k];
    double factor = std::pow(2.0, power);
    for (std::size_t j = 1; j <= k; ++j, factor *= std::pow(2.0, power)) {
      table[k][j] = (factor * table[k][j - 1] - table[k - 1][j - 1]) / (factor - 1);
      const double error = std::max(std::abs(table[k][j] - table[k][j - 1]),
                                    std::abs(table[k][j] - table[k - 1][j - 1]));
      if (error <= best.error) best = {table[k][j], error};
    }
  }
  return best;
}

Derivative derivative(double at, const std::array<double, kRows>& above,
                      const std::array<double, kRows>& below,
                      const std::array<double, kRows>& distances) {
  std::array<double, kRows> left, right, central;
  for (std::size_t k = 0; k < kRows; ++k) {
    right[k] = (above[k] - at) / distances[k];
    left[k] = (at - below[k]) / distances[k];
    central[k] = (above[k] - below[k]) / (2 * distances[k]);
  }
  const Limit from_left = extrapolate(left, 1), from_right = extrapolate(right, 1),
              both = extrapolate(central, 2);
  Derivative result{.value = both.value,
                    .error = both.error,
                    .from_left = from_left.value,
                    .from_right = from_right.value};
  const double size = std::max(std::abs(from_left.value), std::abs(from_right.value));
  const double gap = std::abs(from_left.value - from_right.value);
  // A jump of the measure itself makes quotients that grow without bound, whose errors do too.
  const double spread = from_left.error + from_right.error;
  result.exists =
      gap <= 10 * spread + 1e-4 * size && spread <= 0.1 * size + 1e-6 && !std::isnan(both.value);
  if (size == 0 && both.value == 0) result.exists = true;
  return result;
}

}  // namespace

std::vector<std::vector<Derivative>> derivatives(Evaluator& evaluate,
                                                 const std::vector<double>& point,
                                                 const std::vector<double>& scales) {
  std::vector<std::vector<double>> points{point};
  for (std::size_t i = 0; i < point.size(); ++i) {
    double h = kFirst * scales[i];
    for (int k = 0; k < kRows; ++k, h /= 2) {
      for (const double sign : {1.0, -1.0}) {
        points.push_back(point);
        points.back()[i] += sign * h;
      }
    }
  }
  const auto values = evaluate(points);
  std::vector<std::vector<Derivative>> rows(point.size());
  for (std::size_t i = 0; i < point.size(); ++i) {
    for (std::size_t m = 0; m < values[0].size(); ++m) {
      std::array<double, kRows> above, below, distances;
      for (std::size_t k = 0; k < kRows; ++k) {
        const std::size_t p = 1 + 2 * (i * kRows + k);
        above[k] = values[p][m];
        below[k] = values[p + 1][m];
        distances[k] = 0.5 * (points[p][i] - points[p + 1][i]);
      }
      rows[i].push_back(derivative(values[0][m], above, below, distances));
    }
  }
  return rows;
}

// Each trajectory changes one parameter after the other, in random order, by Δ = p / (2 (p - 1)) on
// a grid of p = 4 levels.
std::vector<std::vector<Effect>> morris(Evaluator& evaluate, const std::vector<Axis>& vary,
                                        std::int64_t trajectories, std::uint64_t seed) {
  const std::size_t n = vary.size();
  constexpr double kDelta = 2.0 / 3;
  const std::uint64_t key = code::stream_key(seed, "morris");
  std::uint64_t drawn = 0;
  std::vector<std::vector<double>> points;
  struct Step {
    std::size_t parameter = 0, before = 0;
    double delta = 0;
  };
  std::vector<Step> steps;
  for (std::int64_t t = 0; t < trajectories; ++t) {
    std::vector<double> share(n);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = n; i-- > 1;)
      std::swap(
          order[i],
          order[static_cast<std::size_t>(uniform(key, drawn++) * static_cast<double>(i + 1))]);
    for (double& s : share) s = std::floor(uniform(key, drawn++) * 4) / 3;
    const auto add = [&] {
      std::vector<double> point(n);
      for (std::size_t i = 0; i < n; ++i) point[i] = in_bounds(vary[i], share[i]);
      points.push_back(std::move(point));
    };
    add();
    for (const std::size_t i : order) {
      const double delta = share[i] + kDelta <= 1 + 1e-12 ? kDelta : -kDelta;
      steps.push_back({i, points.size() - 1, delta});
      share[i] += delta;
      add();
    }
  }
  const auto values = evaluate(points);
  const std::size_t measures = values.empty() ? 0 : values[0].size();
  std::vector<std::vector<Effect>> effects(n, std::vector<Effect>(measures));
  for (std::size_t m = 0; m < measures; ++m) {
    std::vector<Moments> signed_moments(n), absolute(n);
    for (const Step& step : steps) {
      const double effect = (values[step.before + 1][m] - values[step.before][m]) / step.delta;
      if (std::isnan(effect)) continue;
      signed_moments[step.parameter].add(effect);
      absolute[step.parameter].add(std::abs(effect));
    }
    for (std::size_t i = 0; i < n; ++i)
      effects[i][m] = {signed_moments[i].mean(), absolute[i].mean(),
                       std::sqrt(signed_moments[i].variance())};
  }
  return effects;
}

namespace {

/// Index estimates from the rows that `pick` chooses: f(A), f(B) and f(A with column i of B).
std::pair<double, double> estimate(const std::vector<double>& a, const std::vector<double>& b,
                                   const std::vector<double>& ab,
                                   const std::vector<std::size_t>& pick) {
  Moments both;
  double first = 0, total = 0, count = 0;
  for (const std::size_t k : pick) {
    if (std::isnan(a[k]) || std::isnan(b[k]) || std::isnan(ab[k])) continue;
    both.add(a[k]);
    both.add(b[k]);
    count += 1;
  }
  for (const std::size_t k : pick) {
    if (std::isnan(a[k]) || std::isnan(b[k]) || std::isnan(ab[k])) continue;
    first += (b[k] - both.mean()) * (ab[k] - a[k]);  // centred: less rounding, same expectation
    total += (a[k] - ab[k]) * (a[k] - ab[k]);
  }
  const double variance = both.variance();
  if (!(variance > 0)) return {0, 0};
  return {first / count / variance, total / (2 * count) / variance};
}

}  // namespace

std::vector<std::vector<Index>> sobol_indices(Evaluator& evaluate, const std::vector<Axis>& vary,
                                              std::int64_t samples, std::uint64_t seed) {
  const std::size_t n = vary.size(), count = static_cast<std::size_t>(samples);
  const auto shares = sobol_points(static_cast<std::int32_t>(2 * n), samples);
  std::vector<std::vector<double>> points;
  const auto add = [&](std::size_t k, std::size_t from_b, bool all_b) {
    std::vector<double> point(n);
    for (std::size_t i = 0; i < n; ++i)
      point[i] = in_bounds(vary[i], shares[all_b || i == from_b ? n + i : i][k]);
    points.push_back(std::move(point));
  };
  for (std::size_t k = 0; k < count; ++k) {
    add(k, n, false);
    add(k, n, true);
    for (std::size_t i = 0; i < n; ++i) add(k, i, false);
  }
  const auto values = evaluate(points);
  const std::size_t measures = values.empty() ? 0 : values[0].size(), stride = n + 2;
  std::vector<std::vector<Index>> indices(n, std::vector<Index>(measures));
  constexpr int kResamples = 200;
  const std::uint64_t key = code::stream_key(seed, "bootstrap");
  std::vector<std::size_t> all(count), pick(count);
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t m = 0; m < measures; ++m) {
    const auto column = [&](std::size_t offset) {
      std::vector<double> values_of(count);
      for (std::size_t k = 0; k < count; ++k) values_of[k] = values[k * stride + offset][m];
      return values_of;
    };
    const std::vector<double> a = column(0), b = column(1);
    for (std::size_t i = 0; i < n; ++i) {
      const std::vector<double> ab = column(2 + i);
      Moments first, total;
      for (int r = 0; r < kResamples; ++r) {
        for (std::size_t k = 0; k < count; ++k)
          pick[k] = static_cast<std::size_t>(
              uniform(key, static_cast<std::uint64_t>(r) * count + k) * static_cast<double>(count));
        const auto [s, t] = estimate(a, b, ab, pick);
        first.add(s);
        total.add(t);
      }
      const auto [s, t] = estimate(a, b, ab, all);
      indices[i][m] = {s, 1.96 * std::sqrt(first.variance()), t,
                       1.96 * std::sqrt(total.variance())};
    }
  }
  return indices;
}

}  // namespace chi::experiment
