#include "syntax/parse.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/cancel.h"
#include "syntax/parser.h"

namespace chi::syntax {
namespace detail {

Parser::Parser(const Tokens& tokens, Ast ast, Diagnostics& diagnostics)
    : tokens_(tokens),
      diagnostics_(diagnostics),
      outline_(outline(tokens)),
      ast_(std::move(ast)),
      expr_depth_(static_cast<std::size_t>(ast_.exprs.size()), 0),
      type_depth_(static_cast<std::size_t>(ast_.types.size()), 0) {}

Ast Parser::run() {
  File file;
  file.name = ast_.symbols.intern(tokens_.source->name());
  file.first = rows_so_far();
  const auto number = static_cast<std::int32_t>(ast_.files.size());
  parse_text();
  file.imports = store(ast_.imports, imports_);
  file.end = rows_so_far();
  for (std::int32_t d = file.first.definitions; d < file.end.definitions; ++d) {
    ast_.definitions[static_cast<std::size_t>(d)].file = number;
  }
  ast_.files.push_back(file);
  return std::move(ast_);
}

void Parser::parse_text() {
  const auto& starts = outline_.definitions;
  const std::int32_t first = starts.empty() ? tokens_.size() - 1 : starts.front();
  end_ = first;
  imports();
  if (at_ < first) {
    lost_definition();
    panic_ = false;
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    check_cancelled();
    at_ = starts[i];
    end_ = i + 1 < starts.size() ? starts[i + 1] : tokens_.size() - 1;
    doubt_ = false;
    definition();
    if (!panic_ && import_at(at_)) imports();
    if (at_ < end_ && !stray_closer()) fail_expected("a definition");
    panic_ = false;
  }
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
  if (k == K::RightBracket && kind_at(i + 1) == K::Bar && adjacent(i)) return "`]|`";
  constexpr std::size_t kLongest = 40;
  const std::string_view written = text(tokens_.spans[token]);
  if (written.size() > kLongest) return std::string(token_text(k));
  return fmt::format("`{}`", written.empty() ? token_text(k) : written);
}

void Parser::report(Diagnostic diagnostic) {
  ++reported_;
  if (reported_ <= kMaxSyntaxErrors) diagnostics_.report(std::move(diagnostic));
  if (reported_ == kMaxSyntaxErrors + 1) {
    diagnostics_.report(
        {.code = DiagCode::TooManyErrors,
         .span = diagnostic.span,
         .message =
             fmt::format("more than {} syntax errors; the rest are not listed", kMaxSyntaxErrors)});
  }
}

void Parser::fail(Diagnostic diagnostic) {
  const bool after_stray = at_ > 0 && at_ <= end_ && is_closer(kind(-1)) && partner(at_ - 1) < 0;
  if (!panic_ && !doubt_ && !at(K::Bad) && !after_stray) report(std::move(diagnostic));
  panic_ = true;
  doubt_ = true;
  ++fails_;
}

void Parser::slip(Diagnostic diagnostic) {
  if (!panic_ && !doubt_) report(std::move(diagnostic));
}

void Parser::guess(Diagnostic diagnostic) {
  slip(std::move(diagnostic));
  doubt_ = true;
}

void Parser::fail_expected(std::string_view what, std::string help) {
  if (!panic_ && is_keyword(kind()) && as_names_.contains(kind())) panic_ = true;
  fail({.code = DiagCode::Expected,
        .span = span(),
        .message = fmt::format("expected {}, found {}", what, found()),
        .help = std::move(help)});
}

bool Parser::expect(TokenKind k, std::string_view where, std::string help) {
  if (accept(k)) return true;
  fail_expected(fmt::format("`{}` {}", token_text(k), where), std::move(help));
  return false;
}

Ident Parser::expect_name(std::string_view what) {
  if (panic_) return {};
  if (is_keyword(kind()) && kind(1) != K::Ident) {
    if (as_names_.insert(kind()).second) {
      guess({.code = DiagCode::KeywordAsName,
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

// A stray closing bracket ahead that shows that what we did not understand has lost its opening
// one: a parenthesis in the same line; a bracket or brace after something guarded or an equation.
std::int32_t Parser::stray_ahead() const {
  const auto next = std::lower_bound(outline_.strays.begin(), outline_.strays.end(), at_);
  if (next == outline_.strays.end() || *next >= end_) return -1;
  constexpr std::int32_t kReach = 500;
  const TokenKind k = kind_at(*next);
  const TokenKind sign = k == K::RightBracket ? K::Arrow : K::Equal;
  bool plausible = k == K::RightParen;
  for (std::int32_t i = std::max(at_ - 4, 0); i < *next; ++i) {
    if (i >= at_ && k == K::RightParen && first_of_line(i + 1)) return -1;
    if (i - at_ > kReach) return -1;
    const std::int32_t other = partner(i);
    if (i >= at_ && other >= 0 && other < i) return -1;
    plausible = plausible || kind_at(i) == sign;
    if (i >= at_ && other >= 0) i = other;
  }
  return plausible ? *next : -1;
}

void Parser::skip_to(Kinds stops) {
  if (const std::int32_t stray = stray_ahead(); stray >= 0) at_ = stray + 1;
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
  report_bracket(
      {.code = DiagCode::Unclosed,
       .span = span(),
       .message = fmt::format("expected `{}`, found {}", token_text(closing), found()),
       .labels = {{span_at(open), fmt::format("this `{}` is not closed", token_text(k))}}});
}

void Parser::recover_in(std::int32_t open, Kinds separators) {
  if (!panic_) return;
  skip_to(separators);
  if (at_any(separators) && partner(open) > at_) panic_ = false;
}

// After an element of a list. Doubt ends if it was understood, from its first token on; or if
// separator and line structure confirm that it ends here.
void Parser::regain_confidence(int fails_before) {
  if (panic_) return;
  const bool separated = at_any({K::Comma, K::Semicolon, K::Bar});
  if (fails_ == fails_before || (separated && (first_of_line(at_) || first_of_line(at_ + 1)))) {
    doubt_ = false;
  }
}

// It also ends where, after a panic, the line structure confirms that an element begins.
void Parser::calm() {
  panic_ = false;
  if (first_of_line(at_) || first_of_line(at_ + 1)) doubt_ = false;
}

// Wrong brackets follow from other mistakes, so they are reported only if they are the first one of
// the definition.
void Parser::report_bracket(Diagnostic diagnostic) {
  if (diagnostics_.error_count() > errors_before_) panic_ = true;
  fail(std::move(diagnostic));
}

bool Parser::stray_closer() {
  if (panic_ || !at_any({K::RightParen, K::RightBracket, K::RightBrace})) return false;
  if (partner(at_) >= 0) return false;
  report_bracket({.code = DiagCode::UnexpectedCloser,
                  .span = span(),
                  .message = fmt::format("{} closes nothing", found())});
  panic_ = false;  // as if it were not there
  ++at_;
  return true;
}

bool Parser::enter() {
  if (++nesting_ <= kMaxNesting) return true;
  if (!panic_ && !too_deep_) {
    too_deep_ = true;
    report({.code = DiagCode::BeyondLimits,
            .span = span(),
            .message = fmt::format("nested deeper than {} levels", kMaxNesting),
            .help = "name a part of it: a variable, a constant or a function"});
  }
  panic_ = true;
  return false;
}

}  // namespace detail

Ast parse(const Tokens& tokens, Diagnostics& diagnostics, Ast ast) {
  if (tokens.cut) return ast;
  return detail::Parser(tokens, std::move(ast), diagnostics).run();
}

}  // namespace chi::syntax
