// The inner loop of the one-step methods allocates nothing: a model with many events restarts them
// thousands of times per second.
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/allocation_count_testing.h"
#include "numerics/callable_problem.h"
#include "numerics/radau.h"
#include "numerics/runge_kutta.h"

namespace {
std::atomic<long> allocations = 0;
}

// For the whole test program; only counts.
// None is inlined: where the compiler sees `malloc` beside a `delete`, or `free` beside a `new`, it
// takes them for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size ? size : 1)) return p;
  std::abort();
}
// stable_sort asks this way; without it, what one allocates the other would free.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace chi::numerics {

long testing::allocation_count() { return allocations; }

namespace {

// Steps, dense output and warm restarts; van der Pol with moderate stiffness, so that Radau changes
// steps and Jacobians.
void expect_no_allocation(Integrator& s) {
  std::array<double, 2> y{2, 0};
  s.restart(0, y, {}, Restart::Cold);
  ASSERT_EQ(s.step(100), StepStatus::Stepped);
  (void)s.dense_output();
  const long before = allocations;
  double sum = 0;
  for (int event = 1; event <= 20; ++event) {
    while (s.t() < event) {
      if (s.step(event) != StepStatus::Stepped) break;
      s.interpolate((s.t() + s.t_old()) / 2, y);
      sum += s.dense_output().value(s.t(), 0) + y[1];
    }
    std::copy(s.y().begin(), s.y().end(), y.begin());
    s.restart(s.t(), y, {}, event % 2 ? Restart::Warm : Restart::Cold);
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_GT(s.stats().steps, 40);
}

TEST(Allocation, OneStepMethodsAllocateNothingWhileRunning) {
  CallableOde van_der_pol(2, [](double, auto y, auto f) {
    f[0] = y[1];
    f[1] = 20 * (1 - y[0] * y[0]) * y[1] - y[0];
  });
  expect_no_allocation(*make_runge_kutta(van_der_pol, {}, ExplicitMethod::DormandPrince));
  expect_no_allocation(*make_runge_kutta(van_der_pol, {}, ExplicitMethod::Fehlberg));
  expect_no_allocation(*make_radau(van_der_pol, {.matrix = MatrixKind::Dense}));
  expect_no_allocation(*make_radau(van_der_pol, {.matrix = MatrixKind::Sparse}));
}

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  const std::vector<int> some(100);
  EXPECT_EQ(allocations - before, 1);
  EXPECT_EQ(some[0], 0);
}

}  // namespace
}  // namespace chi::numerics
