#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "code/formulas.h"
#include "numerics/nonlinear_problem.h"
#include "structure/analyse.h"

namespace chi::sim {

/// How much to spend on a solution.
enum class Effort : std::uint8_t {
  Near,  ///< the guess is close: Newton's method from there, once
  Full,  ///< all means: damping from far away, perturbed guesses, least squares, homotopy
};

/// The block of equations that could not be solved, at the best point met.
struct SolveFailure {
  struct RowValue {
    structure::BlockOrder::Row row;
    double residual = 0;  ///< NaN: it has no value
  };
  struct Unknown {
    expr::VarRef var;
    double value = 0;
  };
  numerics::SolveStatus status = numerics::SolveStatus::Converged;
  std::vector<RowValue> rows;
  std::vector<Unknown> unknowns;
  int worst = -1;                           ///< into `rows`: the largest relative residual; or -1
  std::vector<int> singular_rows;           ///< into `rows`: those that depend on each other
  std::vector<int> singular_unknowns;       ///< into `unknowns`: those that cannot be told apart
  std::optional<code::FormulaFault> fault;  ///< where a formula has no value; `root` into `rows`
  enum class At : std::uint8_t {
    Row,
    Slope,     ///< the formula is a derivative of the row by an unknown
    OnTheWay,  ///< the row has a value here, but not at another point of the search
  };
  At fault_at = At::Row;
};

}  // namespace chi::sim
