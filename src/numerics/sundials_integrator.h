#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/carried_exception.h"
#include "numerics/bdf_history.h"
#include "numerics/integrator.h"
#include "numerics/sundials_handles.h"

namespace chi::numerics {

/// The functions of the same meaning that CVODE and IDA have under different names.
struct SundialsCalls {
  int (*last_order)(void* memory, int* order);
  int (*current_step)(void* memory, double* h);
  int (*derivative)(void* memory, double t, int order, _generic_N_Vector* out);
  int (*set_first_step)(void* memory, double h);
  int (*set_shortest_step)(void* memory, double h);
  int (*set_stop_time)(void* memory, double t);
  int (*error_test_failures)(void* memory, long* count);
  int (*linear_setups)(void* memory, long* count);
  int (*newton_counts)(void* memory, long* iterations, long* failures);
  void (*free)(void** memory);
};

/// What CVODE and IDA have in common: steps, restarts, dense output, failures and counts of
/// `Integrator`. A derived class sets the solver up, and says how it begins and steps.
///
/// SUNDIALS refuses limits closer than some round-off units: those steps are straight lines, which
/// are exact enough there.
class SundialsIntegrator : public Integrator {
 public:
  void restart(double t, std::span<const double> y, std::span<const double> yp,
               Restart kind) override;
  StepStatus step(double t_limit) final;

  int size() const final { return size_; }
  double t() const final { return t_; }
  double t_old() const final { return t_old_; }
  std::span<const double> y() const final { return sundials::values(y_.get()); }
  std::span<const double> yp() const final { return sundials::values(yp_.get()); }
  double next_step() const final;
  const DenseOutput& dense_output() final;
  void interpolate(double at, std::span<double> out) final;
  IntegratorStats stats() const override;

 protected:
  enum class Failure { Domain, Convergence, LinearSolver, Accuracy };

  /// `counted`: the components in the error test; empty: all.
  SundialsIntegrator(int size, const IntegratorOptions& options, const SundialsCalls& calls,
                     std::span<const char> counted);

  /// y' at the start, where it is not given.
  virtual StepStatus find_slope() = 0;
  /// The length of a first step from here, if nothing is known of it.
  virtual double find_first_step(double t_limit) = 0;
  /// The solver starts at t, y, y'.
  virtual void reinitialise() = 0;
  /// One step into `next_y_`; a flag of the solver.
  virtual int advance(double limit, double& reached) = 0;
  /// y and y' are those of the step.
  virtual void accept() = 0;
  virtual Failure failure_of(int flag) const = 0;
  /// The nearest time at which the solver interpolates.
  virtual double inside(double at) const { return at; }

  /// What the solver wants to hear of an evaluation; notes the failure for `step`.
  int code_of(EvalStatus status);
  /// Writes the error weights at y.
  void weigh(_generic_N_Vector* y, _generic_N_Vector* out) const;

  IntegratorOptions options_;
  ErrorNorm norm_;
  FadingWeights weights_{norm_};
  sundials::Context context_ = sundials::make_context();
  sundials::Vector y_, yp_, next_y_;  // what the solvers hand out when they fail is not quite y
  sundials::Vector view_;
  sundials::Matrix matrix_;  // none without Newton's method, as the next
  sundials::LinearSolver linear_;
  bool dense_matrix_ = true;
  sundials::NonlinearSolver iteration_;
  struct FreeMemory {
    void (*free)(void**) = nullptr;
    void operator()(void* memory) const { free(&memory); }
  };
  std::unique_ptr<void, FreeMemory> memory_;
  std::vector<double> work_;
  double t_ = 0;
  CarriedException carried_;  // out of our functions, past those of SUNDIALS
  IntegratorStats counts_;    // ours, and the solver's up to its last reinitialisation

 private:
  void begin(double t_limit);
  double warm_step();
  StepStatus creep(double t_limit);
  StepStatus status_of(int flag) const;
  void count(IntegratorStats& s) const;

  const SundialsCalls& calls_;
  int size_;
  double t_old_ = 0;
  double step_before_ = 0;  // length of the step before the last
  double first_step_ = 0;   // proposed for the next begin; 0: from the problem
  bool begun_ = false;      // the solver knows the state
  bool stepped_ = false;
  bool crept_ = false;  // the last step was a straight line of a few ulps
  bool dense_made_ = false;
  bool left_domain_ = false;  // during the last call
  bool fatal_ = false;
  DenseOutput dense_;
};

}  // namespace chi::numerics
