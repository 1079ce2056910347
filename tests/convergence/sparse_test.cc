#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "methods.h"
#include "numerics/ida_integrator.h"
#include "numerics/radau.h"

namespace chi::testing {
namespace {

using numerics::EvalStatus;
using numerics::IntegratorOptions;
using numerics::MatrixKind;
using numerics::SparsePattern;

// N lags in a row, τ = 1/N: x_1' = N (1 - x_1), x_i' = N (x_(i-1) - x_i), with its exact Jacobian.
class Cascade final : public numerics::OdeProblem {
 public:
  explicit Cascade(int n) : n_(n) {
    numerics::PatternBuilder builder(n, n);
    for (int i = 0; i < n; ++i) {
      builder.add(i, i);
      if (i + 1 < n) builder.add(i + 1, i);
    }
    pattern_ = builder.build();
  }
  int size() const override { return n_; }
  EvalStatus rhs(double, std::span<const double> y, std::span<double> f) override {
    for (std::size_t i = 0; i < y.size(); ++i) f[i] = n_ * ((i ? y[i - 1] : 1) - y[i]);
    return EvalStatus::Ok;
  }
  const SparsePattern* jacobian_pattern() const override { return &pattern_; }
  bool has_jacobian() const override { return exact; }
  EvalStatus jacobian(double, std::span<const double>, std::span<double> values) override {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = k % 2 ? n_ : -n_;
    return EvalStatus::Ok;
  }
  bool exact = true;

 private:
  int n_;
  SparsePattern pattern_;
};

double last_lag(const Method& method, Cascade& problem, MatrixKind kind, double tolerance) {
  IntegratorOptions options{.tolerances = {.relative = tolerance, .absolute = tolerance * 1e-2},
                            .matrix = kind};
  Made s = method.make(problem, options);
  restart(s, problem, 0, std::vector<double>(static_cast<std::size_t>(problem.size())));
  EXPECT_TRUE(run(s, 1)) << method.name;
  return s->y().back();
}

// x_N(1) = 1 - e^(-N) Σ_(k<N) N^k / k!, given to all digits for two sizes.
TEST(Sparse, LongCascadeHasTheKnownEnd) {
  for (const Method& method : methods()) {
    if (!method.stiff) continue;
    Cascade hundred(100), thousands(1600);
    EXPECT_NEAR(last_lag(method, hundred, MatrixKind::Sparse, 1e-8), 0.513298798279149, 1e-7);
    EXPECT_NEAR(last_lag(method, thousands, MatrixKind::Sparse, 1e-5), 0.503324530530708, 1e-4);
  }
}

// Dense and sparse factors, exact Jacobians and difference quotients: the same solution.
TEST(Sparse, MatrixKindAndJacobianDoNotMatter) {
  for (const Method& method : methods()) {
    if (!method.stiff) continue;
    Cascade exact(60), differences(60);
    differences.exact = false;
    const double sparse = last_lag(method, exact, MatrixKind::Sparse, 1e-8);
    EXPECT_NEAR(last_lag(method, exact, MatrixKind::Dense, 1e-8), sparse, 1e-8) << method.name;
    EXPECT_NEAR(last_lag(method, differences, MatrixKind::Sparse, 1e-8), sparse, 1e-8)
        << method.name;
  }
}

}  // namespace
}  // namespace chi::testing
