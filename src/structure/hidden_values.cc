#include "structure/hidden_values.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"

namespace chi::structure {
namespace {

using expr::ExprId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr std::size_t kLargestBlock = 200;
constexpr std::size_t kLongestSum = 12;
constexpr int kPoints = 3;       // at which a sum must vanish
constexpr int kMostDraws = 12;   // to find so many points where all has a value
constexpr double kZero = 1e-10;  // of the size of what is added up

/// An expression with its values at the points.
struct Entry {
  ExprId expr;
  std::array<double, kPoints> value = {};
  bool is_zero = true;
};

/// One fine block of J, its rows with the largest offsets first, and what numbers say of it.
class Block {
 public:
  Block(expr::Pool& pool, std::vector<std::int32_t> rows)
      : pool_(pool), rows_(std::move(rows)), entries_(size() * size()) {}

  std::size_t size() const { return rows_.size(); }
  Entry& entry(std::size_t i, std::size_t j) { return entries_[i * size() + j]; }
  const std::vector<std::int32_t>& rows() const { return rows_; }

  /// Values of all entries at points; false if there are not enough points with values.
  bool evaluate(Probe& probe, bool draw_known) {
    std::vector<ExprId> roots;
    for (const Entry& e : entries_) roots.push_back(e.expr);
    int points = 0;
    for (int draw = 0; draw < kMostDraws && points < kPoints; ++draw) {
      const std::vector<double> values = probe.values(roots, draw, draw_known);
      const bool finite = std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
      if (!finite) continue;
      for (std::size_t k = 0; k < values.size(); ++k) entries_[k].value[at(points)] = values[k];
      ++points;
    }
    if (points < kPoints) return false;
    std::array<double, kPoints> largest = {};
    for (const Entry& e : entries_) {
      for (std::size_t p = 0; p < kPoints; ++p) {
        largest[p] = std::max(largest[p], std::abs(e.value[p]));
      }
    }
    for (Entry& e : entries_) {
      e.is_zero = true;
      for (std::size_t p = 0; p < kPoints; ++p) {
        if (std::abs(e.value[p]) > kZero * kZero * largest[p]) e.is_zero = false;
      }
      if (e.is_zero) e.value = {};
    }
    return true;
  }

  /// The rows of the first dependency, the last of them the one that depends on the others; the
  /// same at all points, or none.
  std::vector<std::size_t> dependent_rows() {
    std::vector<std::size_t> found;
    for (std::size_t p = 0; p < kPoints; ++p) {
      const std::vector<std::size_t> here = dependent_rows(p);
      if (here.empty()) return {};
      if (p > 0 && here.back() != found.back()) return {};
      found.insert(found.end(), here.begin(), here.end());
      std::ranges::sort(found);
      found.erase(std::unique(found.begin(), found.end()), found.end());
    }
    return found;
  }

  /// Expressions u with Σ u_k row_k = 0 for these rows, the last u being 1. Gauss's elimination on
  /// the columns of the other rows; empty if no pivot is left.
  std::vector<ExprId> coefficients(const std::vector<std::size_t>& of,
                                   std::vector<ExprId>& divisors) {
    const std::size_t n = of.size() - 1;  // unknown coefficients; one equation for each column
    std::vector<std::vector<Entry>> matrix(size(), std::vector<Entry>(n + 1));
    for (std::size_t j = 0; j < size(); ++j) {
      for (std::size_t k = 0; k <= n; ++k) matrix[j][k] = entry(of[k], j);
    }
    for (std::size_t k = 0; k < n; ++k) {
      const auto better = [&](const std::vector<Entry>& a, const std::vector<Entry>& b) {
        return pivot_merit(a[k]) < pivot_merit(b[k]);
      };
      const auto from = matrix.begin() + static_cast<std::ptrdiff_t>(k);
      std::iter_swap(from, std::max_element(from, matrix.end(), better));
      if (matrix[k][k].is_zero) return {};
      for (std::size_t j = k + 1; j < size(); ++j) {
        if (matrix[j][k].is_zero) continue;
        const Entry factor = divide(matrix[j][k], matrix[k][k]);
        for (std::size_t c = k + 1; c <= n; ++c) {
          matrix[j][c] = less_product(matrix[j][c], factor, matrix[k][c]);
        }
        matrix[j][k] = {};
      }
    }
    std::vector<Entry> u(n + 1);
    u[n].expr = expr::constant(pool_, 1);
    u[n].value.fill(1);
    u[n].is_zero = false;
    for (std::size_t k = n; k-- > 0;) {
      Entry sum{expr::constant(pool_, 0)};
      for (std::size_t c = k + 1; c <= n; ++c) sum = less_product(sum, u[c], matrix[k][c]);
      u[k] = sum.is_zero ? Entry{expr::constant(pool_, 0)} : divide(sum, matrix[k][k]);
      if (pool_.op(matrix[k][k].expr) != expr::Op::Constant) divisors.push_back(matrix[k][k].expr);
    }
    std::vector<ExprId> result;
    for (const Entry& e : u) result.push_back(e.expr);
    return result;
  }

 private:
  std::vector<std::size_t> dependent_rows(std::size_t p) {
    struct Reduced {
      std::vector<double> row, of;
      std::size_t pivot = 0;
    };
    std::vector<Reduced> reduced;
    for (std::size_t i = 0; i < size(); ++i) {
      Reduced r{std::vector<double>(size()), std::vector<double>(size(), 0.0)};
      double scale = 0;
      for (std::size_t j = 0; j < size(); ++j) {
        r.row[j] = entry(i, j).value[p];
        scale = std::max(scale, std::abs(r.row[j]));
      }
      if (scale == 0) return {i};
      for (double& v : r.row) v /= scale;
      r.of[i] = 1;
      for (const Reduced& other : reduced) {
        const double factor = r.row[other.pivot];
        if (factor == 0) continue;
        for (std::size_t j = 0; j < size(); ++j) {
          r.row[j] -= factor * other.row[j];
          r.of[j] -= factor * other.of[j];
        }
        r.row[other.pivot] = 0;
      }
      const auto size_of = [](double a, double b) { return std::abs(a) < std::abs(b); };
      const auto largest = std::max_element(r.row.begin(), r.row.end(), size_of);
      if (std::abs(*largest) <= kZero) {
        std::vector<std::size_t> members;
        for (std::size_t k = 0; k <= i; ++k) {
          if (std::abs(r.of[k]) > kZero) members.push_back(k);
        }
        return members;
      }
      r.pivot = static_cast<std::size_t>(largest - r.row.begin());
      const double pivot = *largest;
      for (double& v : r.row) v /= pivot;
      for (double& v : r.of) v /= pivot;
      reduced.push_back(std::move(r));
    }
    return {};
  }

  /// Numbers are better pivots than expressions: they do not become zero later.
  double pivot_merit(const Entry& e) const {
    if (e.is_zero) return 0;
    double least = std::abs(e.value[0]);
    for (const double v : e.value) least = std::min(least, std::abs(v));
    return pool_.op(e.expr) == expr::Op::Constant ? 1e3 * least : least;
  }

  Entry divide(const Entry& a, const Entry& b) {
    Entry result{expr::div(pool_, a.expr, b.expr), {}, false};
    for (std::size_t p = 0; p < kPoints; ++p) result.value[p] = a.value[p] / b.value[p];
    return result;
  }

  /// a - b c; an entry that is zero has no expression to speak of.
  Entry less_product(const Entry& a, const Entry& b, const Entry& c) {
    if (b.is_zero || c.is_zero) return a;
    const ExprId product = expr::mul(pool_, b.expr, c.expr);
    Entry result{a.is_zero ? expr::neg(pool_, product) : expr::sub(pool_, a.expr, product)};
    for (std::size_t p = 0; p < kPoints; ++p) {
      const double term = b.value[p] * c.value[p];
      result.value[p] = a.value[p] - term;
      if (std::abs(result.value[p]) > kZero * (std::abs(a.value[p]) + std::abs(term))) {
        result.is_zero = false;
      }
    }
    return result.is_zero ? Entry{expr::constant(pool_, 0)} : result;
  }

  expr::Pool& pool_;
  std::vector<std::int32_t> rows_;
  std::vector<Entry> entries_;
};

class Finder {
 public:
  Finder(expr::Pool& pool, std::span<const ExprId> rows, std::span<const expr::VarId> unknowns,
         const graph::Offsets& offsets, Probe& probe)
      : pool_(pool), rows_(rows), unknowns_(unknowns), offsets_(offsets), probe_(probe) {}

  std::optional<ValueConstraint> find(std::vector<std::int32_t> rows,
                                      std::vector<std::int32_t> columns) {
    if (rows.size() > kLargestBlock) return std::nullopt;
    // What depends on the rows before it then has the smallest offset of them.
    std::ranges::stable_sort(
        rows, [&](std::int32_t a, std::int32_t b) { return offsets_.c[{a}] > offsets_.c[{b}]; });
    Block block(pool_, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const int order = offsets_.d[{columns[j]}] - offsets_.c[{rows[i]}];
        block.entry(i, j).expr =
            order < 0 ? expr::constant(pool_, 0)
                      : expr::partial(pool_, rows_[at(rows[i])], leaf(columns[j], order));
      }
    }
    for (const bool draw_known : {true, false}) {
      if (!block.evaluate(probe_, draw_known)) continue;
      const std::vector<std::size_t> members = block.dependent_rows();
      if (members.empty() || members.size() > kLongestSum) continue;
      if (auto found = combine(block, members, columns)) {
        found->rests_on_known = !draw_known;
        return found;
      }
    }
    return std::nullopt;
  }

 private:
  ExprId leaf(std::int32_t j, int order) { return expr::variable(pool_, unknowns_[at(j)], order); }

  std::optional<ValueConstraint> combine(Block& block, const std::vector<std::size_t>& members,
                                         const std::vector<std::int32_t>& columns) {
    ValueConstraint found;
    found.row = block.rows()[members.back()];
    const int theta = offsets_.c[{found.row}];
    const std::vector<ExprId> u = block.coefficients(members, found.divisors);
    if (u.empty()) return std::nullopt;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (!expr::is_zero(pool_, u[k])) found.sum.emplace_back(block.rows()[members[k]], u[k]);
    }
    for (const std::int32_t j : columns) {
      if (offsets_.d[{j}] >= theta) found.leading.push_back(leaf(j, offsets_.d[{j}] - theta));
    }
    std::vector<ExprId> entries;  // of rows that are taken as they are
    for (const std::size_t i : members) {
      for (std::size_t j = 0; j < block.size(); ++j) {
        found.entries.push_back(block.entry(i, j).expr);
        if (offsets_.c[{block.rows()[i]}] == theta) entries.push_back(block.entry(i, j).expr);
      }
    }
    if (mentions(u, found.leading) || mentions(entries, found.leading)) return std::nullopt;
    return found;
  }

  bool mentions(std::span<const ExprId> exprs, std::span<const ExprId> leaves) const {
    const std::vector<ExprId> all = expr::variables(pool_, exprs).node;
    return std::ranges::any_of(leaves,
                               [&](ExprId e) { return std::ranges::find(all, e) != all.end(); });
  }

  expr::Pool& pool_;
  std::span<const ExprId> rows_;
  std::span<const expr::VarId> unknowns_;
  const graph::Offsets& offsets_;
  Probe& probe_;
};

}  // namespace

std::vector<ValueConstraint> hidden_by_values(expr::Pool& pool, std::span<const ExprId> rows,
                                              std::span<const expr::VarId> unknowns,
                                              const graph::Signature& sigma,
                                              const graph::Offsets& offsets, Probe& probe) {
  const graph::BlockTriangularForm blocks = graph::fine_blocks(sigma, offsets);
  Finder finder(pool, rows, unknowns, offsets, probe);
  std::vector<ValueConstraint> found;
  for (graph::BlockId block{0}; block.index < blocks.size(); ++block.index) {
    std::vector<std::int32_t> members, columns;
    for (const graph::EqId eq : blocks.eqs_of(block)) members.push_back(eq.index);
    for (const graph::VarId var : blocks.vars_of(block)) columns.push_back(var.index);
    if (auto constraint = finder.find(std::move(members), std::move(columns))) {
      found.push_back(std::move(*constraint));
    }
  }
  return found;
}

}  // namespace chi::structure
