#pragma once
#include "sema/context.h"

/// Names that definitions declare. Internal to sema/.
namespace chi::sema {

enum class OwnerKind : std::uint8_t { Function, Process, System };

/// Declares the parameters of a definition, in order, and makes them visible: a type may use the
/// parameters before it.
void declare_params(Context& c, Slice<syntax::Param> params, OwnerKind owner);

/// Checks and declares the variables and channels of a definition, in order; each is visible after
/// its group.
void declare_locals(Context& c, Slice<syntax::VarDecl> locals, OwnerKind owner);

/// Makes the parameters of the definition being checked visible again.
void enter_params(Context& c);

/// Checks the range of an unwinding and makes its index visible. The caller leaves the scope.
void declare_index(Context& c, const syntax::Unwind& unwind);

/// Warns of the locals of the definition being checked that nothing mentions, and of channels that
/// have one end only.
void warn_unused(Context& c);

}  // namespace chi::sema
