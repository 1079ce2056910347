#include "base/cancel.h"

#include <new>
#include <thread>

#include <gtest/gtest.h>

#include "base/carried_exception.h"

namespace chi {
namespace {

TEST(Cancel, WithoutATokenWorkGoesOn) {
  EXPECT_FALSE(is_cancelled());
  EXPECT_NO_THROW(check_cancelled());
}

TEST(Cancel, TheFirstCauseCounts) {
  CancelToken token;
  const CancelScope scope(token);
  EXPECT_EQ(stop_cause(), StopCause::None);
  token.request(StopCause::TimeLimit);
  token.request(StopCause::Interrupt);
  EXPECT_EQ(stop_cause(), StopCause::TimeLimit);
  EXPECT_THROW(check_cancelled(), Cancelled);
}

TEST(Cancel, ScopesNest) {
  CancelToken outer, inner;
  inner.request(StopCause::Interrupt);
  const CancelScope scope(outer);
  {
    const CancelScope nested(inner);
    EXPECT_TRUE(is_cancelled());
  }
  EXPECT_FALSE(is_cancelled());
}

TEST(Cancel, AnotherThreadHasAnotherToken) {
  CancelToken token;
  const CancelScope scope(token);
  token.request(StopCause::Interrupt);
  bool cancelled = true;
  std::thread([&] { cancelled = is_cancelled(); }).join();
  EXPECT_FALSE(cancelled);
}

TEST(CarriedException, CrossesAFrameThatCannotThrow) {
  CarriedException carried;
  EXPECT_EQ(carried.guard(-1, [] { return 7; }), 7);
  EXPECT_FALSE(carried.has_caught());
  EXPECT_EQ(carried.guard(-1, []() -> int { throw std::bad_alloc(); }), -1);
  EXPECT_EQ(carried.guard(-1, []() -> int { throw 1; }), -1);
  EXPECT_THROW(carried.rethrow(), std::bad_alloc);
  EXPECT_NO_THROW(carried.rethrow());
}

}  // namespace
}  // namespace chi
