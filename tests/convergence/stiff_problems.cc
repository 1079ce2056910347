#include "stiff_problems.h"

#include <algorithm>

namespace chi::testing {
namespace {

using In = StiffProblem::In;
using Out = StiffProblem::Out;

StiffProblem robertson() {
  return {.name = "robertson",
          .t_end = 1e11,
          .start = {1, 0, 0},
          .reference = {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050},
          .small = 1e-14,
          .f =
              [](double, In y, Out f) {
                f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                f[2] = 3e7 * y[1] * y[1];
                f[1] = -f[0] - f[2];
              },
          .jacobian =
              [](In y, Out j) {
                const double a = 1e4 * y[2], b = 1e4 * y[1], c = 6e7 * y[1];
                const double columns[] = {-0.04, 0.04, 0, a, -a - c, c, b, -b, 0};
                std::copy(std::begin(columns), std::end(columns), j.begin());
              }};
}

StiffProblem van_der_pol() {
  constexpr double mu = 1000;
  return {.name = "van_der_pol",
          .t_end = 2000,
          .start = {2, 0},
          .reference = {0.1706167732170469e1, -0.8928097010248125e-3},
          .f =
              [](double, In y, Out f) {
                f[0] = y[1];
                f[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
              },
          .jacobian =
              [](In y, Out j) {
                j[0] = 0;
                j[1] = -2 * mu * y[0] * y[1] - 1;
                j[2] = 1;
                j[3] = mu * (1 - y[0] * y[0]);
              }};
}

// Eight substances of a light-dependent reaction; the only nonlinear term is 280 y6 y8.
StiffProblem hires() {
  return {.name = "hires",
          .t_end = 321.8122,
          .start = {1, 0, 0, 0, 0, 0, 0, 0.0057},
          .reference = {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4,
                        0.1175651343283149e-2, 0.2386356198831331e-2, 0.6238968252742796e-2,
                        0.2849998395185769e-2, 0.2850001604814231e-2},
          .small = 1e-10,
          .f =
              [](double, In y, Out f) {
                const double pair = 280 * y[5] * y[7];
                f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
                f[1] = 1.71 * y[0] - 8.75 * y[1];
                f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
                f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
                f[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
                f[5] = -pair + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
                f[6] = pair - 1.81 * y[6];
                f[7] = -f[6];
              },
          .jacobian =
              [](In y, Out j) {
                std::fill(j.begin(), j.end(), 0.0);
                const auto at = [&](std::size_t row, std::size_t col) -> double& {
                  return j[col * 8 + row];
                };
                at(0, 0) = -1.71, at(0, 1) = 0.43, at(0, 2) = 8.32;
                at(1, 0) = 1.71, at(1, 1) = -8.75;
                at(2, 2) = -10.03, at(2, 3) = 0.43, at(2, 4) = 0.035;
                at(3, 1) = 8.32, at(3, 2) = 1.71, at(3, 3) = -1.12;
                at(4, 4) = -1.745, at(4, 5) = 0.43, at(4, 6) = 0.43;
                at(5, 3) = 0.69, at(5, 4) = 1.71, at(5, 5) = -0.43 - 280 * y[7], at(5, 6) = 0.69;
                at(5, 7) = -280 * y[5];
                at(6, 5) = 280 * y[7], at(6, 6) = -1.81, at(6, 7) = 280 * y[5];
                at(7, 5) = -280 * y[7], at(7, 6) = 1.81, at(7, 7) = -280 * y[5];
              }};
}

// The Oregonator of Field and Noyes.
StiffProblem orego() {
  constexpr double s = 77.27, q = 8.375e-6, w = 0.161;
  return {.name = "orego",
          .t_end = 360,
          .start = {1, 2, 3},
          .reference = {0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3},
          .f =
              [](double, In y, Out f) {
                f[0] = s * (y[1] + y[0] * (1 - q * y[0] - y[1]));
                f[1] = (y[2] - (1 + y[0]) * y[1]) / s;
                f[2] = w * (y[0] - y[2]);
              },
          .jacobian =
              [](In y, Out j) {
                const double columns[] = {s * (1 - 2 * q * y[0] - y[1]),
                                          -y[1] / s,
                                          w,
                                          s * (1 - y[0]),
                                          -(1 + y[0]) / s,
                                          0,
                                          0,
                                          1 / s,
                                          -w};
                std::copy(std::begin(columns), std::end(columns), j.begin());
              }};
}

}  // namespace

const std::vector<StiffProblem>& stiff_problems() {
  static const std::vector<StiffProblem> all{robertson(), van_der_pol(), hires(), orego()};
  return all;
}

numerics::EvalStatus StiffOde::rhs(double t, std::span<const double> y, std::span<double> ydot) {
  p_.f(t, y, ydot);
  return numerics::EvalStatus::Ok;
}

numerics::EvalStatus StiffOde::jacobian(double, std::span<const double> y,
                                        std::span<double> values) {
  p_.jacobian(y, values);
  return numerics::EvalStatus::Ok;
}

}  // namespace chi::testing
