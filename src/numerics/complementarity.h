#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace chi::numerics {

/// Find z >= 0, w >= 0 with w = M z + q and z_i w_i = 0 for all i (LCP). M by columns, n × n.
struct Complementarity {
  int size = 0;
  std::vector<double> matrix = {};
  std::vector<double> offset = {};
};

enum class ComplementarityStatus : std::uint8_t {
  Solved,
  NoSolution,  ///< none exists: all complementary bases were tried
  NotFound,    ///< Lemke's method ended on a ray and there are too many pairs to try all
};

enum class Uniqueness : std::uint8_t { Unique, NotUnique, Unknown };

struct ComplementaritySolution {
  ComplementarityStatus status = ComplementarityStatus::NotFound;
  std::vector<double> z = {};
  std::vector<double> w = {};
  Uniqueness uniqueness = Uniqueness::Unknown;
  std::vector<double> other_z = {};  ///< if NotUnique: another solution, when one was found
  int pivots = 0;
};

struct ComplementarityOptions {
  int enumerate_up_to = 10;  ///< pairs for which all 2^n combinations are tried when in doubt
  double tolerance = 1e-10;  ///< relative: values down to -tolerance count as zero
  int max_pivots = 10000;
};

/// Lemke's method with covering vector 1 and the lexicographic ratio test, which cannot cycle [1,
/// §4.9].
///
/// It finds the solution for every q if M is a P-matrix (all principal minors positive), and for
/// copositive-plus M whenever there is one. If it ends on a ray, or M does not say whether the
/// solution is unique (M + Mᵀ positive definite does), and there are few pairs, all combinations
/// are tried. So for few pairs the verdicts are certain up to the tolerance, except that a singular
/// combination which may hide more solutions leaves `uniqueness` Unknown. O(n³) typically.
///
/// [1] R. W. Cottle, J.-S. Pang and R. E. Stone, "The Linear Complementarity Problem", 1992.
ComplementaritySolution solve_complementarity(const Complementarity& problem,
                                              const ComplementarityOptions& options = {});

/// Linear equations with complementary pairs, as a network of ideal diodes gives them:
///
///     U u + A a + B b + c = 0,   a, b >= 0,   a_k b_k = 0,
///
/// u free. One equation for each free unknown and each pair. Matrices by columns, `equations` rows.
struct MixedComplementarity {
  int free = 0;
  int pairs = 0;
  std::vector<double> free_columns = {};    ///< U, free + pairs rows
  std::vector<double> first_columns = {};   ///< A
  std::vector<double> second_columns = {};  ///< B
  std::vector<double> offset = {};          ///< c
};

struct MixedSolution {
  ComplementarityStatus status = ComplementarityStatus::NotFound;
  std::vector<double> u = {};
  std::vector<double> a = {};
  std::vector<double> b = {};
  Uniqueness uniqueness = Uniqueness::Unknown;  ///< of a and b
  bool singular = false;  ///< no choice of one from each pair makes the equations regular
};

/// Chooses from each pair one unknown to solve for, such that the equations are regular (by
/// pivoting; by trying all combinations if that fails), which leaves a Complementarity in the
/// others.
MixedSolution solve_mixed_complementarity(const MixedComplementarity& problem,
                                          const ComplementarityOptions& options = {});

}  // namespace chi::numerics
