// The systems on which solvers of nonlinear equations are commonly tried, from their customary
// guess and from ten times as far: J. J. Moré, B. S. Garbow and K. E. Hillstrom, "Testing
// unconstrained optimization software", ACM TOMS 7(1), 1981, 17-41, problems 1, 3, 7, 13, 14, 21,
// 25-31.
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/algebraic_solver.h"
#include "numerics/dual_testing.h"

namespace chi::numerics {
namespace {

using Vector = std::vector<double>;

template <class F>
void expect_solved(const char* name_of_problem, const Vector& guess, const Vector& factors, F f) {
  const int n = static_cast<int>(guess.size());
  testing::TestProblem p(n, n, f);
  AlgebraicSolver solver(p.pattern());
  for (const double factor : factors) {
    Vector x = guess;
    for (double& v : x) v *= factor;
    const SolveResult result = solver.solve(p.problem, x);
    EXPECT_TRUE(result.converged()) << name_of_problem << " from " << factor << ": "
                                    << name(result.status) << " " << result.residual_norm;
    EXPECT_LT(result.residual_norm, 1e-12) << name_of_problem << " from " << factor;
    Vector r(x.size());
    f(x, r);
    for (const double v : r) EXPECT_LT(std::abs(v), 1e-7) << name_of_problem << " from " << factor;
  }
}

const Vector kNearAndFar = {1, 10, 100};

TEST(ClassicalSystems, RosenbrockPowellAndWood) {
  expect_solved("Rosenbrock", {-1.2, 1}, kNearAndFar, [](const auto& x, auto& f) {
    f[0] = 1.0 - x[0];
    f[1] = 10.0 * (x[1] - x[0] * x[0]);
  });
  expect_solved("Powell singular", {3, -1, 0, 1}, kNearAndFar, [](const auto& x, auto& f) {
    f[0] = x[0] + 10.0 * x[1];
    f[1] = std::sqrt(5.0) * (x[2] - x[3]);
    f[2] = (x[1] - 2.0 * x[2]) * (x[1] - 2.0 * x[2]);
    f[3] = std::sqrt(10.0) * (x[0] - x[3]) * (x[0] - x[3]);
  });
  expect_solved("Wood", {-3, -1, -3, -1}, kNearAndFar, [](const auto& x, auto& f) {
    const auto a = x[1] - x[0] * x[0], b = x[3] - x[2] * x[2];
    f[0] = -200.0 * x[0] * a - (1.0 - x[0]);
    f[1] = 200.0 * a + 20.2 * (x[1] - 1.0) + 19.8 * (x[3] - 1.0);
    f[2] = -180.0 * x[2] * b - (1.0 - x[2]);
    f[3] = 180.0 * b + 20.2 * (x[3] - 1.0) + 19.8 * (x[1] - 1.0);
  });
}

TEST(ClassicalSystems, Chebyquad) {
  for (const std::size_t n : {std::size_t{5}, std::size_t{6}, std::size_t{7}, std::size_t{9}}) {
    Vector guess;
    for (std::size_t i = 1; i <= n; ++i)
      guess.push_back(static_cast<double>(i) / static_cast<double>(n + 1));
    expect_solved("Chebyquad", guess, {1}, [n](const auto& x, auto& f) {
      for (std::size_t i = 0; i < n; ++i) f[i] = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        auto before = 0.0 * x[j] + 1.0, now = 2.0 * x[j] - 1.0;
        const auto twice = 2.0 * now;
        for (std::size_t i = 0; i < n; ++i) {
          f[i] = f[i] + now / static_cast<double>(n);
          const auto next = twice * now - before;
          before = now;
          now = next;
        }
      }
      for (std::size_t k = 2; k <= n; k += 2)
        f[k - 1] = f[k - 1] + 1.0 / (static_cast<double>(k * k) - 1.0);
    });
  }
}

TEST(ClassicalSystems, BrownTrigonometricAndVariablyDimensioned) {
  const std::size_t n = 10;
  expect_solved("Brown almost linear", Vector(n, 0.5), {1, 10}, [](const auto& x, auto& f) {
    auto sum = x[0], product = x[0];
    for (std::size_t i = 1; i < n; ++i) {
      sum = sum + x[i];
      product = product * x[i];
    }
    for (std::size_t i = 0; i + 1 < n; ++i) f[i] = x[i] + sum - (static_cast<double>(n) + 1.0);
    f[n - 1] = product - 1.0;
  });
  expect_solved("Trigonometric", Vector(n, 0.1), {1, 10}, [](const auto& x, auto& f) {
    auto sum = 0.0 * x[0];
    for (std::size_t i = 0; i < n; ++i) sum = sum + cos(x[i]);
    for (std::size_t i = 0; i < n; ++i) {
      const double k = static_cast<double>(i + 1);
      f[i] = static_cast<double>(n) - sum + k * (1.0 - cos(x[i])) - sin(x[i]);
    }
  });
  Vector guess;
  for (std::size_t i = 1; i <= n; ++i) guess.push_back(1.0 - static_cast<double>(i) / n);
  expect_solved("Variably dimensioned", guess, kNearAndFar, [](const auto& x, auto& f) {
    auto sum = 0.0 * x[0];
    for (std::size_t i = 0; i < n; ++i) sum = sum + static_cast<double>(i + 1) * (x[i] - 1.0);
    for (std::size_t i = 0; i < n; ++i) {
      f[i] = x[i] - 1.0 + static_cast<double>(i + 1) * sum * (1.0 + 2.0 * sum * sum);
    }
  });
}

TEST(ClassicalSystems, DiscreteEquations) {
  const std::size_t n = 10;
  const double h = 1.0 / (n + 1);
  Vector guess;
  for (std::size_t i = 1; i <= n; ++i) {
    const double t = h * static_cast<double>(i);
    guess.push_back(t * (t - 1));
  }
  expect_solved("Boundary value", guess, kNearAndFar, [h](const auto& x, auto& f) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto c = x[i] + (h * static_cast<double>(i + 1) + 1.0);
      f[i] = 2.0 * x[i] + 0.5 * h * h * c * c * c;
      if (i > 0) f[i] = f[i] - x[i - 1];
      if (i + 1 < n) f[i] = f[i] - x[i + 1];
    }
  });
  expect_solved("Integral equation", guess, kNearAndFar, [h](const auto& x, auto& f) {
    for (std::size_t i = 0; i < n; ++i) {
      const double ti = h * static_cast<double>(i + 1);
      f[i] = x[i];
      for (std::size_t j = 0; j < n; ++j) {
        const double tj = h * static_cast<double>(j + 1);
        const auto c = x[j] + (tj + 1.0);
        f[i] = f[i] + 0.5 * h * (j <= i ? (1 - ti) * tj : ti * (1 - tj)) * c * c * c;
      }
    }
  });
}

TEST(ClassicalSystems, Broyden) {
  const std::size_t n = 30;
  expect_solved("Broyden tridiagonal", Vector(n, -1), kNearAndFar, [](const auto& x, auto& f) {
    for (std::size_t i = 0; i < n; ++i) {
      f[i] = (3.0 - 2.0 * x[i]) * x[i] + 1.0;
      if (i > 0) f[i] = f[i] - x[i - 1];
      if (i + 1 < n) f[i] = f[i] - 2.0 * x[i + 1];
    }
  });
  expect_solved("Broyden banded", Vector(n, -1), kNearAndFar, [](const auto& x, auto& f) {
    for (std::size_t i = 0; i < n; ++i) {
      f[i] = x[i] * (2.0 + 5.0 * x[i] * x[i]) + 1.0;
      for (std::size_t j = i > 5 ? i - 5 : 0; j <= std::min(i + 1, n - 1); ++j) {
        if (j != i) f[i] = f[i] - x[j] * (1.0 + x[j]);
      }
    }
  });
}

}  // namespace
}  // namespace chi::numerics
