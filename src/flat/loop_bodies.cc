#include "flat/loop_bodies.h"

#include <algorithm>
#include <cmath>

#include "expr/build.h"
#include "expr/substitute.h"
#include "flat/path_reader.h"
#include "syntax/children.h"

namespace chi::flat {
namespace {

using sema::Builtin;
using sema::DeclId;
using syntax::BinaryOp;
using syntax::ExprId;

// Of fewer copies each is looked at for itself.
constexpr std::int64_t kManyCopies = 50;
// More arguments would cost as much as the copy.
constexpr std::size_t kMostArguments = 40;

// What moves in steps is held between events, node by node: it stays outside of functions.
bool has_no_steps(Builtin builtin) {
  using enum Builtin;
  return sema::is_elementary(builtin) || builtin == Abs || builtin == Sign || builtin == Min ||
         builtin == Max || builtin == Atan2;
}

}  // namespace

LoopBodies::LoopBodies(const sema::TypedModel& model, const Table<ExprId, ExprFacts>& facts,
                       Equations& equations, Translator& translator, BlockScope& scope)
    : model_(model), facts_(facts), equations_(equations), translator_(translator), scope_(scope) {}

// Follows the nesting of guards in the text, which the parser limits.
template <class Visit>
void LoopBodies::visit_sides(Slice<syntax::EquationId> body, const Visit& visit) const {
  for (const syntax::EquationId id : model_.ast.list(body)) {
    const auto& node = model_.ast.equations[id].node;
    if (const auto* equality = std::get_if<syntax::Equality>(&node)) {
      visit(equality->left);
      visit(equality->right);
    } else if (const auto* both = std::get_if<syntax::Complements>(&node)) {
      for (const syntax::ComplementSide& s : {both->left, both->right}) {
        for (const ExprId e : {s.low, s.value, s.high}) {
          if (e) visit(e);
        }
      }
    } else if (const auto* guarded = std::get_if<syntax::GuardedEquations>(&node)) {
      for (const syntax::EquationAlternative& a : model_.ast.list(guarded->alternatives)) {
        visit_sides(a.body, visit);
      }
    }
  }
}

// In `if i > 0 then x.(i-1) else 0` the first copy, and often the last one, too, has no such
// element: they may be left out.
void LoopBodies::enter(Slice<syntax::EquationId> body, DeclId index, std::int64_t low,
                       std::int64_t copies) {
  if (copies < kManyCopies) return;
  visit_sides(body, [&](ExprId side) {
    std::optional<Body> made = make(side, {index, low, copies});
    if (!made) made = make(side, {index, low + 1, copies - 2});
    if (!made) return;
    line_up(*made);
    bodies_.emplace(side, std::move(*made));
  });
}

// The variables that one argument is in the copies are made one after the other: what follows each
// other here has its values side by side later, and loops read them so.
void LoopBodies::line_up(const Body& body) {
  for (const Argument& a : body.arguments) {
    if (a.source || a.same) continue;
    for (std::int64_t k = 0; k < body.copies; ++k) variable(a, k);
  }
}

expr::ExprId LoopBodies::variable(const Argument& a, std::int64_t copy) {
  const auto slot = static_cast<std::int32_t>(a.first.var.index + a.stride * copy);
  return expr::variable(equations_.pool, {slot}, a.first.order);
}

void LoopBodies::leave(Slice<syntax::EquationId> body) {
  if (bodies_.empty()) return;
  visit_sides(body, [&](ExprId side) { bodies_.erase(side); });
}

// A number that is zero may take a variable out of an equation, and so may two arguments that are
// one variable: such a copy is no copy.
expr::ExprId LoopBodies::side(ExprId side, std::int64_t index) {
  const auto found = bodies_.find(side);
  if (found == bodies_.end()) return {};
  const Body& body = found->second;
  if (index < body.low || index >= body.low + body.copies) return {};
  expr::Pool& pool = equations_.pool;
  arguments_.clear();
  for (const Argument& a : body.arguments) {
    const expr::ExprId given = a.same     ? a.same
                               : a.source ? value_of(a.source)
                                          : variable(a, index - body.low);
    if (!given || !expr::is_leaf(pool.op(given)) || expr::is_zero(pool, given)) return {};
    const bool is_number =
        pool.op(given) == expr::Op::Constant || pool.op(given) == expr::Op::Boolean;
    if (!is_number && std::ranges::find(arguments_, given) != arguments_.end()) return {};
    arguments_.push_back(given);
  }
  return body.function ? expr::call(pool, body.function, arguments_) : arguments_.front();
}

std::optional<LoopBodies::Body> LoopBodies::make(ExprId side, const Ends& ends) {
  std::vector<ExprId> holes;
  if (!find_holes(side, holes) || holes.empty()) return std::nullopt;
  expr::Pool& pool = equations_.pool;
  Body body{.function = {}, .arguments = {}, .low = ends.low, .copies = ends.copies};
  Translator::Holes params;
  for (const ExprId hole : holes) {
    const std::optional<Argument> a = argument(hole, ends);
    if (!a) return std::nullopt;
    auto known = std::ranges::find(body.arguments, *a);
    if (known == body.arguments.end()) {
      if (body.arguments.size() == kMostArguments) return std::nullopt;
      known = body.arguments.insert(known, *a);
    }
    const auto place = static_cast<int>(known - body.arguments.begin());
    params[hole] = is_truth(hole) ? expr::param_bool(pool, place) : expr::param_real(pool, place);
  }
  if (params.count(side) != 0) return body;
  scope_.start();
  scope_.push_index(ends.index, ends.low);
  const auto scalars = translator_.translate_around(side, params, scope_, expr::IfKind::Plain);
  scope_.pop_index();
  Diagnostics unused;
  if (!scalars || scalars->size() != 1) return scope_.start(), std::nullopt;
  const expr::ExprId formula = expr::inline_calls(pool, scalars->front());
  if (!scope_.settle({&formula, 1}, unused)) return std::nullopt;
  constexpr expr::Traits kOutside = expr::kHasVariable | expr::kHasTime | expr::kHasDiscrete |
                                    expr::kHasDelay | expr::kHasEvented | expr::kHasCall |
                                    expr::kBoolean;
  if (pool.has(formula, kOutside) || !pool.has(formula, expr::kHasParam)) return std::nullopt;
  body.function = function_of(formula, static_cast<int>(body.arguments.size()));
  return body;
}

// What a copy gives to the body: variables, `time`, and numbers and truths made of the index. False
// if the side is not made for that.
bool LoopBodies::find_holes(ExprId side, std::vector<ExprId>& holes) const {
  std::vector<ExprId> stack{side};
  while (!stack.empty()) {
    const ExprId e = stack.back();
    stack.pop_back();
    if (!model_.types.is_numeric(model_.type[e]) && !is_truth(e)) return false;
    if (!facts_[e].moves) {
      if (mentions_index(e)) holes.push_back(e);
    } else if (facts_[e].boxed) {
      return false;
    } else if (path_root(model_.ast, e)) {
      if (!is_linear_path(e)) return false;
      holes.push_back(e);
    } else if (std::holds_alternative<syntax::Time>(model_.ast.exprs[e].node)) {
      holes.push_back(e);
    } else if (const auto* call = std::get_if<syntax::Call>(&model_.ast.exprs[e].node)) {
      const auto* builtin = std::get_if<Builtin>(&model_.resolution[call->callee]);
      if (builtin != nullptr && !has_no_steps(*builtin)) return false;
      const auto arguments = model_.ast.list(call->arguments);
      stack.insert(stack.end(), arguments.begin(), arguments.end());
    } else if (is_passed(e)) {
      syntax::append_children(model_.ast, e, stack);
    } else {
      return false;
    }
  }
  return true;
}

bool LoopBodies::is_truth(ExprId e) const {
  return model_.types.is(model_.type[e], sema::BasicType::Bool);
}

// Arithmetic, and what alternatives are made of. An exponent tells what kind of power it is: it
// must be the same in all copies.
bool LoopBodies::is_passed(ExprId e) const {
  const auto& node = model_.ast.exprs[e].node;
  if (std::holds_alternative<syntax::Parenthesized>(node) ||
      std::holds_alternative<syntax::Conditional>(node) ||
      std::holds_alternative<syntax::GuardedExpr>(node)) {
    return true;
  }
  if (const auto* unary = std::get_if<syntax::Unary>(&node)) {
    return unary->op != syntax::UnaryOp::Sample;
  }
  const auto* binary = std::get_if<syntax::Binary>(&node);
  if (binary == nullptr) return false;
  switch (binary->op) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Mul:
    case BinaryOp::Div:
    case BinaryOp::Eq:
    case BinaryOp::Ne:
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge:
    case BinaryOp::And:
    case BinaryOp::Or: return true;
    case BinaryOp::Pow: return !facts_[binary->right].moves && !mentions_index(binary->right);
    default: return false;
  }
}

bool LoopBodies::is_linear_path(ExprId e) const {
  while (!std::holds_alternative<syntax::Name>(model_.ast.exprs[e].node)) {
    if (const auto* index = std::get_if<syntax::Index>(&model_.ast.exprs[e].node)) {
      if (facts_[index->index].moves || !is_linear(index->index)) return false;
    }
    std::vector<ExprId> inner;
    syntax::append_children(model_.ast, e, inner);
    e = inner.front();
  }
  return true;
}

// In the indices of all loops. Follows the nesting of the text, which the parser limits.
bool LoopBodies::is_linear(ExprId e) const {
  if (!mentions_index(e)) return true;
  const auto& node = model_.ast.exprs[e].node;
  if (std::holds_alternative<syntax::Name>(node)) return true;
  if (const auto* parens = std::get_if<syntax::Parenthesized>(&node)) {
    return is_linear(parens->inner);
  }
  const auto* binary = std::get_if<syntax::Binary>(&node);
  if (binary == nullptr) return false;
  const bool sum = binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub;
  const bool product = binary->op == BinaryOp::Mul &&
                       (!mentions_index(binary->left) || !mentions_index(binary->right));
  return (sum || product) && is_linear(binary->left) && is_linear(binary->right);
}

bool LoopBodies::mentions_index(ExprId root) const {
  std::vector<ExprId> stack{root};
  while (!stack.empty()) {
    const ExprId e = stack.back();
    stack.pop_back();
    const auto* decl = std::get_if<DeclId>(&model_.resolution[e]);
    if (decl != nullptr && *decl && model_.decls[*decl].kind == sema::DeclKind::Index) return true;
    syntax::append_children(model_.ast, e, stack);
  }
  return false;
}

// An index that is linear is in its range if the first and the last are.
std::optional<LoopBodies::Argument> LoopBodies::argument(ExprId hole, const Ends& ends) {
  const expr::Pool& pool = equations_.pool;
  if (!facts_[hole].moves) return Argument{.source = hole};
  const std::int64_t high = ends.low + ends.copies - 1;
  const expr::ExprId first = value_at(hole, ends.index, ends.low);
  const expr::ExprId last = first ? value_at(hole, ends.index, high) : expr::ExprId{};
  if (!last) return std::nullopt;
  if (!expr::is_leaf(pool.op(first)) || !expr::is_leaf(pool.op(last))) return std::nullopt;
  if (first == last) return Argument{.same = first};
  if (pool.op(first) != expr::Op::Variable || pool.op(last) != expr::Op::Variable) {
    return Argument{.source = hole};  // discrete: in no order
  }
  const expr::VarRef from = pool.variable(first);
  const std::int64_t way = pool.variable(last).var.index - from.var.index;
  return Argument{.first = from, .stride = way / (ends.copies - 1)};
}

// None if there is no value, or more than one.
expr::ExprId LoopBodies::value_of(ExprId e) {
  scope_.start();
  const auto scalars = translator_.translate(e, scope_, expr::IfKind::Plain);
  if (!scalars || scalars->size() != 1) return scope_.start(), expr::ExprId{};
  const expr::ExprId value = scalars->front();
  Diagnostics unused;
  return scope_.settle({&value, 1}, unused) ? value : expr::ExprId{};
}

expr::ExprId LoopBodies::value_at(ExprId e, DeclId index, std::int64_t value) {
  scope_.push_index(index, value);
  const expr::ExprId found = value_of(e);
  scope_.pop_index();
  return found;
}

expr::FunctionId LoopBodies::function_of(expr::ExprId body, int arity) {
  const auto [at, is_new] = functions_.try_emplace({body, arity});
  if (is_new) {
    at->second = equations_.pool.add_function(arity, body);
    equations_.functions.resize(equations_.pool.function_count(), {});
  }
  return at->second;
}

}  // namespace chi::flat
