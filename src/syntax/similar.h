#pragma once
#include <string_view>

namespace chi::syntax {

/// The keyword that a word was probably meant to be: a few letters away from it (`nabra`), or its
/// long form (`process`, `function`, `return`). Empty if there is none.
std::string_view similar_keyword(std::string_view word);

}  // namespace chi::syntax
