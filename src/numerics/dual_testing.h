#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "numerics/nonlinear_problem.h"

namespace chi::numerics::testing {

/// A value with its gradient: exact Jacobians for test problems written as templates.
struct Dual {
  double value = 0.0;
  std::vector<double> gradient = {};

  Dual() = default;
  Dual(double v) : value(v) {}  // implicit on purpose: constants mix with unknowns

  friend Dual chain(const Dual& a, double v, double slope) {
    Dual r(v);
    r.gradient = a.gradient;
    for (double& g : r.gradient) g *= slope;
    return r;
  }
  friend Dual combine(const Dual& a, double da, const Dual& b, double db, double v) {
    Dual r = chain(a, v, da);
    r.gradient.resize(std::max(a.gradient.size(), b.gradient.size()), 0.0);
    for (std::size_t i = 0; i < b.gradient.size(); ++i) r.gradient[i] += db * b.gradient[i];
    return r;
  }
  friend Dual operator+(const Dual& a, const Dual& b) {
    return combine(a, 1, b, 1, a.value + b.value);
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return combine(a, 1, b, -1, a.value - b.value);
  }
  friend Dual operator-(const Dual& a) { return chain(a, -a.value, -1); }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return combine(a, b.value, b, a.value, a.value * b.value);
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    return combine(a, 1 / b.value, b, -a.value / (b.value * b.value), a.value / b.value);
  }
  friend Dual exp(const Dual& a) { return chain(a, std::exp(a.value), std::exp(a.value)); }
  friend Dual log(const Dual& a) { return chain(a, std::log(a.value), 1 / a.value); }
  friend Dual sin(const Dual& a) { return chain(a, std::sin(a.value), std::cos(a.value)); }
  friend Dual cos(const Dual& a) { return chain(a, std::cos(a.value), -std::sin(a.value)); }
  friend Dual abs(const Dual& a) { return chain(a, std::abs(a.value), a.value < 0 ? -1 : 1); }
  friend Dual sqrt(const Dual& a) { return chain(a, std::sqrt(a.value), 0.5 / std::sqrt(a.value)); }
  friend Dual atan(const Dual& a) {
    return chain(a, std::atan(a.value), 1 / (1 + a.value * a.value));
  }
};

/// A problem from a generic lambda `f(const auto& x, auto& out)` over indexable x and out.
template <class F>
class TestProblem {
 public:
  TestProblem(int equations, int unknowns, F f)
      : f_(f), pattern_(full_pattern(equations, unknowns)) {
    problem.pattern = &pattern_;
    problem.residual = residual_;
    problem.jacobian = jacobian_;
  }
  TestProblem(const TestProblem&) = delete;
  TestProblem& operator=(const TestProblem&) = delete;

  const SparsePattern& pattern() const { return pattern_; }
  NonlinearProblem problem;

 private:
  F f_;
  SparsePattern pattern_;
  struct Residual {
    TestProblem* self = nullptr;
    EvalStatus operator()(std::span<const double> x, std::span<double> out) const {
      self->f_(x, out);
      return EvalStatus::Ok;
    }
  } residual_{this};
  struct Jacobian {
    TestProblem* self = nullptr;
    EvalStatus operator()(std::span<const double> x, std::span<double> out) const {
      std::vector<Dual> duals(x.begin(), x.end()),
          rows(static_cast<std::size_t>(self->pattern_.rows));
      for (std::size_t j = 0; j < x.size(); ++j) {
        duals[j].gradient.assign(x.size(), 0.0);
        duals[j].gradient[j] = 1.0;
      }
      self->f_(duals, rows);
      for (std::size_t j = 0; j < x.size(); ++j) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          out[j * rows.size() + i] = j < rows[i].gradient.size() ? rows[i].gradient[j] : 0.0;
        }
      }
      return EvalStatus::Ok;
    }
  } jacobian_{this};
};

}  // namespace chi::numerics::testing
