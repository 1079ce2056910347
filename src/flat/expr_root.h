#pragma once
#include <vector>

#include "sema/typed_model.h"

namespace chi::flat {

/// The variable, channel or parameter at the root of `x`, `x.i`, `x[e].f`, `(x).0`; none if the
/// expression is something else.
sema::DeclId root_decl(const sema::TypedModel& model, syntax::ExprId expr);

/// The selections between that root and `expr`, from the root outwards: Index, Member and Project
/// nodes.
std::vector<syntax::ExprId> selections(const sema::TypedModel& model, syntax::ExprId expr);

}  // namespace chi::flat
