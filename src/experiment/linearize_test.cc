#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiment/frequency.h"

namespace chi::experiment {
namespace {

struct Linearised {
  std::optional<LinearModel> model;
  std::string problem;
};

Linearised linearised(const std::string& text, const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs, double end = 0) {
  const SourceFile source("model.chi", text);
  Diagnostics diagnostics;
  auto compiled = driver::compile(source, {}, {}, diagnostics);
  if (!compiled) return {{}, diagnostics.all().front().message};
  sim::RunOptions options;
  options.end = end;
  driver::Inspection inspection(*compiled, options);
  EXPECT_FALSE(inspection.run().failed());
  Diagnostics reported;
  Linearised result{linearize(inspection, inputs, outputs, reported), {}};
  if (!reported.all().empty()) result.problem = reported.all().front().message;
  return result;
}

// m l² φ'' = m g l sin φ - F l cos φ for a massless cart: near the top φ'' = g/l φ - F/(m l), so
// that the eigenvalues are ±√(g/l).
TEST(Linearize, FindsTheUnstablePendulum) {
  const auto [m, problem] = linearised(
      "proc P(ref F: real) = |[ phi: real := 0.0, w: real := 0.0 "
      "| phi' = w, w' = 9.81/0.5*sin(phi) - F*cos(phi)/(2.0*0.5) ]|",
      {"F"}, {"phi"});
  ASSERT_TRUE(m) << problem;
  const std::vector<Complex> poles = eigenvalues(*m);
  ASSERT_EQ(poles.size(), 2U);
  EXPECT_NEAR(poles[0].real(), -std::sqrt(9.81 / 0.5), 1e-9);
  EXPECT_NEAR(poles[1].real(), std::sqrt(9.81 / 0.5), 1e-9);
  EXPECT_NEAR(m->b(1, 0), -1, 1e-10);
  EXPECT_TRUE(uncontrollable(*m).empty());
}

// A pendulum of index 3 in Cartesian coordinates, hanging: s'' = -g/l s, eigenvalues ±i √(g/l).
TEST(Linearize, ReducesHighIndex) {
  const auto [m, problem] = linearised(
      "proc P() = |[ x: real := 0.0, y: real := -1.0, vx: real := 0.0, vy: real := 0.0, T: real "
      "| |y, vy, T|, x' = vx, y' = vy, vx' = T*x, vy' = T*y - 9.81, x^2 + y^2 = 1.0 ]|",
      {}, {"T"});
  ASSERT_TRUE(m) << problem;
  const std::vector<Complex> poles = eigenvalues(*m);
  ASSERT_EQ(poles.size(), 2U);
  EXPECT_NEAR(std::abs(poles[0].imag()), std::sqrt(9.81), 1e-8);
  EXPECT_NEAR(poles[0].real(), 0, 1e-8);
}

std::string ladder(int n) {
  return fmt::format(
      "proc P(ref u: real) = |[ v: real^{0}, y: real | |y| "
      ", v.0' = (u - v.0) - (v.0 - v.1), (i: nat <- 1..{1}: v.i' = v.(i-1) - 2*v.i + v.(i+1)) "
      ", v.{2}' = v.{1} - v.{2}, y = v.{2} ]|",
      n, n - 2, n - 1);
}

// RC ladder of n equal cells: G = 1 / (T_n chain), by the chain matrix of a cell [1 + s, 1; s, 1].
Complex exact_ladder(int n, double omega) {
  const Complex s(0, omega);
  Complex a = 1, c = 0;  // voltage and current for 1 V at the open end, from the end backwards
  for (int i = 0; i < n; ++i) {
    c += s * a;
    a += c;
  }
  return 1.0 / a;
}

TEST(Linearize, GivesTheTransferFunctionOfALadder) {
  constexpr int kCells = 30;
  const auto [m, problem] = linearised(ladder(kCells), {"u"}, {"y"});
  ASSERT_TRUE(m) << problem;
  ASSERT_EQ(m->states.size(), 30U);
  for (const double omega : {1e-4, 1e-3, 1e-2, 0.1}) {
    const Complex exact = exact_ladder(kCells, omega);
    EXPECT_LT(std::abs(transfer(*m, 0, 0, omega) - exact), 1e-7 * std::abs(exact)) << omega;
  }
  // Poles of a chain fixed at one end, free at the other: -4 sin²((2k-1) π / (2 (2n+1))).
  const std::vector<Complex> poles = eigenvalues(*m);
  for (int k = 1; k <= kCells; ++k) {
    const double s = std::sin((2 * k - 1) * M_PI / (2 * (2 * kCells + 1)));
    EXPECT_NEAR(poles[static_cast<std::size_t>(kCells - k)].real(), -4 * s * s, 1e-8);
  }
}

// G = 10 / (s + 1)³: phase -180° at √3, where |G| = 10/8; |G| = 1 at √(10^(2/3) - 1).
TEST(Linearize, FindsMargins) {
  const auto [m, problem] = linearised(
      "proc P(ref u: real) = |[ a: real, b: real, c: real | a' = 10*u - a, b' = a - b, c' = b - c "
      "]|",
      {"u"}, {"c"});
  ASSERT_TRUE(m) << problem;
  const Margins found = margins(*m, 0, 0);
  ASSERT_TRUE(found.gain && found.phase);
  EXPECT_NEAR(*found.gain, 0.8, 1e-7);
  EXPECT_NEAR(*found.phase_crossover, std::sqrt(3), 1e-7);
  const double w = std::sqrt(std::pow(10, 2.0 / 3) - 1);
  EXPECT_NEAR(*found.gain_crossover, w, 1e-7);
  EXPECT_NEAR(*found.phase, 180 - 3 * std::atan(w) * 180 / M_PI, 1e-6);
  const StepResponse step = step_response(*m, 0, 0, 4, 5);
  for (std::size_t i = 0; i < 5; ++i) {
    const double t = step.time[i];
    EXPECT_NEAR(step.value[i], 10 * (1 - std::exp(-t) * (1 + t + t * t / 2)), 1e-8);
  }
}

TEST(Linearize, TellsWhatIsHidden) {
  const auto [m, problem] = linearised(
      "proc P(ref u: real) = |[ a: real, b: real | a' = u - a, b' = 2*b - a ]|", {"u"}, {"a"});
  ASSERT_TRUE(m) << problem;
  ASSERT_EQ(unobservable(*m).size(), 1U);
  EXPECT_NEAR(unobservable(*m)[0].real(), 2, 1e-9);
  EXPECT_TRUE(uncontrollable(*m).empty());
}

TEST(Linearize, RefusesWhatIsNoInput) {
  const char* const model =
      "proc P(ref u: real) = |[ a: real, y: real | |y|, a' = u - a, y = 2*a ]|";
  EXPECT_NE(linearised(model, {"y"}, {}).problem.find("determine it"), std::string::npos);
  EXPECT_NE(linearised(model, {"a"}, {}).problem.find("determine it"), std::string::npos);
  EXPECT_NE(linearised(model, {}, {"z"}).problem.find("no real variable"), std::string::npos);
  const char* const driven =
      "proc P(ref u: real) = |[ x: real, v: real, F: real | |x, v, F|, x' = v, v' = F, x = u ]|";
  EXPECT_NE(linearised(driven, {"u"}, {"F"}).problem.find("need the derivative"),
            std::string::npos);
}

}  // namespace
}  // namespace chi::experiment
