#pragma once
#include <cstdint>

#include "sema/typed_model.h"

namespace chi::flat {

/// What an expression is to the equations.
struct ExprFacts {
  /// A variable, `time` or a parameter of a function occurs: it has no value before the run.
  bool moves = false;
  bool of_reals = false;  ///< a real that moves occurs in it: it can change between events
  /// A variable with reals in it, also beside what is meant, or a variable of a function occurs.
  bool of_others = false;
  /// Expressions over reals and truth values cannot say it, though they may be able to say what is
  /// around it: lists, strings, `div`, functions of such.
  bool boxed = false;
};

/// The facts of all expressions of a model. One loop over the table.
Table<syntax::ExprId, ExprFacts> find_facts(const sema::TypedModel& model);

/// Whether it is a call of `delay`.
bool is_delay(const sema::TypedModel& model, syntax::ExprId expr);

/// Whether a value of this type is a fixed number of numbers and truth values: bool, nat, int, real
/// and arrays, tuples and records of such.
bool is_scalar_based(const sema::Types& types, sema::TypeId type);

/// Most scalars in a parameter or result of a function that expressions can call.
inline constexpr std::int64_t kMaxFunctionScalars = 10'000;

/// Whether all arguments and the result of functions of type `type` are scalar-based, with array
/// lengths that do not depend on parameters, and not too large.
bool is_scalar_function(const sema::Types& types, sema::TypeId type);
/// The same of one argument, result or local.
bool is_scalar_function_value(const sema::Types& types, sema::TypeId type);

}  // namespace chi::flat
