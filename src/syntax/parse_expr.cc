#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/cancel.h"
#include "syntax/children.h"
#include "syntax/literal.h"
#include "syntax/parser.h"
#include "syntax/similar.h"

namespace chi::syntax::detail {
namespace {

constexpr std::string_view kCommentHelp = "a comment begins with `//`";

// Levels of binary operators, loosest first (language.md §3).
enum Level : int { kOr = 1, kAnd, kRelation, kSum, kProduct };

std::optional<Infix> infix(TokenKind k) {
  switch (k) {
    case K::Or: return Infix{BinaryOp::Or, kOr};
    case K::And:
    case K::AndAnd: return Infix{BinaryOp::And, kAnd};
    case K::Equal:
    case K::EqualEqual: return Infix{BinaryOp::Eq, kRelation};
    case K::NotEqual: return Infix{BinaryOp::Ne, kRelation};
    case K::Less: return Infix{BinaryOp::Lt, kRelation};
    case K::LessEqual: return Infix{BinaryOp::Le, kRelation};
    case K::Greater: return Infix{BinaryOp::Gt, kRelation};
    case K::GreaterEqual:
    case K::FatArrow: return Infix{BinaryOp::Ge, kRelation};
    case K::In: return Infix{BinaryOp::In, kRelation};
    case K::Plus: return Infix{BinaryOp::Add, kSum};
    case K::Minus: return Infix{BinaryOp::Sub, kSum};
    case K::PlusPlus: return Infix{BinaryOp::Concat, kSum};
    case K::MinusMinus: return Infix{BinaryOp::Subtract, kSum};
    case K::Star: return Infix{BinaryOp::Mul, kProduct};
    case K::Slash: return Infix{BinaryOp::Div, kProduct};
    case K::Div: return Infix{BinaryOp::IntDiv, kProduct};
    case K::Mod:
    case K::Percent: return Infix{BinaryOp::Mod, kProduct};
    default: return std::nullopt;
  }
}

}  // namespace

// Keeps the tree shallow enough for passes that follow it.
ExprId Parser::add_expr(Expr expr) {
  check_cancelled();
  const ExprId id = ast_.exprs.add(expr);
  children_.clear();
  append_children(ast_, id, children_);
  std::int16_t depth = 0;
  for (const ExprId child : children_) {
    depth = std::max(depth, expr_depth_[static_cast<std::size_t>(child.index)]);
  }
  if (++depth > kMaxTreeDepth) {
    if (!too_deep_) {
      slip({.code = DiagCode::BeyondLimits,
            .span = expr.span,
            .message = fmt::format("an expression deeper than {} operators", kMaxTreeDepth),
            .help = "split it, or use a list and `sum`"});
    }
    too_deep_ = true;
    ast_.exprs[id].node = Error{};
    depth = 1;
  }
  expr_depth_.push_back(depth);
  return id;
}

// The variables of language.md: a name with indices, projections and fields.
bool Parser::is_variable(ExprId id) const {
  while (id) {
    const auto& node = ast_.exprs[id].node;
    if (std::holds_alternative<Name>(node) || std::holds_alternative<Error>(node)) return true;
    if (const auto* n = std::get_if<Index>(&node)) {
      id = n->of;
    } else if (const auto* m = std::get_if<Member>(&node)) {
      id = m->of;
    } else if (const auto* p = std::get_if<Project>(&node)) {
      id = p->of;
    } else {
      return false;
    }
  }
  return false;
}

ExprId Parser::inner_expression(bool closed) {
  const bool outer = std::exchange(equation_level_, false);
  const bool outer_brackets = std::exchange(in_brackets_, closed);
  const bool outer_guard = std::exchange(in_guard_, false);
  const ExprId result = expression();
  equation_level_ = outer;
  in_brackets_ = outer_brackets;
  in_guard_ = outer_guard;
  return result;
}

ExprId Parser::inner_sum() {
  const bool outer = std::exchange(equation_level_, false);
  const ExprId result = sum_expression();
  equation_level_ = outer;
  return result;
}

template <class F>
ExprId Parser::nested(F parse) {
  const ExprId result = enter() ? parse() : error_expr();
  leave();
  return result;
}

ExprId Parser::expression() {
  return nested([&] { return expression_at(kOr); });
}

ExprId Parser::sum_expression() { return expression_at(kSum); }

ExprId Parser::expression_at(int level) {
  ExprId left = prefix();
  int relations = 0;
  while (!panic_) {
    if (at(K::LeftArrow) && !equation_level_ && level <= kRelation) {
      left = arrow_as_less(left);
      continue;
    }
    if (at_any({K::RightParen, K::RightBracket, K::RightBrace}) && stray_closer()) {
      if (accept(K::Caret)) prefix();
      continue;
    }
    if (!in_brackets_ && first_of_line(at_) && at(K::Star) && kind(1) == K::LeftBracket &&
        element_kind(at_ + 1) == Section::Statements) {
      break;  // a repetition whose separator is missing
    }
    const std::optional<Infix> op = infix_here();
    if (!op || op->level < level) break;
    if (op->op == BinaryOp::Eq && equation_level_) break;
    if (op->level == kRelation && ++relations == 2) report_chain(left);
    if (op->level < kRelation) relations = 0;
    report_foreign(*op);
    at_ += op->tokens;
    const ExprId right = expression_at(op->level + 1);
    const Span whole = join(ast_.exprs[left].span, previous());
    left = add_expr({whole, Binary{op->op, left, right}});
  }
  return left;
}

// The operator here, those of other languages included.
std::optional<Infix> Parser::infix_here() const {
  const TokenKind second = adjacent(at_) ? kind(1) : K::End;
  if (at(K::Less) && second == K::Greater) return Infix{BinaryOp::Ne, kRelation, 2};
  if (at(K::Star) && second == K::Star) return Infix{BinaryOp::Pow, kProduct, 2};
  if (at(K::Bar)) return bars_mean_or() ? Infix{BinaryOp::Or, kOr, 2} : std::optional<Infix>();
  if (at(K::FatArrow) && in_guard_ &&
      find_ahead(at_ + 1, {K::Arrow}, {K::Bar, K::Semicolon, K::FatArrow}) < 0) {
    return std::nullopt;  // the arrow of the guard
  }
  return infix(kind());
}

// `||` after an operand. Bars also part sections, alternatives and instances; so in the open it is
// an `or` only among statements, where no list of unknowns, no guard and no action follows.
bool Parser::bars_mean_or() const {
  if (!at_bars()) return false;
  if (in_brackets_) return true;
  if (equation_level_ || (section_ != Section::Statements && section_ != Section::None))
    return false;
  return !unknown_declaration_at(at_ + 1) && !guard_at(at_ + 2) &&
         find_ahead(at_ + 2, {K::Becomes, K::Bang, K::Question}, {K::Semicolon, K::Bar, K::Comma}) <
             0;
}

void Parser::report_foreign(const Infix& op) {
  const bool foreign =
      op.tokens == 2 || at_any({K::EqualEqual, K::AndAnd, K::Percent, K::FatArrow});
  if (!foreign) return;
  const std::string_view ours = op.op == BinaryOp::Ne    ? "/="
                                : op.op == BinaryOp::Pow ? "^"
                                : op.op == BinaryOp::Eq  ? "="
                                : op.op == BinaryOp::And ? "and"
                                : op.op == BinaryOp::Or  ? "or"
                                : op.op == BinaryOp::Ge  ? ">="
                                                         : "mod";
  const char* const where = op.op == BinaryOp::Or ? "an expression" : "χ";
  const char* const comment = op.op == BinaryOp::Mod ? "; a comment begins with `//`" : "";
  const Span written = join(span(), span_at(at_ + op.tokens - 1));
  slip({.code = DiagCode::ForeignOperator,
        .span = written,
        .message = fmt::format("`{}` is not an operator of {}", text(written), where),
        .help = fmt::format("write `{}`{}", ours, comment)});
}

void Parser::report_chain(ExprId left) {
  guess({.code = DiagCode::ChainedRelation,
         .span = span(),
         .message = "a relation of a relation",
         .labels = {{ast_.exprs[left].span, "this is `true` or `false`"}},
         .help = "for a range write `a < b and b < c`; else use parentheses"});
}

// `x<-1` reads as the arrow of a substitute equation.
ExprId Parser::arrow_as_less(ExprId left) {
  const Span arrow = span();
  const Span before = ast_.exprs[left].span;
  ++at_;
  const ExprId right = prefix();
  slip({.code = DiagCode::ArrowInExpression,
        .span = arrow,
        .message = "`<-` is the arrow of a substitute equation",
        .help = fmt::format("for less than minus write `{} < -{}`", brief(before),
                            brief(ast_.exprs[right].span))});
  return add_expr({since(before), Binary{BinaryOp::Lt, left, right}});
}

std::string Parser::meant(ExprId id, Wanting wanting) const {
  const bool name = std::holds_alternative<Name>(ast_.exprs[id].node);
  const std::string_view word = name ? text(ast_.exprs[id].span) : called_name(id);
  if (const std::string_view help = foreign_word(word, wanting); !help.empty()) {
    return std::string(help);
  }
  if (!name) return {};
  const std::string_view keyword = similar_keyword(text(ast_.exprs[id].span));
  return keyword.empty() ? std::string() : fmt::format("did you mean `{}`?", keyword);
}

std::string_view Parser::called_name(ExprId id) const {
  const auto* call = std::get_if<Call>(&ast_.exprs[id].node);
  if (call == nullptr) return {};
  const Expr& callee = ast_.exprs[call->callee];
  if (const auto* member = std::get_if<Member>(&callee.node)) return text(member->member.span);
  return std::holds_alternative<Name>(callee.node) ? text(callee.span) : std::string_view();
}

std::string_view Parser::brief(Span s) const {
  constexpr std::int32_t kLongest = 40;
  return s.end - s.begin <= kLongest ? text(s) : "...";
}

void Parser::fail_operand() {
  std::string help;
  if (at(K::Prime)) {
    help = "a string is written with double quotes: `\"text\"`";
  } else if (at(K::Ref)) {
    help = "`ref` stands where the parameter is declared; the argument is the variable alone";
  } else if (at(K::Hash)) {
    help = kCommentHelp;
  } else if (at(K::Dot) && kind(1) == K::Integer) {
    help = fmt::format("write `0.{}`", text(span_at(at_ + 1)));
  } else if (at(K::MinusMinus)) {
    help = "`--` takes elements from a list; for minus minus write `- -`";
  } else if (at(K::Equal) && at_ > 0 && kind(-1) == K::Equal) {
    help = "equality is written `=`";
  } else if (at(K::RealType) && kind(1) == K::LeftParen) {
    help =
        "whole numbers become real by themselves; `floor`, `ceil` and `round` make whole numbers";
  }
  fail_expected("an expression", std::move(help));
}

ExprId Parser::prefix() {
  const Span begin = span();
  std::optional<UnaryOp> op;
  switch (kind()) {
    case K::Minus: op = UnaryOp::Minus; break;
    case K::LeftArrow:
      if (at_ == minus_of_arrow_) op = UnaryOp::Minus;
      break;
    case K::Plus: op = UnaryOp::Plus; break;
    case K::Sample: op = UnaryOp::Sample; break;
    case K::Not: op = UnaryOp::Not; break;
    case K::Bang:
      if (kind(1) != K::Ident && kind(1) != K::LeftParen) break;
      slip({.code = DiagCode::ForeignOperator,
            .span = span(),
            .message = "`!` sends or prints; it is no operator of an expression",
            .help = "negation is written `not`"});
      op = UnaryOp::Not;
      break;
    default: break;
  }
  if (!op || panic_) {
    const ExprId base = postfix();
    if (!accept(K::Caret)) return base;
    const ExprId exponent = nested([&] { return prefix(); });
    return add_expr({since(begin), Binary{BinaryOp::Pow, base, exponent}});
  }
  ++at_;
  const ExprId operand =
      nested([&] { return *op == UnaryOp::Not ? expression_at(kRelation) : prefix(); });
  if (const ExprId number = *op == UnaryOp::Minus ? negated_quantity(begin, operand) : ExprId{})
    return number;
  return add_expr({since(begin), Unary{*op, operand}});
}

ExprId Parser::postfix() {
  const Span begin = span();
  ExprId result = primary();
  while (!panic_) {
    if (at(K::Prime)) {
      ++at_;
      const bool again = std::holds_alternative<Derivative>(ast_.exprs[result].node);
      if (again) {
        slip({.code = DiagCode::SecondDerivative,
              .span = since(begin),
              .message = "a second derivative is not χ",
              .help = "introduce a velocity: `x' = v, v' = ...`"});
        continue;
      }
      result = add_expr({since(begin), Derivative{result}});
    } else if (at(K::Dot)) {
      result = after_dot(result);
    } else if (at(K::LeftParen) && can_be_called(result)) {
      result = call(result);
    } else if (at(K::LeftBracket) && !at_box() && !guard_in_bracket()) {
      result = index(result);
    } else {
      break;
    }
  }
  return result;
}

bool Parser::can_be_called(ExprId id) const {
  const auto& node = ast_.exprs[id].node;
  return is_variable(id) || std::holds_alternative<Call>(node) ||
         std::holds_alternative<Parenthesized>(node);
}

// `x [ b -> ... ]`: no index has an arrow, so a separator is missing before the bracket.
bool Parser::guard_in_bracket() const {
  return find_ahead(at_ + 1, {K::Arrow}, {K::Bar, K::RightBracket, K::Comma}) >= 0;
}

ExprId Parser::after_dot(ExprId of) {
  const Span begin = ast_.exprs[of].span;
  ++at_;
  if (std::holds_alternative<IntLiteral>(ast_.exprs[of].node)) {
    slip({.code = DiagCode::BadNumber,
          .span = since(begin),
          .message = "a number with a point and no digits after it",
          .help = fmt::format("write `{}.0`", brief(begin))});
    return of;
  }
  if (at(K::Integer)) {
    const Span digits = span();
    ++at_;
    const std::int64_t value = integer_value(text(digits)).value_or(0);
    return add_expr({since(begin), Project{of, value, digits}});
  }
  if (at(K::LeftParen)) {
    const std::int32_t open = at_++;
    const ExprId index = inner_expression(partner(open) >= 0);
    close(open, "`)` after the index");
    return add_expr({since(begin), Index{of, index}});
  }
  if (at_any({K::Star, K::Slash, K::Caret})) {
    fail_expected("a field, a number or an index",
                  "element by element, arrays are multiplied by `times(v, w)`, divided by "
                  "`divide(v, w)`; `map` is for "
                  "other functions");
    return of;
  }
  const Ident member = expect_name("a field, a number or an index");
  if (!member) return of;
  const auto* name = std::get_if<Name>(&ast_.exprs[of].node);
  if (name != nullptr && is_alias(name->name)) {
    const Span whole = since(begin);
    const Symbol both = ast_.symbols.intern(
        fmt::format("{}.{}", ast_.symbols.text(name->name), ast_.symbols.text(member.name)));
    return add_expr({whole, Name{both}});
  }
  return add_expr({since(begin), Member{of, member}});
}

ExprId Parser::call(ExprId callee) {
  const Span begin = ast_.exprs[callee].span;
  const std::vector<ExprId> values = arguments(at_, "`,` or `)` after an argument");
  return add_expr({since(begin), Call{callee, store(ast_.expr_lists, values)}});
}

ExprId Parser::index(ExprId of) {
  const Span begin = ast_.exprs[of].span;
  const std::int32_t open = at_++;
  const ExprId value = inner_expression(partner(open) >= 0);
  if (at(K::Colon)) {
    fail_expected("`]` after the index", "a part of a list is `take(drop(xs, i), n)`");
  }
  close(open, "`]` after the index");
  return add_expr({since(begin), Index{of, value}});
}

// `( e, e )`, `[ e, e ]`, `{ e, e }` from the opening bracket to the closing one.
std::vector<ExprId> Parser::arguments(std::int32_t open, std::string_view what) {
  ++at_;
  std::vector<ExprId> values;
  if (!at_any({K::RightParen, K::RightBracket, K::RightBrace})) {
    do {
      values.push_back(inner_expression(partner(open) >= 0));
      recover_in(open, {K::Comma});
      if (partner(open) < 0 && first_of_line(at_)) break;  // the list has lost its end
    } while (accept(K::Comma));
  }
  close(open, what);
  return values;
}

ExprId Parser::primary() {
  switch (kind()) {
    case K::Integer:
    case K::Real:
    case K::Inf:
    case K::String:
    case K::True:
    case K::False: return panic_ ? error_expr() : literal();
    case K::Ident:
      if (panic_) break;
      ++at_;
      return add_expr({previous(), Name{ast_.symbols.intern(text(previous()))}});
    case K::Time:
      if (panic_) break;
      ++at_;
      return add_expr({previous(), Time{}});
    case K::If: return conditional();
    case K::LeftParen: return parenthesized();
    case K::LeftBracket: return bracketed();
    case K::LeftBrace: return braced();
    case K::Less:
    case K::LeftArrow: return tuple();
    default:
      if (!panic_ && as_names_.contains(kind())) {
        ++at_;
        return error_expr();
      }
      fail_operand();
  }
  return error_expr();
}

ExprId Parser::literal() {
  const TokenKind k = kind();
  ++at_;
  const std::string_view written = text(previous());
  if (at(K::Unit)) {
    return quantity(previous(), k == K::Integer
                                    ? static_cast<double>(integer_value(written).value_or(0))
                                    : real_value(written).value_or(0));
  }
  switch (k) {
    case K::Integer: return add_expr({previous(), IntLiteral{integer_value(written).value_or(0)}});
    case K::Real: return add_expr({previous(), RealLiteral{real_value(written).value_or(0)}});
    case K::Inf:
      return add_expr({previous(), RealLiteral{std::numeric_limits<double>::infinity()}});
    case K::String:
      return add_expr({previous(), StringLiteral{ast_.symbols.intern(string_value(written))}});
    default: return add_expr({previous(), BoolLiteral{k == K::True}});
  }
}

ExprId Parser::conditional() {
  if (panic_) return error_expr();
  const Span begin = span();
  ++at_;
  const ExprId condition = inner_expression();
  expect(K::Then, "after the condition of `if`",
         at(K::LeftBrace) ? "`if b then e else f` is a value; a choice between statements is "
                            "written `[ b -> S | not b -> T ]`"
                          : "");
  const ExprId then = inner_expression();
  if (!panic_ && !at(K::Else)) {
    fail({.code = DiagCode::MissingElse,
          .span = span(),
          .message = fmt::format("expected `else`, found {}", found()),
          .labels = {{begin, "this `if` has no `else`"}},
          .help = "an expression has a value on both sides: `if b then e else f`"});
  }
  accept(K::Else);
  const ExprId otherwise = expression();
  return add_expr({since(begin), Conditional{condition, then, otherwise}});
}

ExprId Parser::parenthesized() {
  if (panic_) return error_expr();
  const std::int32_t open = at_++;
  const ExprId inner = inner_expression(partner(open) >= 0);
  close(open, "`)`");
  return add_expr({since(span_at(open)), Parenthesized{inner}});
}

// Elements stand below the relations, so that `>` ends the tuple.
ExprId Parser::tuple() {
  if (panic_) return error_expr();
  const Span begin = span();
  // `<-1, 2>`: no arrow can begin an expression, so its second half is the sign of the element.
  if (at(K::LeftArrow)) {
    minus_of_arrow_ = at_;
  } else {
    ++at_;
  }
  std::vector<ExprId> values;
  do {
    values.push_back(nested([&] { return inner_sum(); }));
  } while (accept(K::Comma));
  if (!accept(K::Greater)) {
    fail({.code = DiagCode::Expected,
          .span = span(),
          .message = fmt::format("expected `,` or `>` in the tuple, found {}", found()),
          .labels = {{begin, "the tuple begins here"}},
          .help = "a relation in a tuple stands in parentheses"});
  }
  return add_expr({since(begin), TupleExpr{store(ast_.expr_lists, values)}});
}

}  // namespace chi::syntax::detail
