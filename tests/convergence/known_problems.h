#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "numerics/problem.h"

namespace chi::testing {

/// An initial value problem whose solution is known in closed form.
struct KnownProblem {
  using In = std::span<const double>;
  using Out = std::span<double>;
  std::string name;
  int size = 1;
  double t_start = 0;
  double t_end = 1;
  bool stiff = false;
  std::function<void(double t, In y, Out ydot)> f;
  std::function<void(double t, Out y)> exact;

  std::vector<double> at(double t) const;
};

/// Fourteen of them; the last five are stiff.
const std::vector<KnownProblem>& known_problems();
const KnownProblem& problem(const std::string& name);  ///< one of them

/// As the integrators see it, without a Jacobian.
class KnownOde final : public numerics::OdeProblem {
 public:
  explicit KnownOde(const KnownProblem& problem) : p_(problem) {}
  int size() const override { return p_.size; }
  numerics::EvalStatus rhs(double t, std::span<const double> y, std::span<double> ydot) override;

 private:
  const KnownProblem& p_;
};

/// A DAE of index one whose solution is known in closed form.
struct KnownDae {
  using In = std::span<const double>;
  using Out = std::span<double>;
  std::string name;
  double t_end = 1;
  std::vector<char> differential;
  std::function<void(double t, In y, In yp, Out r)> residual;
  std::function<void(double t, Out y, Out yp)> exact;
};

/// Semi-explicit, nonlinear in y', with a state-dependent mass matrix, and stiff.
const std::vector<KnownDae>& known_daes();

class KnownDaeProblem final : public numerics::DaeProblem {
 public:
  explicit KnownDaeProblem(const KnownDae& problem) : p_(problem) {}
  int size() const override { return static_cast<int>(p_.differential.size()); }
  numerics::EvalStatus residual(double t, std::span<const double> y, std::span<const double> yp,
                                std::span<double> r) override;
  std::span<const char> differential() const override { return p_.differential; }

 private:
  const KnownDae& p_;
};

}  // namespace chi::testing
