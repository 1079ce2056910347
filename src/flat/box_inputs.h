#pragma once
#include <optional>
#include <vector>

#include "flat/expr_facts.h"
#include "flat/name_scope.h"

namespace chi::flat {

/// What the value of a boxed expression depends on while time passes.
struct BoxInputs {
  std::vector<expr::VarRef> variables;  ///< real scalars, in order of first occurrence
  bool reads_time = false;
  bool delays = false;  ///< a `delay` occurs, which no box can evaluate
};

/// The whole numbers in a boxed expression that expressions can say, and that reals move: its value
/// steps where they do. None where it may do without them, as in a branch of an `if`.
std::vector<syntax::ExprId> box_steps(const sema::TypedModel& model,
                                      const Table<syntax::ExprId, ExprFacts>& facts,
                                      syntax::ExprId source);

/// Finds them in the text of `source`, beside those steps. Of an array whose index moves, all
/// elements count.
BoxInputs box_inputs(const sema::TypedModel& model, const Table<syntax::ExprId, ExprFacts>& facts,
                     syntax::ExprId source, NameScope& scope);

}  // namespace chi::flat
