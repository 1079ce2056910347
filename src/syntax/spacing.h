#pragma once
#include <vector>

#include "syntax/token.h"

namespace chi::syntax {

/// What a token does in a line, as far as laying it out goes. Told from its neighbours alone.
enum class TokenRole : unsigned char {
  Word,      // names, numbers, keywords
  Open,      // ( [ { < with its content close by: calls, lists, tuples
  OpenWide,  // the same with a space inside: blocks, selections, records, equations
  Close,
  CloseWide,
  Separator,  // , ; -> and bars between sections, alternatives and instances
  Operator,   // between two operands
  Prefix,     // unary minus, `!` of a print, the bar of |x|, `|` before `[`: sticks to what follows
  Postfix,    // prime, the closing bar of |x|, `|` behind `]`: sticks to what precedes
  Tight,      // . and the like: no space on either side
};

/// The roles of a text's tokens; comments are given as `End` and get `Word`.
std::vector<TokenRole> token_roles(const std::vector<TokenKind>& kinds);

/// Whether a space stands between two tokens of one line.
bool needs_space(TokenKind left, TokenRole left_role, TokenKind right, TokenRole right_role);

inline bool opens(TokenRole role) { return role == TokenRole::Open || role == TokenRole::OpenWide; }
inline bool closes(TokenRole role) {
  return role == TokenRole::Close || role == TokenRole::CloseWide;
}

/// Whether a definition can begin with this token.
bool begins_definition(TokenKind kind);

}  // namespace chi::syntax
