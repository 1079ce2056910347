#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "diag/diagnostic.h"
#include "expr/build.h"
#include "expr/expr.h"
#include "sema/evaluate.h"
#include "sema/typed_model.h"

namespace chi::flat {

/// What a name stands for where an expression is translated: exactly one of slots of the model's
/// variables, a value, or scalars already translated (in a function). `type` has all its lengths.
struct Operand {
  sema::TypeId type;
  std::int32_t slot = -1;
  const sema::Value* value = nullptr;
  std::span<const expr::ExprId> scalars = {};
};

/// The surroundings of an expression: a process instance, or a function.
class NameScope {
 public:
  virtual ~NameScope() = default;
  virtual Operand lookup(sema::DeclId decl) = 0;
  /// Parameters and indices that have a value before the run.
  virtual const sema::Environment& values() = 0;
  /// The scalar in a slot of the model's variables, at this order of derivation.
  virtual expr::ExprId scalar(std::int32_t slot, sema::TypeId type, int order) = 0;
  /// Scalar number `element` of the value of a boxed expression; none if that cannot be said here.
  /// `steps`: the values of its `box_steps`.
  virtual expr::ExprId black_box(syntax::ExprId source, std::int32_t element, bool boolean,
                                 std::span<const expr::ExprId> steps) = 0;
  /// Stands for a value that does not exist. If it is needed in the end, `why` is reported.
  virtual expr::ExprId missing(Diagnostic why, bool boolean) = 0;
  /// The value of `e` before this round of the instant: `pre(e)`.
  virtual expr::ExprId before(expr::ExprId e, syntax::ExprId source) = 0;
  /// The function that a name in front of arguments means; none if it is not known here.
  virtual sema::DeclId callee(sema::DeclId name) = 0;
};

}  // namespace chi::flat
