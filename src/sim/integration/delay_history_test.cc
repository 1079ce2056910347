#include "sim/integration/delay_history.h"

#include <cmath>

#include <gtest/gtest.h>

#include "expr/build.h"

namespace chi::sim {
namespace {

using expr::ExprId;

class DelayHistoryTest : public ::testing::Test {
 protected:
  DelayHistoryTest() {
    time_place = leaves.place(expr::time(pool));
    x_place = leaves.place(x);
    delay = expr::delay(pool, x, expr::constant(pool, 0.5), expr::constant(pool, -1));
    delay_place = leaves.place(delay);
    history.update();
    frame.resize(static_cast<std::size_t>(leaves.size()), 0.0);
  }

  /// x follows f on [from, to].
  void follow(double from, double to, double (*f)(double)) {
    history.extend(from, to, [&, f](double t) {
      frame[static_cast<std::size_t>(x_place)] = f(t);
      return frame.data();
    });
  }
  double delayed(double time, bool after = false) {
    if (after) {
      history.set_after(time, frame.data());
    } else {
      history.set(time, frame.data());
    }
    return frame[static_cast<std::size_t>(delay_place)];
  }

  expr::Pool pool;
  code::FormulaLeaves leaves;
  ExprId x = expr::variable(pool, expr::VarId{0});
  ExprId delay;
  std::int32_t time_place = 0, x_place = 0, delay_place = 0;
  SolverContext context{.pool = pool, .leaves = leaves};
  DelayHistory history{context};
  std::vector<double> frame;
};

TEST_F(DelayHistoryTest, GivesTheStartValueBeforeTheStart) {
  history.start(0, frame.data());
  EXPECT_EQ(delayed(0), -1);
  EXPECT_EQ(delayed(0.5), -1);
}

TEST_F(DelayHistoryTest, LooksBackAtAPolynomialExactly) {
  history.start(0, frame.data());
  const auto f = [](double t) { return 1 + t * (2 + t * (-3 + t * t * t)); };
  follow(0, 0.4, f);
  follow(0.4, 1.0, f);
  for (const double t : {0.6, 0.75, 0.9, 1.1, 1.4}) EXPECT_NEAR(delayed(t), f(t - 0.5), 1e-14);
}

TEST_F(DelayHistoryTest, AJumpIsSeenFromBothSides) {
  history.start(0, frame.data());
  follow(0, 1, [](double) { return 2.0; });
  history.add_break(1);
  follow(1, 2, [](double t) { return 5.0 + t; });
  EXPECT_NEAR(delayed(1.5), 2, 1e-14);
  EXPECT_NEAR(delayed(1.5, true), 6, 1e-14);
}

TEST_F(DelayHistoryTest, BreaksComeBackAfterTheDelay) {
  history.start(0, frame.data());
  EXPECT_EQ(history.next_break(0, frame.data()), 0.5);
  EXPECT_EQ(history.next_break(0.5, frame.data()), std::numeric_limits<double>::infinity());
  history.add_break(0.7);
  EXPECT_NEAR(history.next_break(0.8, frame.data()), 1.2, 1e-15);
  EXPECT_EQ(history.longest_step(frame.data()), 0.5);
}

TEST_F(DelayHistoryTest, BreaksApartByRoundingAreOne) {
  history.start(0, frame.data());
  const double a = 1.1, b = std::nextafter(a, 2);
  follow(0, a, [](double) { return 2.0; });
  history.add_break(a);
  follow(a, b, [](double) { return 2.0; });
  history.add_break(b);  // here it jumps
  follow(b, 2, [](double) { return 3.0; });
  for (const double t : {a + 0.5, b + 0.5}) {
    EXPECT_NEAR(delayed(t), 2, 1e-14);
    EXPECT_NEAR(delayed(t, true), 3, 1e-14);
  }
  EXPECT_EQ(history.next_break(1.2, frame.data()), b + 0.5);
  history.add_break(a + 0.5);
  EXPECT_NEAR(history.next_break(a + 0.5, frame.data()), a + 1, 1e-14);
}

TEST_F(DelayHistoryTest, NothingIsTheSameAsNever) {
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(DelayHistory::is_same(1, never));
  EXPECT_FALSE(DelayHistory::is_same(never, 1));
  EXPECT_TRUE(DelayHistory::is_same(0.3, 0.1 + 0.1 + 0.1));
}

TEST_F(DelayHistoryTest, WhoAsksForAJumpGetsWhatComesBehindIt) {
  history.start(0, frame.data());
  follow(0, 0.1, [](double) { return 2.0; });
  history.add_break(0.1);
  follow(0.1, 0.3, [](double) { return 3.0; });
  EXPECT_NEAR(*history.value(x, 0.3, 0.2, {}), 3, 1e-14);  // 0.3 - 0.2 is less than 0.1
}

}  // namespace
}  // namespace chi::sim
