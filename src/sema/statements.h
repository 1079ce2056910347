#pragma once
#include "sema/context.h"
#include "sema/equations.h"

/// Static rules of statements (language.md §5). Internal to sema/.
namespace chi::sema {

/// Checks the statements of a process. `facts` tells which variables equations determine.
void check_process_body(Context& c, Slice<syntax::StatId> body, const EquationFacts& facts);

/// Checks the statements of a function that returns `result`.
void check_function_body(Context& c, Slice<syntax::StatId> body, TypeId result, Span name);

}  // namespace chi::sema
