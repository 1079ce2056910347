#include "numerics/sundials_integrator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>

#include "base/check.h"
#include "numerics/step_control.h"

namespace chi::numerics {
namespace {

constexpr double kRoundOff = std::numeric_limits<double>::epsilon();
constexpr double kShortest = 1e-100;  // SUNDIALS multiplies steps with one another

using sundials::check;

}  // namespace

SundialsIntegrator::SundialsIntegrator(int size, const IntegratorOptions& options,
                                       const SundialsCalls& calls, std::span<const char> counted)
    : options_(options),
      norm_(step_tolerances(options, multistep_share(options.tolerances.relative)), size, counted),
      y_(sundials::make_vector(size, context_.get())),
      yp_(sundials::make_vector(size, context_.get())),
      next_y_(sundials::make_vector(size, context_.get())),
      view_(sundials::make_view(size, context_.get())),
      memory_(nullptr, FreeMemory{calls.free}),
      work_(static_cast<std::size_t>(size)),
      calls_(calls),
      size_(size) {
  N_VConst(0, y_.get());
  N_VConst(0, yp_.get());
}

int SundialsIntegrator::code_of(EvalStatus status) {
  if (status == EvalStatus::Ok) return 0;
  if (status == EvalStatus::Fatal) return fatal_ = true, -1;
  ++counts_.domain_retreats;
  return left_domain_ = true, 1;
}

void SundialsIntegrator::weigh(_generic_N_Vector* y, _generic_N_Vector* out) const {
  weights_.weights(sundials::values(y), sundials::values(out));
}

void SundialsIntegrator::restart(double t, std::span<const double> y, std::span<const double> yp,
                                 Restart kind) {
  CHI_CHECK(y.size() == work_.size() && (yp.empty() || yp.size() == y.size()),
            "state of the wrong size");
  first_step_ = kind == Restart::Warm ? warm_step() : options_.initial_step;
  t_ = t_old_ = t;
  step_before_ = 0;
  std::copy(y.begin(), y.end(), sundials::values(y_.get()).begin());
  N_VConst(0, yp_.get());
  std::copy(yp.begin(), yp.end(), sundials::values(yp_.get()).begin());
  weights_.restart(y);
  begun_ = stepped_ = crept_ = false;
  ++counts_.restarts;
}

// Before the history is lost: what it says about a first step at order 1.
double SundialsIntegrator::warm_step() {
  if (!stepped_ || !begun_) return first_step_;
  int order = 0;
  check(calls_.last_order(memory_.get(), &order));
  // The last step may have been cut short by a limit.
  const double last = std::max(t_ - t_old_, step_before_);
  if (order < 2) return last;
  sundials::point_at(view_.get(), work_);
  check(calls_.derivative(memory_.get(), inside(t_), 2, view_.get()));
  norm_.set_reference(y());
  return first_order_step(norm_, t_, work_, last);
}

void SundialsIntegrator::begin(double t_limit) {
  if (first_step_ == 0) {
    norm_.set_reference(y());
    first_step_ = find_first_step(t_limit);
  }
  weights_.start(t_, yp());
  count(counts_);
  reinitialise();
  check(calls_.set_first_step(memory_.get(), std::min(first_step_, t_limit - t_)));
  begun_ = true;
}

StepStatus SundialsIntegrator::step(double t_limit) {
  CHI_CHECK(t_limit > t_, "the limit is not ahead");
  const double limit = std::min(t_limit, std::numeric_limits<double>::max() / 4);
  left_domain_ = fatal_ = false;
  if (!begun_) {
    if (const StepStatus s = find_slope(); s != StepStatus::Stepped) return s;
  }
  if (limit - t_ <= 256 * kRoundOff * (std::abs(t_) + std::abs(limit)) + kShortest) {
    return creep(limit);
  }
  if (!begun_) begin(limit);

  check(calls_.set_shortest_step(memory_.get(),
                                 smallest_step(t_, std::min(next_step(), limit - t_))));
  check(calls_.set_stop_time(memory_.get(), sundials::stop_time(t_, next_step(), limit)));
  double reached = t_;
  // After a creep the solver may be an ulp behind and first hand out what we already have.
  for (int attempt = 0; attempt < 3 && reached <= t_; ++attempt) {
    const int flag = advance(limit, reached);
    carried_.rethrow();
    if (flag < 0) return status_of(flag);
  }
  if (reached <= t_) return left_domain_ ? StepStatus::DomainError : StepStatus::StepTooSmall;
  std::swap(y_, next_y_);
  step_before_ = t_ - t_old_;
  t_old_ = t_;
  t_ = reached;
  accept();
  weights_.accept(y(), t_ - t_old_);
  stepped_ = true;
  crept_ = dense_made_ = false;
  ++counts_.steps;
  return StepStatus::Stepped;
}

StepStatus SundialsIntegrator::creep(double t_limit) {
  const std::span<double> y = sundials::values(y_.get());
  const std::span<const double> slope = yp();
  dense_.reset(size_, 1, t_, t_limit);
  for (std::size_t i = 0; i < y.size(); ++i) {
    dense_.power(0)[i] = y[i];
    dense_.power(1)[i] = slope[i] * (t_limit - t_);
    y[i] += dense_.power(1)[i];
  }
  t_old_ = t_;
  t_ = t_limit;
  stepped_ = crept_ = dense_made_ = true;
  ++counts_.steps;
  return StepStatus::Stepped;
}

StepStatus SundialsIntegrator::status_of(int flag) const {
  if (fatal_) return StepStatus::Fatal;
  switch (failure_of(flag)) {
    case Failure::Domain: return StepStatus::DomainError;
    case Failure::Convergence:
      if (left_domain_) return StepStatus::DomainError;
      return linear_ && SUNLinSolLastFlag(linear_.get()) != 0 ? StepStatus::SingularMatrix
                                                              : StepStatus::NewtonFailed;
    case Failure::LinearSolver:
      sundials::throw_if_out_of_memory(linear_.get(), dense_matrix_);
      return StepStatus::SingularMatrix;
    case Failure::Accuracy: return StepStatus::StepTooSmall;
  }
  return StepStatus::Fatal;
}

double SundialsIntegrator::next_step() const {
  double h = 0;
  if (!begun_) return first_step_;
  check(calls_.current_step(memory_.get(), &h));
  return h > 0 ? h : first_step_;
}

const DenseOutput& SundialsIntegrator::dense_output() {
  CHI_CHECK(stepped_, "no step since the restart");
  if (dense_made_) return dense_;
  int order = 0;
  check(calls_.last_order(memory_.get(), &order));
  dense_.reset(size_, order, t_old_, t_);
  for (int k = 0; k <= order; ++k) {
    sundials::point_at(view_.get(), dense_.power(k));
    check(calls_.derivative(memory_.get(), inside(t_), k, view_.get()));
  }
  derivatives_to_powers(dense_);
  dense_made_ = true;
  return dense_;
}

void SundialsIntegrator::interpolate(double at, std::span<double> out) {
  if (crept_) return dense_.values(at, out);
  sundials::point_at(view_.get(), out);
  check(calls_.derivative(memory_.get(), inside(at), 0, view_.get()));
}

void SundialsIntegrator::count(IntegratorStats& s) const {
  long rejected = 0, setups = 0, iterations = 0, failures = 0;
  check(calls_.error_test_failures(memory_.get(), &rejected));
  check(calls_.linear_setups(memory_.get(), &setups));
  check(calls_.newton_counts(memory_.get(), &iterations, &failures));
  s.rejected += rejected;
  s.factorizations += setups;
  s.newton_iterations += iterations;
  s.newton_failures += failures;
}

IntegratorStats SundialsIntegrator::stats() const {
  IntegratorStats s = counts_;
  count(s);
  return s;
}

}  // namespace chi::numerics
