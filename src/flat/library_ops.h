#pragma once
#include "expr/op.h"
#include "sema/decl_id.h"

namespace chi::flat {

/// The operation of a library function of one number.
expr::Op unary_op(sema::Builtin builtin);
/// `min`, `max`, `atan2` of two numbers.
expr::Op binary_op(sema::Builtin builtin);

}  // namespace chi::flat
