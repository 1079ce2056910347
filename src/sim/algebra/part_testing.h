#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "expr/build.h"
#include "sim/algebra/solver_context.h"
#include "structure/analyse.h"

namespace chi::sim::testing {

/// A part in one mode, written down equation by equation, with its frame; for the tests here.
struct TestPart {
  expr::Pool pool;
  code::FormulaLeaves leaves;
  structure::System system;
  structure::Analysis analysis;
  structure::StateChoice choice;
  structure::BlockOrder ip, ivp;
  std::vector<double> frame;

  SolverContext context();

  expr::ExprId x(int variable, int order = 0) { return expr::variable(pool, {variable}, order); }
  expr::ExprId number(double v) { return expr::constant(pool, v); }
  expr::ExprId plus(expr::ExprId a, expr::ExprId b) { return expr::add(pool, a, b); }
  expr::ExprId minus(expr::ExprId a, expr::ExprId b) { return expr::sub(pool, a, b); }
  expr::ExprId times(expr::ExprId a, expr::ExprId b) { return expr::mul(pool, a, b); }
  expr::ExprId times(double a, expr::ExprId b) { return expr::mul(pool, number(a), b); }

  void equation(expr::ExprId left, expr::ExprId right) {
    system.rows.push_back(expr::sub(pool, left, right));
  }
  /// Analysis, states by structure, orders of IP and IVP. Requires a regular system.
  void analyse(std::vector<int> declared = {});

  double& value(int variable, int order = 0);
  double& time();
};

/// A block order written by hand: row k is to be solved for unknown k, in blocks of these sizes.
structure::BlockOrder make_order(std::vector<expr::ExprId> rows, std::vector<expr::VarRef> unknowns,
                                 std::vector<int> sizes);

}  // namespace chi::sim::testing
