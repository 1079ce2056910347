#pragma once
#include <span>

#include "sema/context.h"

namespace chi::sema {

/// Reports variables and derivatives with more than one substitute equation, and substitute
/// equations of one process that depend on themselves (P0 §5). Elements whose index is known only
/// at instantiation are compared there, as are the equations of different processes.
void check_substitutes(Context& c, std::span<const syntax::Substitute> substitutes);

}  // namespace chi::sema
