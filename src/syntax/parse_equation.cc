#include <utility>

#include <fmt/format.h>

#include "syntax/parser.h"

namespace chi::syntax::detail {

// ueqs ::= [ueq] {',' [ueq]}; up to a bar or bracket that is not an equation's.
Slice<EquationId> Parser::equations() {
  std::vector<EquationId> rows;
  while (true) {
    while (accept(K::Comma)) {
    }
    if (panic_ || equations_end()) break;
    rows.push_back(equation());
    if (!panic_) separate_equations();
    if (panic_) {
      skip_to({K::Comma, K::Bar});
      if (!at(K::Comma)) break;
      panic_ = false;
    }
  }
  return store(ast_.equation_lists, rows);
}

bool Parser::equations_end() const {
  if (at(K::Bar)) return !unknown_declaration_at(at_);
  return at_any({K::RightBracket, K::RightBrace, K::RightParen, K::End});
}

// After an equation: a comma, or an end. Panics if neither and nothing is certain.
void Parser::separate_equations() {
  if (at_any({K::Comma, K::Bar, K::End}) || at_box()) return;
  if (stray_closer()) {
    separate_equations();
    return;
  }
  if (at_any({K::RightBracket, K::RightBrace, K::RightParen})) return;
  if (first_of_line(at_) && element_kind(at_) == Section::Equations) {
    slip({.code = DiagCode::MissingSeparator,
          .span = span(),
          .message = fmt::format("expected `,` between equations, found {}", found())});
    return;
  }
  fail_after_equation();
}

void Parser::fail_after_equation() {
  if (at(K::Equal)) {
    fail({.code = DiagCode::ChainedRelation,
          .span = span(),
          .message = "a second `=` in an equation",
          .help = "a boolean equality in an equation stands in parentheses: `x = (a = b)`"});
  } else if (at(K::Semicolon)) {
    fail({.code = DiagCode::MissingSeparator,
          .span = span(),
          .message = "expected `,` between equations, found `;`",
          .help = "`;` separates statements; statements stand in their own section, after a `|`"});
  } else {
    fail_expected("an operator or `,` after the equation");
  }
}

EquationId Parser::equation() {
  const Span begin = span();
  EquationId result;
  if (!enter()) {
    result = ast_.equations.add({begin, Error{}});
  } else if (at(K::Bar)) {
    result = unknown_declaration();
  } else if (at(K::Impulse)) {
    result = impulse_declaration();
  } else if (unwind_at(at_) || (at(K::LeftParen) && unwind_at(at_ + 1))) {
    result = unwound_equations();
  } else if (at(K::LeftBracket) && guarded_equations_at(at_)) {
    result = guarded_equations();
  } else {
    result = plain_equation();
  }
  leave();
  return result;
}

// A guarded equation ends at its bracket; an expression that begins with one goes on.
bool Parser::guarded_equations_at(std::int32_t i) const {
  if (find_ahead(i + 1, {K::Arrow}, {K::Bar, K::Comma}) < 0) return false;
  const std::int32_t closer = partner(i);
  if (closer < 0) return true;
  switch (kind_at(closer + 1)) {
    case K::Equal:
    case K::Plus:
    case K::Minus:
    case K::Star:
    case K::Slash:
    case K::Caret: return false;
    default: return true;
  }
}

// `|` variables and derivatives `|`. What else lies between two bars is not such a list.
bool Parser::unknown_declaration_at(std::int32_t i) const {
  if (kind_at(i) != K::Bar) return false;
  if (kind_at(i + 1) == K::Bar) return false;
  for (++i;; ++i) {
    switch (kind_at(i)) {
      case K::Ident:
      case K::Prime:
      case K::Comma:
      case K::Dot:
      case K::Integer: break;
      case K::LeftParen:
      case K::LeftBracket:
        if (partner(i) < 0) return false;
        i = partner(i);
        break;
      case K::Bar: return true;
      default: return false;
    }
  }
}

Slice<ExprId> Parser::unknowns() {
  const Span bar = span();
  std::vector<ExprId> rows;
  expect(K::Bar, "before the unknowns");
  do {
    const ExprId unknown = postfix();
    rows.push_back(unknown);
    if (!panic_) check_unknown(unknown);
  } while (accept(K::Comma));
  if (!accept(K::Bar)) {
    fail({.code = DiagCode::Unclosed,
          .span = span(),
          .message = fmt::format("expected `,` or `|` after an unknown, found {}", found()),
          .labels = {{bar, "the unknown declaration begins here"}}});
  }
  return store(ast_.expr_lists, rows);
}

void Parser::check_unknown(ExprId id) {
  const Expr& e = ast_.exprs[id];
  const auto* derivative = std::get_if<Derivative>(&e.node);
  if (is_variable(derivative ? derivative->of : id)) return;
  slip({.code = DiagCode::ExpectedVariable,
        .span = e.span,
        .message = fmt::format("`{}` is neither a variable nor a derivative", brief(e.span)),
        .help = "an unknown declaration lists variables and derivatives: `|x, v'|`"});
}

EquationId Parser::unknown_declaration() {
  const Span begin = span();
  const Slice<ExprId> list = unknowns();
  return ast_.equations.add({since(begin), UnknownDecl{list}});
}

EquationId Parser::impulse_declaration() {
  const Span begin = span();
  ++at_;
  const Slice<ExprId> list = unknowns();
  return ast_.equations.add({since(begin), ImpulseDecl{list}});
}

EquationId Parser::guarded_equations() {
  const std::int32_t open = at_++;
  std::vector<EquationAlternative> rows;
  const bool outer = std::exchange(equation_level_, false);
  do {
    const Span begin = span();
    const ExprId guard = expression();
    expect_arrow();
    const Slice<EquationId> body = equations();
    rows.push_back({since(begin), guard, body});
    recover_in(open, {K::Bar});
  } while (alternative_bar());
  equation_level_ = outer;
  close(open, "`,`, `|` or `]` after the equation");
  return ast_.equations.add(
      {since(span_at(open)), GuardedEquations{store(ast_.equation_alternatives, rows)}});
}

bool Parser::alternative_bar() {
  if (panic_) return false;
  if (at_box()) {
    at_ += 2;
    return true;
  }
  if (!at(K::Bar)) return false;
  at_ += at_bars() ? 2 : 1;
  return true;
}

void Parser::expect_arrow() {
  if (accept(K::Arrow)) return;
  if (at_bars()) {
    fail({.code = DiagCode::ForeignOperator,
          .span = join(span(), span_at(at_ + 1)),
          .message = "`||` is not an operator of an expression",
          .help = "write `or`"});
  }
  fail_expected("`->` after the guard");
}

// `i: nat <- a..b: eq`, `i: nat <- a..b: ( eqs )`, `( i: nat <- a..b: eqs )`.
EquationId Parser::unwound_equations() {
  const Span begin = span();
  std::int32_t open = at(K::LeftParen) ? at_++ : -1;
  const Unwind range = unwind();
  Slice<EquationId> body;
  if (open < 0 && at(K::LeftParen) && equation_group_at(at_)) open = at_++;
  if (panic_) return ast_.equations.add({begin, Error{}});
  if (open >= 0) {
    body = equations();
    close(open, "`,` or `)` after the equation");
  } else {
    body = store(ast_.equation_lists, {equation()});
  }
  return ast_.equations.add({since(begin), UnwoundEquations{range, body}});
}

// `( ... )` with nothing after it that would make it an operand.
bool Parser::equation_group_at(std::int32_t i) const {
  const std::int32_t closer = partner(i);
  if (closer < 0) return true;
  switch (kind_at(closer + 1)) {
    case K::Comma:
    case K::Bar:
    case K::RightBracket:
    case K::RightBrace:
    case K::RightParen:
    case K::End: return true;
    default: return false;
  }
}

EquationId Parser::plain_equation() {
  const Span begin = span();
  const bool outer = std::exchange(equation_level_, true);
  const ExprId left = expression();
  EquationId result;
  if (panic_) {
    result = ast_.equations.add({since(begin), Error{}});
  } else if (accept(K::LeftArrow)) {
    const ExprId value = expression();
    result = substitute(begin, left, value);
  } else {
    result = equality(begin, left);
  }
  equation_level_ = outer;
  return result;
}

EquationId Parser::equality(Span begin, ExprId left) {
  if (at(K::Becomes)) {
    slip({.code = DiagCode::AssignInEquation,
          .span = span(),
          .message = "`:=` among the equations",
          .help = "an equation is written with `=`; an assignment is a statement, after the "
                  "equations and a `|`"});
    ++at_;
  } else if (at(K::EqualEqual)) {
    report_foreign({BinaryOp::Eq, 0, 1});
    ++at_;
  } else if (!accept(K::Equal)) {
    fail({.code = DiagCode::NotAnEquation,
          .span = span(),
          .message = fmt::format("expected `=` or `<-` in the equation, found {}", found())});
  }
  if (panic_) return ast_.equations.add({since(begin), Error{}});
  const ExprId right = expression();
  return ast_.equations.add({since(begin), Equality{left, right}});
}

EquationId Parser::substitute(Span begin, ExprId target, ExprId value) {
  const Expr& e = ast_.exprs[target];
  const auto* derivative = std::get_if<Derivative>(&e.node);
  if (is_variable(derivative ? derivative->of : target)) {
    return ast_.equations.add({since(begin), Substitute{target, value}});
  }
  slip({.code = DiagCode::ExpectedVariable,
        .span = e.span,
        .message = "left of `<-` stands no variable or derivative",
        .help = "a substitute equation is `x <- e` or `x' <- e`; less than minus is `< -`"});
  return ast_.equations.add({since(begin), Error{}});
}

}  // namespace chi::syntax::detail
