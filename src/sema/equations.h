#pragma once
#include <unordered_map>

#include "sema/context.h"

/// Static rules of equations (language.md §4). Internal to sema/.
namespace chi::sema {

/// What the equations of a process say about its variables whatever the mode.
struct EquationFacts {
  std::unordered_map<DeclId, Span> unknown;      ///< declared in an unguarded |x|, as a whole
  std::unordered_map<DeclId, Span> substituted;  ///< x <- e, as a whole
  std::vector<ExprId> discrete;                  ///< v in v <- e for a variable that is no real
};

/// Checks the equations of a process.
EquationFacts check_equations(Context& c, Slice<syntax::EquationId> equations);

/// Checks the equations of an instantaneous equation statement.
void check_instant(Context& c, Slice<syntax::EquationId> equations);

}  // namespace chi::sema
