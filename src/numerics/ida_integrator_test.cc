#include "numerics/ida_integrator.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "numerics/callable_problem.h"

namespace chi::numerics {
namespace {

// A tank that runs empty: h' = -q, q the odd root of h, so that h = (s - t/2)² up to t = 2s. There
// Newton jumps across the corner, to and fro, and no iteration makes q as accurate as h.
TEST(Ida, ComesToRestOnAnOddRoot) {
  constexpr double s = 0.5;
  CallableDae tank({1, 0}, [](double, auto y, auto yp, auto r) {
    r[0] = yp[0] + y[1];
    r[1] = y[1] - std::copysign(std::sqrt(std::abs(y[0])), y[0]);
  });
  auto ida = make_ida_integrator(tank, {.suppress_algebraic = true});
  ida->restart(0, std::array{s * s, s}, std::array{-s, -0.5}, Restart::Cold);
  while (ida->t() < 10) {
    ASSERT_EQ(ida->step(10), StepStatus::Stepped);
    const double root = std::max(0.0, s - ida->t() / 2);
    ASSERT_NEAR(ida->y()[0], root * root, 1e-6);
    ASSERT_LT(ida->stats().steps, 1000);
  }
}

}  // namespace
}  // namespace chi::numerics
