#pragma once
#include <span>
#include <string_view>

#include "sema/context.h"

namespace chi::sema {

/// Checks expressions that must have one type (branches, elements of a list) and returns it:
/// unknown if they have none, which is reported with the first that does not agree, called `what`.
///
/// `hint` is the type expected of all, if any. Without it, literals in brackets take their type
/// from the other expressions, or from the numbers in them: `[[1], [2.5]]` is a `real**`.
TypeId unify(Context& c, std::span<const ExprId> exprs, TypeId hint, std::string_view what);

}  // namespace chi::sema
