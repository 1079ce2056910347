#pragma once
#include <memory>
#include <span>

#include "numerics/newton_convergence.h"
#include "numerics/sparse_matrix.h"

// SUNDIALS' own headers stay in the .cc files.
struct _generic_N_Vector;
struct _generic_SUNMatrix;
struct _generic_SUNLinearSolver;
struct _generic_SUNNonlinearSolver;
struct _SUNContext;

namespace chi::numerics::sundials {

/// SUNDIALS hands out C handles; each gets an owner, so that no path can leak one.
struct Free {
  void operator()(_generic_N_Vector* v) const;
  void operator()(_generic_SUNMatrix* m) const;
  void operator()(_generic_SUNLinearSolver* s) const;
  void operator()(_generic_SUNNonlinearSolver* s) const;
  void operator()(_SUNContext* c) const;
};
using Context = std::unique_ptr<_SUNContext, Free>;
using Vector = std::unique_ptr<_generic_N_Vector, Free>;
using Matrix = std::unique_ptr<_generic_SUNMatrix, Free>;
using LinearSolver = std::unique_ptr<_generic_SUNLinearSolver, Free>;
using NonlinearSolver = std::unique_ptr<_generic_SUNNonlinearSolver, Free>;

/// What SUNDIALS answered to a call that only fails when it is ours that is wrong, or when there is
/// no memory: throws std::bad_alloc then.
void check(int flag);

// These throw std::bad_alloc.
Context make_context();
Vector make_vector(int size, _SUNContext* context);
/// A vector without storage of its own, to be pointed at any array with `point_at`.
Vector make_view(int size, _SUNContext* context);
void point_at(_generic_N_Vector* view, std::span<double> array);
std::span<double> values(_generic_N_Vector* v);

/// A square matrix of this pattern, dense or compressed, and the direct solver for it (KLU if
/// compressed).
Matrix make_matrix(const SparsePattern& pattern, bool dense, _SUNContext* context);
LinearSolver make_linear_solver(_generic_N_Vector* like, _generic_SUNMatrix* matrix, bool dense,
                                _SUNContext* context);

NonlinearSolver make_newton(_generic_N_Vector* like, _SUNContext* context);
NonlinearSolver make_fixed_point(_generic_N_Vector* like, _SUNContext* context);
/// Throws std::bad_alloc if it was memory that the last setup of this solver lacked: SUNDIALS tells
/// of a singular matrix.
void throw_if_out_of_memory(_generic_SUNLinearSolver* solver, bool dense);

/// Writes values and, for a compressed matrix, the pattern too: SUNDIALS clears both.
void store(const SparsePattern& pattern, std::span<const double> entries, bool dense,
           _generic_SUNMatrix* matrix);

/// What a convergence test of SUNDIALS' Newton iteration returns.
int judge(NewtonConvergence& convergence, _generic_SUNNonlinearSolver* solver,
          _generic_N_Vector* correction, double tolerance, _generic_N_Vector* weights);

/// Where a step from t, of which h is expected, is to stop: at the limit. SUNDIALS takes a step
/// that ends within a hundred ulps of the stop for one that has reached it, and keeps the values
/// from before: where h ends there, half way to the limit.
double stop_time(double t, double h, double limit);

/// Swallows messages: failures are reported by status.
void ignore_message(int, const char*, const char*, char*, void*);

}  // namespace chi::numerics::sundials
