#include "numerics/root_isolation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/exact_roots_testing.h"
#include "numerics/root_location.h"

namespace chi::numerics {
namespace {

using Terms = std::vector<double>;

Terms times(const Terms& a, const Terms& b) {
  Terms product(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  return product;
}

Polynomial with_roots(const std::vector<double>& roots, double scale = 1.0) {
  Terms p = {scale};
  for (const double r : roots) p = times(p, {-r, 1.0});
  return make_polynomial(p);
}

std::vector<RootKind> kinds(const Isolation& found) {
  std::vector<RootKind> out;
  for (const IsolatedRoot& root : found.roots()) out.push_back(root.kind);
  return out;
}

TEST(IsolatePolynomial, FindsSimpleRootsInOrderWithTheirDirection) {
  const Polynomial p = with_roots({0.2, 0.5, 0.9, 1.5});
  const Isolation found = isolate(p);
  ASSERT_EQ(kinds(found), (std::vector{RootKind::Falling, RootKind::Rising, RootKind::Falling}));
  const std::array<double, 3> expected = {0.2, 0.5, 0.9};
  for (std::size_t i = 0; i < 3; ++i) {
    const Location place = locate(p, found.roots()[i]);
    EXPECT_NEAR(place.right, expected[i], 1e-15);
    EXPECT_LE(place.right - place.left, 3e-16);
  }
  EXPECT_TRUE(found.complete);
}

TEST(IsolatePolynomial, KnowsNothingOfTheSearchBefore) {
  const Polynomial p = with_roots({0.2, 0.5, 0.9, 1.5});
  for (int turn = 0; turn < 3; ++turn) {
    const Isolation found = isolate(p);
    ASSERT_EQ(found.count, 3) << turn;
    EXPECT_LE(found.roots()[0].left, 0.2);
    EXPECT_GE(found.roots()[0].right, 0.2);
  }
}

TEST(IsolatePolynomial, LeavesOutTheStartAndIncludesTheEnd) {
  EXPECT_EQ(isolate(with_roots({0.0})).count, 0);
  EXPECT_EQ(isolate(with_roots({0.0, 0.0, 0.5})).count, 1);
  const Isolation end = isolate(with_roots({0.0, 1.0}));
  ASSERT_EQ(kinds(end), std::vector{RootKind::Rising});
  EXPECT_EQ(end.roots()[0].left, 1.0);
  EXPECT_EQ(kinds(isolate(with_roots({1.0, 1.0}))), std::vector{RootKind::TouchFromAbove});
}

TEST(IsolatePolynomial, TellsTouchingFromCrossing) {
  EXPECT_EQ(kinds(isolate(with_roots({0.375, 0.375}))), std::vector{RootKind::TouchFromAbove});
  EXPECT_EQ(kinds(isolate(with_roots({0.375, 0.375}, -1))), std::vector{RootKind::TouchFromBelow});
  EXPECT_EQ(kinds(isolate(with_roots({0.375, 0.375, 0.375}))), std::vector{RootKind::Rising});
  const Isolation both = isolate(with_roots({0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75}));
  EXPECT_EQ(kinds(both), (std::vector{RootKind::TouchFromBelow, RootKind::Rising}));
}

TEST(IsolatePolynomial, KnowsZero) {
  EXPECT_TRUE(isolate(make_polynomial(Terms{0.0, 0.0, 0.0})).zero);
  EXPECT_TRUE(isolate(make_polynomial(Terms{1e-12, -1e-12}), {.noise = 1e-11}).zero);
  EXPECT_FALSE(isolate(make_polynomial(Terms{1e-12, -3e-12})).zero);
  EXPECT_EQ(isolate(make_polynomial(Terms{1e-12, -3e-12})).count, 1);
}

TEST(IsolatePolynomial, KeepsToItsWindow) {
  const Polynomial p = with_roots({0.25, 0.5, 0.75});
  EXPECT_EQ(isolate(p, {.from = 0.25, .to = 0.75}).count, 2);
  EXPECT_EQ(isolate(p, {.from = 0.26, .to = 0.74}).count, 1);
  EXPECT_EQ(isolate(p, {.from = 0.3, .to = 0.4}).count, 0);
  const Isolation first = isolate(p, {.max_roots = 1});
  EXPECT_EQ(first.count, 1);
  EXPECT_FALSE(first.complete);
}

TEST(IsolatePolynomial, DoesNotFireUntilItHasLeftTheBand) {
  // An event function just after its own event: at -1e-14 and rising, then back through zero.
  const Polynomial p = make_polynomial(Terms{-1e-14, 1.0, -2.0});
  EXPECT_EQ(isolate(p).count, 2);
  const Isolation found = isolate(p, {.noise = 1e-12});
  ASSERT_EQ(kinds(found), std::vector{RootKind::Falling});
  EXPECT_NEAR(locate(p, found.roots()[0]).right, 0.5, 1e-13);
}

TEST(IsolatePolynomial, CountsAnExtremumInTheBandAsTouching) {
  const Polynomial p = make_polynomial(Terms{0.25 + 1e-9, -1.0, 1.0});  // (x - 1/2)² + 1e-9
  EXPECT_EQ(isolate(p).count, 0);
  EXPECT_EQ(isolate(p, {.noise = 1e-10}).count, 0);
  const Isolation found = isolate(p, {.noise = 1e-8});
  ASSERT_EQ(kinds(found), std::vector{RootKind::TouchFromAbove});
  EXPECT_NEAR(found.roots()[0].right, 0.5, 1e-15);
}

TEST(IsolatePolynomial, AHumpThatCrossesTwiceDoesNotTouchBesides) {
  const Polynomial p = make_polynomial(Terms{1e-9 - 0.25, 1.0, -1.0});  // 1e-9 - (x - 1/2)²
  const Isolation found = isolate(p, {.noise = 1e-8});
  EXPECT_EQ(kinds(found), (std::vector{RootKind::Rising, RootKind::Falling}));
}

TEST(IsolatePolynomial, SimplerMethodsMissWhatTheyMust) {
  const Polynomial two = with_roots({0.4, 0.6}), three = with_roots({0.3, 0.4, 0.5, 0.6});
  EXPECT_EQ(isolate(two, {.method = RootDetection::Signs}).count, 0);
  EXPECT_EQ(isolate(two, {.method = RootDetection::Derivative}).count, 2);
  EXPECT_EQ(isolate(two, {.method = RootDetection::Sturm}).count, 2);
  EXPECT_EQ(isolate(three, {.method = RootDetection::Derivative}).count, 2);
  EXPECT_EQ(isolate(three, {.method = RootDetection::Sturm}).count, 4);
}

TEST(RootDetectionNames, GoBothWays) {
  for (const RootDetection d : {RootDetection::Signs, RootDetection::Derivative,
                                RootDetection::Bernstein, RootDetection::Sturm}) {
    EXPECT_EQ(root_detection_named(name(d)), d);
  }
  EXPECT_FALSE(root_detection_named("guess"));
}

// Random event functions on a step, as nasty as steps can be.
class RandomFunctions {
 public:
  explicit RandomFunctions(std::uint64_t seed) : random_(seed) {}

  Polynomial smooth() {
    Terms p;
    for (int i = 0; i <= degree(2, 7); ++i) p.push_back(normal_(random_));
    p[0] *= 0.3;
    return make_polynomial(p);
  }
  Polynomial needle(double sign, double width) {
    const double a = place(), half = width / 2;
    return product({a * a + sign * half * half, -2 * a, 1.0}, factor(5));
  }
  Polynomial exact_double() {  // coefficients small enough to be exact
    const double a = std::floor(place() * 4096) / 4096;
    Terms q;
    for (int i = 0; i <= degree(0, 2); ++i) q.push_back(std::round(8 * normal_(random_)));
    q.push_back(1.0);
    return product({a * a, -2 * a, 1.0}, q);
  }
  Polynomial cluster() {
    const double a = place() * 0.9, gap = std::pow(10.0, -1 - 4 * uniform_(random_));
    Terms p = {normal_(random_)};
    for (int i = 0; i < degree(3, 5); ++i)
      p = times(p, {-a - i * gap * (1 + uniform_(random_)), 1.0});
    return product(p, factor(7 - static_cast<int>(p.size())));
  }
  Polynomial at_the_ends() {
    Terms p = factor(3);
    for (int i = 0; i < degree(0, 2); ++i) p = times(p, {0.0, 1.0});
    for (int i = 0; i < degree(0, 2); ++i) p = times(p, {1.0, -1.0});
    return make_polynomial(p);
  }
  double place() { return uniform_(random_); }

 private:
  int degree(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  Terms factor(int up_to) {
    Terms p;
    for (int i = 0; i <= degree(0, std::max(0, up_to)); ++i) p.push_back(normal_(random_));
    return p;
  }
  static Polynomial product(const Terms& a, const Terms& b) { return make_polynomial(times(a, b)); }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

// Roots of exact arithmetic near the ones found. Roots closer than this may be reported as one.
constexpr double kMerged = 2e-14;

struct Near {
  int total = 0;  // in all neighbourhoods together
  std::vector<int> each;
};

Near count_near(const testing::ExactRoots& exact, const Polynomial& p, const Isolation& found,
                double from, double to) {
  Near near;
  double counted_until = from;
  for (const IsolatedRoot& root : found.roots()) {
    const Location place = locate(p, root);
    const double low = std::max(from, place.left - kMerged),
                 high = std::min(to, place.right + kMerged);
    near.each.push_back(exact.count(low, place.right + kMerged));  // those beyond `to` crowd it too
    near.total += exact.count(std::max(low, counted_until), std::max(high, counted_until));
    counted_until = std::max(high, counted_until);
  }
  return near;
}

// Whether the roots found are those of exact arithmetic: none missed, none invented, and those that
// stand apart of the right kind and located to two ulps.
::testing::AssertionResult is_exact(const Polynomial& p, const Isolation& found, double from = 0.0,
                                    double to = 1.0) {
  const testing::ExactRoots exact(p);
  if (exact.is_zero() != found.zero) return ::testing::AssertionFailure() << "zero";
  if (exact.is_zero()) return ::testing::AssertionSuccess();
  const int expected = exact.count(from, to);
  const Near near = count_near(exact, p, found, from, to);
  if (near.total != expected) {
    return ::testing::AssertionFailure() << "found " << near.total << " of " << expected;
  }
  for (std::size_t i = 0; i < near.each.size(); ++i) {
    if (near.each[i] == 0) return ::testing::AssertionFailure() << "invented root " << i;
    if (near.each[i] > 1) continue;
    const IsolatedRoot& root = found.roots()[i];
    const Location place = locate(p, root);
    const double ulp = std::numeric_limits<double>::epsilon() * place.right;
    const double below = place.right - 2 * ulp;
    const double above = std::min(to, std::nextafter(place.right, 2.0));
    const bool narrow = place.right - place.left <= ulp || !is_crossing(root.kind);
    if (!narrow || exact.count(below, above) != 1) {
      return ::testing::AssertionFailure() << "not at " << place.right;
    }
    const int after = exact.sign_at(above);  // zero: at the end of the window, direction unknown
    if (after != 0 && (exact.sign_at(below) * after < 0) != is_crossing(root.kind)) {
      return ::testing::AssertionFailure() << "wrong kind at " << place.right;
    }
  }
  return ::testing::AssertionSuccess();
}

constexpr int kRounds = 1250;  // times eight families: 10 000 functions

Polynomial nasty(RandomFunctions& random, int family) {
  switch (family) {
    case 0: return random.smooth();
    case 1: return random.needle(-1, 1e-8);
    case 2: return random.needle(-1, std::pow(10.0, -1 - 6.9 * random.place()));
    case 3: return random.needle(+1, 1e-8);  // comes close and does not reach zero
    case 4: return random.needle(0, 0);      // a double root, but for rounding
    case 5: return random.exact_double();
    case 6: return random.cluster();
    default: return random.at_the_ends();
  }
}

TEST(IsolatePolynomial, AgreesWithExactArithmeticOnTenThousandNastyFunctions) {
  RandomFunctions random(20240607);
  for (int family = 0; family < 8; ++family) {
    for (int round = 0; round < kRounds; ++round) {
      const Polynomial p = nasty(random, family);
      ASSERT_TRUE(is_exact(p, isolate(p))) << "family " << family << " round " << round;
    }
  }
}

TEST(IsolatePolynomial, CountsExactlyInRandomWindows) {
  RandomFunctions random(99);
  for (int round = 0; round < 3000; ++round) {
    const Polynomial p = nasty(random, round % 7);
    double from = random.place(), to = random.place();
    if (from > to) std::swap(from, to);
    if (from == to) continue;
    const Isolation found = isolate(p, {.from = from, .to = to});
    ASSERT_TRUE(is_exact(p, found, from, to)) << "round " << round;
    for (const IsolatedRoot& root : found.roots()) {
      ASSERT_GE(root.left, from);
      ASSERT_LE(root.right, to);
    }
  }
}

TEST(IsolatePolynomial, SizeDoesNotMatter) {
  RandomFunctions random(98);
  for (int round = 0; round < 500; ++round) {
    const Polynomial p = nasty(random, round % 8);
    for (const double scale : {0x1p-900, 0x1p900}) {
      Polynomial q = p;
      for (double& c : q.coefficients) c *= scale;
      const Isolation a = isolate(p), b = isolate(q);
      ASSERT_EQ(a.count, b.count);
      for (std::size_t i = 0; i < a.roots().size(); ++i) {
        ASSERT_EQ(a.roots()[i].left, b.roots()[i].left);
        ASSERT_EQ(a.roots()[i].kind, b.roots()[i].kind);
      }
    }
  }
}

TEST(IsolatePolynomial, TheBandOnlyAddsTouchesAndDelaysTheStart) {
  RandomFunctions random(97);
  const double noise = 1e-3;
  for (int round = 0; round < 3000; ++round) {
    const Polynomial p = nasty(random, round % 7);
    const Isolation plain = isolate(p), banded = isolate(p, {.noise = noise});
    const bool starts_in_band = std::abs(evaluate(p, 0.0)) <= noise;
    int crossings = 0, expected = 0;
    for (const IsolatedRoot& root : plain.roots()) expected += is_crossing(root.kind);
    for (const IsolatedRoot& root : banded.roots()) {
      crossings += is_crossing(root.kind);
      ASSERT_LE(std::abs(evaluate(p, root.right)), is_crossing(root.kind) ? 1e300 : 1.001 * noise);
    }
    ASSERT_LE(crossings, expected) << "round " << round;
    ASSERT_TRUE(starts_in_band || crossings == expected) << "round " << round;
  }
}

TEST(IsolatePolynomial, SturmAgreesWhereRootsAreApart) {
  RandomFunctions random(7);
  for (int round = 0; round < kRounds; ++round) {
    const Polynomial p = nasty(random, round % 2 == 0 ? 0 : 5);
    ASSERT_TRUE(is_exact(p, isolate(p, {.method = RootDetection::Sturm}))) << "round " << round;
  }
}

}  // namespace
}  // namespace chi::numerics
