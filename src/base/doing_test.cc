#include "base/doing.h"

#include <string_view>

#include <gtest/gtest.h>

namespace chi {
namespace {

TEST(Doing, InnermostCounts) {
  const Doing outer("cooking");
  {
    const Doing inner("boiling water");
    EXPECT_STREQ(Doing::now(), "boiling water");
  }
  EXPECT_STREQ(Doing::now(), "cooking");
}

TEST(Doing, AnExceptionLeavesItsPlaceBehind) {
  {
    const Doing outer("cooking");
    try {
      const Doing inner("boiling water");
      throw 1;
    } catch (int) {
      EXPECT_STREQ(Doing::now(), "boiling water");
    }
  }
  EXPECT_STREQ(Doing::now(), "starting");
}

}  // namespace
}  // namespace chi
