#include "known_problems.h"

#include <algorithm>
#include <cmath>

namespace chi::testing {
namespace {

using In = KnownProblem::In;
using Out = KnownProblem::Out;

// Jacobi's elliptic functions by the descending Landen transformation of the amplitude (Abramowitz
// and Stegun 16.4).
void elliptic(double u, double m, double& sn, double& cn, double& dn) {
  double a[16] = {1}, c[16] = {std::sqrt(m)};
  double b = std::sqrt(1 - m);
  int n = 0;
  while (std::abs(c[n]) > 1e-17 && n < 15) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
    ++n;
  }
  double phi = std::ldexp(a[n] * u, n);
  for (; n > 0; --n) phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  sn = std::sin(phi);
  cn = std::cos(phi);
  dn = std::sqrt(1 - m * sn * sn);
}

KnownProblem rational() {
  return {.name = "rational",
          .t_end = 5,
          .f = [](double t, In y, Out f) { f[0] = -2 * t * y[0] * y[0]; },
          .exact = [](double t, Out y) { y[0] = 1 / (1 + t * t); }};
}

KnownProblem decay() {
  return {.name = "decay",
          .t_end = 10,
          .f = [](double, In y, Out f) { f[0] = -y[0]; },
          .exact = [](double t, Out y) { y[0] = std::exp(-t); }};
}

KnownProblem logistic() {
  return {.name = "logistic",
          .t_end = 10,
          .f = [](double, In y, Out f) { f[0] = y[0] * (1 - y[0]); },
          .exact = [](double t, Out y) { y[0] = 1 / (1 + 9 * std::exp(-t)); }};
}

KnownProblem breathing() {
  return {.name = "breathing",
          .t_end = 20,
          .f = [](double t, In y, Out f) { f[0] = y[0] * std::cos(t); },
          .exact = [](double t, Out y) { y[0] = std::exp(std::sin(t)); }};
}

KnownProblem circle() {
  return {.name = "circle",
          .size = 2,
          .t_end = 20,
          .f =
              [](double, In y, Out f) {
                f[0] = -y[1];
                f[1] = y[0];
              },
          .exact =
              [](double t, Out y) {
                y[0] = std::cos(t);
                y[1] = std::sin(t);
              }};
}

// x'' + x'/5 + x = 0, x = e^(-t/10) cos(wt).
KnownProblem damped() {
  static const double w = std::sqrt(0.99);
  return {.name = "damped",
          .size = 2,
          .t_end = 20,
          .f =
              [](double, In y, Out f) {
                f[0] = y[1];
                f[1] = -0.2 * y[1] - y[0];
              },
          .exact =
              [](double t, Out y) {
                const double e = std::exp(-t / 10);
                y[0] = e * std::cos(w * t);
                y[1] = -e * (std::cos(w * t) / 10 + w * std::sin(w * t));
              }};
}

// The free rigid body: sn, cn, dn with parameter 1/2.
KnownProblem rigid_body() {
  return {.name = "rigid_body",
          .size = 3,
          .t_end = 12,
          .f =
              [](double, In y, Out f) {
                f[0] = y[1] * y[2];
                f[1] = -y[0] * y[2];
                f[2] = -0.5 * y[0] * y[1];
              },
          .exact = [](double t, Out y) { elliptic(t, 0.5, y[0], y[1], y[2]); }};
}

// One revolution on an ellipse of eccentricity 0.3, from the perihelion.
KnownProblem kepler() {
  constexpr double e = 0.3;
  return {.name = "kepler",
          .size = 4,
          .t_end = 6.28,
          .f =
              [](double, In y, Out f) {
                const double r2 = y[0] * y[0] + y[1] * y[1];
                const double r3 = r2 * std::sqrt(r2);
                f[0] = y[2];
                f[1] = y[3];
                f[2] = -y[0] / r3;
                f[3] = -y[1] / r3;
              },
          .exact =
              [](double t, Out y) {
                double u = t;  // Kepler's equation u - e sin u = t
                for (int i = 0; i < 50; ++i) u -= (u - e * std::sin(u) - t) / (1 - e * std::cos(u));
                const double b = std::sqrt(1 - e * e), rate = 1 / (1 - e * std::cos(u));
                y[0] = std::cos(u) - e;
                y[1] = b * std::sin(u);
                y[2] = -std::sin(u) * rate;
                y[3] = b * std::cos(u) * rate;
              }};
}

// n lags in a row, each with time constant 1/n: 1 - e^(-nt) Σ_(k<i) (nt)^k / k!.
KnownProblem lags(int n) {
  return {.name = "lags",
          .size = n,
          .t_end = 2,
          .f =
              [=](double, In y, Out f) {
                for (std::size_t i = 0; i < y.size(); ++i) f[i] = n * ((i ? y[i - 1] : 1) - y[i]);
              },
          .exact =
              [=](double t, Out y) {
                double term = std::exp(-n * t), sum = 0;
                for (std::size_t i = 0; i < y.size(); ++i) {
                  sum += term;
                  term *= n * t / static_cast<double>(i + 1);
                  y[i] = 1 - sum;
                }
              }};
}

// Prothero and Robinson: y' = -λ (y - cos t) - sin t.
KnownProblem prothero_robinson(double lambda) {
  return {.name = "prothero_robinson",
          .t_end = 10,
          .stiff = true,
          .f = [=](double t, In y, Out f) { f[0] = -lambda * (y[0] - std::cos(t)) - std::sin(t); },
          .exact = [](double t, Out y) { y[0] = std::cos(t); }};
}

// Kaps: y1 follows y2² ever more closely as ε falls.
KnownProblem kaps(double epsilon) {
  return {.name = "kaps",
          .size = 2,
          .t_end = 5,
          .stiff = true,
          .f =
              [=](double, In y, Out f) {
                f[0] = -(1 / epsilon + 2) * y[0] + y[1] * y[1] / epsilon;
                f[1] = y[0] - y[1] - y[1] * y[1];
              },
          .exact =
              [](double t, Out y) {
                y[0] = std::exp(-2 * t);
                y[1] = std::exp(-t);
              }};
}

// Eigenvalues -1 and -1000, not aligned with the axes; both are excited.
KnownProblem two_scales() {
  return {.name = "two_scales",
          .size = 2,
          .t_end = 5,
          .stiff = true,
          .f =
              [](double, In y, Out f) {
                f[0] = 998 * y[0] + 1998 * y[1];
                f[1] = -999 * y[0] - 1999 * y[1];
              },
          .exact =
              [](double t, Out y) {
                const double slow = std::exp(-t), fast = std::exp(-1000 * t);
                y[0] = 2 * slow - fast;
                y[1] = -slow + fast;
              }};
}

// A slow drive through a fast linear block with complex eigenvalues -50 ± 200i, at rest on it.
KnownProblem ringing() {
  return {.name = "ringing",
          .size = 2,
          .t_end = 5,
          .stiff = true,
          .f =
              [](double t, In y, Out f) {
                const double a = y[0] - std::sin(t), b = y[1] - std::cos(t);
                f[0] = -50 * a + 200 * b + std::cos(t);
                f[1] = -200 * a - 50 * b - std::sin(t);
              },
          .exact =
              [](double t, Out y) {
                y[0] = std::sin(t);
                y[1] = std::cos(t);
              }};
}

// y' = z, y + z = cos t.
KnownDae semi_explicit() {
  return {.name = "semi_explicit",
          .t_end = 10,
          .differential = {1, 0},
          .residual =
              [](double t, In y, In yp, Out r) {
                r[0] = yp[0] - y[1];
                r[1] = y[0] + y[1] - std::cos(t);
              },
          .exact =
              [](double t, Out y, Out yp) {
                y[0] = (std::cos(t) + std::sin(t)) / 2;
                y[1] = yp[0] = (std::cos(t) - std::sin(t)) / 2;
                yp[1] = -(std::cos(t) + std::sin(t)) / 2;
              }};
}

// y'³ + y' + y = -sin³ t - sin t + cos t, y = cos t.
KnownDae nonlinear_slope() {
  return {.name = "nonlinear_slope",
          .t_end = 10,
          .differential = {1},
          .residual =
              [](double t, In y, In yp, Out r) {
                const double s = std::sin(t);
                r[0] = yp[0] * yp[0] * yp[0] + yp[0] + y[0] + s * s * s + s - std::cos(t);
              },
          .exact =
              [](double t, Out y, Out yp) {
                y[0] = std::cos(t);
                yp[0] = -std::sin(t);
              }};
}

// (1 + y²) y' = -y: ln y + y²/2 = 1/2 - t; and z = e^y follows algebraically.
KnownDae mass_of_state() {
  return {.name = "mass_of_state",
          .t_end = 5,
          .differential = {1, 0},
          .residual =
              [](double, In y, In yp, Out r) {
                r[0] = (1 + y[0] * y[0]) * yp[0] + y[0];
                r[1] = std::log(y[1]) - y[0];
              },
          .exact =
              [](double t, Out y, Out yp) {
                double u = -t / 2;  // ln y
                for (int i = 0; i < 60; ++i) {
                  const double e = std::exp(2 * u);
                  u -= (u + e / 2 - 0.5 + t) / (1 + e);
                }
                y[0] = std::exp(u);
                yp[0] = -y[0] / (1 + y[0] * y[0]);
                y[1] = std::exp(y[0]);
                yp[1] = y[1] * yp[0];
              }};
}

// Stiff, with an algebraic sum: x' = -1000 (x - z) + cos t, z = w + sin t, w' = -w.
KnownDae stiff_sum() {
  return {.name = "stiff_sum",
          .t_end = 5,
          .differential = {1, 1, 0},
          .residual =
              [](double t, In y, In yp, Out r) {
                r[0] =
                    yp[0] + 1000 * (y[0] - std::sin(t)) - std::cos(t) - y[2] + y[1] + std::sin(t);
                r[1] = yp[1] + y[1];
                r[2] = y[2] - y[1] - std::sin(t);
              },
          .exact =
              [](double t, Out y, Out yp) {
                y[0] = std::sin(t);
                yp[0] = std::cos(t);
                y[1] = std::exp(-t);
                yp[1] = -y[1];
                y[2] = y[1] + std::sin(t);
                yp[2] = -y[1] + std::cos(t);
              }};
}

}  // namespace

std::vector<double> KnownProblem::at(double t) const {
  std::vector<double> y(static_cast<std::size_t>(size));
  exact(t, y);
  return y;
}

const std::vector<KnownProblem>& known_problems() {
  static const std::vector<KnownProblem> all{
      rational(), decay(),      logistic(), breathing(), circle(),
      damped(),   rigid_body(), kepler(),   lags(20),    prothero_robinson(1e4),
      kaps(1e-3), two_scales(), ringing(),  kaps(1e-6)};
  return all;
}

numerics::EvalStatus KnownOde::rhs(double t, std::span<const double> y, std::span<double> ydot) {
  p_.f(t, y, ydot);
  return numerics::EvalStatus::Ok;
}

numerics::EvalStatus KnownDaeProblem::residual(double t, std::span<const double> y,
                                               std::span<const double> yp, std::span<double> r) {
  p_.residual(t, y, yp, r);
  return numerics::EvalStatus::Ok;
}

const std::vector<KnownDae>& known_daes() {
  static const std::vector<KnownDae> all{semi_explicit(), nonlinear_slope(), mass_of_state(),
                                         stiff_sum()};
  return all;
}

const KnownProblem& problem(const std::string& name) {
  return *std::find_if(known_problems().begin(), known_problems().end(),
                       [&](const KnownProblem& p) { return p.name == name; });
}

}  // namespace chi::testing
