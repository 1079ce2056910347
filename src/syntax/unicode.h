#pragma once
#include <string>

#include "syntax/token.h"

namespace chi::syntax {

/// A character of the printed papers that stands for a token.
struct UnicodeTwin {
  char32_t value = 0;
  TokenKind kind = TokenKind::Bad;
  bool twice = false;  ///< two tokens: the parallel bars
};

/// The twin of a character (language.md §1), or null.
const UnicodeTwin* find_twin(char32_t value);

/// The character as a message names it: in backticks, or "U+0007" if it cannot be shown.
std::string character_name(char32_t value);

/// What to write instead of a character that is not χ, as far as one can guess; else empty.
std::string character_help(char32_t value);

}  // namespace chi::syntax
