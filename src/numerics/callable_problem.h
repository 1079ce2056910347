#pragma once
#include <type_traits>
#include <utility>
#include <vector>

#include "numerics/problem.h"

namespace chi::numerics {

/// An ODE from a callable `f(t, y, ydot)` that returns nothing or an `EvalStatus`. Jacobian by
/// differences.
template <class F>
class CallableOde final : public OdeProblem {
 public:
  CallableOde(int size, F f) : size_(size), f_(std::move(f)) {}
  int size() const override { return size_; }
  EvalStatus rhs(double t, std::span<const double> y, std::span<double> ydot) override {
    if constexpr (std::is_void_v<decltype(f_(t, y, ydot))>)
      return f_(t, y, ydot), EvalStatus::Ok;
    else
      return f_(t, y, ydot);
  }

 private:
  int size_;
  F f_;
};

/// A DAE from a callable `residual(t, y, yp, r)` and the flags of its differential components.
template <class F>
class CallableDae final : public DaeProblem {
 public:
  CallableDae(std::vector<char> differential, F f)
      : differential_(std::move(differential)), f_(std::move(f)) {}
  int size() const override { return static_cast<int>(differential_.size()); }
  EvalStatus residual(double t, std::span<const double> y, std::span<const double> yp,
                      std::span<double> r) override {
    if constexpr (std::is_void_v<decltype(f_(t, y, yp, r))>)
      return f_(t, y, yp, r), EvalStatus::Ok;
    else
      return f_(t, y, yp, r);
  }
  std::span<const char> differential() const override { return differential_; }

 private:
  std::vector<char> differential_;
  F f_;
};

}  // namespace chi::numerics
