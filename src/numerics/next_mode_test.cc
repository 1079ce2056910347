#include "numerics/next_mode.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "numerics/affine_verification.h"
#include "numerics/mode_problems_testing.h"

namespace chi::numerics {
namespace {

using namespace testing;  // NOLINT
using Strings = std::map<std::string, double>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

NextMode decide(const ModeProblem& p, const Mode& start, const NextModeLimits& limits = {}) {
  return next_mode(
      p, start, [&](const Mode& m) -> Verdict { return verify_affine(p, m); }, limits);
}

AffineMotion settle(const ModeProblem& p, Mode start, const NextModeLimits& limits = {}) {
  return settle_affine(p, std::move(start), [&](const ModeProblem& q, Mode& mode) {
    const NextMode next = decide(q, mode, limits);
    if (!std::holds_alternative<FoundMode>(next)) return false;
    mode = std::get<FoundMode>(next).mode;
    return true;
  });
}

/// All modes whose exact orders agree.
std::vector<Mode> brute(const ModeProblem& p) {
  std::vector<Mode> good;
  Mode mode(p.laws.size(), 0);
  while (true) {
    if (verify_affine(p, mode).accepted) good.push_back(mode);
    std::size_t k = 0;
    while (k < mode.size() && ++mode[k] == static_cast<int>(p.laws[k].pieces.size())) mode[k++] = 0;
    if (k == mode.size()) return good;
  }
}

struct Want {
  Mode mode = {};  // empty: any
  Strings after = {}, impulses = {};
};

void expect_next(Problem& problem, const Mode& start, const Want& want) {
  const ModeProblem p = problem.make();
  const AffineMotion got = settle(p, start);
  ASSERT_TRUE(got.found);
  if (!want.mode.empty()) {
    EXPECT_EQ(got.mode, want.mode);
  }
  for (const auto& [n, x] : want.after) EXPECT_NEAR(got.after[problem.index(n)], x, 1e-7) << n;
  for (const auto& [n, x] : want.impulses) {
    EXPECT_NEAR(got.impulses[problem.index(n)], x, 1e-7) << n;
  }
  if (p.laws.size() <= 6 && got.rounds == 1) {
    const std::vector<Mode> good = brute(p);
    EXPECT_TRUE(std::ranges::find(good, got.mode) != good.end());
  }
}

Problem diode_with_inductor(const std::vector<double>& source, double i) {
  Problem p({{"i", i}});
  p.row(rate("i") + var("u") - jet(source));
  p.diode(var("u"), var("i"));
  return p;
}

TEST(NextMode, DiodeAndInductorFollowTheFirstDerivativeOfTheSource) {
  auto p = diode_with_inductor({1}, 0);
  expect_next(p, {0}, {.mode = {1}});
  auto falling = diode_with_inductor({0, -1}, 0);
  expect_next(falling, {1}, {.mode = {0}});
  auto third = diode_with_inductor({0, 0, 1}, 0);
  expect_next(third, {0}, {.mode = {1}});
  auto conducting = diode_with_inductor({1}, 2);
  expect_next(conducting, {0}, {.mode = {1}});
}

TEST(NextMode, CurveInAParameterIsTheSameDiode) {
  for (const double sign : {-1.0, 1.0}) {
    Problem p({{"i", 0.0}});
    p.row(rate("i") + var("u") - jet({0, sign}));
    p.law({{{var("u") - var("s"), var("i")}, {-var("s")}},
           {{var("u"), var("i") - var("s")}, {var("s")}}});
    expect_next(p, {sign < 0 ? 1 : 0}, {.mode = {sign < 0 ? 0 : 1}});
  }
}

TEST(NextMode, BridgeCommutates) {
  for (const bool inductive : {false, true}) {
    Problem p({{"i", 1.0}});
    p.row(var("b"));
    p.row(var("a") - jet({0, -1}));
    p.diode(var("a") - var("p"), var("i1"));
    p.diode(var("n") - var("b"), var("i2"));
    p.diode(var("b") - var("p"), var("i3"));
    p.diode(var("n") - var("a"), var("i4"));
    if (inductive) {
      p.row(var("p") - var("n") - var("i") - 0.1 * rate("i"));
    } else {
      p.row(var("p") - var("n") - var("i"));
    }
    p.row(var("i1") + var("i3") - var("i"));
    p.row(var("i2") + var("i4") - var("i"));
    if (inductive) {
      // While the load current freewheels all four conduct or two do: the load sees no voltage.
      expect_next(p, {1, 1, 0, 0}, {.after = {{"i", 1.0}}});
    } else {
      expect_next(p, {1, 1, 0, 0}, {.mode = {0, 0, 1, 1}});
    }
  }
}

TEST(NextMode, ConvertersChooseTheFreewheelingDiode) {
  const auto buck = [](bool closed, double i) {
    Problem p({{"i", i}, {"c", 5.0}});
    p.row(closed ? var("s") - num(10) : var("isw"));
    p.row(var("isw") + var("d") - var("i"));
    p.row(var("ud") + var("s"));
    p.row(0.1 * rate("i") - var("s") + var("c"));
    p.row(0.1 * rate("c") - var("i") + var("c"));
    p.diode(var("ud"), var("d"));
    return p;
  };
  auto closed = buck(true, 1), open = buck(false, 1), empty = buck(false, 0);
  expect_next(closed, {0}, {.mode = {0}});
  expect_next(open, {0}, {.mode = {1}});
  expect_next(empty, {0}, {.mode = {0}});
}

TEST(NextMode, CapacitorsOverADiodeShareTheirCharge) {
  Problem p({{"u1", 5.0}, {"u2", 1.0}});
  p.row(rate("u1") + var("i"));
  p.row(3.0 * rate("u2") - var("i") + var("u2"));
  p.diode(var("u1") - var("u2"), var("i"));
  expect_next(p, {0}, {.mode = {1}, .after = {{"u1", 2.0}, {"u2", 2.0}}, .impulses = {{"i", 3.0}}});
}

Problem block_falls(double u, double mu) {
  Problem p({{"y", 0.0}, {"v", -2.0}, {"u", u}});
  p.row(rate("y") - var("v"));
  p.row(rate("v") - var("N") + num(10));
  p.row(rate("u") - var("F"));
  p.contact(var("y"), var("N"));
  p.law({{{var("F") - mu * var("N")}, {-var("u")}}, {{var("F") + mu * var("N")}, {var("u")}}});
  return p;
}

TEST(NextMode, FrictionTakesItsShareOfAnImpulse) {
  auto stops = block_falls(0.5, 0.3);
  expect_next(stops, {0, 1},
              {.after = {{"u", 0.0}, {"v", 0.0}}, .impulses = {{"N", 2.0}, {"F", -0.5}}});
  auto slides = block_falls(2, 0.3);
  expect_next(slides, {0, 1}, {.after = {{"u", 1.4}}, .impulses = {{"F", -0.6}}});
}

TEST(NextMode, PainleveParadoxHasThreeModesOrAnImpulse) {
  const auto rod = [](double b) {
    Problem p({{"y", 0.0}, {"v", 0.0}, {"u", 1.0}});
    p.row(rate("y") - var("v"));
    p.row(rate("v") - var("N") - var("F") - num(b));
    p.row(rate("u") - var("N") - 1.5 * var("F"));
    p.contact(var("y"), var("N"));
    p.law({{{var("F") - 2.0 * var("N")}, {-var("u")}}, {{var("F") + 2.0 * var("N")}, {var("u")}}});
    return p;
  };
  EXPECT_EQ(brute(rod(1).make()).size(), 3U);
  auto jams = rod(-1);
  expect_next(jams, {1, 1}, {.after = {{"u", 0.0}}, .impulses = {{"N", 2.0}, {"F", -2.0}}});
}

TEST(NextMode, BallsInContactShareAPlasticImpulse) {
  const auto row_of_balls = [](const std::vector<double>& v) {
    Strings before;
    const int n = static_cast<int>(v.size());
    const auto name = [](const char* s, int k) { return s + std::to_string(k); };
    for (int k = 0; k < n; ++k) {
      before[name("x", k)] = k;
      before[name("v", k)] = v[at(k)];
    }
    Problem p(before);
    for (int k = 0; k < n; ++k) {
      p.row(rate(name("x", k)) - var(name("v", k)));
      Ex force = rate(name("v", k));
      if (k > 0) force = force - var(name("N", k - 1));
      if (k < n - 1) force = force + var(name("N", k));
      p.row(force);
    }
    for (int k = 0; k + 1 < n; ++k) {
      p.contact(var(name("x", k + 1)) - var(name("x", k)) - num(1), var(name("N", k)));
    }
    return p;
  };
  auto three = row_of_balls({1, 0, 0});
  expect_next(three, {1, 1}, {.after = {{"v0", 1.0 / 3}, {"v1", 1.0 / 3}, {"v2", 1.0 / 3}}});
  auto five = row_of_balls({1, 0, 0, 0, -1});
  expect_next(five, {1, 1, 1, 1}, {.after = {{"v0", 0.0}, {"v2", 0.0}, {"v4", 0.0}}});
  auto apart = row_of_balls({-1, 0, 1});
  expect_next(apart, {1, 1}, {.mode = {0, 0}});
}

Problem relays(const std::vector<std::vector<double>>& a, const std::vector<double>& c) {
  Problem p(Strings{});
  for (std::size_t k = 0; k < c.size(); ++k) {
    Ex e = rate("x" + std::to_string(k)) - num(c[k]);
    for (std::size_t j = 0; j < c.size(); ++j) e = e + a[k][j] * var("a" + std::to_string(j));
    p.row(e);
    p.friction(var("a" + std::to_string(k)), var("x" + std::to_string(k)), num(1));
  }
  return p;
}

TEST(NextMode, RelaysSlideOrLeave) {
  auto slides = relays({{1}}, {0.3});
  expect_next(slides, {1}, {.mode = {2}});
  auto leaves = relays({{1}}, {2.0});
  expect_next(leaves, {1}, {.mode = {1}});
  auto both = relays({{2, -0.5}, {-0.5, 2}}, {0, 0});
  expect_next(both, {1, 1}, {.mode = {2, 2}});
  auto three = relays({{1, 0.2, 0.3}, {0.1, 1, -0.2}, {0.3, 0.1, 1}}, {0.5, 0.3, 2});
  expect_next(three, {1, 1, 1}, {.mode = {2, 2, 1}});
  EXPECT_EQ(brute(relays({{1, 2}, {2, 1}}, {0, 0}).make()).size(), 3U);
  EXPECT_EQ(brute(relays({{-1}}, {0.3}).make()).size(), 3U);
}

TEST(NextMode, FrictionOfAGivenForceTakesNoImpulse) {
  Problem p({{"v1", 2.0}});
  p.row(rate("x1") - var("v1"));
  p.row(rate("x2") - var("v2"));
  p.row(rate("v1") + var("N") + var("F1"));
  p.row(rate("v2") - var("N") + var("F2"));
  p.contact(var("x2") - var("x1"), var("N"));
  p.friction(var("F1"), var("v1"), num(1));
  p.friction(var("F2"), var("v2"), num(1));
  expect_next(p, {1, 2, 2},
              {.mode = {1, 1, 1}, .after = {{"v1", 1.0}, {"v2", 1.0}}, .impulses = {{"N", 1.0}}});
}

TEST(NextMode, RopeOfMovingLengthGoesSlackWhereItsForceEnds) {
  for (const double side : {-1e-3, 1e-3}) {
    const double c = -10.0 / 16 + side, t = std::acos(c) / 4;
    std::vector<double> length = {2 + c};
    for (int k = 1; k < 8; ++k) {
      length.push_back(std::pow(4.0, k) * std::cos(4 * t + k * std::numbers::pi / 2));
    }
    Problem p({{"d", 2 + c}, {"w", -4 * std::sin(4 * t)}});
    p.row(rate("d") - var("w"));
    p.row(rate("w") - num(10) + var("T"));
    p.contact(jet(length) - var("d"), var("T"));
    expect_next(p, {1}, {.mode = {side < 0 ? 0 : 1}});
  }
}

TEST(NextMode, CurvatureAsJetDecidesOnTopOfAHill) {
  for (const double v : {3.0, 3.5}) {  // g r = 10
    Problem p({{"y", 1.0}, {"vx", v}});
    p.row(rate("y") - var("vy"));
    p.row(rate("vy") - var("N") + num(10));
    p.contact(var("y") - num(1) + jet({0, 0, v * v}), var("N"));
    expect_next(p, {1}, {.mode = {v < std::sqrt(10.0) ? 1 : 0}});
  }
}

TEST(NextMode, SignsOfFifthOrderDecide) {
  for (int k = 1; k <= 5; ++k) {
    for (const double sign : {-1.0, 1.0}) {
      Problem p(Strings{});
      p.row(rate("i") + var("u") - var("y" + std::to_string(k)));
      for (int j = 1; j <= k; ++j) {
        const Ex below = j > 1 ? var("y" + std::to_string(j - 1)) : num(sign);
        p.row(rate("y" + std::to_string(j)) - below);
      }
      p.diode(var("u"), var("i"));
      expect_next(p, {sign > 0 ? 0 : 1}, {.mode = {sign > 0 ? 1 : 0}});
    }
  }
}

TEST(NextMode, RowsOfOneSurfaceHaveOneFilippovCoefficient) {
  Problem p(Strings{});
  p.row(rate("x") - var("a"));
  p.row(rate("y") - var("b"));
  p.law({{{var("a") - num(2), var("b") - num(1)}, {-var("x")}},
         {{var("a") + num(1), var("b") - num(4)}, {var("x")}}});
  expect_next(p, {1}, {.mode = {2}, .after = {{"a", 0.0}, {"b", 3.0}}});
}

TEST(NextMode, SaturationInALoopIsALawOfThreePieces) {
  for (const double e : {0.0, 5.0}) {
    Problem p(Strings{});
    p.row(var("a") - 3.0 * (jet({e, 1}) - var("y")));
    p.law({{{var("y") + num(1)}, {-num(1) - var("a")}},
           {{var("y") - var("a")}, {var("a") + num(1), num(1) - var("a")}},
           {{var("y") - num(1)}, {var("a") - num(1)}}});
    expect_next(p, {0}, {.mode = {e > 0 ? 2 : 1}});
  }
}

TEST(NextMode, CurrentSourceAgainstADiodeIsRefutedByACertificate) {
  Problem p(Strings{});
  p.row(var("i") + num(1));
  p.row(var("u") + var("r") + var("us") - num(5));
  p.row(var("r") - var("i"));
  p.diode(var("u"), var("i"));
  const ModeProblem made = p.make();
  const NextMode next = decide(made, {1});
  ASSERT_TRUE(std::holds_alternative<NoMode>(next));
  const Certificate& c = std::get<NoMode>(next).certificates.front();
  ASSERT_EQ(c.size(), 2U);  // i = -1 and i >= 0, with opposite multipliers
  EXPECT_NEAR(c[0].second, -c[1].second, 1e-9);
}

constexpr double kPi = std::numbers::pi;

Problem six_diodes(double t, const std::vector<double>& line, double load, double ls, double r,
                   double ld) {
  Strings before = {{"id", load}};
  for (int k = 0; k < 3; ++k) before["l" + std::to_string(k)] = line[at(k)];
  Problem p(before, 1e-3);
  Ex plus = -var("id"), minus = -var("id");
  for (int k = 0; k < 3; ++k) {
    const std::string n = std::to_string(k);
    p.row(ls * rate("l" + n) - sine(325, 100 * kPi, t, -2 * kPi * k / 3) - var("q") + var("v" + n));
    p.row(var("l" + n) - var("i" + n) + var("j" + n));
    plus = plus + var("i" + n);
    minus = minus + var("j" + n);
    p.diode(var("v" + n) - var("p"), var("i" + n));
    p.diode(var("n") - var("v" + n), var("j" + n));
  }
  p.row(plus);
  p.row(minus);
  p.row(var("p") - var("n") - r * var("id") - ld * rate("id"));
  p.row(var("n"));
  return p;
}

TEST(NextMode, SixDiodesGiveOneAnswerFromAllStartModes) {
  for (const double t : {0.0, 0.0017, 0.0031, 0.0071, 0.0133}) {
    const ModeProblem p = six_diodes(t, {0, 0, 0}, 0, 1e-3, 10, 0.05).make();
    std::vector<double> first;
    for (int m = 0; m < 64; ++m) {
      Mode start;
      for (int k = 0; k < 6; ++k) start.push_back((m >> k) & 1);
      const AffineMotion got = settle(p, start);
      ASSERT_TRUE(got.found) << "t = " << t << ", start " << m;
      const AffineVerdict v = verify_affine(p, got.mode);
      if (first.empty()) first = v.rate;
      for (std::size_t j = 0; j < 3; ++j) {
        ASSERT_NEAR(v.rate[j], first[j], 1e-6 * (1 + std::abs(first[j]))) << t << ' ' << m;
      }
    }
  }
}

Problem ring(int n) {
  Problem p(Strings{});
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0.5, 1.5), current(-1, 1);
  for (int k = 0; k < n; ++k) {
    const std::string here = std::to_string(k), last = std::to_string((k + n - 1) % n),
                      next = std::to_string((k + 1) % n);
    p.row(uniform(random) * var("v" + here) - num(current(random)) - var("i" + last) +
          var("i" + here));
    p.diode(var("v" + here) - var("v" + next), var("i" + here));
  }
  return p;
}

Problem freewheels(int n) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(1, 2), speed(-1, 1);
  Strings before;
  for (int k = 0; k <= n; ++k) before["w" + std::to_string(k)] = speed(random);
  Problem p(before);
  for (int k = 0; k <= n; ++k) {
    Ex e = uniform(random) * rate("w" + std::to_string(k)) - num(0.1 * speed(random));
    if (k > 0) e = e - var("T" + std::to_string(k - 1));
    if (k < n) e = e + var("T" + std::to_string(k));
    p.row(e);
  }
  for (int k = 0; k < n; ++k) {
    p.contact(var("w" + std::to_string(k + 1)) - var("w" + std::to_string(k)),
              var("T" + std::to_string(k)));
  }
  return p;
}

TEST(NextMode, ManyLawsAtOnce) {
  for (const int n : {5, 20}) {
    auto diodes = ring(n);
    EXPECT_TRUE(settle(diodes.make(), Mode(at(n), 0)).found) << "ring of " << n;
    auto clutches = freewheels(n);
    const AffineMotion got = settle(clutches.make(), Mode(at(n), 0));
    ASSERT_TRUE(got.found) << "freewheels " << n;
    for (int k = 0; k < n; ++k) {
      EXPECT_GE(got.after[clutches.index("w" + std::to_string(k + 1))] -
                    got.after[clutches.index("w" + std::to_string(k))],
                -1e-9);
    }
  }
}

/// Small integers, many ties: 1 to 3 states, 2 to 3 laws.
Problem random_problem(unsigned seed, bool is_passive) {
  std::mt19937_64 random(seed);
  const auto integer = [&](int low, int high) {
    return static_cast<double>(std::uniform_int_distribution<int>(low, high)(random));
  };
  const auto chance = [&](double p) { return std::uniform_real_distribution<>(0, 1)(random) < p; };
  const int states = static_cast<int>(integer(1, 3)), laws = static_cast<int>(integer(2, 3));
  const auto matrix = [&](int m, int n) {
    std::vector<std::vector<double>> a(at(m), std::vector<double>(at(n)));
    for (auto& row : a) {
      for (double& x : row) x = integer(-2, 2);
    }
    return a;
  };
  const auto a = matrix(states, states), b = matrix(states, laws);
  auto c = matrix(laws, states), m = matrix(laws, laws);
  if (is_passive) {
    const auto g = matrix(laws, laws), skew = matrix(laws, laws);
    const bool has_losses = chance(0.5);
    for (std::size_t i = 0; i < at(laws); ++i) {
      for (std::size_t j = 0; j < at(states); ++j) c[i][j] = b[j][i];
      for (std::size_t j = 0; j < at(laws); ++j) {
        m[i][j] = skew[i][j] - skew[j][i];
        for (std::size_t k = 0; has_losses && k < at(laws); ++k) m[i][j] += g[i][k] * g[j][k];
      }
    }
  }
  Strings before;
  for (int i = 0; i < states; ++i)
    before["x" + std::to_string(i)] = chance(0.5) ? integer(-2, 2) : 0;
  Problem p(before);
  for (int i = 0; i < states; ++i) {
    Ex e = rate("x" + std::to_string(i)) -
           jet({chance(0.5) ? integer(-2, 2) : 0, chance(0.5) ? integer(-2, 2) : 0});
    for (int j = 0; j < states; ++j) e = e - a[at(i)][at(j)] * var("x" + std::to_string(j));
    for (int j = 0; j < laws; ++j) e = e - b[at(i)][at(j)] * var("z" + std::to_string(j));
    p.row(e);
  }
  for (int k = 0; k < laws; ++k) {
    const std::string w = "w" + std::to_string(k), z = "z" + std::to_string(k);
    Ex e = var(w) - jet({chance(0.5) ? integer(-2, 2) : 0, integer(-2, 2)});
    for (int j = 0; j < states; ++j) e = e - c[at(k)][at(j)] * var("x" + std::to_string(j));
    for (int j = 0; j < laws; ++j) e = e - m[at(k)][at(j)] * var("z" + std::to_string(j));
    p.row(e);
    if (chance(0.3)) {
      p.friction(-var(z), var(w), num(1));
    } else {
      p.contact(var(w), var(z));
    }
  }
  return p;
}

/// Brute force over all modes is the reference, in the first round. Where it finds modes, so do we;
/// where it finds none we find none, and say so unless round-off leaves it open.
void compare_with_brute_force(bool is_passive, const NextModeLimits& limits, int* missed) {
  constexpr unsigned kCount = 60;
  for (unsigned seed = 0; seed < kCount; ++seed) {
    const ModeProblem p = random_problem(seed, is_passive).make();
    const std::vector<Mode> good = brute(p);
    const NextMode next = decide(p, Mode(p.laws.size(), 0), limits);
    if (const auto* found = std::get_if<FoundMode>(&next)) {
      EXPECT_TRUE(std::ranges::find(good, found->mode) != good.end()) << "seed " << seed;
    } else {
      *missed += good.empty() ? 0 : 1;
      if (std::holds_alternative<NoMode>(next)) {
        EXPECT_TRUE(good.empty()) << "seed " << seed;
      }
    }
  }
}

TEST(NextMode, AgreesWithBruteForceOnRandomNetworks) {
  for (const bool is_passive : {true, false}) {
    int missed = 0;
    compare_with_brute_force(is_passive, {}, &missed);
    EXPECT_EQ(missed, 0) << (is_passive ? "passive" : "any");
  }
}

TEST(NextMode, NoStageMakesAWrongModeRight) {
  for (int without = 0; without < 4; ++without) {
    int missed = 0;
    compare_with_brute_force(true,
                             {.nodes = without == 3 ? 0 : 800,
                              .newton = without != 0,
                              .path = without != 1,
                              .exact = without != 2},
                             &missed);
    EXPECT_EQ(missed, 0) << "without stage " << without;
  }
}

TEST(VerifyAffine, ErrorsOfTheValuesBeforeDecideNothing) {
  // A current of -2e-6 A that the integration left is none, where it is known to 1e-5 A.
  Problem text({{"i", -2e-6}});
  text.row(rate("i") + var("u") - num(1));
  text.diode(var("u"), var("i"));
  ModeProblem p = text.make();
  EXPECT_FALSE(verify_affine(p, {1}).accepted);
  p.error = {1e-5, 0};
  EXPECT_TRUE(verify_affine(p, {1}).accepted);
}

/// x is known but for plain rows: what is left of the laws holds, or it does not.
TEST(NextMode, ALawThatPlainRowsDecideLeavesNothingToSolve) {
  for (const double x : {1.0, -1.0}) {
    ModeProblem problem;
    problem.before = {x};
    problem.plain = {problem.add({.value = {{0, 1.0}}, .known = {-x}})};
    const int above = problem.add({.value = {{0, 1.0}}, .known = {0.0}});
    const int below = problem.add({.value = {{0, -1.0}}, .known = {0.0}});
    Law law;
    law.pieces.push_back({.conditions = {above}});
    law.pieces.push_back({.conditions = {below}});
    complete_law(problem, law);
    problem.laws.push_back(law);
    const auto verify = [&](const Mode& mode) -> Verdict { return {.accepted = mode[0] == 9}; };
    const NextMode next = next_mode(problem, {0}, verify);  // nothing is accepted: all stages run
    EXPECT_FALSE(std::holds_alternative<FoundMode>(next));
  }
}

}  // namespace
}  // namespace chi::numerics
