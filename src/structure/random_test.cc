#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "structure/analyse.h"

// Random linear systems with whole coefficients. Of these everything is known: the degrees of
// freedom are the degree of det(A + s B + s² C), and the system is singular if that is zero.
namespace chi::structure {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr std::int64_t kPrime = 2'147'483'647;

std::int64_t modular(std::int64_t x) { return ((x % kPrime) + kPrime) % kPrime; }

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % kPrime) {
    if (exponent % 2 == 1) result = result * base % kPrime;
  }
  return result;
}

using Matrix = std::vector<std::vector<std::int64_t>>;

std::int64_t determinant(Matrix m) {
  std::int64_t det = 1;
  const std::size_t n = m.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    while (p < n && m[p][k] == 0) ++p;
    if (p == n) return 0;
    if (p != k) {
      std::swap(m[p], m[k]);
      det = modular(-det);
    }
    det = det * m[k][k] % kPrime;
    const std::int64_t inverse = power(m[k][k], kPrime - 2);
    for (std::size_t r = k + 1; r < n; ++r) {
      const std::int64_t factor = m[r][k] * inverse % kPrime;
      for (std::size_t c = k; c < n && factor != 0; ++c) {
        m[r][c] = modular(m[r][c] - factor * m[k][c] % kPrime);
      }
    }
  }
  return det;
}

struct Linear {
  int n = 0;
  std::vector<Matrix> of_order;  // coefficients of x, x', x''
  std::vector<std::int64_t> constants;
};

// The degree of det Σ_k s^k M_k, -1 if it is zero: by divided differences on enough points.
int degree(const Linear& system) {
  const int highest = static_cast<int>(system.of_order.size() - 1) * system.n;
  std::vector<std::int64_t> values;
  for (int s = 0; s <= highest; ++s) {
    Matrix m(at(system.n), std::vector<std::int64_t>(at(system.n), 0));
    std::int64_t factor = 1;
    for (const Matrix& part : system.of_order) {
      for (int i = 0; i < system.n; ++i) {
        for (int j = 0; j < system.n; ++j) {
          m[at(i)][at(j)] = modular(m[at(i)][at(j)] + factor * modular(part[at(i)][at(j)]));
        }
      }
      factor = factor * s % kPrime;
    }
    values.push_back(determinant(m));
  }
  int result = values[0] == 0 ? -1 : 0;
  for (int k = 1; k <= highest; ++k) {  // values[0] becomes the k-th divided difference
    for (int s = 0; s + k <= highest; ++s) {
      values[at(s)] = modular(values[at(s) + 1] - values[at(s)]);
    }
    if (values[0] != 0) result = k;
  }
  return result;
}

Linear random_linear(std::mt19937_64& random, int n, int sparsity, int orders) {
  Linear system{n, {}, {}};
  for (int k = 0; k < orders; ++k) {
    Matrix m(at(n), std::vector<std::int64_t>(at(n), 0));
    for (auto& row : m) {
      for (auto& entry : row) {
        if (random() % static_cast<unsigned>(sparsity * (k + 1)) == 0) {
          entry = static_cast<std::int64_t>(random() % 5) - 2;
        }
      }
    }
    system.of_order.push_back(m);
  }
  for (int i = 0; i < n; ++i) {
    system.constants.push_back(static_cast<std::int64_t>(random() % 3) - 1);
  }
  return system;
}

System write(expr::Pool& pool, const Linear& linear, const std::vector<int>& row_to,
             const std::vector<int>& var_to) {
  System system;
  system.rows.resize(at(linear.n));
  for (int i = 0; i < linear.n; ++i) {
    expr::ExprId sum = expr::constant(pool, static_cast<double>(linear.constants[at(i)]));
    for (std::size_t k = 0; k < linear.of_order.size(); ++k) {
      for (int j = 0; j < linear.n; ++j) {
        const std::int64_t a = linear.of_order[k][at(i)][at(j)];
        const expr::ExprId x = expr::variable(pool, {var_to[at(j)]}, static_cast<int>(k));
        if (a != 0) {
          sum = expr::add(pool, sum, expr::mul(pool, expr::constant(pool, double(a)), x));
        }
      }
    }
    system.rows[at(row_to[at(i)])] = sum;
    system.declared.push_back({i});
  }
  return system;
}

std::vector<int> permutation(std::mt19937_64& random, int n) {
  std::vector<int> p(at(n));
  std::iota(p.begin(), p.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(p[at(i)], p[random() % at(i + 1)]);
  return p;
}

class Anywhere : public PointValues {
 public:
  explicit Anywhere(const expr::Pool& pool) : pool_(pool) {}
  std::vector<double> values(std::span<const expr::ExprId> roots) override {
    std::vector<double> result;
    for (const expr::ExprId e : roots) result.push_back(pool_.constant(e));  // all are numbers
    return result;
  }

 private:
  const expr::Pool& pool_;
};

// The equations have exactly one solution for the values that are not given.
std::int64_t determinant_of(expr::Pool& pool, const BlockOrder& order) {
  std::vector<expr::ExprId> roots, leaves;
  for (const BlockOrder::Row& row : order.rows) roots.push_back(row.expr);
  for (const expr::VarRef x : order.unknowns) {
    leaves.push_back(expr::variable(pool, x.var, x.order));
  }
  const expr::Jacobian jacobian = expr::jacobian(pool, roots, leaves);
  Matrix m(roots.size(), std::vector<std::int64_t>(roots.size(), 0));
  for (std::size_t i = 0; i < roots.size(); ++i) {
    for (std::int32_t k = jacobian.row_start[i]; k < jacobian.row_start[i + 1]; ++k) {
      const double value = pool.constant(jacobian.entry[at(k)]);
      m[i][at(jacobian.column[at(k)])] = modular(static_cast<std::int64_t>(value));
    }
  }
  return determinant(m);
}

TEST(RandomLinear, DegreesOfFreedomAreTheDegreeOfTheDeterminant) {
  std::mt19937_64 random(20260101);
  int regular = 0, combined = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    SCOPED_TRACE(trial);
    const int n = 1 + static_cast<int>(random() % 7);
    const int orders = 2 + static_cast<int>(random() % 2);
    const Linear linear = random_linear(random, n, 1 + static_cast<int>(random() % 3), orders);
    std::vector<int> same(at(n));
    std::iota(same.begin(), same.end(), 0);
    expr::Pool pool;
    const System system = write(pool, linear, same, same);
    const Analysis a = analyse(pool, system);
    const int dof = degree(linear);
    ASSERT_EQ(a.singular.has_value(), dof < 0);
    if (dof < 0) continue;
    ++regular;
    combined += a.combinations.empty() ? 0 : 1;
    ASSERT_EQ(a.degrees_of_freedom, dof);
    Anywhere point(pool);
    const auto choice = choose_states(pool, a, &point, trial % 2 == 0);
    ASSERT_TRUE(choice);
    ASSERT_EQ(static_cast<int>(choice->states.size()), dof);
    const BlockOrder order = order_blocks(pool, a, choice->states);
    ASSERT_TRUE(order.is_square());
    ASSERT_NE(determinant_of(pool, order), 0);
    const auto structural = choose_states(pool, a);
    ASSERT_TRUE(structural);
    ASSERT_EQ(static_cast<int>(structural->states.size()), dof);
    ASSERT_TRUE(order_blocks(pool, a, structural->states).is_square());
  }
  EXPECT_GT(regular, 500);
  EXPECT_GT(combined, 50);
}

TEST(RandomLinear, TheOrderOfRowsAndVariablesDoesNotMatter) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    SCOPED_TRACE(trial);
    const int n = 2 + static_cast<int>(random() % 6);
    const Linear linear = random_linear(random, n, 2, 2);
    std::vector<int> same(at(n));
    std::iota(same.begin(), same.end(), 0);
    const std::vector<int> row_to = permutation(random, n), var_to = permutation(random, n);
    expr::Pool pool;
    const System one = write(pool, linear, same, same), other = write(pool, linear, row_to, var_to);
    const Analysis a = analyse(pool, one), b = analyse(pool, other);
    ASSERT_EQ(a.singular.has_value(), b.singular.has_value());
    if (a.singular) continue;
    EXPECT_EQ(a.degrees_of_freedom, b.degrees_of_freedom);
    if (!a.combinations.empty() || !b.combinations.empty()) continue;
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(a.c[at(i)], b.c[at(row_to[at(i)])]);
      EXPECT_EQ(a.d[at(i)], b.d[at(var_to[at(i)])]);
    }
    // The hint changes nothing but the transversal.
    const Analysis c = analyse(pool, one, b.transversal);
    EXPECT_EQ(a.c, c.c);
    EXPECT_EQ(a.d, c.d);
    EXPECT_EQ(a.derivatives, c.derivatives);
  }
}

}  // namespace
}  // namespace chi::structure
