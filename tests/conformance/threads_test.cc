#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "driver/simulate.h"

// Nothing in the library is shared between runs: docs/reference/cpp-api.md promises that.
namespace chi::conformance {
namespace {

driver::Simulation run(const SourceFile& source, double end) {
  driver::SimulationRequest request;
  request.run.end = end;
  Diagnostics diagnostics;
  return driver::simulate(source, request, diagnostics);
}

TEST(Threads, RunsSideBySideGiveTheSame) {
  const SourceFile pendulum("pendulum.chi", R"(
proc Pendulum() =
|[ x: real := 1.0, y, vx, vy: real := 0.0, T: real
 | |T, x, vx|, x' = vx, y' = vy, vx' = T*x, vy' = T*y - 9.8, x^2 + y^2 = 1
]|)");
  const SourceFile stiff("stiff.chi", R"(
proc Stiff() =
|[ x: real := 1.0, y: real := 0.0, n: nat
 | x' = -1000*(x - y), y' = x - y + (if n mod 2 = 0 then 1.0 else -1.0)
 | *[ delta 0.3; n := n + 1 ]
]|)");
  const driver::Simulation alone[] = {run(pendulum, 3), run(stiff, 3)};
  std::vector<driver::Simulation> together(8);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < together.size(); ++k)
    threads.emplace_back([&, k] { together[k] = run(k % 2 == 0 ? pendulum : stiff, 3); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t k = 0; k < together.size(); ++k) {
    ASSERT_FALSE(together[k].outcome.failed());
    EXPECT_EQ(together[k].trace.times, alone[k % 2].trace.times);
    EXPECT_EQ(together[k].trace.columns, alone[k % 2].trace.columns);
  }
}

}  // namespace
}  // namespace chi::conformance
