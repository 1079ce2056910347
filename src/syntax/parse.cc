#include "syntax/parse.h"

#include <algorithm>

#include <fmt/format.h>

#include "syntax/parser.h"

namespace chi::syntax {
namespace detail {

Parser::Parser(const Tokens& tokens, Diagnostics& diagnostics)
    : tokens_(tokens), diagnostics_(diagnostics), outline_(outline(tokens)) {}

Ast Parser::run() {
  const auto& starts = outline_.definitions;
  const std::int32_t first = starts.empty() ? tokens_.size() - 1 : starts.front();
  end_ = first;
  if (first > 0) {
    fail({.code = DiagCode::ExpectedDefinition,
          .span = span(),
          .message = fmt::format("expected a definition, found {}", found()),
          .help =
              "a text is made of `type`, `const`, `func`, `proc`, `sys` and `xper` definitions"});
    panic_ = false;
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    at_ = starts[i];
    end_ = i + 1 < starts.size() ? starts[i + 1] : tokens_.size() - 1;
    definition();
    if (at_ < end_ && !stray_closer()) fail_expected("a definition");
    panic_ = false;
  }
  return std::move(ast_);
}

TokenKind Parser::kind_at(std::int32_t i) const {
  return i < end_ ? tokens_.kinds[static_cast<std::size_t>(i)] : K::End;
}
Span Parser::span_at(std::int32_t i) const {
  return tokens_.spans[static_cast<std::size_t>(std::min(i, tokens_.size() - 1))];
}
std::int32_t Parser::partner(std::int32_t i) const {
  return i >= 0 && i < end_ ? outline_.partner[static_cast<std::size_t>(i)] : -1;
}

bool Parser::at_any(Kinds kinds) const {
  return std::find(kinds.begin(), kinds.end(), kind()) != kinds.end();
}
bool Parser::accept(TokenKind k) {
  if (panic_ || !at(k)) return false;
  ++at_;
  return true;
}
bool Parser::adjacent(std::int32_t i) const { return span_at(i).end == span_at(i + 1).begin; }
bool Parser::at_bars() const { return at(K::Bar) && kind(1) == K::Bar && adjacent(at_); }
bool Parser::at_box() const { return at(K::LeftBracket) && kind(1) == K::RightBracket; }
bool Parser::first_of_line(std::int32_t i) const {
  if (i == 0) return true;
  return text({span_at(i - 1).end, span_at(i).begin}).find('\n') != std::string_view::npos;
}

std::string Parser::found(std::int32_t i) const {
  const auto token = static_cast<std::size_t>(std::min(i, tokens_.size() - 1));
  const TokenKind k = tokens_.kinds[token];
  if (k == K::End || k == K::String) return std::string(token_text(k));
  constexpr std::size_t kLongest = 40;
  const std::string_view written = text(tokens_.spans[token]);
  if (written.size() > kLongest) return std::string(token_text(k));
  return fmt::format("`{}`", written.empty() ? token_text(k) : written);
}

void Parser::fail(Diagnostic diagnostic) {
  if (!panic_ && !at(K::Bad)) diagnostics_.report(std::move(diagnostic));
  panic_ = true;
}

void Parser::slip(Diagnostic diagnostic) {
  if (!panic_) diagnostics_.report(std::move(diagnostic));
}

void Parser::fail_expected(std::string_view what, std::string help) {
  if (!panic_ && is_keyword(kind()) && as_names_.contains(kind())) panic_ = true;
  fail({.code = DiagCode::Expected,
        .span = span(),
        .message = fmt::format("expected {}, found {}", what, found()),
        .help = std::move(help)});
}

bool Parser::expect(TokenKind k, std::string_view where) {
  if (accept(k)) return true;
  fail_expected(fmt::format("`{}` {}", token_text(k), where));
  return false;
}

Ident Parser::expect_name(std::string_view what) {
  if (panic_) return {};
  if (is_keyword(kind())) {
    if (as_names_.insert(kind()).second) {
      slip({.code = DiagCode::KeywordAsName,
            .span = span(),
            .message = fmt::format("`{}` is a keyword and cannot be {}", text(span()), what),
            .help = fmt::format("another name, such as `{}_`", text(span()))});
    }
  } else if (!at(K::Ident)) {
    fail_expected(what);
    return {};
  }
  ++at_;
  return {ast_.symbols.intern(text(previous())), previous()};
}

void Parser::skip_to(Kinds stops) {
  while (at_ < end_ && !at_any(stops)) {
    const std::int32_t other = partner(at_);
    if (other >= 0 && other < at_) return;  // closes a bracket around us
    at_ = other >= 0 ? other + 1 : at_ + 1;
  }
}

void Parser::close(std::int32_t open, std::string_view what) {
  const std::int32_t closer = partner(open);
  if (closer >= 0) {
    if (at_ < closer && !panic_ && !stray_closer()) fail_expected(what);
    at_ = closer + 1;
    panic_ = false;
    return;
  }
  const TokenKind k = kind_at(open);
  const TokenKind closing = k == K::LeftParen     ? K::RightParen
                            : k == K::LeftBracket ? K::RightBracket
                                                  : K::RightBrace;
  fail({.code = DiagCode::Unclosed,
        .span = span(),
        .message = fmt::format("expected `{}`, found {}", token_text(closing), found()),
        .labels = {{span_at(open), fmt::format("this `{}` is not closed", token_text(k))}}});
}

void Parser::recover_in(std::int32_t open, Kinds separators) {
  if (!panic_) return;
  skip_to(separators);
  if (at_any(separators) && partner(open) > at_) panic_ = false;
}

bool Parser::stray_closer() {
  if (panic_ || !at_any({K::RightParen, K::RightBracket, K::RightBrace}) || partner(at_) >= 0)
    return false;
  slip({.code = DiagCode::UnexpectedCloser,
        .span = span(),
        .message = fmt::format("{} closes nothing", found())});
  ++at_;
  return true;
}

bool Parser::enter() {
  if (++nesting_ <= kMaxNesting) return true;
  if (!panic_ && !too_deep_) {
    too_deep_ = true;
    diagnostics_.report({.code = DiagCode::NestedTooDeeply,
                         .span = span(),
                         .message = fmt::format("nested deeper than {} levels", kMaxNesting),
                         .help = "name a part of it: a variable, a constant or a function"});
  }
  panic_ = true;
  return false;
}

}  // namespace detail

Ast parse(const Tokens& tokens, Diagnostics& diagnostics) {
  if (tokens.cut) return {};
  return detail::Parser(tokens, diagnostics).run();
}

}  // namespace chi::syntax
