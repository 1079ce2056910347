#pragma once
#include <functional>
#include <span>
#include <vector>

#include "expr/expr.h"

namespace chi::expr {

/// The roots with calls of functions that have alternatives as alternatives of calls: where
/// f(a, b) = a*abs(b), the call f(x, y) becomes `if y >= 0 then g(x, y) else h(x, y)`, an evented
/// `if`, with the smooth functions g(a, b) = a*b and h(a, b) = a*(-b). So in any mode the calls of
/// f are calls still, and who differentiates, solves or compiles them looks once at g and once at h
/// (flat/loop_bodies.h). A function of n conditions has up to 2^n such pieces; they are made once
/// per call of this.
///
/// A call stays as it is if it has arguments that are no leaves; if the function has steps
/// (`floor`), conditions in conditions or more than 16 pieces; and if some condition has nothing of
/// what `moves` in it: that one may be no part of the mode (sim/part/switched_values.h).
std::vector<ExprId> alternatives_of_calls(Pool& pool, std::span<const ExprId> roots,
                                          const std::function<bool(VarRef)>& moves);

}  // namespace chi::expr
