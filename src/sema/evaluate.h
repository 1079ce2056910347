#pragma once
#include <optional>
#include <unordered_map>

#include "diag/diagnostic.h"
#include "sema/typed_model.h"
#include "sema/value.h"

namespace chi::sema {

/// Values of parameters and unwinding indices while an expression is evaluated.
using Environment = std::unordered_map<DeclId, Value>;

/// Evaluates an expression before the run and converts it to `wanted`: constants, parameters and
/// indices in `environment`, library functions, user functions (also recursive ones).
///
/// Empty exactly when it reported: a name that has no value before the run (a variable, `time`, a
/// channel), a run-time error (division by zero, overflow, index out of range, ...) with its
/// position, or too much work (10^7 steps or 1000 nested calls: a constant that does not
/// terminate). Never recurses deeper than the expression's own tree plus the nested calls.
std::optional<Value> evaluate(const TypedModel& model, syntax::ExprId expr, TypeId wanted,
                              const Environment& environment, Diagnostics& diagnostics);

/// The zero value of a type (language.md: unset variables have their type's zero value). Array
/// lengths that depend on parameters are evaluated in `environment`.
std::optional<Value> zero_value(const TypedModel& model, TypeId type,
                                const Environment& environment, Diagnostics& diagnostics);

}  // namespace chi::sema
