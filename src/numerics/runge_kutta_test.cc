#include "numerics/runge_kutta.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "numerics/callable_problem.h"
#include "numerics/runge_kutta_tableaus.h"

namespace chi::numerics {
namespace {

constexpr ExplicitMethod kMethods[] = {ExplicitMethod::DormandPrince, ExplicitMethod::Fehlberg};

IntegratorOptions tolerance(double relative, double absolute) {
  return {.tolerances = {.relative = relative, .absolute = absolute}};
}

// Rows of a sum to c; weights to 1; errors to 0; the interpolant ends at y_new with slope K_last,
// starts with slope K_first.
template <class Method>
void expect_consistent() {
  constexpr auto& m = Method::kTableau;
  constexpr std::size_t last = Method::kStages - 1;
  double errors = 0;
  for (std::size_t i = 0; i < Method::kStages; ++i) {
    double row = 0;
    for (const double a : m.a[i]) row += a;
    EXPECT_NEAR(row, m.c[i], 1e-14);
    errors += m.e[i];
    EXPECT_NEAR(m.d[i][0] + m.d[i][1] + m.d[i][2] + m.d[i][3], m.a[last][i], 1e-14);
    EXPECT_NEAR(m.d[i][0] + 2 * m.d[i][1] + 3 * m.d[i][2] + 4 * m.d[i][3], i == last, 1e-14);
    EXPECT_EQ(m.d[i][0], i == 0);
  }
  EXPECT_NEAR(errors, 0, 1e-15);
  EXPECT_EQ(m.c[Method::kStiffStage], 1);
}
TEST(RungeKutta, TableausAreConsistent) {
  expect_consistent<DormandPrince>();
  expect_consistent<Fehlberg>();
}

TEST(RungeKutta, StopsExactlyAtTheLimitAndKeepsItsStepBeyond) {
  CallableOde decay(1, [](double, auto y, auto ydot) { ydot[0] = -y[0]; });
  for (const ExplicitMethod method : kMethods) {
    auto s = make_runge_kutta(decay, tolerance(1e-8, 1e-10), method);
    s->restart(0, std::array{1.0}, {}, Restart::Cold);
    while (s->t() < 0.5) ASSERT_EQ(s->step(0.5), StepStatus::Stepped);
    EXPECT_EQ(s->t(), 0.5);
    const double wanted = s->next_step();
    const double beyond = 0.5 + 1e-9;  // a second limit close by: one short step
    ASSERT_EQ(s->step(beyond), StepStatus::Stepped);
    EXPECT_EQ(s->t(), beyond);
    EXPECT_GE(s->next_step(), wanted);
  }
}

// The interpolants are of class C¹: slope f at both ends, up to rounding.
TEST(RungeKutta, DenseOutputHasTheRightSlopes) {
  CallableOde circle(2, [](double, auto y, auto ydot) {
    ydot[0] = -y[1];
    ydot[1] = y[0];
  });
  for (const ExplicitMethod method : kMethods) {
    auto s = make_runge_kutta(circle, tolerance(1e-6, 1e-9), method);
    s->restart(0, std::array{1.0, 0.0}, {}, Restart::Cold);
    for (int i = 0; i < 20; ++i) {
      const double before[] = {-s->y()[1], s->y()[0]};
      ASSERT_EQ(s->step(100), StepStatus::Stepped);
      for (int c = 0; c < 2; ++c) {
        EXPECT_NEAR(s->dense_output().derivative(s->t_old(), c), before[c], 1e-13);
        EXPECT_NEAR(s->dense_output().derivative(s->t(), c), s->yp()[static_cast<std::size_t>(c)],
                    1e-13);
      }
    }
  }
}

// A warm restart keeps the step, so that an event costs one evaluation and no search for a step.
TEST(RungeKutta, WarmRestartKeepsTheStep) {
  CallableOde decay(1, [](double, auto y, auto ydot) { ydot[0] = -y[0]; });
  for (const ExplicitMethod method : kMethods) {
    auto s = make_runge_kutta(decay, tolerance(1e-6, 1e-9), method);
    s->restart(0, std::array{1.0}, {}, Restart::Cold);
    for (int i = 0; i < 6; ++i) ASSERT_EQ(s->step(100), StepStatus::Stepped);
    const double h = s->next_step();
    s->restart(s->t(), std::array{2 * s->y()[0]}, {}, Restart::Warm);
    const auto before = s->stats().evaluations;
    ASSERT_EQ(s->step(100), StepStatus::Stepped);
    EXPECT_NEAR(s->t() - s->t_old(), h, 1e-12);
    EXPECT_LE(s->stats().evaluations - before, 8);
  }
}

// Equations that were away for a while begin with the step that their first one allowed, however
// long the steps had become at the end.
TEST(RungeKutta, GoesOnAsItBeganWhenInForceAgain) {
  CallableOde decay(1, [](double, auto y, auto ydot) { ydot[0] = -y[0]; });
  for (const ExplicitMethod method : kMethods) {
    auto s = make_runge_kutta(decay, tolerance(1e-6, 1e-9), method);
    s->restart(0, std::array{1.0}, {}, Restart::Cold);
    ASSERT_EQ(s->step(100), StepStatus::Stepped);
    const double first = s->next_step();
    EXPECT_GT(first, s->t());
    while (s->t() < 20) ASSERT_EQ(s->step(20), StepStatus::Stepped);
    EXPECT_GT(s->next_step(), 1.5 * first);
    s->restart(50, std::array{1.0}, {}, Restart::Again);
    ASSERT_EQ(s->step(100), StepStatus::Stepped);
    EXPECT_NEAR(s->t() - s->t_old(), first, 1e-12);
  }
}

// y' = 1 - sqrt(y) from zero: t = -2 (s + ln(1 - s)) where y = s^2. For some steps the pair sees no
// error at all.
class RootOde final : public OdeProblem {
 public:
  int size() const override { return 1; }
  EvalStatus rhs(double, std::span<const double> y, std::span<double> ydot) override {
    ydot[0] = 1 - std::sqrt(std::max(y[0], 0.0));
    return EvalStatus::Ok;
  }
  bool is_rough() override { return true; }
};

TEST(RungeKutta, SeesTheErrorBehindASquareRootsZero) {
  constexpr double kRoot = 0.5;
  const double end = -2 * (kRoot + std::log(1 - kRoot));
  RootOde problem;
  for (const ExplicitMethod method : kMethods) {
    for (double first = 0.01; first < 0.4; first += 0.01) {
      IntegratorOptions options = tolerance(1e-6, 1e-6);
      options.initial_step = first;
      auto s = make_runge_kutta(problem, options, method);
      s->restart(0, std::array{0.0}, {}, Restart::Cold);
      while (s->t() < end) ASSERT_EQ(s->step(end), StepStatus::Stepped);
      EXPECT_NEAR(s->y()[0], kRoot * kRoot, 1e-5) << first;
    }
  }
}

TEST(RungeKutta, SuspectsStiffness) {
  const auto run = [](double lambda) {
    CallableOde stiff(1, [=](double t, auto y, auto ydot) {
      ydot[0] = -lambda * (y[0] - std::cos(t)) - std::sin(t);
    });
    auto s = make_runge_kutta(stiff, tolerance(1e-4, 1e-6), ExplicitMethod::DormandPrince);
    s->restart(0, std::array{1.0}, {}, Restart::Cold);
    while (s->t() < 10) EXPECT_EQ(s->step(10), StepStatus::Stepped);
    return s->looks_stiff();
  };
  EXPECT_TRUE(run(1e3));
  EXPECT_FALSE(run(0.5));
}

// At rest at the corner of an odd root, where the slope has no bound: h|λ| of the stages stays
// small, but the steps go to and fro. A motion that turns is none.
TEST(RungeKutta, SuspectsStiffnessWhereNothingMoves) {
  CallableOde root(1, [](double, auto y, auto ydot) {
    ydot[0] = -std::copysign(std::sqrt(std::abs(y[0])), y[0]);
  });
  CallableOde turning(2, [](double, auto y, auto ydot) {
    ydot[0] = y[1];
    ydot[1] = -y[0];
  });
  auto s = make_runge_kutta(root, tolerance(1e-6, 1e-9), ExplicitMethod::DormandPrince);
  s->restart(0, std::array{1e-6}, {}, Restart::Cold);
  for (int k = 0; k < 200; ++k) ASSERT_EQ(s->step(1e3), StepStatus::Stepped);
  EXPECT_TRUE(s->looks_stiff());
  auto c = make_runge_kutta(turning, tolerance(1e-2, 1e-3), ExplicitMethod::DormandPrince);
  c->restart(0, std::array{1.0, 0.0}, {}, Restart::Cold);
  for (int k = 0; k < 200; ++k) ASSERT_EQ(c->step(1e3), StepStatus::Stepped);
  EXPECT_FALSE(c->looks_stiff());
}

}  // namespace
}  // namespace chi::numerics
