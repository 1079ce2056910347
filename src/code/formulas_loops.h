#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "code/formulas.h"
#include "code/formulas_program.h"
#include "code/formulas_run.h"

namespace chi::code {

/// Formulas that differ in their leaves and numbers only, as the copies of an unwound equation do:
/// one program for all of them, each of its instructions executed for many copies at once.
///
/// What is alike is seen at a glance where the formulas are calls of one function
/// (flat/loop_bodies.h). Formulas with the same arguments, as the derivatives of one equation, are
/// computed together. Every operation is the one of `run_fast`, so the bits are the same.
///
/// Plain `if`s over discrete truths may stand around the calls: each copy computes the alternative
/// that it is in.
class FormulaLoops {
 public:
  /// Takes those of the roots that many others are like; `rest` are the numbers of the others.
  FormulaLoops(const expr::Pool& pool, std::span<const expr::ExprId> roots, FormulaLeaves& leaves,
               std::vector<std::int32_t>& rest);
  FormulaLoops(FormulaLoops&&) noexcept;
  ~FormulaLoops();

  bool empty() const;
  /// Values of the roots that were taken, to their places in `out`. False if there may be a fault.
  bool run(const double* frame, double* out);
  /// The same, one by one; and the fault of the first root that has one, with its number.
  FormulaFault run_checked(const double* frame, double* out);

 private:
  struct Loop;
  friend class LoopMaker;
  std::vector<Loop> loops_;
};

}  // namespace chi::code
