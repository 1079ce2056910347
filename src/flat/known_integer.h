#pragma once
#include <cstdint>
#include <optional>

#include "diag/diagnostic.h"
#include "sema/evaluate.h"

namespace chi::flat {

/// The value of an integer expression as such expressions mostly are: `3`, `i`, `i + 1`, `n - i`.
/// None for all others, for overflow, and for names without a value.
std::optional<std::int64_t> quick_integer(const sema::TypedModel& model, syntax::ExprId expr,
                                          const sema::Environment& values);

/// The value of an integer expression before the run: an index, the end of a range, a priority.
/// Like sema::evaluate, but quick where `quick_integer` knows it.
std::optional<std::int64_t> known_integer(const sema::TypedModel& model, syntax::ExprId expr,
                                          const sema::Environment& values,
                                          Diagnostics& diagnostics);

/// How many numbers the range low..high has: 0 if it is reversed, at most 2^62.
std::int64_t range_length(std::int64_t low, std::int64_t high);

/// The value that `values` or the constants of the model give a declaration; null if none.
const sema::Value* known_value(const sema::TypedModel& model, sema::DeclId decl,
                               const sema::Environment& values);

}  // namespace chi::flat
