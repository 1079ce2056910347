#include "numerics/radau.h"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/callable_problem.h"
#include "numerics/radau_coefficients.h"
#include "numerics/radau_stages.h"

namespace chi::numerics {
namespace {

using radau::Matrix3;

Matrix3 product(const Matrix3& a, const Matrix3& b) {
  Matrix3 c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

void expect_near(const Matrix3& a, const Matrix3& b) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(a[i][j], b[i][j], 1e-13) << i << j;
  }
}

constexpr Matrix3 kIdentity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// The nodes are the zeros of the right Radau polynomial of degree 3, 10 x³ - 18 x² + 9 x - 1, and A
// is their collocation matrix: Σ_j a_ij c_j^(k-1) = c_i^k / k, k = 1, 2, 3.
TEST(Radau, CoefficientsFollowFromTheNodes) {
  Matrix3 powers{}, integrals{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = radau::kNodes[i];
    EXPECT_NEAR(((10 * c - 18) * c + 9) * c - 1, 0, 1e-14);
    for (std::size_t k = 0; k < 3; ++k) {
      powers[i][k] = std::pow(c, static_cast<double>(k));
      integrals[i][k] = std::pow(c, static_cast<double>(k + 1)) / static_cast<double>(k + 1);
    }
  }
  expect_near(product(radau::kInverseA, integrals), powers);
  expect_near(product(radau::kInverseT, radau::kT), kIdentity);
  const Matrix3 block = {
      {{radau::kGamma, 0, 0}, {0, radau::kAlpha, radau::kBeta}, {0, -radau::kBeta, radau::kAlpha}}};
  expect_near(product(radau::kInverseT, product(radau::kInverseA, radau::kT)), block);
  Matrix3 monomials{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      monomials[i][k] = std::pow(radau::kNodes[i], static_cast<double>(k + 1));
    }
  }
  expect_near(product(radau::kPowers, monomials), kIdentity);
}

TEST(Radau, BetweenTheNodesTheInterpolationErrorIsLargest) {
  const auto error = [](double x) {
    return std::abs(x * (x - radau::kNodes[0]) * (x - radau::kNodes[1]) * (x - 1));
  };
  for (int k = 0; k <= 1000; ++k) EXPECT_LE(error(k / 1000.0), error(radau::kBetweenNodes) + 1e-9);
}

// On y' = λy a step multiplies by the Padé approximant R(z) = P(z)/Q(z) of degrees 2 and 3, z = λh.
TEST(Radau, OneStepIsThePadeApproximant) {
  for (const double z : {-0.5, -10.0, -1e4}) {
    CallableOde linear(1, [=](double, auto y, auto ydot) { ydot[0] = z * y[0]; });
    auto s =
        make_radau(linear, {.tolerances = {.relative = 1e-12, .absolute = 1e-14}, .fixed_step = 1});
    s->restart(0, std::array{1.0}, {}, Restart::Cold);
    ASSERT_EQ(s->step(1), StepStatus::Stepped);
    const double p = 1 + 2 * z / 5 + z * z / 20;
    const double q = 1 - 3 * z / 5 + 3 * z * z / 20 - z * z * z / 60;
    EXPECT_NEAR(s->y()[0], p / q, 1e-9);
  }
}

// A linear problem with constant coefficients: one Jacobian is enough, few factorisations.
TEST(Radau, KeepsJacobianAndFactors) {
  CallableOde linear(2, [](double t, auto y, auto ydot) {
    ydot[0] = -100 * y[0] + y[1] + std::sin(t);
    ydot[1] = -y[1];
  });
  auto s = make_radau(linear, {});
  s->restart(0, std::array{0.0, 1.0}, {}, Restart::Cold);
  while (s->t() < 10) ASSERT_EQ(s->step(10), StepStatus::Stepped);
  EXPECT_LT(s->stats().jacobians, 3);
  EXPECT_LT(s->stats().factorizations, s->stats().steps);
  EXPECT_LT(s->stats().newton_iterations, 3 * s->stats().steps);
}

// Two tanks at nearly the same level, and an orifice between them, with d = y1 - y2:
// d' = a - 2 sqrt(d), so t = -s - a/2 log(1 - 2s/a), s = sqrt(d).
class TwoTanks final : public OdeProblem {
 public:
  static constexpr double a = 0.4;
  int size() const override { return 2; }
  EvalStatus rhs(double, std::span<const double> y, std::span<double> ydot) override {
    const double d = y[0] - y[1];
    const double q = std::copysign(std::sqrt(std::abs(d)), d);
    ydot[0] = -q;
    ydot[1] = q - a;
    return EvalStatus::Ok;
  }
  bool has_jacobian() const override { return true; }
  EvalStatus jacobian(double, std::span<const double> y, std::span<double> values) override {
    const double slope = 0.5 / std::sqrt(std::abs(y[0] - y[1]));
    values[0] = values[3] = -slope;
    values[1] = values[2] = slope;
    return EvalStatus::Ok;
  }
};

// The slope of the root at the start is too large for any step worth taking, and the sum of the
// levels moves fast enough to hide that.
TEST(Radau, IsNotMisledByAHugeSlope) {
  TwoTanks tanks;
  for (const double start : {1e-15, 3e-13, -3e-13, 1e-9}) {
    for (const double first_step : {0.0, 0.01, 0.1}) {
      auto s = make_radau(tanks, {.initial_step = first_step});
      s->restart(0, std::array{1 + start, 1.0}, {}, Restart::Cold);
      while (s->t() < 1) {
        ASSERT_EQ(s->step(1), StepStatus::Stepped);
        const double root = std::sqrt(std::max(0.0, s->y()[0] - s->y()[1]));
        const double time = -root - TwoTanks::a / 2 * std::log(1 - 2 * root / TwoTanks::a);
        ASSERT_NEAR(time, s->t(), 1e-4 * s->t() + 1e-5) << start << " " << first_step;
      }
    }
  }
}

// F = (y1' + y2' - 1, y1' + y2' + y1): ∂F/∂y' is singular and so is every matrix of the pencil but
// for rounding: y1' and y2' are not determined. With only y1' + y2' it is singular for all h.
TEST(Radau, ReportsASingularPencil) {
  CallableDae singular({1, 1}, [](double, auto, auto yp, auto r) {
    r[0] = yp[0] + yp[1] - 1;
    r[1] = 2 * (yp[0] + yp[1]) - 2;
  });
  auto s = make_radau(singular, {});
  s->restart(0, std::array{0.0, 0.0}, std::array{0.5, 0.5}, Restart::Cold);
  const StepStatus status = s->step(1);
  EXPECT_TRUE(status == StepStatus::SingularMatrix || status == StepStatus::NewtonFailed);
  EXPECT_EQ(s->t(), 0);
}

// The trajectory that hides from the ordinary estimate: y' = -λ (y - cos t) - sin t with large λ.
// At the steps any h would do; between them the polynomial must follow the cosine.
TEST(Radau, DenseOutputOfStiffComponentsMeetsTheTolerance) {
  CallableOde stiff(
      1, [](double t, auto y, auto ydot) { ydot[0] = -1e6 * (y[0] - std::cos(t)) - std::sin(t); });
  auto s = make_radau(stiff, {.tolerances = {.relative = 1e-6, .absolute = 1e-6}});
  s->restart(0, std::array{1.0}, {}, Restart::Cold);
  while (s->t() < 10) {
    ASSERT_EQ(s->step(10), StepStatus::Stepped);
    for (int k = 1; k < 10; ++k) {
      const double t = s->t_old() + k / 10.0 * (s->t() - s->t_old());
      ASSERT_NEAR(s->dense_output().value(t, 0), std::cos(t), 4e-6);
    }
  }
}

// y + e^z = 2 cos t, y' = z, with a hint of index 1 only: at each accepted step the constraint
// holds to the accuracy of the Newton iteration, not just to that of the step.
TEST(Radau, EndPointsSatisfyTheAlgebraicEquations) {
  CallableDae dae({1, 0}, [](double t, auto y, auto yp, auto r) {
    r[0] = yp[0] - y[1];
    r[1] = y[0] + std::exp(y[1]) - 2 * std::cos(0.1 * t);
  });
  auto s = make_radau(dae, {.tolerances = {.relative = 1e-5, .absolute = 1e-8}});
  s->restart(0, std::array{1.0, 0.0}, std::array{0.0, 0.0}, Restart::Cold);
  while (s->t() < 5) {
    ASSERT_EQ(s->step(5), StepStatus::Stepped);
    ASSERT_NEAR(s->y()[0] + std::exp(s->y()[1]), 2 * std::cos(0.1 * s->t()), 1e-6);
    ASSERT_NEAR(s->yp()[0], s->y()[1], 1e-6);
  }
}

}  // namespace
}  // namespace chi::numerics
