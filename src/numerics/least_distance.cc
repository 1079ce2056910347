#include "numerics/least_distance.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace chi::numerics {
namespace {

using Eigen::Index;
using Map = Eigen::Map<const Eigen::MatrixXd>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// The unconstrained solution over the columns in `active`; zero elsewhere.
Eigen::VectorXd solve_active(const Map& e, const Eigen::VectorXd& f,
                             const std::vector<char>& active) {
  std::vector<Index> columns;
  for (Index j = 0; j < e.cols(); ++j) {
    if (active[at(j)] != 0) columns.push_back(j);
  }
  Eigen::MatrixXd part(e.rows(), static_cast<Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    part.col(static_cast<Index>(k)) = e.col(columns[k]);
  }
  const Eigen::VectorXd z = part.completeOrthogonalDecomposition().solve(f);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(e.cols());
  for (std::size_t k = 0; k < columns.size(); ++k) x(columns[k]) = z(static_cast<Index>(k));
  return x;
}

}  // namespace

NonNegative least_squares_non_negative(int m, int n, std::span<const double> entries,
                                       std::span<const double> right) {
  constexpr double kTolerance = 1e-11;
  const Map e(entries.data(), m, n);
  const Eigen::VectorXd f = Eigen::Map<const Eigen::VectorXd>(right.data(), m);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  std::vector<char> active(at(n), 0);
  Eigen::VectorXd gradient = e.transpose() * f;
  const Eigen::VectorXd size = e.colwise().norm().transpose().array() + 1e-300;
  for (int round = 0; round < 6 * n + 60; ++round) {
    Index enters = -1;
    for (Index j = 0; j < n; ++j) {
      if (active[at(j)] != 0 || gradient(j) <= kTolerance * size(j)) continue;
      if (enters < 0 || gradient(j) / size(j) > gradient(enters) / size(enters)) enters = j;
    }
    if (enters < 0) break;
    active[at(enters)] = 1;
    while (true) {
      const Eigen::VectorXd z = solve_active(e, f, active);
      double step = 1;
      bool blocked = false;
      for (Index j = 0; j < n; ++j) {
        if (active[at(j)] == 0 || z(j) > 0) continue;
        step = std::min(step, x(j) / (x(j) - z(j) + 1e-300));
        blocked = true;
      }
      if (!blocked) {
        x = z;
        break;
      }
      x += step * (z - x);
      const double small = 1e-14 * (1 + x.cwiseAbs().maxCoeff());
      bool any = false, dropped = false;
      for (Index j = 0; j < n; ++j) {
        if (active[at(j)] == 0 || z(j) > 0 || x(j) > small) continue;
        active[at(j)] = 0;
        dropped = true;
      }
      for (Index j = 0; j < n; ++j) {
        if (!dropped && z(j) <= 0) active[at(j)] = 0;
        if (active[at(j)] == 0) x(j) = 0;
        any = any || active[at(j)] != 0;
      }
      if (!any) break;
    }
    gradient = e.transpose() * (f - e * x);
  }
  const Eigen::VectorXd residual = e * x - f;
  return {{x.data(), x.data() + n}, {residual.data(), residual.data() + m}};
}

LeastDistance least_distance(int m, int n, std::span<const double> a, std::span<const double> b) {
  constexpr double kInfeasible = 1e-9;
  LeastDistance result;
  if (m == 0) {
    result.is_feasible = true;
    result.y.assign(at(n), 0.0);
    return result;
  }
  std::vector<double> scale(at(m)), e(at(m) * at(n + 1)), f(at(n + 1), 0.0);
  for (std::size_t i = 0; i < at(m); ++i) {
    scale[i] = std::abs(b[i]) + 1e-300;
    for (std::size_t j = 0; j < at(n); ++j) {
      scale[i] = std::max(scale[i], std::abs(a[j * at(m) + i]));
    }
    for (std::size_t j = 0; j < at(n); ++j) e[i * at(n + 1) + j] = a[j * at(m) + i] / scale[i];
    e[i * at(n + 1) + at(n)] = b[i] / scale[i];
  }
  f.back() = 1;
  NonNegative dual = least_squares_non_negative(n + 1, m, e, f);
  double size = 0;
  for (const double r : dual.residual) size += r * r;
  if (std::sqrt(size) < kInfeasible) {
    for (std::size_t i = 0; i < at(m); ++i) dual.x[i] /= scale[i];
    result.multipliers = std::move(dual.x);
    return result;
  }
  result.is_feasible = true;
  const double last = dual.residual.back();
  for (std::size_t j = 0; j < at(n); ++j) result.y.push_back(-dual.residual[j] / last);
  return result;
}

}  // namespace chi::numerics
