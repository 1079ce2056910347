#pragma once
#include <vector>

#include "sema/context.h"

namespace chi::sema {

/// The types, constants and functions of a model in an order in which each group needs only those
/// before it. A group is one definition, or functions that call each other. Definitions that
/// depend on themselves in another way are reported, and their group is marked `cyclic`.
///
/// Strongly connected components after Tarjan [1], with an explicit stack. Linear.
///
/// [1] R. E. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972,
///     146-160.
struct DefinitionGroup {
  std::vector<std::int32_t> definitions;  ///< in textual order
  std::vector<std::int32_t> needs;        ///< definitions of other groups, each once
  bool cyclic = false;
};
std::vector<DefinitionGroup> definition_order(Context& c);

}  // namespace chi::sema
