#pragma once
#include <cstdint>
#include <vector>

#include "diag/diagnostic.h"
#include "source/source_file.h"
#include "syntax/token.h"

namespace chi::syntax {

/// A comment, for the formatter; its span ends before the line end.
struct Comment {
  Span span;
  std::int32_t before = 0;  ///< the token that follows it
};

/// The tokens of one text, in flat vectors; the last one is `End`. Names, numbers and strings are
/// read from the source text when they are needed, so a token is nine bytes.
struct Tokens {
  const SourceFile* source = nullptr;  ///< outlives the tokens
  std::vector<TokenKind> kinds;
  std::vector<Span> spans;
  std::vector<Comment> comments;
  bool cut = false;  ///< too deep or too long to be read to its end; reported

  std::int32_t size() const { return static_cast<std::int32_t>(kinds.size()); }
};

/// Brackets open at once, and tokens, beyond which a text is not read to its end.
inline constexpr int kMaxOpenBrackets = 10'000;
inline constexpr std::size_t kMaxTokens = std::size_t{1} << 26;
/// Lexical errors that are shown; one more says that there are others.
inline constexpr int kMaxLexicalErrors = 50;

/// Splits a χ text into tokens (language.md §1). Takes any bytes.
///
/// The Unicode twins become their ASCII kinds. Unreadable characters are reported once each, a run
/// of bytes that is not UTF-8 once, and a `Bad` token stands for them, about which the parser is
/// silent. Linear in the text.
Tokens lex(const SourceFile& source, Diagnostics& diagnostics);

}  // namespace chi::syntax
