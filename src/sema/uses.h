#pragma once
#include <vector>

#include "sema/context.h"

namespace chi::sema {

/// Where a definition needs another one.
struct Use {
  std::int32_t definition = -1;
  Span span;
};

/// The types, constants and functions that a type, constant or function needs, by the names in it
/// that no parameter, variable or index of its own hides. `x.n` counts as a use of constant n
/// unless some record has a field of that name. No duplicates are removed.
std::vector<Use> uses_of(const Context& c, std::int32_t definition);

}  // namespace chi::sema
