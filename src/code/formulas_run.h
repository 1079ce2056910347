#pragma once
#include <cstdint>
#include <vector>

#include "code/formulas_program.h"

namespace chi::code {

/// What a `FormulaProgram` works with.
struct FormulaWorkspace {
  std::vector<double> scratch;          ///< begins with the constants
  std::vector<std::uint64_t> demanded;  ///< by shared context: the last run that ran it
  std::uint64_t run = 0;
  std::vector<std::int32_t> returns;  ///< where shared contexts return to
  std::vector<double> arguments;      ///< of the black box being called
  std::vector<double> moved;          ///< the same, a step aside
  std::vector<FormulaFault> faults;   ///< by place of scratch, for `run_checked`

  explicit FormulaWorkspace(const FormulaProgram& program);
};

/// The value of a box for the arguments in the workspace, by the formula of expr::evaluate.
double call_box(const Box& box, FormulaWorkspace& work, std::size_t count, Boxes& boxes);

/// Fills the scratch array. False if there may be a fault: faults are not looked for where they
/// make a NaN or leave one, only where one could vanish (in a relation, say) and where something
/// has a value in IEEE arithmetic that it does not have here (1 / 0). The caller looks for NaN in
/// the roots.
bool run_fast(const FormulaProgram& program, FormulaWorkspace& work, const double* frame,
              Boxes* boxes);

/// Fills the scratch array and, place by place, the faults, as expr::evaluate has them.
void run_checked(const FormulaProgram& program, FormulaWorkspace& work, const double* frame,
                 Boxes* boxes);

}  // namespace chi::code
