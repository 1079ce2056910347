#include <fmt/format.h>

#include "sema/expression_parts.h"
#include "sema/expressions.h"
#include "sema/paths.h"

namespace chi::sema {
namespace {

using syntax::BinaryOp;

std::string_view op_text(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return "+";
    case BinaryOp::Sub: return "-";
    case BinaryOp::Mul: return "*";
    case BinaryOp::Div: return "/";
    case BinaryOp::IntDiv: return "div";
    case BinaryOp::Mod: return "mod";
    case BinaryOp::Pow: return "^";
    case BinaryOp::Concat: return "++";
    case BinaryOp::Subtract: return "--";
    case BinaryOp::Eq: return "=";
    case BinaryOp::Ne: return "/=";
    case BinaryOp::Lt: return "<";
    case BinaryOp::Le: return "<=";
    case BinaryOp::Gt: return ">";
    case BinaryOp::Ge: return ">=";
    case BinaryOp::In: return "in";
    case BinaryOp::And: return "and";
    case BinaryOp::Or: return "or";
  }
  return "";
}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::Eq && op <= BinaryOp::In; }

/// Operators whose operands may be lists or sets, of the type of the result.
bool makes_collection(BinaryOp op) {
  return op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul ||
         op == BinaryOp::Concat || op == BinaryOp::Subtract;
}

/// Of a bracketed literal it makes a vector or a matrix: lists have no such operator.
bool is_product(BinaryOp op) { return op == BinaryOp::Mul || op == BinaryOp::Div; }

bool is_composite(const Context& c, TypeId type) {
  return c.as<List>(type) || c.as<Set>(type) || c.as<Array>(type) || c.as<Tuple>(type) ||
         c.as<Record>(type) || c.as<Dict>(type);
}

/// `a < b < c`: reported by the parser.
bool is_chain(const Context& c, const syntax::Binary& node) {
  const auto* left = c.node<syntax::Binary>(node.left);
  return is_comparison(node.op) && left && is_comparison(left->op);
}

class Operands {
 public:
  Operands(Context& c, ExprId expr, TypeId left, TypeId right)
      : c_(c), expr_(expr), node_(*c.node<syntax::Binary>(expr)), left_(left), right_(right) {}

  TypeId result() {
    if (c_.types.is_unknown(left_) || c_.types.is_unknown(right_)) return after_error();
    if (is_vector_operation()) return check_vector_operator(c_, expr_, left_, right_);
    switch (node_.op) {
      case BinaryOp::Add: return sum();
      case BinaryOp::Sub: return numeric() ? difference() : same<Set>();
      case BinaryOp::Mul: return numeric() ? wider() : same<Set>();
      case BinaryOp::Div: return quotient(numeric(), c_.real_type());
      case BinaryOp::IntDiv:
      case BinaryOp::Mod: return quotient(integers(), wider());
      case BinaryOp::Pow: return power();
      case BinaryOp::Concat: return strings() ? left_ : same<List>();
      case BinaryOp::Subtract: return same<List>();
      case BinaryOp::Eq:
      case BinaryOp::Ne: return equality();
      case BinaryOp::Lt:
      case BinaryOp::Le:
      case BinaryOp::Gt:
      case BinaryOp::Ge: return numeric() || strings() ? c_.bool_type() : fail();
      case BinaryOp::In: return membership();
      case BinaryOp::And:
      case BinaryOp::Or: return booleans() ? c_.bool_type() : fail();
    }
    return c_.unknown();
  }

 private:
  /// One operand is wrong already. The result of a comparison is known all the same.
  TypeId after_error() const { return node_.op >= BinaryOp::Eq ? c_.bool_type() : c_.unknown(); }

  bool is_vector_operation() const {
    const bool arithmetic = node_.op <= BinaryOp::Div || node_.op == BinaryOp::Pow;
    return arithmetic && (is_vector(c_.types, left_) || is_vector(c_.types, right_));
  }
  bool numeric() const { return c_.types.is_numeric(left_) && c_.types.is_numeric(right_); }
  bool integers() const { return c_.types.is_integer(left_) && c_.types.is_integer(right_); }
  bool both(TypeId type) const { return left_ == type && right_ == type; }
  bool strings() const { return both(c_.string_type()); }
  bool booleans() const { return both(c_.bool_type()); }
  TypeId wider() const { return join(c_.types, left_, right_).value_or(c_.unknown()); }

  TypeId sum() {
    if (numeric()) return wider();
    return strings() ? left_ : same<Set>();
  }

  TypeId difference() { return both(c_.nat_type()) ? c_.int_type() : wider(); }

  template <class Collection>
  TypeId same() {
    const bool fit = c_.as<Collection>(left_) && c_.as<Collection>(right_);
    const auto type = fit ? join(c_.types, left_, right_) : std::nullopt;
    return type ? *type : fail();
  }

  TypeId quotient(bool operands_fit, TypeId type) {
    if (!operands_fit) return fail();
    const ExprId divisor = strip(c_.ast, node_.right);
    const auto* integer = c_.node<syntax::IntLiteral>(divisor);
    const auto* real = c_.node<syntax::RealLiteral>(divisor);
    if ((integer && integer->value == 0) || (real && real->value == 0.0)) {
      c_.report({.code = DiagCode::LiteralDivisionByZero,
                 .span = c_.span(node_.right),
                 .message = "division by zero"});
    }
    return type;
  }

  TypeId power() {
    if (!numeric()) return fail();
    if (!c_.types.is(right_, BasicType::Nat)) return c_.real_type();
    return left_;
  }

  TypeId equality() {
    const bool comparable = c_.types.is_data(left_) && c_.types.is_data(right_);
    return comparable && join(c_.types, left_, right_) ? c_.bool_type() : fail();
  }

  TypeId membership() {
    TypeId element;
    if (const auto list = c_.as<List>(right_)) element = list->element;
    if (const auto set = c_.as<Set>(right_)) element = set->element;
    if (const auto dict = c_.as<Dict>(right_)) element = dict->key;
    return element && join(c_.types, left_, element) ? c_.bool_type() : fail();
  }

  TypeId fail() {
    Diagnostic d{.code = DiagCode::OperandType,
                 .span = c_.span(expr_),
                 .message = fmt::format("`{}` cannot be applied to `{}` and `{}`",
                                        op_text(node_.op), c_.text(left_), c_.text(right_))};
    const bool lists = c_.as<List>(left_) && c_.as<List>(right_);
    if (node_.op == BinaryOp::Add && lists) d.help = "`++` joins lists";
    if (node_.op == BinaryOp::Sub && lists) d.help = "`--` removes elements of a list";
    const bool division = node_.op == BinaryOp::IntDiv || node_.op == BinaryOp::Mod;
    if (division && numeric()) d.help = "`div` and `mod` are for integers";
    c_.report(std::move(d));
    return after_error();
  }

  Context& c_;
  ExprId expr_;
  const syntax::Binary& node_;
  TypeId left_, right_;
};

/// What the second operand may take from the first. `x in {1, 2}`: the type of x.
TypeId second_hint(Context& c, const syntax::Binary& node, const Context::Link& link,
                   TypeId first) {
  const ExprId second = link.right ? node.left : node.right;
  if (is_vector_literal(c, second)) {
    const TypeId scalar = scalar_hint(c, is_vector(c.types, first) ? first : link.hint);
    const bool sum = node.op == BinaryOp::Add || node.op == BinaryOp::Sub;
    if (is_product(node.op) || (sum && is_vector(c.types, first))) {
      return vector_hint(c, second, scalar);
    }
  }
  if (node.op != BinaryOp::In) {
    const bool shared = makes_collection(node.op) || is_comparison(node.op);
    return shared && is_composite(c, first) ? first : operand_hint(c, node, link.hint);
  }
  if (link.right) {
    if (const auto list = c.as<List>(first)) return list->element;
    if (const auto set = c.as<Set>(first)) return set->element;
    if (const auto dict = c.as<Dict>(first)) return dict->key;
    return {};
  }
  if (c.types.is_numeric(first) || c.types.is_unknown(first)) return {};
  const ExprId literal = strip(c.ast, node.right);
  if (c.node<syntax::ListExpr>(literal)) return c.types.list(first);
  if (c.node<syntax::SetExpr>(literal)) return c.types.set(first);
  return {};
}

}  // namespace

bool right_operand_first(const Context& c, const syntax::Binary& node, TypeId) {
  if (node.op == BinaryOp::Pow) return true;  // chains of `^` lean to the right
  if (node.op == BinaryOp::In) return !is_open_literal(c, node.right);
  const bool shared = makes_collection(node.op) || is_comparison(node.op);
  return shared && is_open_literal(c, node.left) && !is_open_literal(c, node.right);
}

TypeId operand_hint(Context& c, const syntax::Binary& node, TypeId hint) {
  const bool sum = node.op == BinaryOp::Add || node.op == BinaryOp::Sub;
  const ExprId first = right_operand_first(c, node, hint) ? node.right : node.left;
  const bool array = hint && is_vector(c.types, hint);
  if (is_vector_literal(c, first) && (is_product(node.op) || (sum && array))) {
    return vector_hint(c, first, scalar_hint(c, hint));
  }
  if (sum && array) return hint;
  const bool collection = c.as<List>(hint) || c.as<Set>(hint);
  return makes_collection(node.op) && collection ? hint : TypeId{};
}

TypeId check_binary(Context& c, const Context::Link& link, TypeId first) {
  const auto& node = *c.node<syntax::Binary>(link.expr);
  const ExprId second = link.right ? node.left : node.right;
  const TypeId other = check_expr(c, second, second_hint(c, node, link, first));
  if (is_chain(c, node)) return c.bool_type();
  const TypeId left = link.right ? other : first;
  const TypeId right = link.right ? first : other;
  return Operands(c, link.expr, left, right).result();
}

namespace {

TypeId check_sample(Context& c, ExprId expr, TypeId operand) {
  if (c.place != Place::Statement && c.place != Place::Initialiser) {
    c.report({.code = DiagCode::SamplePlace,
              .span = c.span(expr),
              .message = "a sample can be drawn only in a statement or an initialiser"});
    return c.unknown();
  }
  if (c.types.is_unknown(operand)) return operand;
  if (const auto dist = c.as<Dist>(operand)) return dist->result;
  c.report({.code = DiagCode::OperandType,
            .span = c.span(expr),
            .message = fmt::format("`sample` needs a distribution, found `{}`", c.text(operand))});
  return c.unknown();
}

}  // namespace

TypeId check_unary(Context& c, ExprId expr, TypeId operand) {
  using syntax::UnaryOp;
  const UnaryOp op = c.node<syntax::Unary>(expr)->op;
  if (op == UnaryOp::Sample) return check_sample(c, expr, operand);
  if (c.types.is_unknown(operand)) return op == UnaryOp::Not ? c.bool_type() : operand;
  if (op == UnaryOp::Not) {
    if (c.types.is(operand, BasicType::Bool)) return operand;
  } else if (is_vector(c.types, operand)) {
    const Shape shape = *shape_of(c.types, operand);
    const bool negated_nat = op == UnaryOp::Minus && c.types.is(shape.scalar, BasicType::Nat);
    return negated_nat ? array_of(c.types, c.int_type(), shape.lengths) : operand;
  } else if (c.types.is_numeric(operand)) {
    const bool negated_nat = op == UnaryOp::Minus && c.types.is(operand, BasicType::Nat);
    return negated_nat ? c.int_type() : operand;
  }
  const char* text = op == UnaryOp::Not ? "not" : op == UnaryOp::Minus ? "-" : "+";
  c.report({.code = DiagCode::OperandType,
            .span = c.span(expr),
            .message = fmt::format("`{}` cannot be applied to `{}`", text, c.text(operand))});
  return op == UnaryOp::Not ? c.bool_type() : c.unknown();
}

}  // namespace chi::sema
