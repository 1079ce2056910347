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

/// Finds them in the text of `source`. Of an array whose index moves, all elements count.
BoxInputs box_inputs(const sema::TypedModel& model, const Table<syntax::ExprId, ExprFacts>& facts,
                     syntax::ExprId source, NameScope& scope);

}  // namespace chi::flat
