#include "numerics/complementarity.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

using Vector = std::vector<double>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Complementarity make(const std::vector<Vector>& rows, const Vector& offset) {
  const int n = static_cast<int>(rows.size());
  Complementarity p{n, Vector(at(n) * at(n)), offset};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) p.matrix[at(j) * at(n) + at(i)] = rows[at(i)][at(j)];
  }
  return p;
}

void expect_solution(const Complementarity& p, const ComplementaritySolution& s, double tolerance) {
  for (int i = 0; i < p.size; ++i) {
    double w = p.offset[at(i)];
    for (int j = 0; j < p.size; ++j) w += p.matrix[at(j) * at(p.size) + at(i)] * s.z[at(j)];
    EXPECT_NEAR(w, s.w[at(i)], tolerance);
    EXPECT_GE(s.z[at(i)], 0.0);
    EXPECT_GE(s.w[at(i)], 0.0);
    EXPECT_EQ(s.z[at(i)] * s.w[at(i)], 0.0);
  }
}

// M = A Aᵀ + D with a skew part: positive definite, hence a P-matrix.
Complementarity random_p_matrix(int n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<Vector> a(at(n), Vector(at(n))), rows = a;
  Vector q(at(n));
  for (Vector& row : a) {
    for (double& v : row) v = normal(random);
  }
  for (int i = 0; i < n; ++i) {
    q[at(i)] = normal(random);
    for (int j = 0; j < n; ++j) {
      rows[at(i)][at(j)] = i == j ? 0.1 : a[at(i)][at(j)] - a[at(j)][at(i)];
      for (int k = 0; k < n; ++k) rows[at(i)][at(j)] += a[at(i)][at(k)] * a[at(j)][at(k)];
    }
  }
  return make(rows, q);
}

TEST(Complementarity, TextbookExample) {  // Murty, example 1.1
  const Complementarity p = make({{2, 1}, {1, 2}}, {-5, -6});
  const ComplementaritySolution s = solve_complementarity(p);
  ASSERT_EQ(s.status, ComplementarityStatus::Solved);
  EXPECT_NEAR(s.z[0], 4.0 / 3, 1e-14);
  EXPECT_NEAR(s.z[1], 7.0 / 3, 1e-14);
  EXPECT_EQ(s.uniqueness, Uniqueness::Unique);
}

TEST(Complementarity, SolvesRandomPMatricesAsEnumerationDoes) {
  std::mt19937_64 random(21);
  for (int round = 0; round < 400; ++round) {
    const Complementarity p = random_p_matrix(1 + round % 8, random);
    const ComplementaritySolution s = solve_complementarity(p);
    ASSERT_EQ(s.status, ComplementarityStatus::Solved) << round;
    EXPECT_EQ(s.uniqueness, Uniqueness::Unique);
    expect_solution(p, s, 1e-9);
    const ComplementaritySolution e =
        solve_complementarity(p, {.max_pivots = 0});  // all combinations
    ASSERT_EQ(e.status, ComplementarityStatus::Solved) << round;
    EXPECT_EQ(e.uniqueness, Uniqueness::Unique) << round;
    for (int i = 0; i < p.size; ++i) EXPECT_NEAR(s.z[at(i)], e.z[at(i)], 1e-7);
  }
}

TEST(Complementarity, SolvesLargePMatrices) {
  std::mt19937_64 random(22);
  const Complementarity p = random_p_matrix(60, random);
  const ComplementaritySolution s = solve_complementarity(p);
  ASSERT_EQ(s.status, ComplementarityStatus::Solved);
  expect_solution(p, s, 1e-8);
}

TEST(Complementarity, DegenerateOffsetsDoNotCycle) {
  std::mt19937_64 random(23);
  for (int round = 0; round < 300; ++round) {
    Complementarity p = random_p_matrix(2 + round % 7, random);
    for (double& q : p.offset) q = static_cast<double>(random() % 3) - 1.0;  // many ties and zeros
    const ComplementaritySolution s = solve_complementarity(p);
    ASSERT_EQ(s.status, ComplementarityStatus::Solved);
    EXPECT_LT(s.pivots, 60);
    expect_solution(p, s, 1e-9);
  }
}

TEST(Complementarity, CyclicMatrix) {  // simple principal pivoting goes round in circles on it
  const Complementarity p = make({{1, 2, 0}, {0, 1, 2}, {2, 0, 1}}, {-1, -1, -1});
  const ComplementaritySolution s = solve_complementarity(p);
  ASSERT_EQ(s.status, ComplementarityStatus::Solved);
  for (const double z : s.z) EXPECT_NEAR(z, 1.0 / 3, 1e-14);
  EXPECT_EQ(s.uniqueness, Uniqueness::Unique);  // a P-matrix, though not positive definite
}

TEST(Complementarity, ReportsSeveralSolutions) {
  // w = -z + 1: z = 0 and z = 1 both solve it.
  const ComplementaritySolution s = solve_complementarity(make({{-1}}, {1}));
  ASSERT_EQ(s.status, ComplementarityStatus::Solved);
  EXPECT_EQ(s.uniqueness, Uniqueness::NotUnique);
  ASSERT_EQ(s.other_z.size(), 1u);
  EXPECT_NEAR(s.z[0] + s.other_z[0], 1.0, 1e-15);
  // Painlevé's rod: a negative coefficient and a force that presses on.
  const ComplementaritySolution two = solve_complementarity(make({{1, -2}, {-2, 1}}, {1, 1}));
  EXPECT_EQ(two.uniqueness, Uniqueness::NotUnique);
}

TEST(Complementarity, ReportsAHalfLineOfSolutions) {
  // w1 = z1 - z2 - 1, w2 = -w1: z = (1 + t, t) for all t >= 0, of which only t = 0 is a vertex.
  const ComplementaritySolution s = solve_complementarity(make({{1, -1}, {-1, 1}}, {-1, 1}));
  ASSERT_EQ(s.status, ComplementarityStatus::Solved);
  EXPECT_EQ(s.uniqueness, Uniqueness::NotUnique);
  EXPECT_NEAR(s.other_z[0] - s.other_z[1], 1.0, 1e-12);
  EXPECT_GT(s.other_z[1], 0.1);
  // Two parallel ideal diodes share the current in any way.
  const ComplementaritySolution shared = solve_complementarity(make({{1, 1}, {1, 1}}, {-2, -2}));
  EXPECT_EQ(shared.uniqueness, Uniqueness::NotUnique);
}

TEST(Complementarity, ReportsNoSolution) {
  const ComplementaritySolution s = solve_complementarity(make({{-1}}, {-1}));
  EXPECT_EQ(s.status, ComplementarityStatus::NoSolution);
  EXPECT_EQ(solve_complementarity(make({{0, 1}, {-1, 0}}, {1, -2})).status,
            ComplementarityStatus::NoSolution);
}

TEST(Complementarity, UnitsDoNotMatter) {
  const ComplementaritySolution s =
      solve_complementarity(make({{2e9, 1e-3}, {1e6, 2e-6}}, {-5e-3, -6e-6}));
  const ComplementaritySolution t = solve_complementarity(make({{2, 1}, {1, 2}}, {-5, -6}));
  ASSERT_EQ(s.status, ComplementarityStatus::Solved);
  EXPECT_NEAR(s.z[0] / 1e-12, t.z[0], 1e-11);
  EXPECT_NEAR(s.z[1], t.z[1], 1e-11);
}

TEST(Complementarity, EmptyAndTrivial) {
  EXPECT_EQ(solve_complementarity({}).status, ComplementarityStatus::Solved);
  const ComplementaritySolution s = solve_complementarity(make({{1}}, {0}));
  EXPECT_EQ(s.status, ComplementarityStatus::Solved);
  EXPECT_EQ(s.z[0], 0.0);
}

// A bridge rectifier of ideal diodes. Free: potentials p, +, - (the other terminal is earth) and
// the source current; pairs: current and blocking voltage of each diode.
MixedComplementarity bridge(double source, double load) {
  MixedComplementarity c{.free = 4, .pairs = 4};
  c.free_columns.assign(32, 0.0);
  c.first_columns.assign(32, 0.0);
  c.second_columns.assign(32, 0.0);
  c.offset.assign(8, 0.0);
  const auto set = [](Vector& m, int row, int col, double v) { m[at(col) * 8 + at(row)] = v; };
  enum { P, Plus, Minus, Current };
  set(c.free_columns, 0, P, 1);  // p = source
  c.offset[0] = -source;
  // Diode k: anode - cathode + b_k = 0. Diodes: p→+, earth→+, -→p, -→earth.
  const int anode[] = {P, -1, Minus, Minus}, cathode[] = {Plus, Plus, P, -1};
  for (int k = 0; k < 4; ++k) {
    if (anode[k] >= 0) set(c.free_columns, 1 + k, anode[k], 1);
    if (cathode[k] >= 0) set(c.free_columns, 1 + k, cathode[k], -1);
    set(c.second_columns, 1 + k, k, 1);
  }
  set(c.free_columns, 5, Current, 1);  // current = i1 - i3
  set(c.first_columns, 5, 0, -1);
  set(c.first_columns, 5, 2, 1);
  for (const int row : {6, 7}) {  // i1 + i2 = (+ - -) / load = i3 + i4
    set(c.free_columns, row, Plus, -1 / load);
    set(c.free_columns, row, Minus, 1 / load);
    set(c.first_columns, row, row == 6 ? 0 : 2, 1);
    set(c.first_columns, row, row == 6 ? 1 : 3, 1);
  }
  return c;
}

TEST(MixedComplementarity, BridgeRectifier) {
  for (const double source : {10.0, -10.0, 1e-3, -230.0}) {
    const MixedSolution s = solve_mixed_complementarity(bridge(source, 50));
    ASSERT_EQ(s.status, ComplementarityStatus::Solved) << source;
    const double current = std::abs(source) / 50;
    EXPECT_NEAR(s.a[0], source > 0 ? current : 0, 1e-12);
    EXPECT_NEAR(s.a[3], source > 0 ? current : 0, 1e-12);
    EXPECT_NEAR(s.a[1], source < 0 ? current : 0, 1e-12);
    EXPECT_NEAR(s.a[2], source < 0 ? current : 0, 1e-12);
    EXPECT_NEAR(s.b[1], source > 0 ? source : 0, 1e-10);
    EXPECT_NEAR(s.u[1] - s.u[2], std::abs(source), 1e-10);
  }
}

TEST(MixedComplementarity, BridgeAtTheZeroOfItsSource) {
  const MixedSolution s = solve_mixed_complementarity(bridge(0, 50));
  ASSERT_EQ(s.status, ComplementarityStatus::Solved);
  for (const double i : s.a) EXPECT_NEAR(i, 0, 1e-12);
}

TEST(MixedComplementarity, SaysWhenTheEquationsAreSingular) {
  MixedComplementarity c{.free = 1, .pairs = 1};
  c.free_columns = {0, 0};  // an unknown that occurs nowhere
  c.first_columns = {1, 0};
  c.second_columns = {0, 1};
  c.offset = {0, 0};
  EXPECT_TRUE(solve_mixed_complementarity(c).singular);
}

TEST(MixedComplementarity, HalfWaveWithFreewheelingDiode) {
  // Source - diode 1 - node x - load current 2 A drawn from x; diode 2 from earth to x.
  for (const double source : {5.0, -5.0}) {
    MixedComplementarity c{.free = 1, .pairs = 2};
    c.free_columns = {-1, -1, 0};           // x
    c.first_columns = {0, 0, 1, 0, 0, 1};   // i1 + i2 = 2
    c.second_columns = {1, 0, 0, 0, 1, 0};  // source - x + b1 = 0, 0 - x + b2 = 0
    c.offset = {source, 0, -2};
    const MixedSolution s = solve_mixed_complementarity(c);
    ASSERT_EQ(s.status, ComplementarityStatus::Solved);
    EXPECT_NEAR(s.u[0], source > 0 ? 5 : 0, 1e-13);
    EXPECT_NEAR(s.a[0], source > 0 ? 2 : 0, 1e-13);
    EXPECT_NEAR(s.a[1], source > 0 ? 0 : 2, 1e-13);
    EXPECT_EQ(s.uniqueness, Uniqueness::Unique);
  }
}

}  // namespace
}  // namespace chi::numerics
