#pragma once
#include <cstdint>
#include <vector>

#include "syntax/lexer.h"

namespace chi::syntax {

/// What can be known of a text's shape before it is parsed. It makes lookahead cheap (a bracket is
/// jumped over in one step) and keeps a missing bracket from spoiling more than its own definition.
struct Outline {
  /// For a bracket the token it belongs to, -1 if there is none; -1 for other tokens.
  std::vector<std::int32_t> partner;
  /// Closing brackets that close nothing, in order.
  std::vector<std::int32_t> strays;
  /// The tokens that begin a definition, in order.
  std::vector<std::int32_t> definitions;
};

bool is_opener(TokenKind kind);
bool is_closer(TokenKind kind);

/// Finds the definitions and pairs the brackets within each.
///
/// A definition begins at a definition keyword that is followed by a name, or that is the first
/// word of its line and not used as a name; also where `]| name = |[` shows that only the keyword
/// is missing. Brackets of different definitions are never paired;
/// `]|` at the end of a definition closes its `|[`, so what is unclosed in between is found inside.
/// Linear in the number of tokens.
Outline outline(const Tokens& tokens);

}  // namespace chi::syntax
