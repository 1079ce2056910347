#pragma once
#include <cstdint>
#include <string_view>

namespace chi::syntax {

/// The kinds of token. `|[`, `]|`, `||` and `[]` are not among them: a bar or a bracket is a token
/// of its own and the parser, who knows what may stand there, puts them together.
enum class TokenKind : std::uint8_t {
#define CHI_TOKEN(name, text) name,
#define CHI_KEYWORD(name, text) name,
#include "syntax/tokens.def"
#undef CHI_TOKEN
#undef CHI_KEYWORD
};

/// The token as the formatter writes it: ASCII, keywords in full; for kinds with many texts what
/// they are ("a name", "a number").
std::string_view token_text(TokenKind kind);

bool is_keyword(TokenKind kind);

/// The keyword with this text, or `Ident`.
TokenKind keyword_or_ident(std::string_view text);

}  // namespace chi::syntax
