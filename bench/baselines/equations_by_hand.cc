#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

// The models of bench/models with equations, as one writes them by hand for SUNDIALS: right sides
// and Jacobians in C, sparse where they are large.
//
//     equations_by_hand heat|cascade|ladder|rc_ladder|reaction|robertson|amplifier|thermostat|
//         thermostat_bdf|buck|balls N RTOL ATOL
//
// prints: work seconds answer. The work is steps, or events where there are any.
namespace {

struct Result {
  double work = 0;
  double answer = 0;
};

struct Tolerances {
  double relative = 0, absolute = 0;
};

/// Ends the program with a word about the call that failed.
void check(int flag, const char* what) {
  if (flag >= 0) return;
  std::fprintf(stderr, "%s failed: %d\n", what, flag);
  std::exit(1);
}

double* data(N_Vector v) { return N_VGetArrayPointer(v); }

class Context {
 public:
  Context() { SUNContext_Create(nullptr, &context_); }
  ~Context() { SUNContext_Free(&context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  operator SUNContext() const { return context_; }  // NOLINT: it stands for it

 private:
  SUNContext context_ = nullptr;
};

/// x_i' = rate (below x_(i-1) - (below + above) x_i + above x_(i+1)) with x_(-1) = 1. `leak`: what
/// the last one loses to its right, where there is none.
struct Chain {
  sunindextype n = 0;
  double rate = 0;
  double above = 0;
  double leak = 0;
};

int chain_rhs(double, N_Vector y, N_Vector yp, void* user) {
  const Chain& c = *static_cast<Chain*>(user);
  const double* x = data(y);
  double* d = data(yp);
  const sunindextype last = c.n - 1;
  d[0] = c.rate * (1 - x[0] + c.above * (x[1] - x[0]));
  for (sunindextype i = 1; i < last; ++i)
    d[i] = c.rate * (x[i - 1] - x[i] + c.above * (x[i + 1] - x[i]));
  d[last] = c.rate * (x[last - 1] - x[last] - c.leak * x[last]);
  return 0;
}

int chain_jacobian(double, N_Vector, N_Vector, SUNMatrix matrix, void* user, N_Vector, N_Vector,
                   N_Vector) {
  const Chain& c = *static_cast<Chain*>(user);
  sunindextype* starts = SUNSparseMatrix_IndexPointers(matrix);
  sunindextype* rows = SUNSparseMatrix_IndexValues(matrix);
  double* values = SUNSparseMatrix_Data(matrix);
  sunindextype k = 0;
  for (sunindextype i = 0; i < c.n; ++i) {
    starts[i] = k;
    if (i > 0 && c.above != 0) {
      rows[k] = i - 1;
      values[k++] = c.rate * c.above;
    }
    rows[k] = i;
    values[k++] = -c.rate * (1 + (i + 1 < c.n ? c.above : c.leak));
    if (i + 1 < c.n) {
      rows[k] = i + 1;
      values[k++] = c.rate;
    }
  }
  starts[c.n] = k;
  return 0;
}

// u_i' = rate (u_(i-1) - u_i) - mu u_i (u_i - 1/2) (u_i - 1), u_(-1) = 1: a front that a flow
// carries.
constexpr double kMu = 1000;

int reaction_rhs(double, N_Vector y, N_Vector yp, void* user) {
  const Chain& c = *static_cast<Chain*>(user);
  const double* u = data(y);
  double* d = data(yp);
  const auto reaction = [](double x) { return kMu * x * (x - 0.5) * (x - 1); };
  d[0] = c.rate * (1 - u[0]) - reaction(u[0]);
  for (sunindextype i = 1; i < c.n; ++i) d[i] = c.rate * (u[i - 1] - u[i]) - reaction(u[i]);
  return 0;
}

int reaction_jacobian(double, N_Vector y, N_Vector, SUNMatrix matrix, void* user, N_Vector,
                      N_Vector, N_Vector) {
  const Chain& c = *static_cast<Chain*>(user);
  const double* u = data(y);
  sunindextype* starts = SUNSparseMatrix_IndexPointers(matrix);
  sunindextype* rows = SUNSparseMatrix_IndexValues(matrix);
  double* values = SUNSparseMatrix_Data(matrix);
  sunindextype k = 0;
  for (sunindextype i = 0; i < c.n; ++i) {
    starts[i] = k;
    rows[k] = i;
    values[k++] = -c.rate - kMu * (3 * u[i] * u[i] - 3 * u[i] + 0.5);
    if (i + 1 == c.n) continue;
    rows[k] = i + 1;
    values[k++] = c.rate;
  }
  starts[c.n] = k;
  return 0;
}

// The published ladder: R = 1/k, C = 1/k², k = 1 … n, fed with sin(20 π t).
int rc_rhs(double t, N_Vector y, N_Vector yp, void* user) {
  const Chain& c = *static_cast<Chain*>(user);
  const double* v = data(y);
  double* d = data(yp);
  double current = std::sin(20 * std::numbers::pi * t) - v[0];
  for (sunindextype i = 0; i < c.n; ++i) {
    const auto k = static_cast<double>(i + 1);
    const double next = i + 1 < c.n ? (v[i] - v[i + 1]) * (k + 1) : 0;
    d[i] = k * k * (current - next);
    current = next;
  }
  return 0;
}

int rc_jacobian(double, N_Vector, N_Vector, SUNMatrix matrix, void* user, N_Vector, N_Vector,
                N_Vector) {
  const Chain& c = *static_cast<Chain*>(user);
  sunindextype* starts = SUNSparseMatrix_IndexPointers(matrix);
  sunindextype* rows = SUNSparseMatrix_IndexValues(matrix);
  double* values = SUNSparseMatrix_Data(matrix);
  sunindextype n = 0;
  for (sunindextype i = 0; i < c.n; ++i) {
    const auto k = static_cast<double>(i + 1);
    starts[i] = n;
    if (i > 0) {
      rows[n] = i - 1;
      values[n++] = (k - 1) * (k - 1) * k;
    }
    rows[n] = i;
    values[n++] = -k * k * (k + (i + 1 < c.n ? k + 1 : 0));
    if (i + 1 < c.n) {
      rows[n] = i + 1;
      values[n++] = (k + 1) * (k + 1) * (k + 1);
    }
  }
  starts[c.n] = n;
  return 0;
}

/// What a model of cells in a row needs: `shown` -1 for the mean of all.
struct Cells {
  CVRhsFn rhs = chain_rhs;
  CVLsJacFn jacobian = chain_jacobian;
  double end = 0;
  sunindextype shown = 0;
  bool charged = false;  ///< starts with 1, 2, 3, …, else with 0
};

Result chain(Chain c, const Cells& cells, Tolerances tolerances) {
  const Context context;
  N_Vector y = N_VNew_Serial(c.n, context);
  for (sunindextype i = 0; i < c.n; ++i) {
    data(y)[i] = cells.charged ? static_cast<double>(i + 1) : 0;
  }
  const double end = cells.end;
  void* cvode = CVodeCreate(CV_BDF, context);
  check(CVodeInit(cvode, cells.rhs, 0, y), "CVodeInit");
  CVodeSetUserData(cvode, &c);
  CVodeSStolerances(cvode, tolerances.relative, tolerances.absolute);
  SUNMatrix matrix = SUNSparseMatrix(c.n, c.n, 3 * c.n, CSC_MAT, context);
  SUNLinearSolver linear = SUNLinSol_KLU(y, matrix, context);
  CVodeSetLinearSolver(cvode, linear, matrix);
  CVodeSetJacFn(cvode, cells.jacobian);
  CVodeSetMaxNumSteps(cvode, -1);
  CVodeSetStopTime(cvode, end);
  double t = 0;
  check(CVode(cvode, end, y, &t, CV_NORMAL), "CVode");
  long steps = 0;
  CVodeGetNumSteps(cvode, &steps);
  Result result{static_cast<double>(steps), 0};
  for (sunindextype i = 0; i < c.n; ++i) result.answer += data(y)[i] / static_cast<double>(c.n);
  if (cells.shown >= 0) result.answer = data(y)[cells.shown];
  CVodeFree(&cvode);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  return result;
}

int robertson_rhs(double, N_Vector y, N_Vector yp, void*) {
  const double* x = data(y);
  double* d = data(yp);
  d[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
  d[2] = 3e7 * x[1] * x[1];
  d[1] = -d[0] - d[2];
  return 0;
}

int robertson_jacobian(double, N_Vector y, N_Vector, SUNMatrix m, void*, N_Vector, N_Vector,
                       N_Vector) {
  const double* x = data(y);
  double *a = SM_COLUMN_D(m, 0), *b = SM_COLUMN_D(m, 1), *c = SM_COLUMN_D(m, 2);
  a[0] = -0.04, a[1] = 0.04, a[2] = 0;
  b[0] = 1e4 * x[2], b[2] = 6e7 * x[1], b[1] = -b[0] - b[2];
  c[0] = 1e4 * x[1], c[1] = -c[0], c[2] = 0;
  return 0;
}

Result robertson(Tolerances tolerances) {
  const Context context;
  N_Vector y = N_VNew_Serial(3, context);
  N_VConst(0, y);
  data(y)[0] = 1;
  void* cvode = CVodeCreate(CV_BDF, context);
  check(CVodeInit(cvode, robertson_rhs, 0, y), "CVodeInit");
  CVodeSStolerances(cvode, tolerances.relative, tolerances.absolute);
  SUNMatrix matrix = SUNDenseMatrix(3, 3, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
  CVodeSetLinearSolver(cvode, linear, matrix);
  CVodeSetJacFn(cvode, robertson_jacobian);
  CVodeSetMaxNumSteps(cvode, -1);
  CVodeSetStopTime(cvode, 1e11);
  double t = 0;
  check(CVode(cvode, 1e11, y, &t, CV_NORMAL), "CVode");
  long steps = 0;
  CVodeGetNumSteps(cvode, &steps);
  const Result result{static_cast<double>(steps), data(y)[0]};
  CVodeFree(&cvode);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  return result;
}

// The transistor amplifier of the test set for IVP solvers (Bari, CWI). The voltages over the
// capacitors are the states, then come three of the nodes: c1, y3, c3, y6, c5, y1, y4, y7. With the
// nodes alone, as in the test set, IDA takes eleven times as many steps.
constexpr double kUb = 6, kR = 9000, kR0 = 1000, kAlpha = 0.99, kC = 1e-6;
double current(double u) { return 1e-6 * (std::exp(u / 0.026) - 1); }
double conductance(double u) { return 1e-6 / 0.026 * std::exp(u / 0.026); }
enum : int { C1, Y3, C3, Y6, C5, Y1, Y4, Y7, kNodes };

int amplifier_residual(double t, N_Vector y, N_Vector yp, N_Vector r, void*) {
  const double *x = data(y), *d = data(yp);
  double* f = data(r);
  const double y2 = x[Y1] + x[C1], y5 = x[Y4] + x[C3], y8 = x[Y7] + x[C5];
  const double q1 = current(y2 - x[Y3]), q2 = current(y5 - x[Y6]);
  f[0] = (x[Y1] - 0.1 * std::sin(200 * std::numbers::pi * t)) / kR0 - kC * d[C1];
  f[1] = (2 * y2 - kUb) / kR - (kAlpha - 1) * q1 + kC * d[C1];
  f[2] = x[Y3] / kR - q1 + 2 * kC * d[Y3];
  f[3] = (x[Y4] - kUb) / kR + kAlpha * q1 - 3 * kC * d[C3];
  f[4] = (2 * y5 - kUb) / kR - (kAlpha - 1) * q2 + 3 * kC * d[C3];
  f[5] = x[Y6] / kR - q2 + 4 * kC * d[Y6];
  f[6] = (x[Y7] - kUb) / kR + kAlpha * q2 - 5 * kC * d[C5];
  f[7] = y8 / kR + 5 * kC * d[C5];
  return 0;
}

int amplifier_jacobian(double, double cj, N_Vector y, N_Vector, N_Vector, SUNMatrix m, void*,
                       N_Vector, N_Vector, N_Vector) {
  const double* x = data(y);
  const double g1 = conductance(x[Y1] + x[C1] - x[Y3]), g2 = conductance(x[Y4] + x[C3] - x[Y6]);
  const auto at = [&](int row, int column) -> double& { return SM_ELEMENT_D(m, row, column); };
  SUNMatZero(m);
  at(0, Y1) = 1 / kR0, at(0, C1) = -cj * kC;
  at(1, Y1) = 2 / kR - (kAlpha - 1) * g1, at(1, C1) = at(1, Y1) + cj * kC;
  at(1, Y3) = (kAlpha - 1) * g1;
  at(2, Y1) = -g1, at(2, C1) = -g1, at(2, Y3) = 1 / kR + g1 + 2 * cj * kC;
  at(3, Y1) = kAlpha * g1, at(3, C1) = kAlpha * g1, at(3, Y3) = -kAlpha * g1;
  at(3, Y4) = 1 / kR, at(3, C3) = -3 * cj * kC;
  at(4, Y4) = 2 / kR - (kAlpha - 1) * g2, at(4, C3) = at(4, Y4) + 3 * cj * kC;
  at(4, Y6) = (kAlpha - 1) * g2;
  at(5, Y4) = -g2, at(5, C3) = -g2, at(5, Y6) = 1 / kR + g2 + 4 * cj * kC;
  at(6, Y4) = kAlpha * g2, at(6, C3) = kAlpha * g2, at(6, Y6) = -kAlpha * g2;
  at(6, Y7) = 1 / kR, at(6, C5) = -5 * cj * kC;
  at(7, Y7) = 1 / kR, at(7, C5) = 1 / kR + 5 * cj * kC;
  return 0;
}

Result amplifier(Tolerances tolerances) {
  const Context context;
  N_Vector y = N_VNew_Serial(kNodes, context), yp = N_VNew_Serial(kNodes, context);
  const double start[] = {3, 3, -3, 3, -6, 0, 6, 6};
  const double slope[] = {0, -3 / (2 * kC * kR), 0,           -3 / (4 * kC * kR),
                          0, 51.338775,          -24.9757667, -10.00564453};
  std::memcpy(data(y), start, sizeof start);
  std::memcpy(data(yp), slope, sizeof slope);
  void* ida = IDACreate(context);
  check(IDAInit(ida, amplifier_residual, 0, y, yp), "IDAInit");
  IDASStolerances(ida, tolerances.relative, tolerances.absolute);
  SUNMatrix matrix = SUNDenseMatrix(kNodes, kNodes, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
  IDASetLinearSolver(ida, linear, matrix);
  IDASetJacFn(ida, amplifier_jacobian);
  N_Vector is_state = N_VNew_Serial(kNodes, context);
  for (int i = 0; i < kNodes; ++i) data(is_state)[i] = i < Y1 ? 1 : 0;
  IDASetId(ida, is_state);
  IDASetSuppressAlg(ida, SUNTRUE);
  IDASetMaxNumSteps(ida, -1);
  IDASetStopTime(ida, 0.2);
  double t = 0;
  check(IDASolve(ida, 0.2, &t, y, yp, IDA_NORMAL), "IDASolve");
  long steps = 0;
  IDAGetNumSteps(ida, &steps);
  const Result result{static_cast<double>(steps), data(y)[Y7] + data(y)[C5]};
  IDAFree(&ida);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  N_VDestroy(yp);
  N_VDestroy(is_state);
  return result;
}

int room_rhs(double, N_Vector y, N_Vector yp, void* user) {
  data(yp)[0] = -0.1 * (data(y)[0] - 10) + (*static_cast<bool*>(user) ? 2 : 0);
  return 0;
}

int room_root(double, N_Vector y, double* g, void* user) {
  g[0] = data(y)[0] - (*static_cast<bool*>(user) ? 21 : 19);
  return 0;
}

Result thermostat(int method, long events, Tolerances tolerances) {
  const Context context;
  N_Vector y = N_VNew_Serial(1, context);
  data(y)[0] = 15;
  bool on = true;
  void* cvode = CVodeCreate(method, context);
  check(CVodeInit(cvode, room_rhs, 0, y), "CVodeInit");
  CVodeSetUserData(cvode, &on);
  CVodeSStolerances(cvode, tolerances.relative, tolerances.absolute);
  SUNNonlinearSolver iteration = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  if (method == CV_ADAMS) {
    iteration = SUNNonlinSol_FixedPoint(y, 0, context);
    CVodeSetNonlinearSolver(cvode, iteration);
  } else {
    matrix = SUNDenseMatrix(1, 1, context);
    linear = SUNLinSol_Dense(y, matrix, context);
    CVodeSetLinearSolver(cvode, linear, matrix);
  }
  CVodeRootInit(cvode, 1, room_root);
  CVodeSetMaxNumSteps(cvode, -1);
  double t = 0;
  for (long i = 0; i < events; ++i) {
    check(CVode(cvode, 1e9, y, &t, CV_NORMAL), "CVode");
    on = !on;
    check(CVodeReInit(cvode, t, y), "CVodeReInit");
  }
  const Result result{static_cast<double>(events), t};
  CVodeFree(&cvode);
  SUNNonlinSolFree(iteration);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  return result;
}

// The states of a buck converter; the diode ends conducting when the current is used up.
struct Buck {
  bool on = true, conducts = true;
};
int buck_rhs(double, N_Vector y, N_Vector yp, void* user) {
  const auto& mode = *static_cast<Buck*>(user);
  const double current = data(y)[0], voltage = data(y)[1];
  data(yp)[0] = mode.on ? (24 - voltage) / 50e-6 : mode.conducts ? -voltage / 50e-6 : 0;
  data(yp)[1] = (current - voltage / 5) / 100e-6;
  return 0;
}
int buck_root(double, N_Vector y, double* g, void* user) {
  const auto& mode = *static_cast<Buck*>(user);
  g[0] = !mode.on && mode.conducts ? data(y)[0] : 1;
  return 0;
}

Result buck(long switchings, Tolerances tolerances) {
  const Context context;
  N_Vector y = N_VNew_Serial(2, context);
  data(y)[0] = data(y)[1] = 0;
  Buck mode;
  void* cvode = CVodeCreate(CV_ADAMS, context);
  check(CVodeInit(cvode, buck_rhs, 0, y), "CVodeInit");
  CVodeSetUserData(cvode, &mode);
  CVodeSStolerances(cvode, tolerances.relative, tolerances.absolute);
  SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(y, 0, context);
  CVodeSetNonlinearSolver(cvode, iteration);
  CVodeRootInit(cvode, 1, buck_root);
  CVodeSetMaxNumSteps(cvode, -1);
  double t = 0, next = 0;
  for (long k = 0; k < switchings; ++k) {
    mode = {k % 2 == 0, true};
    next += mode.on ? 4e-6 : 6e-6;
    while (t < next) {
      check(CVodeReInit(cvode, t, y), "CVodeReInit");
      CVodeSetStopTime(cvode, next);
      const int flag = CVode(cvode, next, y, &t, CV_NORMAL);
      check(flag, "CVode");
      if (flag == CV_ROOT_RETURN) {
        mode.conducts = false;
        data(y)[0] = 0;
      }
    }
  }
  const Result result{static_cast<double>(switchings), data(y)[1]};
  CVodeFree(&cvode);
  SUNNonlinSolFree(iteration);
  N_VDestroy(y);
  return result;
}

// All balls in one system: an event of one ends the step of all.
int balls_rhs(double, N_Vector y, N_Vector yp, void* user) {
  const long n = *static_cast<long*>(user);
  const double* x = data(y);
  double* d = data(yp);
  for (long i = 0; i < n; ++i) d[2 * i] = x[2 * i + 1], d[2 * i + 1] = -9.81;
  return 0;
}

int balls_root(double, N_Vector y, double* g, void* user) {
  const long n = *static_cast<long*>(user);
  for (long i = 0; i < n; ++i) g[i] = data(y)[2 * i];
  return 0;
}

Result balls(long n, Tolerances tolerances) {
  const Context context;
  N_Vector y = N_VNew_Serial(2 * n, context);
  for (long i = 0; i < n; ++i) {
    data(y)[2 * i] = 1 + static_cast<double>(i) / static_cast<double>(n);
    data(y)[2 * i + 1] = 0;
  }
  void* cvode = CVodeCreate(CV_ADAMS, context);
  check(CVodeInit(cvode, balls_rhs, 0, y), "CVodeInit");
  CVodeSetUserData(cvode, &n);
  CVodeSStolerances(cvode, tolerances.relative, tolerances.absolute);
  SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(y, 0, context);
  CVodeSetNonlinearSolver(cvode, iteration);
  CVodeRootInit(cvode, static_cast<int>(n), balls_root);
  CVodeSetMaxNumSteps(cvode, -1);
  CVodeSetStopTime(cvode, 10);
  int* found = new int[static_cast<std::size_t>(n)];
  double t = 0;
  double events = 0;
  while (true) {
    const int flag = CVode(cvode, 10, y, &t, CV_NORMAL);
    check(flag, "CVode");
    if (flag != CV_ROOT_RETURN) break;
    CVodeGetRootInfo(cvode, found);
    for (long i = 0; i < n; ++i) {
      double& v = data(y)[2 * i + 1];
      if (found[i] == 0 || v >= 0) continue;
      v = -v;
      ++events;
    }
    check(CVodeReInit(cvode, t, y), "CVodeReInit");
  }
  delete[] found;
  CVodeFree(&cvode);
  SUNNonlinSolFree(iteration);
  N_VDestroy(y);
  return {events, events};
}

Result run(const char* model, long n, Tolerances tolerances) {
  const auto is = [&](const char* name) { return std::strcmp(model, name) == 0; };
  const auto size = static_cast<double>(n);
  if (is("heat")) return chain({n, size * size, 1, 1}, {.end = 0.5, .shown = n / 2}, tolerances);
  if (is("cascade")) return chain({n, size, 0, 0}, {.end = 1, .shown = n - 1}, tolerances);
  if (is("ladder")) return chain({n, 1, 1, 0}, {.end = 100, .shown = 9}, tolerances);
  if (is("rc_ladder")) {
    return chain({n, 1, 1, 0}, {rc_rhs, rc_jacobian, 10, 0, true}, tolerances);
  }
  if (is("reaction")) {
    return chain({n, size, 0, 0}, {reaction_rhs, reaction_jacobian, 0.5, -1}, tolerances);
  }
  if (is("robertson")) return robertson(tolerances);
  if (is("amplifier")) return amplifier(tolerances);
  if (is("thermostat")) return thermostat(CV_ADAMS, n, tolerances);
  if (is("thermostat_bdf")) return thermostat(CV_BDF, n, tolerances);
  if (is("buck")) return buck(n, tolerances);
  if (is("balls")) return balls(n, tolerances);
  std::fprintf(stderr, "no model %s\n", model);
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto start = std::chrono::steady_clock::now();
  const Result result = run(argv[1], std::atol(argv[2]), {std::atof(argv[3]), std::atof(argv[4])});
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf("%.0f %.6f %.17g\n", result.work, spent.count(), result.answer);
  return 0;
}
