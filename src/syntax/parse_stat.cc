#include <utility>

#include <fmt/format.h>

#include "syntax/parser.h"

namespace chi::syntax::detail {

// stats ::= stat {';' stat}; up to a bar or a bracket.
Slice<StatId> Parser::statements() {
  std::vector<StatId> rows;
  do {
    const int fails_before = fails_;
    rows.push_back(statement());
    regain_confidence(fails_before);
    if (!panic_) separate_statements();
    if (panic_) {
      skip_to({K::Semicolon, K::Bar});
      if (at(K::Semicolon)) calm();
    }
  } while (accept(K::Semicolon) || supplied_);
  return store(ast_.stat_lists, rows);
}

bool Parser::starts_statement(std::int32_t i) const {
  return element_kind(i) == Section::Statements;
}

// After a statement: a semicolon, or an end. A statement on the next line lacks its semicolon.
void Parser::separate_statements() {
  supplied_ = false;
  if (at_any({K::Semicolon, K::Bar, K::End}) || at_box()) return;
  if (stray_closer()) {
    separate_statements();
    return;
  }
  if (at_any({K::RightBracket, K::RightBrace, K::RightParen})) return;
  if (half_box()) return;
  if (first_of_line(at_) && section_ == Section::None && guard_at(at_) &&
      report_missing_alternative()) {
    return;
  }
  if (first_of_line(at_) && starts_statement(at_)) {
    guess({.code = DiagCode::MissingSeparator,
           .span = span(),
           .message = fmt::format("expected `;` between statements, found {}", found())});
    supplied_ = true;
    return;
  }
  if (at(K::Comma)) {
    guess({.code = DiagCode::MissingSeparator,
           .span = span(),
           .message = "expected `;` between statements, found `,`"});
    ++at_;
    supplied_ = true;
    return;
  }
  fail_after_statement();
}

void Parser::fail_after_statement() {
  std::string help;
  if (at_any({K::Question, K::If})) {
    help = "a choice between values is written `if b then e else f`";
  } else if (at(K::Arrow)) {
    help = "an arrow follows a guard, as in `[ b -> S ]`; statements follow each other after `;`";
  } else if (at(K::Hash)) {
    help = "a comment begins with `//`";
  }
  fail_expected("an operator or `;` after the statement", std::move(help));
}

StatId Parser::statement() {
  const Span begin = span();
  supplied_ = false;
  StatId result;
  if (!enter() || panic_) {
    leave();
    return ast_.stats.add({begin, Error{}});
  }
  switch (kind()) {
    case K::Skip:
      ++at_;
      result = ast_.stats.add({begin, Skip{}});
      break;
    case K::Terminate:
      ++at_;
      result = ast_.stats.add({begin, Terminate{}});
      break;
    case K::Ret: {
      ++at_;
      const ExprId value = expression();
      result = ast_.stats.add({since(begin), Return{value}});
      break;
    }
    case K::Delta: result = interruptible(event()); break;
    case K::Nabla: result = event(); break;
    case K::LeftBrace: result = instant(); break;
    case K::LeftBracket: result = selection(); break;
    case K::Star: result = repetition(); break;
    case K::Bang: result = print(); break;
    default: result = begins_with_word(at_) ? word_statement() : lhs_statement(); break;
  }
  leave();
  return result;
}

// `start P(...)`, `finish h`, `resume`, `restart`, `assert b`: words only where no name can stand.
bool Parser::begins_with_word(std::int32_t i) const {
  if (word_at(i, "start") || word_at(i, "finish")) return kind_at(i + 1) == K::Ident;
  if (claim_at(i, "assert")) return true;
  if (!word_at(i, "resume") && !word_at(i, "restart")) return false;
  const K next = kind_at(i + 1);
  return next == K::Semicolon || next == K::Bar || next == K::RightBracket || next == K::End;
}

StatId Parser::word_statement() {
  const Span begin = span();
  if (word_at(at_, "start")) return start({});
  if (word_at(at_, "finish")) return event();
  if (word_at(at_, "assert")) {
    ++at_;
    const ExprId condition = expression();
    const ExprId text = claimed_text();
    return ast_.stats.add({since(begin), Assert{condition, text}});
  }
  const bool from_start = word_at(at_, "restart");
  ++at_;
  return ast_.stats.add({begin, Resume{from_start}});
}

// 'start' id '(' [args] ')', behind the variable that it is assigned to, if there is one.
StatId Parser::start(ExprId handle) {
  const Span begin = handle ? ast_.exprs[handle].span : span();
  ++at_;
  const Span name = span();
  Instance row;
  row.name = qualified_name("a process");
  if (at(K::LeftParen) && !panic_) instance_arguments(row);
  row.span = since(name);
  const InstanceId instance = ast_.instances.add(row);
  return ast_.stats.add({since(begin), Start{handle, instance}});
}

// 'delta' expr 'else' '[' alts ']'
StatId Parser::interruptible(StatId delay) {
  if (panic_ || !at(K::Else) || kind(1) != K::LeftBracket) return delay;
  const Span begin = ast_.stats[delay].span;
  const auto* node = std::get_if<Delay>(&ast_.stats[delay].node);
  if (node == nullptr) return delay;
  const ExprId duration = node->duration;
  ++at_;
  const Slice<Alternative> rows = alternatives(at_);
  return ast_.stats.add({since(begin), Delay{duration, rows}});
}

StatId Parser::selection() {
  const std::int32_t open = at_;
  if (kind(1) != K::RightBracket && find_ahead(open + 1, {K::Arrow, K::FatArrow}, {}) < 0) {
    slip({.code = DiagCode::MissingGuard,
          .span = span(),
          .message = "a selection without a guard",
          .help = "`[ b -> S ]` selects, `*[ S ]` repeats"});
    ++at_;
    const Slice<StatId> body = statements();
    close(open, "`;` or `]` after the statement");
    return ast_.stats.add({since(span_at(open)), Forever{body}});
  }
  const Slice<Alternative> rows = alternatives(open);
  return ast_.stats.add({since(span_at(open)), Select{rows}});
}

StatId Parser::repetition() {
  const Span begin = span();
  ++at_;
  if (!at(K::LeftBracket)) {
    fail_expected("`[` after `*`");
    return ast_.stats.add({begin, Error{}});
  }
  const std::int32_t open = at_;
  if (find_ahead(at_ + 1, {K::Arrow, K::FatArrow}, {}) >= 0) {
    const Slice<Alternative> rows = alternatives(open);
    return ast_.stats.add({since(begin), Loop{rows}});
  }
  ++at_;
  const Slice<StatId> body = statements();
  close(open, "`;` or `]` after the statement");
  return ast_.stats.add({since(begin), Forever{body}});
}

StatId Parser::print() {
  const Span begin = span();
  ++at_;
  std::vector<ExprId> values;
  do values.push_back(expression());
  while (accept(K::Comma));
  return ast_.stats.add({since(begin), Print{store(ast_.expr_lists, values)}});
}

StatId Parser::instant() {
  const std::int32_t open = at_++;
  const Section outer = std::exchange(section_, Section::None);
  const std::int32_t outer_brace = std::exchange(brace_, open);
  const Slice<EquationId> rows = equations();
  brace_ = outer_brace;
  section_ = outer;
  close(open, "`,` or `}` after the equation");
  return ast_.stats.add({since(span_at(open)), Instant{rows}});
}

// lhs {',' lhs} ':=' expr {',' expr} | lhs '!' [expr] | lhs '?' [lhs]
StatId Parser::lhs_statement() {
  const Span begin = span();
  if (!at(K::Ident) && !as_names_.contains(kind())) {
    fail_statement();
    return ast_.stats.add({begin, Error{}});
  }
  std::vector<ExprId> targets{postfix()};
  while (accept(K::Comma)) targets.push_back(postfix());
  if (at_any({K::Bang, K::Question}) && targets.size() == 1) return communication(targets.front());
  if (at(K::Equal) || at(K::LeftArrow)) {
    guess({.code = DiagCode::EqualInStatement,
           .span = span(),
           .message = fmt::format("{} in a statement", found()),
           .help = at(K::Equal)
                       ? "an assignment is written `:=`; equations stand in their own section, "
                         "before the statements, or in `{ }`"
                       : "an assignment is written `:=`; a substitute equation stands among the "
                         "equations"});
    ++at_;
  } else if (!accept(K::Becomes)) {
    fail_after_lhs(targets.front());
  }
  if (panic_) return ast_.stats.add({since(begin), Error{}});
  if (targets.size() == 1 && word_at(at_, "start") && kind(1) == K::Ident)
    return start(targets.front());
  std::vector<ExprId> values;
  do values.push_back(expression());
  while (accept(K::Comma));
  const Slice<ExprId> left = store(ast_.expr_lists, targets);
  const Slice<ExprId> right = store(ast_.expr_lists, values);
  return ast_.stats.add({since(begin), Assign{left, right}});
}

void Parser::fail_statement() {
  const bool nothing = at_any({K::Semicolon, K::RightBracket, K::Bar, K::End, K::RightBrace});
  const bool after_semicolon = at_ > 0 && kind(-1) == K::Semicolon;
  fail({.code = DiagCode::NotAStatement,
        .span = span(),
        .message = fmt::format("expected a statement, found {}", found()),
        .help = nothing && after_semicolon ? "`;` stands between statements, not after the last"
                : nothing                  ? "`skip` is the statement that does nothing"
                : at(K::If)                ? "a choice is written `[ b -> S | not b -> T ]`"
                : at(K::Hash)              ? "a comment begins with `//`"
                                           : ""});
}

void Parser::fail_after_lhs(ExprId first) {
  const Expr& e = ast_.exprs[first];
  std::string help = meant(first, Wanting::Statement);
  if (std::holds_alternative<Call>(e.node)) {
    if (help.empty()) {
      help =
          "a function is called in an expression, `x := f(y)`; a process is part of a `sys` or "
          "`xper`";
    }
    fail({.code = DiagCode::NotAStatement,
          .span = e.span,
          .message = "a call is not a statement",
          .help = std::move(help)});
    return;
  }
  const std::string_view target = brief(e.span);
  if (at_any({K::PlusPlus, K::MinusMinus})) {
    help = fmt::format("write `{0} := {0} {1} 1`", target, at(K::PlusPlus) ? '+' : '-');
  } else if (at_any({K::Plus, K::Minus, K::Star}) && kind(1) == K::Equal && adjacent(at_)) {
    help = fmt::format("write `{0} := {0} {1} ...`", target, text(span()));
  } else if (at(K::NotEqual)) {
    help = fmt::format("`/=` is unequal; to divide write `{0} := {0} / ...`", target);
  }
  fail({.code = DiagCode::NotAStatement,
        .span = span(),
        .message = fmt::format("expected `:=`, `!` or `?`, found {}", found()),
        .help = std::move(help)});
}

// event ::= lhs '!' [expr] | lhs '?' [lhs] | 'delta' expr | 'nabla' bexpr | 'finish' lhs
StatId Parser::event() {
  const Span begin = span();
  if (accept(K::Delta)) {
    const ExprId duration = expression();
    return ast_.stats.add({since(begin), Delay{duration, {}}});
  }
  if (accept(K::Nabla)) {
    const ExprId condition = expression();
    return ast_.stats.add({since(begin), Wait{condition}});
  }
  if (word_at(at_, "finish") && kind(1) == K::Ident) {
    ++at_;
    const ExprId handle = postfix();
    return ast_.stats.add({since(begin), Finish{handle}});
  }
  if (!at(K::Ident)) {
    fail_expected("an event", "an event is `c!e`, `c?x`, `delta e` or `nabla b`");
    return ast_.stats.add({begin, Error{}});
  }
  const ExprId channel = postfix();
  if (at_any({K::Bang, K::Question})) return communication(channel);
  fail_expected("`!` or `?` after the channel", "an event is `c!e`, `c?x`, `delta e` or `nabla b`");
  return ast_.stats.add({begin, Error{}});
}

StatId Parser::communication(ExprId channel) {
  const Span begin = ast_.exprs[channel].span;
  const bool sends = at(K::Bang);
  ++at_;
  const bool bare = at_any({K::Semicolon, K::Bar, K::RightBracket, K::Arrow, K::End}) || at_box();
  if (sends) {
    const ExprId value = bare ? ExprId{} : expression();
    return ast_.stats.add({since(begin), Send{channel, value}});
  }
  const ExprId target = bare ? ExprId{} : postfix();
  return ast_.stats.add({since(begin), Receive{channel, target}});
}

// alts ::= alt {('|'|'[]') alt}, with their brackets.
Slice<Alternative> Parser::alternatives(std::int32_t open) {
  ++at_;
  std::vector<Alternative> rows;
  const Section outer = std::exchange(section_, Section::None);
  do {
    rows.push_back(alternative());
    recover_in(open, {K::Bar});
  } while (alternative_bar());
  section_ = outer;
  close(open, "`;`, `|` or `]` after the statement");
  return store(ast_.alternatives, rows);
}

Alternative Parser::alternative() {
  Alternative result;
  const Span begin = span();
  if (unwind_at(at_)) result.unwind = unwind();
  if (event_without_guard()) {
    result.event = event();
  } else {
    result.guard = guard();
    if (accept(K::Semicolon)) result.event = event();
  }
  expect_arrow(Section::Statements);
  if (!panic_) result.body = statements();
  result.span = since(begin);
  return result;
}

// `[ c?x -> S ]`: every alternative has a guard.
bool Parser::event_without_guard() {
  if (panic_) return false;
  const bool keyword = at_any({K::Delta, K::Nabla});
  const std::int32_t sign =
      find_ahead(at_, {K::Bang, K::Question}, {K::Arrow, K::Semicolon, K::Bar});
  if (!keyword && (!at(K::Ident) || sign < 0)) return false;
  slip({.code = DiagCode::MissingGuard,
        .span = span(),
        .message = "an event without a guard",
        .help =
            fmt::format("write `true; {}`", brief(join(span(), span_at(keyword ? at_ : sign))))});
  return true;
}

}  // namespace chi::syntax::detail
