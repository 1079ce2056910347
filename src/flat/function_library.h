#pragma once
#include "flat/equations.h"
#include "flat/expr_facts.h"
#include "flat/translator.h"

namespace chi::flat {

/// The χ functions as functions of the expressions.
///
/// A function of numbers and truth values whose body is an expression, or a block without loops,
/// gets that body, executed symbolically; conditions in it make no events. One with loops,
/// recursion or lists becomes a black box. Functions of other types are left out: their calls are
/// boxed where they stand.
class FunctionLibrary : public FunctionTable {
 public:
  /// Translates all functions of the model, callees first; adds them to `equations`, unless they
  /// are there. Linear in their text, times the alternatives around a statement.
  FunctionLibrary(const sema::TypedModel& model, const Table<syntax::ExprId, ExprFacts>& facts,
                  Equations& equations);

  std::span<const expr::FunctionId> components(sema::DeclId function) override;

 private:
  Equations& equations_;
};

/// The scalars of the result of a function, over its parameters; empty if it must be a black box.
std::vector<expr::ExprId> function_body(const sema::TypedModel& model, std::int32_t definition,
                                        Translator& translator, expr::Pool& pool);

}  // namespace chi::flat
