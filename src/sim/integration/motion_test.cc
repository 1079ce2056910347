#include "sim/integration/motion.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "sim/algebra/part_testing.h"
#include "sim/algebra/system_solver.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using numerics::Restart;
using numerics::StepStatus;
using testing::TestPart;

constexpr SolverChoice kAll[] = {SolverChoice::Auto,  SolverChoice::Ida,    SolverChoice::Bdf,
                                 SolverChoice::Cvode, SolverChoice::Dopri5, SolverChoice::Rkf45,
                                 SolverChoice::Irk};

// A part whose initial values have been found, and its motion.
struct Trip {
  Trip(TestPart& part, MotionOptions options, FrameInputs* inputs = nullptr)
      : p(part), motion(part.context(), part.ivp, part.choice.states, options, inputs) {
    SystemSolver initial(p.context(), p.ip);
    p.time() = 0;
    EXPECT_TRUE(initial.solve(p.frame.data(), Effort::Full));
    motion.restart(0, p.frame, Restart::Cold);
  }
  // Leaves everything at `end` in the part's frame.
  bool to(double end) {
    while (motion.t() < end) {
      if (motion.step(end) != StepStatus::Stepped) return false;
    }
    return motion.values_at(end, p.frame.data());
  }
  TestPart& p;
  Motion motion;
};

// x' = -x + y, y = 2 sin t, z = x y: x = exp(-t) + sin t - cos t + exp(-t)·...; x(0) = 1 gives
// x = 2 exp(-t) + sin t - cos t.
void make_linear(TestPart& p) {
  enum { x, y, z };
  p.equation(p.x(x, 1), p.minus(p.x(y), p.x(x)));
  p.equation(p.x(y), p.times(2.0, expr::unary(p.pool, expr::Op::Sin, expr::time(p.pool))));
  p.equation(p.x(z), p.times(p.x(x), p.x(y)));
  p.analyse({y, z});
  p.value(x) = 1;
}

TEST(Motion, IntegratesWithEveryMethod) {
  for (const SolverChoice solver : kAll) {
    TestPart p;
    make_linear(p);
    Trip run(p, {.solver = solver});
    ASSERT_TRUE(run.to(3)) << run.motion.method_name();
    const double x = 2 * std::exp(-3.0) + std::sin(3.0) - std::cos(3.0);
    EXPECT_NEAR(p.value(0), x, 1e-5) << run.motion.method_name();
    EXPECT_EQ(p.value(1), 2 * std::sin(3.0));
    EXPECT_NEAR(p.value(2), x * 2 * std::sin(3.0), 1e-5);
    EXPECT_NEAR(p.value(0, 1), p.value(1) - p.value(0), 1e-14);
  }
}

TEST(Motion, MeetsTolerances) {
  for (const SolverChoice solver : kAll) {
    double last = 1;
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
      TestPart p;
      make_linear(p);
      Trip run(p, {.rtol = rtol, .atol = rtol * 1e-3, .solver = solver});
      ASSERT_TRUE(run.to(3));
      const double x = 2 * std::exp(-3.0) + std::sin(3.0) - std::cos(3.0);
      const double error = std::abs(p.value(0) - x);
      EXPECT_LT(error, 10 * rtol) << run.motion.method_name();
      EXPECT_LT(error, last);
      last = std::max(error, 1e-12);
    }
  }
}

// s' + 2 s = cos(1.3 t), p = sin² s, p' = v, v' = z: z follows s' and s'' nonlinearly.
TEST(Motion, FollowsDerivativesOfStates) {
  enum { s, pos, v, z };
  for (const SolverChoice solver : kAll) {
    for (const double rtol : {1e-5, 1e-6, 1e-7, 1e-8}) {
      TestPart p;
      const ExprId sine = expr::unary(p.pool, expr::Op::Sin, p.x(s));
      p.equation(p.plus(p.x(s, 1), p.times(2.0, p.x(s))),
                 expr::unary(p.pool, expr::Op::Cos, p.times(1.3, expr::time(p.pool))));
      p.equation(p.x(pos), p.times(sine, sine));
      p.equation(p.x(pos, 1), p.x(v));
      p.equation(p.x(v, 1), p.x(z));
      p.analyse({pos, v, z});
      p.value(s) = -0.6;
      Trip run(p, {.rtol = rtol, .atol = rtol, .solver = solver});
      ASSERT_TRUE(run.to(5)) << run.motion.method_name() << " " << rtol;
      const double k = 2 / (4 + 1.69), l = 1.3 / (4 + 1.69);
      const double exact = k * std::cos(6.5) + l * std::sin(6.5) - (0.6 + k) * std::exp(-10.0);
      EXPECT_NEAR(p.value(s), exact, 10 * rtol) << run.motion.method_name();
      EXPECT_LT(run.motion.stats().steps, 1000);
    }
  }
}

// Where an algebraic equation has been nearly linear for long, IDA must notice when it bends.
TEST(Motion, DoesNotLoseAlgebraicUnknowns) {
  enum { x, z };
  TestPart p;
  const ExprId t = expr::time(p.pool);
  p.equation(p.x(x, 1), p.times(-1.0, p.x(x)));
  const ExprId target = expr::unary(p.pool, expr::Op::Sin, p.times(0.8, t));
  const auto cubic = [&](ExprId e) {
    return p.plus(e, p.times(0.5, expr::int_power(p.pool, e, 3)));
  };
  p.equation(cubic(p.x(z)), cubic(target));
  p.analyse({z});
  p.value(x) = 1;
  Trip run(p, {.solver = SolverChoice::Ida});
  ASSERT_TRUE(run.to(20));
  EXPECT_NEAR(p.value(x), std::exp(-20.0), 1e-8);
  EXPECT_NEAR(p.value(z), std::sin(16.0), 1e-12);
}

void make_pendulum(TestPart& p) {
  enum { x, y, vx, vy, T };
  p.equation(p.x(x, 1), p.x(vx));
  p.equation(p.x(y, 1), p.x(vy));
  p.equation(p.x(vx, 1), p.times(p.x(T), p.x(x)));
  p.equation(p.x(vy, 1), p.minus(p.times(p.x(T), p.x(y)), p.number(9.8)));
  p.equation(p.plus(p.times(p.x(x), p.x(x)), p.times(p.x(y), p.x(y))), p.number(1));
  p.analyse({x, vx, T});
}

// Index 3 with x dependent: from y = 0 to where the speed is sqrt(2 g |y|); the hidden constraints
// hold exactly, whatever the method.
TEST(Motion, SwingsThePendulumWithoutDrift) {
  for (const SolverChoice solver : kAll) {
    TestPart p;
    make_pendulum(p);
    p.value(0);
    Trip run(p, {.solver = solver});
    ASSERT_TRUE(run.to(0.4)) << run.motion.method_name();
    const double x = p.value(0), y = p.value(1), vx = p.value(2), vy = p.value(3);
    EXPECT_GT(x, 0.5);
    EXPECT_NEAR(x * x + y * y, 1, 1e-14) << run.motion.method_name();
    EXPECT_NEAR(x * vx + y * vy, 0, 1e-13);
    EXPECT_NEAR((vx * vx + vy * vy) / 2 + 9.8 * y, 0, 2e-5) << run.motion.method_name();
  }
}

// A nonlinear loop in the right-hand side: x' = -y, y³ + y = 2 x. With y as parameter,
// t = ∫ (3y² + 1) / (2y) dy, so 3 (y0² - y²)/4 + ln(y0/y)/2 = t.
TEST(Motion, SolvesAlgebraicLoopsOnTheWay) {
  for (const SolverChoice solver : kAll) {
    TestPart p;
    p.equation(p.x(0, 1), expr::neg(p.pool, p.x(1)));
    p.equation(p.plus(expr::int_power(p.pool, p.x(1), 3), p.x(1)), p.times(2.0, p.x(0)));
    p.analyse({1});
    p.value(0) = 1;
    Trip run(p, {.solver = solver});
    ASSERT_TRUE(run.to(2));
    const double y = p.value(1);
    EXPECT_NEAR(0.75 * (1 - y * y) + 0.5 * std::log(1 / y), 2, 2e-5) << run.motion.method_name();
    EXPECT_NEAR(y * y * y + y, 2 * p.value(0), 1e-14);
  }
}

// x'' = -x as a chain of states; the second derivative is written, not a velocity.
TEST(Motion, ChainsStatesOfHigherDerivatives) {
  for (const SolverChoice solver : kAll) {
    TestPart p;
    p.equation(p.x(0, 2), expr::neg(p.pool, p.x(0)));
    p.analyse();
    ASSERT_EQ(p.choice.states.size(), 2U);
    p.value(0) = 1;
    Trip run(p, {.rtol = 1e-8, .atol = 1e-10, .solver = solver});
    ASSERT_TRUE(run.to(10));
    EXPECT_NEAR(p.value(0), std::cos(10.0), 1e-6) << run.motion.method_name();
    EXPECT_NEAR(p.value(0, 1), -std::sin(10.0), 1e-6);
  }
}

// H. H. Robertson's reactions: stiff, so the explicit method hands over.
void make_robertson(TestPart& p) {
  const ExprId a = p.times(0.04, p.x(0));
  const ExprId b = p.times(1e4, p.times(p.x(1), p.x(2)));
  const ExprId c = p.times(3e7, p.times(p.x(1), p.x(1)));
  p.equation(p.x(0, 1), p.minus(b, a));
  p.equation(p.x(1, 1), p.minus(p.minus(a, b), c));
  p.equation(p.x(2, 1), c);
  p.analyse();
  p.value(0) = 1;
}

TEST(Motion, NoticesStiffness) {
  TestPart p;
  make_robertson(p);
  Trip run(p, {.rtol = 1e-7, .atol = 1e-12});
  EXPECT_EQ(run.motion.method_name(), "dopri5");
  ASSERT_TRUE(run.to(40));
  EXPECT_EQ(run.motion.method_name(), "irk");
  EXPECT_NEAR(p.value(0), 0.7158270687194, 1e-6);
  EXPECT_NEAR(p.value(1), 9.185534764558e-6, 1e-10);
  EXPECT_LT(run.motion.stats().steps, 500);
  run.motion.restart(40, p.frame, Restart::Warm);  // it is still stiff
  EXPECT_EQ(run.motion.method_name(), "irk");
  ASSERT_TRUE(run.to(4e4));
  EXPECT_NEAR(p.value(0), 3.8983e-2, 1e-5);
}

// u_t = u_xx on a rod, u = sin πx exp(-π²t) but for the grid; with `algebraic`, the fluxes between
// the points are unknowns in one implicit block.
void make_rod(TestPart& p, int n, bool algebraic) {
  const double k = (n + 1.0) * (n + 1.0);
  const auto u = [&](int i) { return i < 0 || i >= n ? p.number(0) : p.x(i); };
  std::vector<int> fluxes;
  for (int i = 0; i <= n; ++i) {
    // q_i (1 + (q_(i-1) + q_(i+1))²) ≈ q_i near the end; couples all fluxes.
    const ExprId drop = p.times(n + 1.0, p.minus(u(i), u(i - 1)));
    const ExprId both =
        p.plus(i > 0 ? p.x(n + i - 1) : p.number(0), i < n ? p.x(n + i + 1) : p.number(0));
    const ExprId weak = p.times(1e-9, p.times(both, p.x(n + i)));
    if (algebraic) {
      p.equation(p.plus(p.x(n + i), weak), drop);
      fluxes.push_back(n + i);
    }
  }
  for (int i = 0; i < n; ++i) {
    if (algebraic) {
      p.equation(p.x(i, 1), p.times(n + 1.0, p.minus(p.x(n + i + 1), p.x(n + i))));
    } else {
      p.equation(p.x(i, 1), p.times(k, p.plus(p.minus(u(i - 1), p.times(2.0, p.x(i))), u(i + 1))));
    }
  }
  p.analyse(fluxes);
  for (int i = 0; i < n; ++i) p.value(i) = std::sin(std::numbers::pi * (i + 1) / (n + 1));
}

TEST(Motion, TakesBdfForLargeStiffParts) {
  constexpr int n = 400;
  for (const bool algebraic : {false, true}) {
    TestPart p;
    make_rod(p, n, algebraic);
    Trip run(p, {});
    ASSERT_TRUE(run.to(0.1));
    EXPECT_EQ(run.motion.method_name(), algebraic ? "ida" : "bdf");
    const double half = std::sin(0.5 * std::numbers::pi / (n + 1));
    const double decay = std::exp(-0.4 * (n + 1.0) * (n + 1.0) * half * half);
    EXPECT_NEAR(p.value(n / 2) / std::sin(std::numbers::pi * (n / 2 + 1) / (n + 1)), decay, 1e-5);
  }
}

TEST(Motion, TakesRadauWhereEventsAreManyAndStiff) {
  constexpr int n = 400;
  TestPart p;
  make_rod(p, n, false);
  Trip run(p, {});
  ASSERT_TRUE(run.to(0.02));
  EXPECT_EQ(run.motion.method_name(), "bdf");
  for (int event = 1; event <= 30; ++event) {
    run.motion.restart(run.motion.t(), p.frame, Restart::Warm);
    ASSERT_TRUE(run.to(0.02 + 1e-4 * event));
  }
  EXPECT_EQ(run.motion.method_name(), "irk");
}

// Large eigenvalues of no consequence: the explicit method stays or returns.
TEST(Motion, ReturnsToTheExplicitMethodIfThatIsNoWorse) {
  TestPart p;
  constexpr int n = 200;
  for (int i = 0; i < n; ++i) {
    p.equation(p.times(1.0 / n, p.x(i, 1)), p.minus(i == 0 ? p.number(1) : p.x(i - 1), p.x(i)));
  }
  p.analyse();
  p.value(0);
  Trip run(p, {});
  ASSERT_TRUE(run.to(1));
  EXPECT_EQ(run.motion.method_name(), "dopri5");
  EXPECT_NEAR(p.value(n - 1), 0.5094, 1e-3);
}

// The same point asked for after others has the same bits, also through Newton's method.
TEST(Motion, DoesNotDependOnTheOutputGrid) {
  for (const SolverChoice solver : kAll) {
    std::vector<double> results;
    for (const int points : {0, 7}) {
      TestPart p;
      p.equation(p.x(0, 1), expr::neg(p.pool, p.x(1)));
      p.equation(p.plus(expr::unary(p.pool, expr::Op::Exp, p.x(1)), p.x(1)), p.x(0));
      p.equation(p.plus(expr::int_power(p.pool, p.x(2), 3), p.x(2)), p.x(1));
      p.analyse({1, 2});
      p.value(0) = 2;
      Trip run(p, {.solver = solver});
      std::vector<double> output = p.frame;
      while (run.motion.t() < 3) {
        ASSERT_EQ(run.motion.step(3), StepStatus::Stepped);
        const double t0 = run.motion.t_old(), h = run.motion.t() - t0;
        for (int k = 1; k < points; ++k) {
          ASSERT_TRUE(run.motion.values_at(t0 + h * (points - k) / points, output.data()));
        }
        ASSERT_TRUE(run.motion.values_at(t0 + h / 3, output.data()));
        results.push_back(output[static_cast<std::size_t>(p.leaves.find(p.x(2)))]);
      }
      ASSERT_TRUE(run.motion.values_at(3, output.data()));
      results.push_back(output[static_cast<std::size_t>(p.leaves.find(p.x(2)))]);
    }
    ASSERT_EQ(results.size() % 2, 0U);
    for (std::size_t k = 0; k < results.size() / 2; ++k) {
      EXPECT_EQ(results[k], results[k + results.size() / 2]);
    }
  }
}

// y³ + y = sin 2πt: nothing to integrate, but the steps must not jump over periods.
TEST(Motion, MovesWithoutStates) {
  TestPart p;
  p.equation(p.plus(expr::int_power(p.pool, p.x(0), 3), p.x(0)),
             expr::unary(p.pool, expr::Op::Sin, p.times(2 * std::numbers::pi, expr::time(p.pool))));
  p.analyse({0});
  p.value(0);
  Trip run(p, {});
  EXPECT_TRUE(run.motion.states().empty());
  double longest = 0;
  while (run.motion.t() < 100) {
    ASSERT_EQ(run.motion.step(100), StepStatus::Stepped);
    longest = std::max(longest, run.motion.t() - run.motion.t_old());
    const double middle = (run.motion.t() + run.motion.t_old()) / 2;
    ASSERT_TRUE(run.motion.values_at(middle, p.frame.data()));
    const double y = p.value(0);
    EXPECT_NEAR(y * y * y + y, std::sin(2 * std::numbers::pi * middle), 1e-12);
  }
  EXPECT_EQ(run.motion.t(), 100);
  EXPECT_LT(longest, 0.4);
  EXPECT_EQ(run.motion.dense().size(), 0);
}

TEST(Motion, JumpsToTheLimitWhereNothingMoves) {
  TestPart p;
  p.equation(p.times(2.0, p.x(0)), p.number(6));
  p.analyse({0});
  p.value(0);
  Trip run(p, {});
  ASSERT_EQ(run.motion.step(1e6), StepStatus::Stepped);
  EXPECT_EQ(run.motion.t(), 1e6);
  ASSERT_TRUE(run.motion.values_at(17, p.frame.data()));
  EXPECT_EQ(p.value(0), 3);
}

// x' = -1/(2 sqrt(x)) has no solution beyond x = 0 at t = 4/3: the failure names the equation.
TEST(Motion, NamesTheEquationWithoutAValue) {
  for (const SolverChoice solver : kAll) {
    TestPart p;
    const ExprId root = expr::unary(p.pool, expr::Op::Sqrt, p.x(0));
    p.equation(p.x(0, 1), expr::div(p.pool, p.number(-0.5), p.x(1)));
    p.equation(p.x(1), root);
    p.analyse({1});
    p.value(0) = 1;
    p.value(1) = 1;
    Trip run(p, {.solver = solver});
    EXPECT_FALSE(run.to(2)) << run.motion.method_name();
    EXPECT_NEAR(run.motion.t(), 4.0 / 3, 1e-2) << run.motion.method_name();
    const MotionFailure failure = run.motion.failure();
    EXPECT_NE(failure.status, StepStatus::Stepped);
    EXPECT_EQ(failure.fastest, (expr::VarRef{{0}, 0}));
    if (failure.status != StepStatus::DomainError) continue;
    ASSERT_TRUE(failure.equations.has_value()) << run.motion.method_name();
    EXPECT_FALSE(failure.equations->rows.empty());
  }
}

// y = sqrt(x) is needed by no derivative, so steps pass x = 0; whoever minds takes them again.
TEST(Motion, TakesAStepAgain) {
  for (const SolverChoice solver : {SolverChoice::Auto, SolverChoice::Cvode, SolverChoice::Irk}) {
    TestPart p;
    p.equation(p.x(0, 1), p.times(-2.0, expr::time(p.pool)));
    p.equation(p.x(1), expr::unary(p.pool, expr::Op::Sqrt, p.x(0)));
    p.analyse({1});
    p.value(0) = 1.7;
    Trip run(p, {.solver = solver});
    while (run.motion.t() < std::sqrt(1.7)) ASSERT_EQ(run.motion.step(3), StepStatus::Stepped);
    ASSERT_FALSE(run.motion.values_at(run.motion.t(), p.frame.data()));
    EXPECT_EQ(run.motion.values_failure().fault->fault, expr::Fault::SqrtOfNegative);
    const double start = run.motion.t_old();
    ASSERT_EQ(run.motion.retake(start + (std::sqrt(1.7) - start) / 2), StepStatus::Stepped);
    EXPECT_EQ(run.motion.t_old(), start);
    EXPECT_LT(run.motion.t(), std::sqrt(1.7));
    ASSERT_TRUE(run.motion.values_at(run.motion.t(), p.frame.data()));
    EXPECT_NEAR(p.value(1), std::sqrt(1.7 - run.motion.t() * run.motion.t()), 1e-6);
  }
}

// Values from outside: a delay whose history is t².
TEST(Motion, AsksForInputs) {
  struct History final : FrameInputs {
    void set(double time, double* frame) override { frame[place] = (time - 1) * (time - 1); }
    std::int32_t place = -1;
  };
  for (const SolverChoice solver : kAll) {
    TestPart p;
    const ExprId past = expr::delay(p.pool, p.x(0), p.number(1));
    p.equation(p.x(0, 1), past);
    p.analyse();
    History history;
    history.place = p.leaves.place(past);
    p.value(0);
    Trip run(p, {.solver = solver}, &history);
    ASSERT_TRUE(run.to(3));
    EXPECT_NEAR(p.value(0), 3, 1e-5) << run.motion.method_name();
    EXPECT_EQ(p.value(0, 1), 4);
  }
}

TEST(Motion, RestartsWarmWithoutLosingItsStep) {
  TestPart p;
  make_linear(p);
  Trip run(p, {});
  ASSERT_TRUE(run.to(1));
  const auto before = run.motion.stats().steps;
  run.motion.restart(1, p.frame, Restart::Warm);
  ASSERT_EQ(run.motion.step(3), StepStatus::Stepped);
  EXPECT_GT(run.motion.t(), 1.01);
  EXPECT_EQ(run.motion.stats().steps, before + 1);
}

}  // namespace
}  // namespace chi::sim
