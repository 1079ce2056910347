#include "experiment/lobatto.h"

#include <algorithm>
#include <cstddef>

namespace chi::experiment {
namespace {

constexpr int kGrid = 32;

constexpr std::array<double, 5> barycentric_weights() {
  std::array<double, 5> w = {};
  for (std::size_t i = 0; i < 5; ++i) {
    double product = 1;
    for (std::size_t k = 0; k < 5; ++k) {
      if (k != i) product *= kLobattoPoints[i] - kLobattoPoints[k];
    }
    w[i] = 1 / product;
  }
  return w;
}
constexpr std::array<double, 5> kWeights = barycentric_weights();

}  // namespace

double interpolate(const std::array<double, 5>& values, double x) {
  double above = 0, below = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const double d = x - kLobattoPoints[i];
    if (d == 0) return values[i];
    above += kWeights[i] / d * values[i];
    below += kWeights[i] / d;
  }
  return above / below;
}

// A grid finds the hill, parabolas through three points its top.
double place_of_maximum(const std::array<double, 5>& values) {
  double best = -1, most = values[0];
  for (int k = 1; k <= kGrid; ++k) {
    const double x = -1 + 2.0 * k / kGrid, v = interpolate(values, x);
    if (v > most) {
      most = v;
      best = x;
    }
  }
  double h = 2.0 / kGrid;
  for (int round = 0; round < 3; ++round, h /= 8) {
    const double middle = std::clamp(best, -1 + h, 1 - h);
    const double a = interpolate(values, middle - h), b = interpolate(values, middle),
                 c = interpolate(values, middle + h);
    const double curvature = a - 2 * b + c;
    if (!(curvature < 0)) break;
    const double x = std::clamp(middle + 0.5 * h * (a - c) / curvature, middle - h, middle + h);
    if (interpolate(values, x) >= most) {
      most = interpolate(values, x);
      best = x;
    }
  }
  return best;
}

}  // namespace chi::experiment
