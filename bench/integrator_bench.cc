// The integrators against SUNDIALS used by hand in C style, and against each other. Every benchmark
// checks its answer and reports steps and evaluations; `share` is the part of the tolerance that
// one step may use up (1: as SUNDIALS understands it, 0: ours, so that the run as a whole keeps
// it).
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "numerics/cvode_integrator.h"
#include "numerics/ida_integrator.h"
#include "numerics/ode_as_dae.h"
#include "numerics/radau.h"
#include "numerics/runge_kutta.h"

namespace chi::numerics {
namespace {

// x_1' = N (1 - x_1), x_i' = N (x_(i-1) - x_i) over one second.
class Cascade final : public OdeProblem {
 public:
  explicit Cascade(int n) : n_(n) {
    PatternBuilder builder(n, n);
    for (int i = 0; i < n; ++i) {
      builder.add(i, i);
      if (i + 1 < n) builder.add(i + 1, i);
    }
    pattern_ = builder.build();
  }
  int size() const override { return n_; }
  EvalStatus rhs(double, std::span<const double> y, std::span<double> f) override {
    f[0] = n_ * (1 - y[0]);
    for (std::size_t i = 1; i < y.size(); ++i) f[i] = n_ * (y[i - 1] - y[i]);
    return EvalStatus::Ok;
  }
  const SparsePattern* jacobian_pattern() const override { return &pattern_; }
  bool has_jacobian() const override { return true; }
  EvalStatus jacobian(double, std::span<const double>, std::span<double> values) override {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = k % 2 ? n_ : -n_;
    return EvalStatus::Ok;
  }

 private:
  int n_;
  SparsePattern pattern_;
};

double cascade_end(int n) {
  return n == 100 ? 0.513298798279149 : n == 1600 ? 0.503324530530708 : 0.501175395475790;
}

void report(benchmark::State& state, const Integrator& s, double error) {
  const IntegratorStats c = s.stats();
  state.counters["steps"] = static_cast<double>(c.steps);
  state.counters["evaluations"] = static_cast<double>(c.evaluations);
  state.counters["error"] = error;
}

void finish(benchmark::State& state, Integrator& s, double t_end) {
  while (s.t() < t_end) {
    if (s.step(t_end) != StepStatus::Stepped) return state.SkipWithError("the run failed");
  }
}

enum Maker { kIda, kCvode, kRadau };

void BM_Cascade(benchmark::State& state, Maker maker, double share) {
  const auto n = static_cast<int>(state.range(0));
  Cascade ode(n);
  const std::vector<double> zero(static_cast<std::size_t>(n));
  std::vector<double> slope(zero);
  ode.rhs(0, zero, slope);
  for (auto _ : state) {
    const IntegratorOptions o{.tolerances = {.relative = 1e-6, .absolute = 1e-9}, .share = share};
    OdeAsDae dae(ode, std::vector<double>(zero.size(), 1e-3));
    const std::unique_ptr<Integrator> s = maker == kIda ? make_ida_integrator(dae, o)
                                          : maker == kCvode
                                              ? make_cvode_integrator(ode, o, MultistepMethod::Bdf)
                                              : make_radau(ode, o);
    s->restart(0, zero, slope, Restart::Cold);
    finish(state, *s, 1);
    report(state, *s, std::abs(s->y().back() - cascade_end(n)));
  }
}
BENCHMARK_CAPTURE(BM_Cascade, ida, kIda, 0)->Arg(100)->Arg(1600)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Cascade, ida_whole, kIda, 1)
    ->Arg(100)
    ->Arg(1600)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Cascade, cvode, kCvode, 0)->Arg(100)->Arg(1600)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Cascade, cvode_whole, kCvode, 1)
    ->Arg(100)
    ->Arg(1600)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Cascade, radau, kRadau, 0)->Arg(100)->Arg(1600)->Unit(benchmark::kMillisecond);

// The same with IDA and KLU by hand.
int cascade_residual(double, N_Vector y, N_Vector yp, N_Vector r, void* data) {
  const auto n = static_cast<sunindextype>(*static_cast<int*>(data));
  const double *x = N_VGetArrayPointer(y), *d = N_VGetArrayPointer(yp);
  double* out = N_VGetArrayPointer(r);
  const auto rate = static_cast<double>(n);
  out[0] = d[0] - rate * (1 - x[0]);
  for (sunindextype i = 1; i < n; ++i) out[i] = d[i] - rate * (x[i - 1] - x[i]);
  return 0;
}

int cascade_jacobian(double, double cj, N_Vector, N_Vector, N_Vector, SUNMatrix j, void* data,
                     N_Vector, N_Vector, N_Vector) {
  const int n = *static_cast<int*>(data);
  sunindextype *starts = SUNSparseMatrix_IndexPointers(j), *rows = SUNSparseMatrix_IndexValues(j);
  double* values = SUNSparseMatrix_Data(j);
  sunindextype k = 0;
  for (int i = 0; i < n; ++i) {
    starts[i] = k;
    rows[k] = i;
    values[k++] = cj + n;
    if (i + 1 < n) {
      rows[k] = i + 1;
      values[k++] = -n;
    }
  }
  starts[n] = k;
  return 0;
}

void BM_CascadeIdaByHand(benchmark::State& state) {
  auto n = static_cast<int>(state.range(0));
  for (auto _ : state) {
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector y = N_VNew_Serial(n, context), yp = N_VNew_Serial(n, context);
    N_VConst(0, y);
    N_VConst(0, yp);
    N_VGetArrayPointer(yp)[0] = n;
    void* ida = IDACreate(context);
    IDAInit(ida, cascade_residual, 0, y, yp);
    IDASetUserData(ida, &n);
    IDASStolerances(ida, 1e-6, 1e-9);
    SUNMatrix matrix = SUNSparseMatrix(n, n, 2 * n, CSC_MAT, context);
    SUNLinearSolver linear = SUNLinSol_KLU(y, matrix, context);
    IDASetLinearSolver(ida, linear, matrix);
    IDASetJacFn(ida, cascade_jacobian);
    IDASetMaxNumSteps(ida, -1);
    IDASetStopTime(ida, 1);
    double t = 0;
    while (t < 1) IDASolve(ida, 1, &t, y, yp, IDA_ONE_STEP);
    long steps = 0, evaluations = 0;
    IDAGetNumSteps(ida, &steps);
    IDAGetNumResEvals(ida, &evaluations);
    state.counters["steps"] = static_cast<double>(steps);
    state.counters["evaluations"] = static_cast<double>(evaluations);
    state.counters["error"] = std::abs(N_VGetArrayPointer(y)[n - 1] - cascade_end(n));
    IDAFree(&ida);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(yp);
    SUNContext_Free(&context);
  }
}
BENCHMARK(BM_CascadeIdaByHand)->Arg(100)->Arg(1600)->Unit(benchmark::kMillisecond);

// Van der Pol, μ = 1000, with its Jacobian.
class VanDerPol final : public OdeProblem {
 public:
  int size() const override { return 2; }
  EvalStatus rhs(double, std::span<const double> y, std::span<double> f) override {
    f[0] = y[1];
    f[1] = 1000 * (1 - y[0] * y[0]) * y[1] - y[0];
    return EvalStatus::Ok;
  }
  bool has_jacobian() const override { return true; }
  EvalStatus jacobian(double, std::span<const double> y, std::span<double> values) override {
    values[0] = 0;
    values[1] = -2000 * y[0] * y[1] - 1;
    values[2] = 1;
    values[3] = 1000 * (1 - y[0] * y[0]);
    return EvalStatus::Ok;
  }
};

void BM_VanDerPol(benchmark::State& state, Maker maker, double share) {
  VanDerPol ode;
  const std::array<double, 2> start{2, 0}, slope{0, -2};
  for (auto _ : state) {
    const IntegratorOptions o{.tolerances = {.relative = 1e-6, .absolute = 1e-9}, .share = share};
    OdeAsDae dae(ode, {1e-3, 1e-3});
    const std::unique_ptr<Integrator> s = maker == kIda ? make_ida_integrator(dae, o)
                                          : maker == kCvode
                                              ? make_cvode_integrator(ode, o, MultistepMethod::Bdf)
                                              : make_radau(ode, o);
    s->restart(0, start, slope, Restart::Cold);
    finish(state, *s, 2000);
    report(state, *s, std::abs(s->y()[0] - 1.706167732170469));
  }
}
BENCHMARK_CAPTURE(BM_VanDerPol, ida, kIda, 0)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_VanDerPol, cvode, kCvode, 0)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_VanDerPol, cvode_whole, kCvode, 1)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_VanDerPol, radau, kRadau, 0)->Unit(benchmark::kMicrosecond);

int vdp_rhs(double, N_Vector y, N_Vector f, void*) {
  const double* x = N_VGetArrayPointer(y);
  double* d = N_VGetArrayPointer(f);
  d[0] = x[1];
  d[1] = 1000 * (1 - x[0] * x[0]) * x[1] - x[0];
  return 0;
}

int vdp_jacobian(double, N_Vector y, N_Vector, SUNMatrix j, void*, N_Vector, N_Vector, N_Vector) {
  const double* x = N_VGetArrayPointer(y);
  double* v = SUNDenseMatrix_Data(j);
  v[0] = 0;
  v[1] = -2000 * x[0] * x[1] - 1;
  v[2] = 1;
  v[3] = 1000 * (1 - x[0] * x[0]);
  return 0;
}

void BM_VanDerPolCvodeByHand(benchmark::State& state) {
  for (auto _ : state) {
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector y = N_VNew_Serial(2, context);
    N_VGetArrayPointer(y)[0] = 2;
    N_VGetArrayPointer(y)[1] = 0;
    void* cvode = CVodeCreate(CV_BDF, context);
    CVodeInit(cvode, vdp_rhs, 0, y);
    CVodeSStolerances(cvode, 1e-6, 1e-9);
    SUNMatrix matrix = SUNDenseMatrix(2, 2, context);
    SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
    CVodeSetLinearSolver(cvode, linear, matrix);
    CVodeSetJacFn(cvode, vdp_jacobian);
    CVodeSetMaxNumSteps(cvode, -1);
    CVodeSetStopTime(cvode, 2000);
    double t = 0;
    while (t < 2000) CVode(cvode, 2000, y, &t, CV_ONE_STEP);
    long steps = 0;
    CVodeGetNumSteps(cvode, &steps);
    state.counters["steps"] = static_cast<double>(steps);
    state.counters["error"] = std::abs(N_VGetArrayPointer(y)[0] - 1.706167732170469);
    CVodeFree(&cvode);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
}
BENCHMARK(BM_VanDerPolCvodeByHand)->Unit(benchmark::kMicrosecond);

// A bouncing mass: two states, a thousand warm restarts. What an event costs each method.
class Fall final : public OdeProblem {
 public:
  int size() const override { return 2; }
  EvalStatus rhs(double, std::span<const double> y, std::span<double> f) override {
    f[0] = y[1];
    f[1] = -9.81 - 0.1 * y[1];
    return EvalStatus::Ok;
  }
  bool has_jacobian() const override { return true; }
  EvalStatus jacobian(double, std::span<const double>, std::span<double> values) override {
    values[0] = values[1] = 0;
    values[2] = 1;
    values[3] = -0.1;
    return EvalStatus::Ok;
  }
};

void BM_WarmRestarts(benchmark::State& state, int method) {
  Fall ode;
  const IntegratorOptions o;
  OdeAsDae dae(ode, {1e-3, 1e-3});
  const std::unique_ptr<Integrator> s =
      method == 0   ? make_runge_kutta(ode, o, ExplicitMethod::DormandPrince)
      : method == 1 ? make_runge_kutta(ode, o, ExplicitMethod::Fehlberg)
      : method == 2 ? make_radau(ode, o)
      : method == 3 ? make_cvode_integrator(ode, o, MultistepMethod::Bdf)
                    : make_ida_integrator(dae, o);
  const std::array<double, 2> start{1, 0}, slope{0, -9.81};
  for (auto _ : state) {
    s->restart(0, start, slope, Restart::Cold);
    for (int event = 1; event <= 1000; ++event) {
      finish(state, *s, 0.4 * event);
      benchmark::DoNotOptimize(s->dense_output().value(s->t(), 0));
      s->restart(s->t(), start, slope, Restart::Warm);
    }
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK_CAPTURE(BM_WarmRestarts, dopri5, 0)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_WarmRestarts, rkf45, 1)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_WarmRestarts, radau, 2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_WarmRestarts, cvode, 3)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_WarmRestarts, ida, 4)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace chi::numerics

BENCHMARK_MAIN();
