#include "numerics/sundials_handles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "base/check.h"

namespace chi::numerics::sundials {

void Free::operator()(N_Vector v) const { N_VDestroy(v); }
void Free::operator()(SUNMatrix m) const { SUNMatDestroy(m); }
void Free::operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
void Free::operator()(SUNNonlinearSolver s) const { SUNNonlinSolFree(s); }
void Free::operator()(SUNContext c) const { SUNContext_Free(&c); }

namespace {

template <class T>
T* allocated(T* handle) {
  if (handle == nullptr) throw std::bad_alloc();
  return handle;
}

}  // namespace

void check(int flag) {
  // CV_MEM_FAIL, IDA_MEM_FAIL and what a null memory makes of later calls have the same numbers.
  if (flag == CVLS_MEM_FAIL || flag == CV_MEM_FAIL || flag == CV_MEM_NULL) throw std::bad_alloc();
  CHI_CHECK(flag >= 0, "SUNDIALS rejected our call");
}

Context make_context() {
  SUNContext c = nullptr;
  if (SUNContext_Create(nullptr, &c) != 0) throw std::bad_alloc();
  return Context(allocated(c));
}

namespace {

/// SUNDIALS looks into the result before it asks whether there is one. Nothing of what it was
/// making is used again: the exception passes its frames.
N_Vector clone_or_throw(N_Vector v) { return allocated(N_VClone_Serial(v)); }

Vector checked(N_Vector v) {
  allocated(v)->ops->nvclone = clone_or_throw;
  return Vector(v);
}

}  // namespace

Vector make_vector(int size, SUNContext context) { return checked(N_VNew_Serial(size, context)); }

Vector make_view(int size, SUNContext context) {
  return checked(N_VMake_Serial(size, nullptr, context));
}

NonlinearSolver make_newton(N_Vector like, SUNContext context) {
  return NonlinearSolver(allocated(SUNNonlinSol_Newton(like, context)));
}

NonlinearSolver make_fixed_point(N_Vector like, SUNContext context) {
  return NonlinearSolver(allocated(SUNNonlinSol_FixedPoint(like, 0, context)));
}

void throw_if_out_of_memory(SUNLinearSolver solver, bool dense) {
  if (!dense && SUNLinSol_KLUGetCommon(solver)->status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
}

void point_at(N_Vector view, std::span<double> array) { N_VSetArrayPointer(array.data(), view); }

std::span<double> values(N_Vector v) {
  return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))};
}

Matrix make_matrix(const SparsePattern& pattern, bool dense, SUNContext context) {
  if (dense) return Matrix(allocated(SUNDenseMatrix(pattern.rows, pattern.cols, context)));
  Matrix m(
      allocated(SUNSparseMatrix(pattern.rows, pattern.cols, pattern.nonzeros(), CSC_MAT, context)));
  std::copy(pattern.column_starts.begin(), pattern.column_starts.end(),
            SUNSparseMatrix_IndexPointers(m.get()));
  std::copy(pattern.row_indices.begin(), pattern.row_indices.end(),
            SUNSparseMatrix_IndexValues(m.get()));
  return m;
}

LinearSolver make_linear_solver(N_Vector like, SUNMatrix matrix, bool dense, SUNContext context) {
  return LinearSolver(allocated(dense ? SUNLinSol_Dense(like, matrix, context)
                                      : SUNLinSol_KLU(like, matrix, context)));
}

void store(const SparsePattern& pattern, std::span<const double> entries, bool dense,
           SUNMatrix matrix) {
  if (!dense) {
    std::copy(pattern.column_starts.begin(), pattern.column_starts.end(),
              SUNSparseMatrix_IndexPointers(matrix));
    std::copy(pattern.row_indices.begin(), pattern.row_indices.end(),
              SUNSparseMatrix_IndexValues(matrix));
    std::copy(entries.begin(), entries.end(), SUNSparseMatrix_Data(matrix));
    return;
  }
  double* data = SUNDenseMatrix_Data(matrix);
  std::fill(data, data + SUNDenseMatrix_LData(matrix), 0.0);
  for (std::size_t j = 0; j < static_cast<std::size_t>(pattern.cols); ++j) {
    double* column = data + j * static_cast<std::size_t>(pattern.rows);
    const auto end = static_cast<std::size_t>(pattern.column_starts[j + 1]);
    for (auto k = static_cast<std::size_t>(pattern.column_starts[j]); k < end; ++k) {
      column[pattern.row_indices[k]] = entries[k];
    }
  }
}

int judge(NewtonConvergence& convergence, SUNNonlinearSolver solver, N_Vector correction,
          double tolerance, N_Vector weights) {
  int iteration = 0;
  SUNNonlinSolGetCurIter(solver, &iteration);
  switch (convergence.judge(iteration, N_VWrmsNorm(correction, weights), tolerance)) {
    case NewtonConvergence::Verdict::Converged: return SUN_NLS_SUCCESS;
    case NewtonConvergence::Verdict::NotYet: return SUN_NLS_CONTINUE;
    case NewtonConvergence::Verdict::Diverges: break;
  }
  return SUN_NLS_CONV_RECVR;
}

double stop_time(double t, double h, double limit) {
  constexpr double kTakenForReached = 256 * std::numeric_limits<double>::epsilon();
  const double left = limit - t - h;
  const bool is_near =
      left > 0 && left <= kTakenForReached * std::max(std::abs(t), std::abs(limit));
  return is_near ? t + 0.5 * (limit - t) : limit;
}

void ignore_message(int, const char*, const char*, char*, void*) {}

}  // namespace chi::numerics::sundials
