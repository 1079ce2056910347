#include "results/output_grid.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace chi::results {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(OutputGrid, StepsAreWhatTheySay) {
  const OutputGrid tenths{.step = 0.1};
  EXPECT_EQ(tenths.point(3, kInfinity), 0.3);
  EXPECT_EQ(tenths.point(7, kInfinity), 0.7);
  EXPECT_EQ(tenths.point(12345, 1e9), 1234.5);
  const OutputGrid halves{.step = 2.5};
  EXPECT_EQ(halves.point(3, kInfinity), 7.5);
}

TEST(OutputGrid, LastPointIsTheEnd) {
  // 0.07 * 100 / 100 and the like are not always 0.07.
  for (int points = 2; points < 3000; ++points) {
    const OutputGrid grid{.points = points};
    for (const double end : {0.07, 0.1, 1.0 / 3, 12.6, 1e-9, 3e11}) {
      ASSERT_EQ(grid.point(points - 1, end), end);
      ASSERT_LT(grid.point(points - 2, end), end);
      ASSERT_EQ(grid.point(0, end), 0);
    }
  }
}

// However a step and an end were rounded, no point lies just beside the end.
TEST(OutputGrid, NoPointBesideTheEnd) {
  for (const double step : {0.1, 0.3, 0.7, 1e-3, 1.1, 1.0 / 3}) {
    for (int k = 1; k < 5000; ++k) {
      for (const double end :
           {k * step, std::nextafter(k * step, 0.0), std::nextafter(k * step, 1e9)})
        ASSERT_EQ(OutputGrid{.step = step}.point(k, end), end) << step << " " << k;
    }
  }
}

TEST(OutputGrid, WithoutEndOrStepThereIsNone) {
  EXPECT_EQ(OutputGrid{}.point(1, kInfinity), kInfinity);
  EXPECT_EQ(OutputGrid{.step = 2}.point(4, kInfinity), 8);
}

}  // namespace
}  // namespace chi::results
