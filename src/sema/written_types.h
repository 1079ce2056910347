#pragma once
#include "sema/context.h"

namespace chi::sema {

/// The type that is written at `written`; records it and those inside it in
/// `TypedModel::written_type`. Unknown, and reported, if it names no type, nests too deeply, or
/// holds a part that cannot be there (a channel in a list). Names are found in the current scope;
/// array lengths of constants are evaluated.
TypeId resolve_type(Context& c, syntax::TypeId written);

/// An array of `length` elements; where parameters or indices occur in the length, it is known at
/// instantiation. Unknown, and reported, if it cannot be evaluated.
TypeId array_of_length(Context& c, TypeId element, ExprId length);

}  // namespace chi::sema
