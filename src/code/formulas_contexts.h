#pragma once
#include <cstdint>
#include <vector>

#include "code/formulas_terms.h"

namespace chi::code {

/// When the terms of a `Formulas` are computed: not before they are needed, and once.
///
/// A context is a stretch of code that runs as a whole. Context 0 always runs. A branch of an `if`,
/// or the right side of an `and` or `or`, is a context that stands inside the context of that term.
/// A term belongs to the context that needs it. A term that several contexts need, none of which
/// contains the others, gets a shared context of its own, which they demand: it runs on the first
/// demand. Without this, terms would be computed where they may have no value, or twice, and a
/// chain of shared `if`s exponentially often.
struct Contexts {
  struct Context {
    std::int32_t parent = -1;  ///< the innermost context that all that need this one are in
    std::int32_t routine = 0;  ///< the context 0 or shared one in whose code this one stands
    std::int32_t items = -1;   ///< first of its items
    bool shared = false;
    bool twin = false;  ///< the other branch of the `if` of the context before it
    std::int32_t depth = 0;
    std::int32_t jump = 0;  ///< an ancestor further up, for `common_ancestor`
  };
  /// In ascending order of terms: compute the term, or demand the shared context that does.
  struct Item {
    std::int32_t term = -1;
    std::int32_t next = -1;
    std::int32_t demand = -1;  ///< the shared context, or -1
  };
  struct Branches {
    std::int32_t first = -1;   ///< then, or the right side
    std::int32_t second = -1;  ///< else
  };

  std::vector<Context> contexts;
  std::vector<Item> items;
  std::vector<std::int32_t> of;    ///< context by term; -1 for given and unused ones
  std::vector<Branches> branches;  ///< contexts by term; -1 where nothing is to be computed
  std::vector<std::int32_t> uses;  ///< number of uses by term, for the reuse of its place
  std::vector<char> outlives;      ///< by term: it is used in other routines, or a root
};

Contexts assign_contexts(const Terms& terms, const expr::Pool& pool);

}  // namespace chi::code
