#include "numerics/chebyshev_piece.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace chi::numerics {
namespace {

constexpr int kDegree = 8;
constexpr std::size_t kNodes = kDegree + 1;
using Matrix = std::array<std::array<double, kNodes>, kNodes>;

struct Tables {
  std::array<double, kNodes> node = {};  // ascending in [0, 1]
  std::array<double, 2> check = {};      // two places between nodes, off centre
  Matrix to_chebyshev = {};              // values at the nodes to Chebyshev coefficients
  Matrix to_bernstein = {};              // Chebyshev coefficients to Bernstein coefficients
};

// Bernstein coefficients on [0, 1] of the Chebyshev polynomial T_j, raised to degree 8. Of degree j
// they are (-1)^(j+i) C(2j,2i) / C(j,i).
std::array<double, kNodes> bernstein_of_chebyshev(std::size_t j) {
  const auto binomial = [](std::size_t n, std::size_t k) {
    double value = 1.0;
    for (std::size_t i = 1; i <= k; ++i) {
      value = value * static_cast<double>(n - k + i) / static_cast<double>(i);
    }
    return value;
  };
  std::array<double, kNodes> b = {};
  for (std::size_t i = 0; i <= j; ++i) {
    b[i] = ((i + j) % 2 == 0 ? 1 : -1) * binomial(2 * j, 2 * i) / binomial(j, i);
  }
  for (std::size_t degree = j; degree < kDegree; ++degree) {
    const double n = static_cast<double>(degree + 1);
    for (std::size_t i = degree + 1; i > 0; --i) {
      const double share = static_cast<double>(i) / n;
      b[i] = share * b[i - 1] + (1 - share) * (i <= degree ? b[i] : 0.0);
    }
  }
  return b;
}

Tables make_tables() {
  Tables t;
  const auto angle = [](double k) { return k * std::numbers::pi / kDegree; };
  for (std::size_t k = 0; k < kNodes; ++k) {
    const double half_sine = std::sin(angle(static_cast<double>(k)) / 2);
    t.node[k] = half_sine * half_sine;
  }
  t.node[kDegree] = 1.0;
  t.check = {(1 - std::cos(angle(2.5))) / 2, (1 - std::cos(angle(5.5))) / 2};
  for (std::size_t j = 0; j < kNodes; ++j) {
    const double row_weight = j == 0 || j == kDegree ? 1.0 : 2.0;
    for (std::size_t k = 0; k < kNodes; ++k) {
      const double end_weight = k == 0 || k == kDegree ? 0.5 : 1.0;
      const double parity = j % 2 == 0 ? 1.0 : -1.0;
      t.to_chebyshev[j][k] =
          parity * row_weight * end_weight / kDegree * std::cos(angle(static_cast<double>(j * k)));
    }
    const std::array<double, kNodes> column = bernstein_of_chebyshev(j);
    for (std::size_t i = 0; i < kNodes; ++i) t.to_bernstein[i][j] = column[i];
  }
  return t;
}

std::array<double, kNodes> times(const Matrix& m, const std::array<double, kNodes>& v) {
  std::array<double, kNodes> out = {};
  for (std::size_t i = 0; i < kNodes; ++i) {
    for (std::size_t j = 0; j < kNodes; ++j) out[i] += m[i][j] * v[j];
  }
  return out;
}

}  // namespace

ChebyshevPiece interpolate(FunctionRef<double(double)> g, double left, double right) {
  static const Tables tables = make_tables();
  ChebyshevPiece piece = {.left = left, .right = right};
  std::array<double, kNodes> values = {};
  for (std::size_t k = 0; k < kNodes; ++k) {
    const double x = k == kDegree ? right : left + (right - left) * tables.node[k];
    values[k] = g(x);
    ++piece.evaluations;
    if (!std::isfinite(values[k])) {
      piece.defined = false;
      return piece;
    }
    piece.size = std::max(piece.size, std::abs(values[k]));
  }
  piece.value_left = values.front();
  piece.value_right = values.back();
  const std::array<double, kNodes> chebyshev = times(tables.to_chebyshev, values);
  const std::array<double, kNodes> bernstein = times(tables.to_bernstein, chebyshev);
  piece.form.degree = kDegree;
  for (std::size_t j = 0; j < kNodes; ++j) piece.form.coefficients[j] = {bernstein[j], 0.0};
  double missed = 0.0;
  for (const double s : tables.check) {
    const double value = g(left + (right - left) * s);
    ++piece.evaluations;
    piece.defined = piece.defined && std::isfinite(value);
    missed = std::max(missed, std::abs(value - evaluate(piece.form, s)));
  }
  piece.error = 2 * missed + std::abs(chebyshev[kDegree]) + std::abs(chebyshev[kDegree - 1]) / 4;
  return piece;
}

}  // namespace chi::numerics
