#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "syntax/parser.h"

namespace chi::syntax::detail {
namespace {

// `if b then x' = 1 ...`
bool chooses_equations(const Ast& ast, ExprId left) {
  const auto* choice = std::get_if<Conditional>(&ast.exprs[left].node);
  if (choice == nullptr) return false;
  const auto* then = std::get_if<Binary>(&ast.exprs[choice->then].node);
  return then != nullptr && then->op == BinaryOp::Eq;
}

}  // namespace

// ueqs ::= [ueq] {',' [ueq]}; up to a bar or bracket that is not an equation's.
Slice<EquationId> Parser::equations() {
  std::vector<EquationId> rows;
  while (true) {
    while (accept(K::Comma)) {
    }
    if (panic_ || equations_end()) break;
    if (section_ == Section::Equations && declaration_at(at_)) {
      check_section_order(Section::Equations, Section::Declarations);
      panic_ = true;
      skip_equation();
      if (panic_) break;
      continue;
    }
    if (statement_among_equations() && report_missing_bar(Section::Statements)) break;
    const int fails_before = fails_;
    rows.push_back(equation());
    regain_confidence(fails_before);
    if (!panic_) separate_equations();
    if (panic_) skip_equation();
    if (panic_ || at_box() || bar_missing_ || alternative_missing_) break;
  }
  return store(ast_.equation_lists, rows);
}

// Skips to the comma after an equation that was not understood. A bar is an end, unless it stands
// where only an unknown declaration can.
void Parser::skip_equation() {
  while (true) {
    skip_to({K::Comma, K::Bar});
    const TokenKind before = at_ > 0 ? kind(-1) : K::End;
    const bool start = before == K::Arrow || before == K::Comma;
    if (!start || !unknown_declaration_at(at_)) break;
    at_ = find_ahead(at_ + 1, {K::Bar}, {}) + 1;
  }
  if (at(K::Comma)) calm();
}

// Only what can be nothing but a statement: `:=` for `=` is a more likely slip than a lost bar.
bool Parser::statement_among_equations() const {
  if (section_ != Section::Equations) return false;
  if (at_any({K::Skip, K::Terminate, K::Ret, K::Delta, K::Nabla, K::Bang, K::LeftBrace}))
    return true;
  if (at(K::Star) || at(K::LeftBracket)) return element_kind(at_) == Section::Statements;
  const std::int32_t sign = find_ahead(at_, {K::Question, K::Bang, K::Becomes},
                                       {K::Comma, K::Bar, K::Equal, K::LeftBracket, K::Semicolon});
  if (sign <= at_) return false;
  return kind_at(sign) != K::Becomes || find_ahead(sign, {K::Semicolon}, {K::Comma, K::Bar}) >= 0;
}

bool Parser::equations_end() const {
  if (at(K::Bar)) return !bar_begins_unknowns(at_);
  if (at(K::Semicolon)) return brace_ >= 0 && partner(brace_) < 0;
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
  if (at(K::Semicolon) && brace_ >= 0 && partner(brace_) < 0) return;  // `}` is missing
  if (at(K::Semicolon) && section_ != Section::Statements) {
    guess({.code = DiagCode::MissingSeparator,
           .span = span(),
           .message = "expected `,` between equations, found `;`",
           .help = "`;` separates statements; they stand in a section of their own, after a `|`"});
    ++at_;
    return;
  }
  const Section next = first_of_line(at_) ? element_kind(at_) : Section::None;
  if (half_box() || (next != Section::None && guard_at(at_) && report_missing_alternative()))
    return;
  if (next == Section::Equations) {
    guess({.code = DiagCode::MissingSeparator,
           .span = span(),
           .message = fmt::format("expected `,` between equations, found {}", found())});
  } else if (next != Section::Statements || !report_missing_bar(Section::Statements)) {
    fail_after_equation();
  }
}

void Parser::fail_after_equation() {
  if (at(K::Equal)) {
    fail({.code = DiagCode::ChainedRelation,
          .span = span(),
          .message = "a second `=` in an equation",
          .help = "a boolean equality in an equation stands in parentheses: `x = (a = b)`"});
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
  } else if (claim_at(at_, "require")) {
    result = requirement();
  } else if (lost_bar(at_)) {
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
  const std::int32_t closer = partner(i);
  if (closer < 0) return find_ahead(i + 1, {K::Arrow}, {K::Bar, K::Comma}) >= 0;
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

Slice<ExprId> Parser::unknowns() {
  const std::int32_t bar = at_;
  const std::int32_t last = unknowns_end(at(K::Bar) ? bar + 1 : bar);
  const bool closed = last >= 0;
  std::vector<ExprId> rows;
  if (!accept(K::Bar)) {
    guess({.code = DiagCode::Unclosed,
           .span = span(),
           .message = fmt::format("expected `|` before the unknowns, found {}", found()),
           .labels = {{span_at(std::max(last, at_)), "the unknown declaration ends here"}}});
  }
  do {
    const ExprId unknown = postfix();
    rows.push_back(unknown);
    if (!panic_) check_unknown(unknown);
    if (!closed && first_of_line(at_)) break;
  } while (accept(K::Comma));
  if (!accept(K::Bar)) {
    fail({.code = DiagCode::Unclosed,
          .span = span(),
          .message = fmt::format("expected `,` or `|` after an unknown, found {}", found()),
          .labels = {{span_at(bar), "the unknown declaration begins here"}}});
    if (closed) {
      at_ = last + 1;
      panic_ = false;
      doubt_ = false;
    }
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
  if (!at(K::Bar) || kind(1) == K::Bar) {
    fail_expected("`|` and the impulsive unknowns", "for example `impulse |F|`");
    return ast_.equations.add({begin, Error{}});
  }
  const Slice<ExprId> list = unknowns();
  return ast_.equations.add({since(begin), ImpulseDecl{list}});
}

EquationId Parser::guarded_equations() {
  const std::int32_t open = at_++;
  std::vector<EquationAlternative> rows;
  const Section outer = std::exchange(section_, Section::None);
  do {
    const Span begin = span();
    const ExprId condition = guard();
    expect_arrow(Section::Equations);
    const Slice<EquationId> body = equations();
    rows.push_back({since(begin), condition, body});
    recover_in(open, {K::Bar});
    if (partner(open) < 0 && at(K::Bar) && !guard_at(at_ + 1)) break;  // the bar of a section
  } while (alternative_bar());
  section_ = outer;
  close(open, "`,`, `|` or `]` after the equation");
  return ast_.equations.add(
      {since(span_at(open)), GuardedEquations{store(ast_.equation_alternatives, rows)}});
}

bool Parser::alternative_bar() {
  if (panic_) return false;
  if (std::exchange(alternative_missing_, false)) return true;
  if (at_box()) {
    at_ += 2;
    return true;
  }
  if (!at(K::Bar)) return false;
  at_ += at_bars() ? 2 : 1;
  return true;
}

// `[ guard ->` where an alternative ends: a box without its second half.
bool Parser::half_box() {
  if (panic_ || !at(K::LeftBracket) || partner(at_) >= 0 || !guard_at(at_ + 1)) return false;
  if (!report_missing_alternative()) return false;
  ++at_;
  return true;
}

bool Parser::report_missing_alternative() {
  if (panic_) return false;
  guess({.code = DiagCode::MissingSeparator,
         .span = span(),
         .message = fmt::format("expected `|` between alternatives, found {}", found())});
  alternative_missing_ = true;
  return true;
}

// A condition up to its arrow. If it is not understood, what it guards still can be.
ExprId Parser::guard() {
  const bool outer = std::exchange(equation_level_, false);
  const bool outer_brackets = std::exchange(in_brackets_, true);
  const bool outer_guard = std::exchange(in_guard_, true);
  const ExprId result = expression();
  equation_level_ = outer;
  in_brackets_ = outer_brackets;
  in_guard_ = outer_guard;
  if (panic_) {
    const std::int32_t arrow = find_ahead(at_, {K::Arrow}, {K::Bar});
    if (arrow >= 0) {
      at_ = arrow;
      panic_ = false;
      doubt_ = false;
    }
  }
  return result;
}

void Parser::expect_arrow(Section body) {
  if (accept(K::Arrow) || panic_) return;
  if (at(K::FatArrow)) {
    slip({.code = DiagCode::ForeignOperator,
          .span = span(),
          .message = "`=>` is not the arrow of a guard",
          .help = "write `->`"});
    ++at_;
    return;
  }
  const std::int32_t arrow = find_ahead(at_, {K::Arrow}, {K::Bar, K::Semicolon});
  if (arrow >= 0) {  // what it guards can be read all the same
    fail_expected("an operator or `->` in the guard");
    at_ = arrow + 1;
    panic_ = false;
    return;
  }
  fail_expected("`->` after the guard");
  const bool begins = body != Section::None && (at(K::Ident) || at(K::Bar));
  if (begins && element_kind(at_) == body) panic_ = false;
}

// `i: nat <- a..b: eq`, `i: nat <- a..b: ( eqs )`, `( i: nat <- a..b: eqs )`.
EquationId Parser::unwound_equations() {
  const Span begin = span();
  std::int32_t open = at(K::LeftParen) ? at_++ : -1;
  const Unwind range = unwind();
  Slice<EquationId> body;
  if (panic_) {
    if (open >= 0) close(open, "");
    return ast_.equations.add({begin, Error{}});
  }
  if (open < 0 && at(K::LeftParen) && equation_group_at(at_)) open = at_++;
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

// 'require' bexpr [',' string]
EquationId Parser::requirement() {
  const Span begin = span();
  ++at_;
  const ExprId condition = expression();
  const ExprId text = claimed_text();
  return ast_.equations.add({since(begin), Require{condition, text}});
}

// What is said where a claim does not hold: `, "text"`, or nothing.
ExprId Parser::claimed_text() {
  if (panic_ || !at(K::Comma) || kind(1) != K::String) return {};
  ++at_;
  return literal();
}

EquationId Parser::plain_equation() {
  const Span begin = span();
  if (find_ahead(at_, {K::Complements}, {K::Comma, K::Bar, K::Semicolon, K::Arrow}) >= 0) {
    return complementarity();
  }
  const bool outer = std::exchange(equation_level_, true);
  const ExprId left = expression();
  EquationId result;
  if (chooses_equations(ast_, left)) {
    fail({.code = DiagCode::NotAnEquation,
          .span = begin,
          .message = "`if` chooses between values, not between equations",
          .help = "equations are chosen by `[ b -> x' = e | not b -> x' = f ]`"});
  }
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
    guess({.code = DiagCode::AssignInEquation,
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
          .message = fmt::format("expected `=` or `<-` in the equation, found {}", found()),
          .help = word_at(at_, "complements")
                      ? "`complements` stands between inequalities: `0 <= a complements b >= 0`"
                      : meant(left, Wanting::Equation)});
  }
  if (panic_) return ast_.equations.add({since(begin), Error{}});
  const ExprId right = expression();
  return ast_.equations.add({since(begin), Equality{left, right}});
}

// side 'complements' side ['restitution' sum], where side is a relation, a chain of two, or a sum.
EquationId Parser::complementarity() {
  const Span begin = span();
  const bool outer = std::exchange(equation_level_, true);
  Complements node;
  node.left = complement_side();
  expect(K::Complements, "between the two sides of a complementarity");
  if (!panic_) node.right = complement_side();
  if (!panic_ && accept(K::Restitution)) node.restitution = sum_expression();
  equation_level_ = outer;
  if (!panic_) check_complements(begin, node);
  if (panic_) return ast_.equations.add({since(begin), Error{}});
  return ast_.equations.add({since(begin), node});
}

// Relations chain here and nowhere else: `low <= y <= high`.
ComplementSide Parser::complement_side() {
  std::vector<ExprId> operands{sum_expression()};
  std::vector<bool> ascends;
  while (!panic_ && at_any({K::Less, K::LessEqual, K::Greater, K::GreaterEqual, K::FatArrow})) {
    if (at_any({K::Less, K::Greater})) {
      slip({.code = DiagCode::ComplementForm,
            .span = span(),
            .message = fmt::format("{} in a complementarity", found()),
            .help = "its conditions hold with equality, too: write `<=` or `>=`"});
    } else if (at(K::FatArrow)) {
      report_foreign({BinaryOp::Ge, 0, 1});
    }
    const bool up = at_any({K::Less, K::LessEqual});
    if (!ascends.empty() && (ascends.size() == 2 || ascends.front() != up)) {
      fail({.code = DiagCode::ComplementForm,
            .span = span(),
            .message = "these relations are no range",
            .help = "a range is `low <= y <= high` or `high >= y >= low`"});
      break;
    }
    ascends.push_back(up);
    ++at_;
    operands.push_back(sum_expression());
  }
  if (ascends.empty()) return {.low = {}, .value = operands[0], .high = {}};
  if (!ascends.front()) std::reverse(operands.begin(), operands.end());
  return {.low = operands[0],
          .value = operands[1],
          .high = operands.size() > 2 ? operands[2] : ExprId{}};
}

void Parser::check_complements(Span begin, const Complements& node) {
  const auto count = [](const ComplementSide& side) {
    return (side.low ? 1 : 0) + (side.high ? 1 : 0);
  };
  const int relations = count(node.left) + count(node.right);
  if (relations != 2) {
    slip({.code = DiagCode::ComplementForm,
          .span = since(begin),
          .message = relations < 2 ? "a complementarity needs two inequalities"
                                   : "a complementarity with more than two inequalities",
          .help = "write `0 <= a complements b >= 0`, or a range and an expression: "
                  "`low <= y <= high complements e`"});
  } else if (node.restitution && !node.left.is_single()) {
    slip({.code = DiagCode::ComplementForm,
          .span = ast_.exprs[node.restitution].span,
          .message = "`restitution` belongs to a contact",
          .help = "write `0 <= gap complements force >= 0 restitution e`"});
  }
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
