#include "numerics/complementarity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "base/check.h"
#include "numerics/rank_revealing.h"

namespace chi::numerics {
namespace {

using Vector = std::vector<double>;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

double largest_entry(const Vector& v) {
  double most = 0.0;
  for (const double x : v) most = std::max(most, std::abs(x));
  return most;
}

// The LCP with rows, columns and offset scaled to size one: z = col z', w = w' / row, times `size`.
struct Scaled {
  Complementarity problem;
  Vector row;
  Vector col;
  double size = 1.0;
};

Scaled scale(const Complementarity& given) {
  const int n = given.size;
  Scaled s{given, Vector(at(n), 1.0), Vector(at(n), 1.0), largest_entry(given.offset)};
  Vector& m = s.problem.matrix;
  for (int i = 0; i < n; ++i) {
    double most = 0.0;
    for (int j = 0; j < n; ++j) most = std::max(most, std::abs(m[at(j) * at(n) + at(i)]));
    if (most > 0) s.row[at(i)] = 1 / most;
  }
  for (int j = 0; j < n; ++j) {
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
      most = std::max(most, std::abs(m[at(j) * at(n) + at(i)] *= s.row[at(i)]));
    }
    if (most > 0) s.col[at(j)] = 1 / most;
    for (int i = 0; i < n; ++i) m[at(j) * at(n) + at(i)] *= s.col[at(j)];
  }
  for (int i = 0; i < n; ++i) s.problem.offset[at(i)] *= s.row[at(i)];
  s.size = largest_entry(s.problem.offset);
  if (s.size == 0.0) s.size = 1.0;
  for (double& q : s.problem.offset) q /= s.size;
  return s;
}

// w - M z - 1 z0 = q as a tableau; basis and ratio test as in [1, algorithm 4.4.5 and §4.9].
class Lemke {
 public:
  explicit Lemke(const Complementarity& p) : n_(p.size), columns_(2 * p.size + 2) {
    rows_.assign(at(n_) * at(columns_), 0.0);
    basis_.resize(at(n_));
    for (int i = 0; i < n_; ++i) {
      basis_[at(i)] = i;
      cell(i, i) = 1.0;
      for (int j = 0; j < n_; ++j) cell(i, n_ + j) = -p.matrix[at(j) * at(n_) + at(i)];
      cell(i, kCover()) = -1.0;
      cell(i, kRight()) = p.offset[at(i)];
    }
  }

  // The set of z that are basic at the end, or nothing if the path ends on a ray.
  std::optional<std::vector<int>> run(int max_pivots, int& pivots) {
    int leaving = first_row();
    if (leaving < 0) return std::vector<int>{};
    int entering = kCover();
    for (pivots = 0; pivots < max_pivots; ++pivots) {
      const int left = basis_[at(leaving)];
      pivot(leaving, entering);
      if (left == kCover()) return basic_z();
      entering = left < n_ ? left + n_ : left - n_;
      leaving = next_row(entering);
      if (leaving < 0) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  int kCover() const { return 2 * n_; }
  int kRight() const { return 2 * n_ + 1; }
  double& cell(int i, int j) { return rows_[at(i) * at(columns_) + at(j)]; }

  // The row that is lexicographically least, if its right-hand side is negative.
  int first_row() {
    int best = -1;
    for (int i = 0; i < n_; ++i) {
      if (cell(i, kRight()) < 0 && (best < 0 || precedes(i, 1.0, best, 1.0))) best = i;
    }
    return best;
  }

  int next_row(int entering) {
    constexpr double kSmallestPivot = 1e-11;
    int best = -1;
    for (int i = 0; i < n_; ++i) {
      const double pivot_size = cell(i, entering);
      if (pivot_size <= kSmallestPivot) continue;
      if (best < 0 || precedes(i, pivot_size, best, cell(best, entering))) best = i;
    }
    return best;
  }

  // Compares (right-hand side, B⁻¹) of two rows, each divided by its pivot, lexicographically. The
  // covering variable leaves as soon as it can.
  bool precedes(int i, double pivot_i, int k, double pivot_k) {
    constexpr double kTie = 1e-12;
    for (int step = -1; step < n_; ++step) {
      const int column = step < 0 ? kRight() : step;
      const double difference = cell(i, column) / pivot_i - cell(k, column) / pivot_k;
      if (std::abs(difference) > kTie) return difference < 0;
      if (step < 0 && basis_[at(i)] == kCover()) return true;
      if (step < 0 && basis_[at(k)] == kCover()) return false;
    }
    return false;
  }

  void pivot(int row, int column) {
    const double divisor = cell(row, column);
    for (int j = 0; j < columns_; ++j) cell(row, j) /= divisor;
    for (int i = 0; i < n_; ++i) {
      const double factor = cell(i, column);
      if (i == row || factor == 0.0) continue;
      for (int j = 0; j < columns_; ++j) cell(i, j) -= factor * cell(row, j);
      cell(i, column) = 0.0;
    }
    basis_[at(row)] = column;
  }

  std::vector<int> basic_z() const {
    std::vector<int> members;
    for (const int b : basis_) {
      if (b >= n_ && b < 2 * n_) members.push_back(b - n_);
    }
    std::sort(members.begin(), members.end());
    return members;
  }

  int n_ = 0;
  int columns_ = 0;
  Vector rows_;
  std::vector<int> basis_;
};

// What becomes of one choice of basic z.
struct Basis {
  bool feasible = false;
  bool singular = false;  // and consistent, so that it may hide further solutions
  Vector z;
  Vector w;
};

Basis solve_basis(const Complementarity& p, const std::vector<int>& chosen, double tolerance) {
  const int n = p.size, k = static_cast<int>(chosen.size());
  Vector block(at(k) * at(k)), right(at(k)), part(at(k));
  for (int j = 0; j < k; ++j) {
    right[at(j)] = -p.offset[at(chosen[at(j)])];
    for (int i = 0; i < k; ++i) {
      block[at(j) * at(k) + at(i)] = p.matrix[at(chosen[at(j)]) * at(n) + at(chosen[at(i)])];
    }
  }
  RankRevealingQr qr;
  qr.factor(k, k, block, 1e-12);
  Basis basis;
  if (qr.solve(right, part) > tolerance) return basis;
  basis.singular = qr.rank() < k;
  basis.z.assign(at(n), 0.0);
  basis.w = p.offset;
  for (int j = 0; j < k; ++j) {
    basis.z[at(chosen[at(j)])] = part[at(j)];
    for (int i = 0; i < n; ++i) {
      basis.w[at(i)] += p.matrix[at(chosen[at(j)]) * at(n) + at(i)] * part[at(j)];
    }
  }
  for (const int j : chosen) basis.w[at(j)] = 0.0;
  const double z_floor = -tolerance * std::max(1.0, largest_entry(basis.z));
  basis.feasible = std::ranges::all_of(basis.z, [&](double v) { return v >= z_floor; }) &&
                   std::ranges::all_of(basis.w, [&](double v) { return v >= -tolerance; });
  for (double& v : basis.z) v = std::max(v, 0.0);
  for (double& v : basis.w) v = std::max(v, 0.0);
  return basis;
}

// Whether M + Mᵀ is positive definite, by Cholesky's method.
bool is_positive_definite(const Complementarity& p) {
  const int n = p.size;
  Vector l(at(n) * at(n), 0.0);
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double sum = p.matrix[at(j) * at(n) + at(i)] + p.matrix[at(i) * at(n) + at(j)];
      for (int k = 0; k < j; ++k) sum -= l[at(k) * at(n) + at(i)] * l[at(k) * at(n) + at(j)];
      if (i == j && sum <= 1e-12) return false;
      l[at(j) * at(n) + at(i)] = i == j ? std::sqrt(sum) : sum / l[at(j) * at(n) + at(j)];
    }
  }
  return true;
}

bool differ(const Vector& a, const Vector& b, double tolerance) {
  const double size = std::max({1.0, largest_entry(a), largest_entry(b)});
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) > 1e3 * tolerance * size) return true;
  }
  return false;
}

std::vector<int> members_of(std::uint32_t bits) {
  std::vector<int> members;
  for (int i = 0; bits >> i != 0; ++i) {
    if ((bits >> i & 1U) != 0) members.push_back(i);
  }
  return members;
}

// What the kernel of a singular choice says about the solution z, w: `NotUnique` if z may move
// along it, `Unique` if it may not, `Unknown` if the kernel has several dimensions or z is
// elsewhere.
Uniqueness move_along_kernel(const Complementarity& p, const std::vector<int>& chosen,
                             double tolerance, const ComplementaritySolution& at_hand,
                             Vector& moved) {
  const int n = p.size, k = static_cast<int>(chosen.size());
  Vector block(at(k) * at(k)), kernel(at(k));
  for (int j = 0; j < k; ++j) {
    if (at_hand.w[at(chosen[at(j)])] > tolerance) return Uniqueness::Unknown;
    for (int i = 0; i < k; ++i) {
      block[at(j) * at(k) + at(i)] = p.matrix[at(chosen[at(j)]) * at(n) + at(chosen[at(i)])];
    }
  }
  for (int i = 0; i < n; ++i) {
    if (at_hand.z[at(i)] > tolerance && !std::ranges::binary_search(chosen, i))
      return Uniqueness::Unknown;
  }
  RankRevealingQr qr;
  qr.factor(k, k, block, 1e-12);
  if (qr.rank() != k - 1) return Uniqueness::Unknown;
  qr.null_space(kernel);
  for (const double sign : {1.0, -1.0}) {
    Vector dz(at(n), 0.0), dw(at(n), 0.0);
    for (int j = 0; j < k; ++j) {
      dz[at(chosen[at(j)])] = sign * kernel[at(j)];
      for (int i = 0; i < n; ++i) {
        dw[at(i)] += sign * kernel[at(j)] * p.matrix[at(chosen[at(j)]) * at(n) + at(i)];
      }
    }
    double length = 1.0;
    for (int i = 0; i < n; ++i) {
      if (dz[at(i)] < -tolerance) length = std::min(length, at_hand.z[at(i)] / -dz[at(i)]);
      if (dw[at(i)] < -tolerance) length = std::min(length, at_hand.w[at(i)] / -dw[at(i)]);
    }
    if (length <= 1e4 * tolerance) continue;
    moved = at_hand.z;
    for (int i = 0; i < n; ++i) moved[at(i)] += length * dz[at(i)];
    return Uniqueness::NotUnique;
  }
  return Uniqueness::Unique;
}

// Tries all choices of basic z, completing what is known so far in `out`.
void enumerate(const Complementarity& p, double tolerance, ComplementaritySolution& out) {
  std::vector<std::uint32_t> singular;
  bool several = false;
  for (std::uint32_t bits = 0; bits < (1U << p.size) && !several; ++bits) {
    const Basis basis = solve_basis(p, members_of(bits), tolerance);
    if (basis.singular) singular.push_back(bits);
    if (!basis.feasible) continue;
    if (out.status != ComplementarityStatus::Solved) {
      out.status = ComplementarityStatus::Solved;
      out.z = basis.z;
      out.w = basis.w;
    } else if (differ(out.z, basis.z, tolerance)) {
      out.other_z = basis.z;
      several = true;
    }
  }
  if (out.status != ComplementarityStatus::Solved) {
    out.status =
        singular.empty() ? ComplementarityStatus::NoSolution : ComplementarityStatus::NotFound;
    return;
  }
  out.uniqueness = several ? Uniqueness::NotUnique : Uniqueness::Unique;
  for (std::size_t i = 0; i < singular.size() && out.uniqueness != Uniqueness::NotUnique; ++i) {
    const Uniqueness here =
        move_along_kernel(p, members_of(singular[i]), tolerance, out, out.other_z);
    if (here != Uniqueness::Unique) out.uniqueness = here;
  }
}

void unscale(const Scaled& s, ComplementaritySolution& out) {
  for (std::size_t i = 0; i < out.z.size(); ++i) {
    out.z[i] *= s.size * s.col[i];
    out.w[i] *= s.size / s.row[i];
    if (!out.other_z.empty()) out.other_z[i] *= s.size * s.col[i];
  }
}

}  // namespace

ComplementaritySolution solve_complementarity(const Complementarity& problem,
                                              const ComplementarityOptions& options) {
  CHI_CHECK(problem.matrix.size() == at(problem.size) * at(problem.size), "a square matrix is due");
  const Scaled s = scale(problem);
  ComplementaritySolution out;
  const auto chosen = Lemke(s.problem).run(options.max_pivots, out.pivots);
  if (chosen) {
    const Basis basis = solve_basis(s.problem, *chosen, options.tolerance);
    if (basis.feasible) {
      out.status = ComplementarityStatus::Solved;
      out.z = basis.z;
      out.w = basis.w;
    }
  }
  if (out.status == ComplementarityStatus::Solved && is_positive_definite(s.problem)) {
    out.uniqueness = Uniqueness::Unique;
  } else if (problem.size <= std::min(options.enumerate_up_to, 20)) {
    enumerate(s.problem, options.tolerance, out);
  }
  unscale(s, out);
  return out;
}

}  // namespace chi::numerics
