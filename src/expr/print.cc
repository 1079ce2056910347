#include "expr/print.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace chi::expr {
namespace {

// How tightly text binds (language page §3); an operand that binds less than its place asks for is
// put in parentheses.
enum Level : int { kIf, kOr, kAnd, kNot, kRelation, kSum, kProduct, kSign, kPower, kAtom };

class Printer {
 public:
  Printer(const Pool& pool, const Names& names, std::size_t limit)
      : pool_(pool), names_(names), limit_(limit) {}

  std::string run(ExprId e) {
    stack_.push_back({What::Place, {}, e, kIf});
    while (!stack_.empty()) {
      const Item item = stack_.back();
      stack_.pop_back();
      const std::size_t from = stack_.size();
      switch (item.what) {
        case What::Literal: text_ += item.text; break;
        case What::Leaf: leaf(item.node); break;
        case What::Exponent: text_ += fmt::format("^{}", pool_.exponent(item.node)); break;
        case What::Callee: text_ += function_name(pool_.called(item.node)); break;
        case What::Place:
          if (text_.size() >= limit_) {
            text_ += "...";
          } else {
            place(item.node, item.level);
          }
          break;
      }
      std::reverse(stack_.begin() + static_cast<std::ptrdiff_t>(from), stack_.end());
    }
    return std::move(text_);
  }

 private:
  // What is still to be written, the next last. A `Place` is an operand at a place that asks for a
  // level; it is replaced by its parts, put on the stack in order and then turned round.
  enum class What : char { Literal, Place, Leaf, Exponent, Callee };
  struct Item {
    What what = What::Literal;
    std::string_view text;
    ExprId node;
    Level level = kIf;
  };

  void literal(std::string_view text) { stack_.push_back({What::Literal, text, {}, kIf}); }
  void operand(ExprId e, Level level) { stack_.push_back({What::Place, {}, e, level}); }
  void part(What what, ExprId e) { stack_.push_back({what, {}, e, kIf}); }

  Level level_of(ExprId e) const {
    switch (pool_.op(e)) {
      case Op::Constant: return std::signbit(pool_.constant(e)) ? kSign : kAtom;
      case Op::Neg: return is_product(pool_.operand(e, 0)) ? kProduct : kSign;
      case Op::IntPower:
      case Op::Pow: return kPower;
      case Op::Add:
      case Op::Sub: return kSum;
      case Op::Mul:
      case Op::Div: return kProduct;
      case Op::Less:
      case Op::LessEqual:
      case Op::Greater:
      case Op::GreaterEqual:
      case Op::Equal:
      case Op::NotEqual: return kRelation;
      case Op::Not: return kNot;
      case Op::And: return kAnd;
      case Op::Or: return kOr;
      case Op::If:
      case Op::PlainIf: return kIf;
      default: return kAtom;
    }
  }

  bool is_product(ExprId e) const { return pool_.op(e) == Op::Mul || pool_.op(e) == Op::Div; }

  void place(ExprId e, Level asked) {
    const bool parentheses = level_of(e) < asked;
    if (parentheses) literal("(");
    if (is_leaf(pool_.op(e))) {
      part(What::Leaf, e);
    } else if (level_of(e) == kAtom) {
      prefix_call(e);
    } else {
      infix(e);
    }
    if (parentheses) literal(")");
  }

  void leaf(ExprId e) {
    switch (pool_.op(e)) {
      case Op::Constant: text_ += number_text(pool_.constant(e)); return;
      case Op::Boolean: text_ += pool_.boolean(e) ? "true" : "false"; return;
      case Op::Variable: {
        const VarRef v = pool_.variable(e);
        text_ += names_.variable ? names_.variable(v.var) : fmt::format("x{}", v.var.index);
        text_.append(static_cast<std::size_t>(v.order), '\'');
        return;
      }
      case Op::DiscreteReal:
      case Op::DiscreteBool:
        text_ += names_.discrete ? names_.discrete(pool_.discrete(e))
                                 : fmt::format("d{}", pool_.discrete(e).index);
        return;
      case Op::ParamReal:
      case Op::ParamBool: text_ += fmt::format("p{}", pool_.param(e)); return;
      default: text_ += op_name(pool_.op(e)); return;
    }
  }

  void prefix_call(ExprId e) {
    if (pool_.op(e) == Op::Call) {
      part(What::Callee, e);
    } else {
      literal(op_name(pool_.op(e)));
    }
    const Operands operands = pool_.operands(e);
    literal("(");
    for (int i = 0; i < operands.size(); ++i) {
      if (i > 0) literal(", ");
      operand(operands[i], kIf);
    }
    literal(")");
  }

  std::string function_name(FunctionId f) const {
    std::string suffix;
    for (; pool_.function(f).parent; f = pool_.function(f).parent) {
      suffix = fmt::format(".d{}", pool_.function(f).param) + suffix;
    }
    return (names_.function ? names_.function(f) : fmt::format("f{}", f.index)) + suffix;
  }

  void infix(ExprId e) {
    const Op op = pool_.op(e);
    const Operands operands = pool_.operands(e);
    switch (op) {
      case Op::Neg:
        literal("-");
        operand(operands[0], is_product(operands[0]) ? kProduct : kPower);
        return;
      case Op::IntPower:
        operand(operands[0], kAtom);
        part(What::Exponent, e);
        return;
      case Op::Pow:
        operand(operands[0], kAtom);
        literal("^");
        operand(operands[1], kSign);
        return;
      case Op::Not:
        literal("not ");
        operand(operands[0], kNot);
        return;
      case Op::If:
      case Op::PlainIf:
        literal("if ");
        operand(operands[0], kOr);
        literal(" then ");
        operand(operands[1], kOr);
        literal(" else ");
        operand(operands[2], kIf);
        return;
      default: between(e); return;
    }
  }

  // Two operands with the operator between: the left may be of the same level, the right only for
  // `and` and `or`, where the grouping does not matter.
  void between(ExprId e) {
    const Level level = level_of(e);
    const bool relation = level == kRelation;
    operand(pool_.operand(e, 0), relation ? kSum : level);
    literal(" ");
    literal(op_name(pool_.op(e)));
    literal(" ");
    const bool associative = level == kAnd || level == kOr;
    operand(pool_.operand(e, 1), associative ? level : static_cast<Level>(level + 1));
  }

  const Pool& pool_;
  const Names& names_;
  std::size_t limit_;
  std::string text_;
  std::vector<Item> stack_;
};

}  // namespace

std::string number_text(double value) { return fmt::format("{}", value); }

std::string to_text(const Pool& pool, ExprId e, const Names& names, std::size_t limit) {
  return Printer(pool, names, limit).run(e);
}

}  // namespace chi::expr
