#include "syntax/lexer.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include "base/cancel.h"
#include "base/utf8.h"
#include "syntax/context_words.h"
#include "syntax/literal.h"
#include "syntax/unicode.h"
#include "units/unit.h"

namespace chi::syntax {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// The operator that begins with `first`, then `second` if it belongs to it. `End`: none.
struct Operator {
  TokenKind kind = TokenKind::End;
  std::size_t bytes = 1;
};

Operator read_operator(char first, char second) {
  using enum TokenKind;
  switch (first) {
    case '(': return {LeftParen};
    case ')': return {RightParen};
    case '[': return {LeftBracket};
    case ']': return {RightBracket};
    case '{': return {LeftBrace};
    case '}': return {RightBrace};
    case '|': return {Bar};
    case ',': return {Comma};
    case ';': return {Semicolon};
    case '\'': return {Prime};
    case '*': return {Star};
    case '^': return {Caret};
    case '#': return {Hash};
    case '@': return {At};
    case '?': return {Question};
    case '%': return {Percent};
    case ':': return second == '=' ? Operator{Becomes, 2} : Operator{Colon};
    case '.': return second == '.' ? Operator{DotDot, 2} : Operator{Dot};
    case '=':
      return second == '='   ? Operator{EqualEqual, 2}
             : second == '>' ? Operator{FatArrow, 2}
                             : Operator{Equal};
    case '>': return second == '=' ? Operator{GreaterEqual, 2} : Operator{Greater};
    case '/': return second == '=' ? Operator{NotEqual, 2} : Operator{Slash};
    case '!': return second == '=' ? Operator{NotEqual, 2} : Operator{Bang};
    case '+': return second == '+' ? Operator{PlusPlus, 2} : Operator{Plus};
    case '&': return second == '&' ? Operator{AndAnd, 2} : Operator{AndAnd};
    case '-':
      return second == '>'   ? Operator{Arrow, 2}
             : second == '-' ? Operator{MinusMinus, 2}
                             : Operator{Minus};
    case '<':
      return second == '-'   ? Operator{LeftArrow, 2}
             : second == '=' ? Operator{LessEqual, 2}
                             : Operator{Less};
    default: return {};
  }
}

class Lexer {
 public:
  Lexer(const SourceFile& source, Diagnostics& diagnostics)
      : text_(source.text()), base_(source.begin()), diagnostics_(diagnostics) {
    tokens_.source = &source;
    tokens_.kinds.reserve(text_.size() / 4 + 2);
    tokens_.spans.reserve(text_.size() / 4 + 2);
  }

  Tokens run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    while (at_ < text_.size() && !tokens_.cut) {
      check_cancelled();
      next();
    }
    if (tokens_.cut) at_ = text_.size();
    add(TokenKind::End, at_, at_);
    mark_context_words(tokens_);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  std::string_view text_from(std::size_t begin) const { return text_.substr(begin, at_ - begin); }
  Span span(std::size_t begin, std::size_t end) const {
    return {base_ + static_cast<std::int32_t>(begin), base_ + static_cast<std::int32_t>(end)};
  }
  void add(TokenKind kind, std::size_t begin, std::size_t end) {
    tokens_.kinds.push_back(kind);
    tokens_.spans.push_back(span(begin, end));
  }

  void report(Diagnostic diagnostic) {
    ++errors_;
    if (errors_ <= kMaxLexicalErrors) diagnostics_.report(std::move(diagnostic));
    if (errors_ == kMaxLexicalErrors + 1) {
      diagnostics_.report({.code = DiagCode::TooManyErrors,
                           .span = diagnostic.span,
                           .message = fmt::format("more than {} unreadable pieces of text; the "
                                                  "rest are not listed",
                                                  kMaxLexicalErrors),
                           .help = "is this a χ text in UTF-8?"});
    }
  }

  void next() {
    const char c = text_[at_];
    if (is_space(c)) {
      ++at_;
    } else if (is_letter(c)) {
      word();
    } else if (is_digit(c)) {
      number();
    } else if (c == '"') {
      string();
    } else if (c == '/' && peek(1) == '/') {
      line_comment();
    } else if (c == '/' && peek(1) == '*') {
      block_comment();
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      beyond_ascii();
    } else if (c != '[' || !unit()) {
      punctuation();
    }
    if (tokens_.kinds.size() >= kMaxTokens) cut_text();
  }

  void cut_text() {
    report({.code = DiagCode::BeyondLimits,
            .span = span(at_, at_),
            .message = fmt::format("the text has more than {} tokens", kMaxTokens),
            .help =
                "the rest is not read; unwinding (`i: nat <- 0..n: ...`) shortens regular models"});
    tokens_.cut = true;
  }

  void word() {
    const std::size_t begin = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    add(keyword_or_ident(text_from(begin)), begin, at_);
  }

  // After a postfix dot only digits are read: `x.0.1` is a projection of a projection.
  bool after_dot() const {
    return !tokens_.kinds.empty() && tokens_.kinds.back() == TokenKind::Dot &&
           tokens_.spans.back().end == span(at_, at_).end;
  }

  void digits() {
    while (is_digit(peek())) ++at_;
  }

  void number() {
    const std::size_t begin = at_;
    const bool only_digits = after_dot();
    digits();
    bool real = false;
    if (!only_digits && peek() == '.' && is_digit(peek(1))) {
      real = true;
      ++at_;
      digits();
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (!only_digits && (peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      real = true;
      at_ += 2 + sign;
      digits();
    }
    if (is_letter(peek()) && !only_digits) {
      number_with_letters(begin);
      return;
    }
    check_range(begin, real);
    add(real ? TokenKind::Real : TokenKind::Integer, begin, at_);
  }

  void number_with_letters(std::size_t begin) {
    const std::size_t letters = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    const std::string_view tail = text_from(letters);
    const bool exponent = tail[0] == 'e' || tail[0] == 'E';
    report({.code = DiagCode::BadNumber,
            .span = span(begin, at_),
            .message = fmt::format("`{}` is neither a number nor a name", text_from(begin)),
            .help = exponent && tail.size() == 1
                        ? std::string("an exponent has digits: `1e-3`")
                        : fmt::format("for a product write `{} * {}`; a name begins with a letter",
                                      text_.substr(begin, letters - begin), tail)});
    add(TokenKind::Bad, begin, at_);
  }

  void check_range(std::size_t begin, bool real) {
    const std::string_view literal = text_from(begin);
    if (real ? literal.size() < 18 && real_value(literal) : literal.size() < 19) return;
    if (real ? real_value(literal).has_value() : integer_value(literal).has_value()) return;
    report({.code = DiagCode::NumberOutOfRange,
            .span = span(begin, at_),
            .message = real ? "a number beyond the range of `real`" : "an integer beyond 64 bits",
            .help = real ? "the largest real number is about 1.797e308; `inf` is infinity"
                         : "the largest integer is 9223372036854775807; a real number is written "
                           "with a point: `1.0e20`"});
  }

  void string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && peek() != '"' && peek() != '\n') {
      if (peek() == '\\') {
        escape();
      } else if (static_cast<unsigned char>(peek()) < 0x80) {
        ++at_;
      } else if (const CodePoint point = decode_utf8(text_.substr(at_)); point.valid) {
        at_ += point.bytes;
      } else {
        report_bytes();
      }
    }
    if (peek() == '"') {
      ++at_;
    } else {
      const std::size_t end = text_[at_ - 1] == '\r' ? at_ - 1 : at_;
      report({.code = DiagCode::UnterminatedString,
              .span = span(begin, end),
              .message = "the string is not closed on its line",
              .help = "close it with `\"`; a line end inside a string is written `\\n`"});
    }
    add(TokenKind::String, begin, at_);
  }

  void escape() {
    const char c = peek(1);
    const std::size_t begin = at_++;
    if (c == '\0' || c == '\n') return;  // the string ends here: reported there
    at_ += decode_utf8(text_.substr(at_)).bytes;
    if (c == 'n' || c == 't' || c == '"' || c == '\\') return;
    report({.code = DiagCode::BadEscape,
            .span = span(begin, at_),
            .message = "unknown escape in a string",
            .help = "the escapes are `\\n`, `\\t`, `\\\"` and `\\\\`"});
  }

  void add_comment(std::size_t begin, std::size_t end) {
    tokens_.comments.push_back({span(begin, end), tokens_.size()});
  }

  /// `[bar]` directly after `real` or a number is one token; the digits of a projection, `x.0[i]`,
  /// are no number.
  bool unit() {
    if (tokens_.kinds.empty()) return false;
    const TokenKind last = tokens_.kinds.back();
    const bool number = last == TokenKind::Integer || last == TokenKind::Real;
    const bool projection =
        number && tokens_.kinds.size() > 1 && tokens_.kinds.end()[-2] == TokenKind::Dot;
    if (projection || (!number && last != TokenKind::RealType)) return false;
    const std::size_t end = text_.find_first_of("]\n", at_);
    if (end == std::string_view::npos || text_[end] != ']') return false;
    const std::string_view inner = text_.substr(at_ + 1, end - at_ - 1);
    if (!units::looks_like_unit(inner) || !is_utf8(inner)) return false;
    add(TokenKind::Unit, at_, end + 1);
    at_ = end + 1;
    return true;
  }

  static bool is_utf8(std::string_view text) {
    while (!text.empty()) {
      const CodePoint point = decode_utf8(text);
      if (!point.valid) return false;
      text.remove_prefix(point.bytes);
    }
    return true;
  }

  void line_comment() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find('\n', at_), text_.size());
    std::size_t end = at_;
    while (end > begin && is_space(text_[end - 1])) --end;
    add_comment(begin, end);
  }

  void block_comment() {
    const std::size_t begin = at_;
    const std::size_t close = text_.find("*/", at_ + 2);
    if (close == std::string_view::npos) {
      at_ = text_.size();
      report({.code = DiagCode::UnterminatedComment,
              .span = span(begin, begin + 2),
              .message = "the comment is not closed",
              .help = "close it with `*/`"});
    } else {
      at_ = close + 2;
    }
    add_comment(begin, at_);
  }

  void punctuation() {
    const Operator op = read_operator(text_[at_], peek(1));
    if (text_.substr(at_).starts_with("~=")) {
      tilde_equal();
      return;
    }
    if (op.kind == TokenKind::End) {
      bad_character(1, static_cast<unsigned char>(text_[at_]));
      return;
    }
    add(op.kind, at_, at_ + op.bytes);
    at_ += op.bytes;
    count_brackets(op.kind);
  }

  void tilde_equal() {
    report({.code = DiagCode::BadCharacter,
            .span = span(at_, at_ + 2),
            .message = "`~=` is not an operator of χ",
            .help = "write `/=`"});
    add(TokenKind::NotEqual, at_, at_ + 2);
    at_ += 2;
  }

  void count_brackets(TokenKind kind) {
    if (kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket ||
        kind == TokenKind::LeftBrace) {
      ++open_;
    } else if (open_ > 0 && (kind == TokenKind::RightParen || kind == TokenKind::RightBracket ||
                             kind == TokenKind::RightBrace)) {
      --open_;
    }
    if (open_ <= kMaxOpenBrackets) return;
    report({.code = DiagCode::BeyondLimits,
            .span = tokens_.spans.back(),
            .message = fmt::format("more than {} brackets are open here", kMaxOpenBrackets),
            .help = "the text is not read beyond this point"});
    tokens_.cut = true;
  }

  void beyond_ascii() {
    const CodePoint point = decode_utf8(text_.substr(at_));
    if (!point.valid) {
      bad_bytes();
      return;
    }
    if (point.value == 0xA0 || point.value == 0xFEFF || point.value == 0x200B) {  // spaces
      at_ += point.bytes;
      return;
    }
    const UnicodeTwin* twin = find_twin(point.value);
    if (twin == nullptr) {
      bad_character(point.bytes, point.value);
      return;
    }
    add(twin->kind, at_, at_ + point.bytes);
    at_ += point.bytes;
    if (twin->twice) add(twin->kind, at_, at_);
  }

  void bad_bytes() {
    const std::size_t begin = at_;
    report_bytes();
    add(TokenKind::Bad, begin, at_);
  }

  void report_bytes() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !decode_utf8(text_.substr(at_)).valid) ++at_;
    report({.code = DiagCode::NotUtf8,
            .span = span(begin, at_),
            .message = at_ - begin == 1 ? "a byte that is not UTF-8"
                                        : fmt::format("{} bytes that are not UTF-8", at_ - begin),
            .help = "χ texts are UTF-8"});
  }

  // A run of the same character is one mistake; the same character again is not news.
  void bad_character(std::size_t bytes, char32_t value) {
    const std::size_t begin = at_;
    const std::string_view character = text_.substr(at_, bytes);
    while (text_.substr(at_).starts_with(character)) at_ += bytes;
    if (known_bad_.insert(value).second) {
      report({.code = DiagCode::BadCharacter,
              .span = span(begin, at_),
              .message = fmt::format("{} is not a character of χ", character_name(value)),
              .help = character_help(value)});
    }
    add(TokenKind::Bad, begin, at_);
  }

  std::string_view text_;
  std::int32_t base_;  // where the file begins among the files of the model
  Diagnostics& diagnostics_;
  Tokens tokens_;
  std::size_t at_ = 0;
  int errors_ = 0;
  int open_ = 0;
  std::unordered_set<char32_t> known_bad_;
};

}  // namespace

Tokens lex(const SourceFile& source, Diagnostics& diagnostics) {
  return Lexer(source, diagnostics).run();
}

}  // namespace chi::syntax
