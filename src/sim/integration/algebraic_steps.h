#pragma once
#include <functional>
#include <memory>
#include <span>

#include "numerics/integrator.h"

namespace chi::sim {

/// Steps through time for equations without states, so that such a part moves like any other.
///
/// There is nothing to integrate, but whoever looks for events inside a step needs one in which the
/// solution is tame. A step is accepted if the cubic through four points of it predicts a fifth to
/// a thousandth of the size of the values; its length follows that error. The dense output has no
/// components.
class AlgebraicSteps final : public numerics::Integrator {
 public:
  /// The values at a time; false if there are none.
  using Values = std::function<bool(double t, std::span<double> out)>;

  /// `count` values. Without any, nothing moves and a step reaches its limit.
  AlgebraicSteps(int count, Values values);

  void restart(double t, std::span<const double> y, std::span<const double> yp,
               numerics::Restart kind) override;
  numerics::StepStatus step(double t_limit) override;
  int size() const override { return 0; }
  double t() const override { return t_; }
  double t_old() const override { return t_old_; }
  std::span<const double> y() const override { return {}; }
  std::span<const double> yp() const override { return {}; }
  double next_step() const override { return h_; }
  const numerics::DenseOutput& dense_output() override;
  void interpolate(double, std::span<double>) override {}
  numerics::IntegratorStats stats() const override { return stats_; }

 private:
  enum class Trial { Good, Rough, Outside };
  static constexpr int kSamples = 5;
  Trial try_step(double h);
  std::span<double> sample(int k);

  int count_;
  Values values_;
  double t_ = 0, t_old_ = 0;
  double h_ = 0;  // to try next; 0: unknown
  double error_ = 0;
  bool started_ = false;  // the first sample holds the values at t_
  std::vector<double> samples_;
  numerics::DenseOutput dense_;
  numerics::IntegratorStats stats_;
};

}  // namespace chi::sim
