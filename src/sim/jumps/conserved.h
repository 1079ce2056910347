#pragma once
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "expr/expr.h"

namespace chi::sim {

/// An equation integrated over an instant: Σ slope * (x after - x before) + Σ slope * impulse = 0.
struct IntegratedRow {
  struct Term {
    expr::VarRef x;
    double slope = 0;
    bool is_impulse = false;  ///< the term is the impulse of x, not its jump
  };
  std::vector<Term> terms;
};

/// Gives the terms of all rows, one after the other, these slopes.
void set_slopes(std::span<IntegratedRow> rows, std::span<const double> slopes);

/// Σ factor * x: momentum, charge or flux that a jump leaves as it was.
struct ConservedSum {
  std::vector<std::pair<expr::VarRef, double>> terms;
  double before = 0, after = 0;

  /// "2 * v1 + v2"
  std::string text(const std::function<std::string(expr::VarRef)>& name) const;
};

/// The sums of two or more variables that jump which the rows conserve: their combinations without
/// impulses. As many as there are, each with as few variables as elimination leaves.
/// `values`: of x before and after.
std::vector<ConservedSum> conserved_sums(
    std::span<const IntegratedRow> rows,
    const std::function<std::pair<double, double>(expr::VarRef)>& values);

}  // namespace chi::sim
