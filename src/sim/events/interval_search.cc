#include "sim/events/interval_search.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/polynomial.h"
#include "sim/events/tolerances.h"

namespace chi::sim {
namespace {

using expr::Bounds;
using expr::Interval;

/// No more pieces of a window are looked at.
constexpr int kMostPieces = 400;

double width(Interval x) { return x.high - x.low; }

/// Least and largest of Σ c_k s^k for s from 0 to 1, as its Bernstein coefficients tell.
Interval range(std::span<const double> c) {
  const int degree = static_cast<int>(c.size()) - 1;
  const numerics::BernsteinWeights& weights = numerics::bernstein_weights(degree);
  Interval result = {c[0], c[0]};
  double size = 0;
  for (const double term : c) size += std::abs(term);
  for (std::size_t j = 1; j < c.size(); ++j) {
    double b = 0;
    for (std::size_t i = 0; i <= j; ++i) b += weights[j][i] * c[i];
    result = {std::min(result.low, b), std::max(result.high, b)};
  }
  const double rounding = tolerance::kBoundsRounding * static_cast<double>(c.size()) * size;
  return {result.low - rounding, result.high + rounding};
}

/// Of the polynomial with these coefficients on [from, to] and of its derivative.
Bounds polynomial_bounds(std::span<double> c, double from, double to) {
  const std::size_t n = c.size();
  double size = 0;
  for (const double term : c) size += std::abs(term);
  for (std::size_t k = 0; k + 1 < n; ++k) {  // powers of θ - from, by repeated division
    for (std::size_t i = n - 1; i-- > k;) c[i] += from * c[i + 1];
  }
  double scale = 1;
  for (std::size_t k = 1; k < n; ++k) c[k] *= scale *= to - from;
  Bounds result{range(c), {}};
  const double rounding = tolerance::kPowersRounding * size;
  result.value = {result.value.low - rounding, result.value.high + rounding};
  if (n == 1) return result;
  std::array<double, numerics::DenseOutput::kMaxDegree + 1> slope{};
  for (std::size_t k = 1; k < n; ++k) slope[k - 1] = static_cast<double>(k) * c[k];
  result.slope = range(std::span(slope.data(), n - 1));
  const double width = to - from;
  if (!(width > 0)) return {result.value, Interval::all()};
  const double more = static_cast<double>(n) * rounding;
  result.slope = {result.slope.low / width - more, result.slope.high / width + more};
  return result;
}

}  // namespace

Bounds IntervalSearch::bounds(const Window& window, double from, double to) {
  const double h = window.end - window.begin;
  std::array<double, numerics::DenseOutput::kMaxDegree + 1> c{};
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const Leaf& leaf = leaves_[i];
    if (leaf.component >= 0) {
      const std::span<double> terms(c.data(), static_cast<std::size_t>(window.dense->degree()) + 1);
      window.dense->coefficients(leaf.component, terms);
      bounds_[i] = polynomial_bounds(terms, from, to);
    } else if (leaf.is_time) {
      const double size = tolerance::kBoundsRounding * (std::abs(window.begin) + h);
      bounds_[i] = {{window.begin + from * h - size, window.begin + to * h + size},
                    Interval::point(h)};
    } else {
      bounds_[i] = {Interval::point(window.frame[leaf.place]), {}};
    }
  }
  Bounds result = formula_.evaluate(bounds_);
  result.value = {result.value.low + window.shift, result.value.high + window.shift};
  return result;
}

std::vector<IntervalSearch::Piece> IntervalSearch::find(const Window& window, double from,
                                                        double noise, double rounding,
                                                        numerics::FunctionRef<double(double)> g) {
  std::vector<Piece> found;
  const auto doubt = [&](double a, double b) {
    a = std::max(from, a - tolerance::kAroundPiece);
    b = std::min(1.0, b + tolerance::kAroundPiece);
    if (!found.empty() && found.back().to >= a) {
      found.back().to = std::max(found.back().to, b);
    } else {
      found.push_back({a, b, false});
    }
  };
  std::vector<std::pair<double, double>> open = {{from, 1.0}};
  int pieces = 0;
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    if (++pieces > kMostPieces) {
      doubt(a, 1);
      break;
    }
    const Bounds here = bounds(window, a, b);
    if (!here.value.has(0)) continue;
    if (!here.slope.has(0)) {
      const double left = g(a), right = g(b);
      const bool starts_here = a == from && std::abs(left) <= std::max(noise, rounding);
      if (std::isfinite(left) && std::abs(right) > rounding) {
        if (starts_here || (left < 0) == (right < 0)) continue;
        if (std::abs(left) > rounding) {
          found.push_back({a, b, true});
          break;
        }
      }
    }
    const double middle = 0.5 * (a + b);
    // The mean value form is tighter where the piece is short.
    const Interval inside = bounds(window, middle, middle).value;
    const double reach =
        0.5 * (b - a) * std::max(std::abs(here.slope.low), std::abs(here.slope.high));
    if (inside.low - reach > 0 || inside.high + reach < 0) continue;
    // Halving tells no more where the bounds at a point are nearly as wide.
    const bool is_flat =
        inside.has(0) && std::min(width(here.value), 2 * reach) <= 4 * width(inside);
    if (b - a <= tolerance::kShortestPiece || is_flat) {
      doubt(a, b);
      continue;
    }
    open.emplace_back(middle, b);
    open.emplace_back(a, middle);
  }
  return found;
}

}  // namespace chi::sim
