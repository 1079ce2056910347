#include "numerics/newton.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/dual_testing.h"

namespace chi::numerics {
namespace {

using testing::TestProblem;
using Vector = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Problem>
SolveResult solve(const Problem& p, Vector& x, NewtonOptions options = {}) {
  return NewtonSolver(p.pattern(), options).solve(p.problem, x);
}

TEST(Newton, SolvesLinearSystemsInOneStepToTheLastDigit) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 50; ++round) {
    const auto n = static_cast<std::size_t>(1 + round % 10);
    Vector a(n * n), b(n);
    for (double& v : a) v = normal(random);
    for (double& v : b) v = normal(random);
    TestProblem p(static_cast<int>(n), static_cast<int>(n), [&](const auto& x, auto& f) {
      for (std::size_t i = 0; i < n; ++i) {
        f[i] = -b[i];
        for (std::size_t j = 0; j < n; ++j) f[i] = f[i] + a[i * n + j] * x[j];
      }
    });
    Vector x(n, 100.0);
    const SolveResult result = solve(p, x);
    ASSERT_TRUE(result.converged());
    EXPECT_EQ(result.iterations, 1);
    EXPECT_LT(result.residual_norm, 1e-15);
  }
}

TEST(Newton, RosenbrockAsASystem) {
  TestProblem p(2, 2, [](const auto& x, auto& f) {
    f[0] = 10.0 * (x[1] - x[0] * x[0]);
    f[1] = 1.0 - x[0];
  });
  Vector x = {-1.2, 1.0};
  EXPECT_TRUE(solve(p, x).converged());
  EXPECT_NEAR(x[0], 1, 1e-15);
  EXPECT_NEAR(x[1], 1, 1e-15);
}

// Pipes side by side: c x|x| = d for both flows, whose sum is given but for a leak. Where that is
// zero the Jacobian is singular, but no other flows will do.
TEST(Newton, SolutionThatStandsAloneMayBeSingular) {
  double sum = 0;
  TestProblem p(3, 3, [&](const auto& x, auto& f) {
    using std::abs;
    f[0] = x[2] - 1.8 * x[0] * abs(x[0]);
    f[1] = x[2] - 2.29 * x[1] * abs(x[1]);
    f[2] = x[0] + x[1] + x[2] - sum;
  });
  const auto sizes = [&](std::span<const double> x, std::span<double> out) {
    out[0] = std::abs(x[2]) + 1.8 * x[0] * x[0];
    out[1] = std::abs(x[2]) + 2.29 * x[1] * x[1];
    out[2] = std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]) + 1;
    return EvalStatus::Ok;
  };
  p.problem.sizes = sizes;
  NewtonSolver solver(p.pattern(), {.around_singular_guess = 0.1});
  for (const double guess : {1e-18, 1e-16, 1e-9, 1e-3}) {
    Vector x = {guess, -2 * guess, guess * guess};
    ASSERT_TRUE(solver.solve_once(p.problem, x).converged()) << guess;
    EXPECT_NEAR(x[0], 0, 1e-7);
    EXPECT_NEAR(x[1], 0, 1e-7);
  }
  for (const double now : {1e-9, 1e-4, 0.01, -1e-9, -1e-4, -0.01}) {
    sum = now;
    Vector x = {1e-18, -2e-18, 0};
    ASSERT_TRUE(solver.solve_once(p.problem, x).converged()) << now;
    EXPECT_GT(x[0] * now, 0);
    EXPECT_NEAR(x[0] * std::sqrt(1.8), x[1] * std::sqrt(2.29), 1e-6 * std::abs(now)) << now;
  }
}

// q T = p, with q = p = 0: T may be anything.
TEST(Newton, UnknownThatLostItsFactorHasNoSolution) {
  TestProblem p(2, 2, [](const auto& x, auto& f) {
    f[0] = x[0] * x[1] - 3.0 * x[0];
    f[1] = x[0] - 1e-17;
  });
  const auto sizes = [&](std::span<const double> x, std::span<double> out) {
    out[0] = std::abs(x[0] * x[1]) + 3 * std::abs(x[0]);
    out[1] = 1;
    return EvalStatus::Ok;
  };
  p.problem.sizes = sizes;
  Vector x = {0, 1};
  EXPECT_FALSE(NewtonSolver(p.pattern()).solve_once(p.problem, x).converged());
}

// x - 1e-14/x = a: all steps are small, for x is.
TEST(Newton, SmallUnknownsAreFoundWhereEquationsBalance) {
  for (const double a : {1e-2, 1e-6, 0.0, -1e-6, -1e-2}) {
    TestProblem p(1, 1, [&](const auto& x, auto& f) { f[0] = x[0] - 1e-14 / x[0] - a; });
    const auto sizes = [&](std::span<const double> x, std::span<double> out) {
      out[0] = x[0] + 1e-14 / x[0] + std::abs(a);
      return EvalStatus::Ok;
    };
    p.problem.sizes = sizes;
    const Vector lower = {1e-14}, upper = {1.0};
    p.problem.lower = lower;
    p.problem.upper = upper;
    const double root = std::sqrt(a * a + 4e-14);
    const double exact = a > 0 ? (a + root) / 2 : 2e-14 / (root - a);
    for (const double guess : {1e-14, 1e-12, 1e-10, 1e-9, 6e-8, 1e-7, 1e-5, 1e-4, 1.0}) {
      Vector x = {guess};
      ASSERT_TRUE(NewtonSolver(p.pattern()).solve_once(p.problem, x).converged())
          << a << " from " << guess;
      EXPECT_NEAR(x[0] / exact, 1, 1e-7) << a << " from " << guess;
    }
  }
}

TEST(Newton, PowellSingularFunctionHasASingularSolution) {
  TestProblem p(4, 4, [](const auto& x, auto& f) {
    f[0] = x[0] + 10.0 * x[1];
    f[1] = std::sqrt(5.0) * (x[2] - x[3]);
    f[2] = (x[1] - 2.0 * x[2]) * (x[1] - 2.0 * x[2]);
    f[3] = std::sqrt(10.0) * (x[0] - x[3]) * (x[0] - x[3]);
  });
  Vector x = {3, -1, 0, 1};
  EXPECT_TRUE(solve(p, x).converged());
  for (const double v : x) EXPECT_NEAR(v, 0, 1e-7);
}

TEST(Newton, PowellBadlyScaled) {
  TestProblem p(2, 2, [](const auto& x, auto& f) {
    f[0] = 1e4 * x[0] * x[1] - 1.0;
    f[1] = exp(-x[0]) + exp(-x[1]) - 1.0001;
  });
  const Vector nominal = {1e-5, 1.0};
  p.problem.nominal = nominal;
  Vector x = {0, 1};
  const SolveResult result = solve(p, x);
  ASSERT_TRUE(result.converged()) << name(result.status);
  EXPECT_NEAR(x[0], 1.0981593296997e-5, 1e-16);
  EXPECT_NEAR(x[1], 9.106146739867, 1e-10);
}

TEST(Newton, BrownAlmostLinear) {
  for (const std::size_t n : {std::size_t{5}, std::size_t{10}, std::size_t{30}}) {
    TestProblem p(static_cast<int>(n), static_cast<int>(n), [n](const auto& x, auto& f) {
      auto sum = x[0];
      auto product = x[0];
      for (std::size_t i = 1; i < n; ++i) {
        sum = sum + x[i];
        product = product * x[i];
      }
      for (std::size_t i = 0; i + 1 < n; ++i) f[i] = x[i] + sum - (static_cast<double>(n) + 1.0);
      f[n - 1] = product - 1.0;
    });
    Vector x(n, 0.5);
    const SolveResult result = solve(p, x);
    ASSERT_TRUE(result.converged()) << n << " " << name(result.status);
    EXPECT_LT(result.residual_norm, 1e-13);
  }
}

TEST(Newton, TrigonometricExponential) {
  const std::size_t n = 40;  // trigexp 1 of Luksan & Vlcek
  TestProblem p(static_cast<int>(n), static_cast<int>(n), [n](const auto& x, auto& f) {
    f[0] = 3.0 * x[0] * x[0] * x[0] + 2.0 * x[1] - 5.0 + sin(x[0] - x[1]) * sin(x[0] + x[1]);
    for (std::size_t i = 1; i + 1 < n; ++i) {
      f[i] = 3.0 * x[i] * x[i] * x[i] + 2.0 * x[i + 1] - 5.0 +
             sin(x[i] - x[i + 1]) * sin(x[i] + x[i + 1]) + 4.0 * x[i] -
             x[i - 1] * exp(x[i - 1] - x[i]) - 3.0;
    }
    f[n - 1] = 4.0 * x[n - 1] - x[n - 2] * exp(x[n - 2] - x[n - 1]) - 3.0;
  });
  Vector x(n, 0.0);
  ASSERT_TRUE(solve(p, x).converged());
  for (const double v : x) EXPECT_NEAR(v, 1, 1e-14);
}

TEST(Newton, ConfirmsOnlyLongStepsByAnotherJacobian) {
  TestProblem p(1, 1, [](const auto& x, auto& f) { f[0] = x[0] * x[0] - 2.0; });
  Vector x = {1.5};
  const SolveResult result = solve(p, x);
  EXPECT_EQ(x[0], std::sqrt(2.0));
  EXPECT_EQ(result.jacobian_evaluations, result.iterations);
}

TEST(Newton, ArcTangentFromFarAway) {  // diverges without damping
  TestProblem p(1, 1, [](const auto& x, auto& f) { f[0] = atan(x[0] - 0.5); });
  Vector x = {40};
  const SolveResult result = solve(p, x);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.attempts, 1);
  EXPECT_NEAR(x[0], 0.5, 1e-16);
}

// The pendulum's constraint with nothing set: x must become L, not -L, and not fail (semantics §6).
TEST(Newton, SingularGuessFindsThePositiveSolution) {
  for (const double y : {0.0, 0.6, -0.8}) {
    TestProblem p(1, 1, [y](const auto& x, auto& f) { f[0] = x[0] * x[0] + y * y - 1.0; });
    Vector x = {0};
    const SolveResult result = solve(p, x);
    ASSERT_TRUE(result.converged());
    EXPECT_NEAR(x[0], std::sqrt(1 - y * y), 1e-15);
    EXPECT_GT(result.attempts, 1);
  }
}

// Position and velocity of the pendulum at once: x² + y² = L², x u + y v = 0 for x and u.
TEST(Newton, PendulumConstraintsFromZero) {
  TestProblem p(2, 2, [](const auto& x, auto& f) {
    const double y = -3, v = 2, length = 5;
    f[0] = x[0] * x[0] + y * y - length * length;
    f[1] = x[0] * x[1] + y * v;
  });
  Vector x = {0, 0};
  ASSERT_TRUE(solve(p, x).converged());
  EXPECT_NEAR(x[0], 4, 1e-14);
  EXPECT_NEAR(x[1], 1.5, 1e-14);
}

TEST(Newton, KeepsBounds) {
  TestProblem p(1, 1, [](const auto& x, auto& f) { f[0] = x[0] * x[0] - 4.0; });
  const Vector lower = {-10}, upper = {0};
  p.problem.lower = lower;
  p.problem.upper = upper;
  for (const double guess : {-0.1, -9.0, 5.0, 0.0}) {
    Vector x = {guess};
    EXPECT_TRUE(solve(p, x).converged()) << guess;
    EXPECT_NEAR(x[0], -2, 1e-15) << guess;
  }
}

TEST(Newton, FindsASolutionOnTheBorder) {
  TestProblem p(2, 2, [](const auto& x, auto& f) {
    f[0] = x[0] + x[1] - 1.0;
    f[1] = x[0] * exp(x[1]);
  });
  const Vector lower = {0, -kInfinity};
  p.problem.lower = lower;
  Vector x = {3, 3};
  ASSERT_TRUE(solve(p, x).converged());
  EXPECT_NEAR(x[0], 0, 1e-15);
  EXPECT_NEAR(x[1], 1, 1e-15);
}

TEST(Newton, SaysWhenTheSolutionIsOutOfBounds) {
  TestProblem p(1, 1, [](const auto& x, auto& f) { f[0] = x[0] - 3.0; });
  const Vector lower = {0}, upper = {2};
  p.problem.lower = lower;
  p.problem.upper = upper;
  Vector x = {1};
  const SolveResult result = solve(p, x);
  EXPECT_EQ(result.status, SolveStatus::OutOfBounds);
  EXPECT_EQ(result.worst_equation, 0);
  EXPECT_EQ(x[0], 2);
}

TEST(Newton, UndefinedTrialPointsShortenTheStep) {
  TestProblem p(1, 1, [](const auto& x, auto& f) { f[0] = sqrt(x[0]) - 0.01; });
  Vector x = {4};  // the full step leads to a negative x
  const SolveResult result = solve(p, x);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.attempts, 1);
  EXPECT_NEAR(x[0], 1e-4, 1e-16);
}

TEST(Newton, LeavesAnUndefinedGuess) {
  TestProblem p(1, 1, [](const auto& x, auto& f) { f[0] = log(x[0]) + 1.0; });
  Vector x = {0};
  EXPECT_TRUE(solve(p, x).converged());
  EXPECT_NEAR(x[0], std::exp(-1), 1e-15);
}

TEST(Newton, NamesTheEquationsThatCannotHold) {
  TestProblem p(3, 3, [](const auto& x, auto& f) {
    f[0] = x[0] - 1.0;
    f[1] = x[1] + x[2] - 1.0;
    f[2] = x[1] + x[2] - 2.0;
  });
  Vector x = {0, 0, 0};
  const SolveResult result = solve(p, x);
  EXPECT_EQ(result.status, SolveStatus::Singular);
  EXPECT_EQ(result.singular_rows, (std::vector{1, 2}));
  EXPECT_EQ(result.singular_cols, (std::vector{1, 2}));
  EXPECT_NE(result.worst_equation, 0);
}

TEST(Newton, FailsHonestlyWithoutARealSolution) {
  TestProblem p(1, 1, [](const auto& x, auto& f) { f[0] = x[0] * x[0] + 1.0; });
  Vector x = {2};
  const SolveResult result = solve(p, x);
  EXPECT_FALSE(result.converged());
  EXPECT_EQ(result.worst_equation, 0);
  EXPECT_LT(std::abs(x[0]), 0.5);  // the best point met
  EXPECT_NEAR(result.worst_residual, 1.0, 0.3);
}

TEST(Newton, UnitsOfEquationsDoNotMatter) {
  const auto make = [](double c0, double c1) {
    return [c0, c1](const auto& x, auto& f) {
      f[0] = c0 * (x[0] * x[1] - 2.0);
      f[1] = c1 * (x[0] - exp(x[1]) + 0.3);
    };
  };
  TestProblem p(2, 2, make(1, 1)), q(2, 2, make(0x1p40, 0x1p-30));
  Vector x = {4, 3}, y = x;
  EXPECT_EQ(solve(p, x).iterations, solve(q, y).iterations);
  EXPECT_EQ(x, y);  // affine covariance, bit for bit with powers of two
}

TEST(Newton, RandomSystemsConvergeToTheLastDigit) {
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 300; ++round) {
    const auto n = static_cast<std::size_t>(1 + round % 6);
    Vector a(n * n), solution(n);
    for (double& v : a) v = normal(random);
    for (double& v : solution) v = normal(random);
    // f_i = Σ a_ij (sin(x_j) - sin(s_j)) + (x_i³ - s_i³) + 3 (x_i - s_i)
    TestProblem p(static_cast<int>(n), static_cast<int>(n), [&](const auto& x, auto& f) {
      for (std::size_t i = 0; i < n; ++i) {
        const double s = solution[i];
        f[i] = x[i] * x[i] * x[i] - s * s * s + 3.0 * (x[i] - s);
        for (std::size_t j = 0; j < n; ++j) {
          f[i] = f[i] + 0.3 * a[i * n + j] * (sin(x[j]) - std::sin(solution[j]));
        }
      }
    });
    Vector x(n);
    for (double& v : x) v = 3 * normal(random);
    const SolveResult result = solve(p, x);
    ASSERT_TRUE(result.converged()) << round;
    EXPECT_LT(result.residual_norm, 1e-15) << round;
  }
}

}  // namespace
}  // namespace chi::numerics
