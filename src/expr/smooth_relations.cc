#include <array>

#include "expr/build.h"
#include "expr/cone.h"
#include "expr/incidence.h"
#include "expr/substitute.h"

namespace chi::expr {
namespace {

/// Relations that one may become: kinks inside kinks double them.
constexpr int kMost = 64;

bool is_less(Op op) { return op == Op::Less || op == Op::LessEqual; }
bool is_greater(Op op) { return op == Op::Greater || op == Op::GreaterEqual; }

/// a op b is b mirrored(op) a.
Op mirrored(Op op) {
  switch (op) {
    case Op::Less: return Op::Greater;
    case Op::LessEqual: return Op::GreaterEqual;
    case Op::Greater: return Op::Less;
    case Op::GreaterEqual: return Op::LessEqual;
    default: return op;
  }
}

class Splitter {
 public:
  explicit Splitter(Pool& pool) : pool_(pool) {}

  ExprId relation(Op op, ExprId left, ExprId right) {
    if (const ExprId found = extreme(op, left, right)) return found;
    if (const ExprId found = extreme(mirrored(op), right, left)) return found;
    const ExprId kink = ++made_ < kMost ? first_kink(left, right) : ExprId{};
    if (!kink) return binary(pool_, op, left, right);
    const auto with = [&](ExprId by) {
      const std::array<Replacement, 1> one = {{{kink, by}}};
      return relation(op, substitute(pool_, left, one), substitute(pool_, right, one));
    };
    const Operands x = pool_.operands(kink);
    const ExprId zero = constant(pool_, 0);
    switch (pool_.op(kink)) {
      case Op::Abs:
        return choose(relation(Op::GreaterEqual, x[0], zero), with(x[0]), with(neg(pool_, x[0])));
      case Op::Sign:
        return choose(
            relation(Op::Greater, x[0], zero), with(constant(pool_, 1)),
            choose(relation(Op::Less, x[0], zero), with(constant(pool_, -1)), with(zero)));
      case Op::Min: return choose(relation(Op::LessEqual, x[0], x[1]), with(x[0]), with(x[1]));
      case Op::Max: return choose(relation(Op::GreaterEqual, x[0], x[1]), with(x[0]), with(x[1]));
      default: return choose(smooth_relations(pool_, x[0]), with(x[1]), with(x[2]));
    }
  }

 private:
  /// Where abs, min or max is all of one side, no border lies on the kink itself.
  ExprId extreme(Op op, ExprId kink, ExprId other) {
    const Op kind = pool_.op(kink);
    if (kind != Op::Abs && kind != Op::Min && kind != Op::Max) return {};
    if (!is_less(op) && !is_greater(op)) return {};
    const Operands x = pool_.operands(kink);
    const ExprId second = kind == Op::Abs ? neg(pool_, x[0]) : x[1];
    if (++made_ >= kMost) return {};
    const ExprId a = relation(op, x[0], other), b = relation(op, second, other);
    const bool both = is_less(op) == (kind != Op::Min);
    return both ? conjunction(pool_, a, b) : disjunction(pool_, a, b);
  }

  ExprId first_kink(ExprId left, ExprId right) const {
    const std::array<ExprId, 2> sides = {left, right};
    const Cone cone(pool_, sides, {.delayed = false});
    for (const ExprId e : cone.nodes()) {
      const Op op = pool_.op(e);
      const bool kink = op == Op::Abs || op == Op::Sign || op == Op::Min || op == Op::Max ||
                        (is_if(op) && !pool_.has(e, kBoolean));
      if (kink && pool_.has(e, kMoving)) return e;
    }
    return {};
  }

  ExprId choose(ExprId condition, ExprId then, ExprId otherwise) {
    return if_else(pool_, IfKind::Plain, condition, then, otherwise);
  }

  Pool& pool_;
  int made_ = 0;
};

}  // namespace

ExprId smooth_relations(Pool& pool, ExprId condition) {
  std::vector<Replacement> replacements;
  for (const ExprId e : relations(pool, std::array{condition}).node) {
    if (pool.has(pool.operand(e, 0), kBoolean)) continue;
    const ExprId split =
        Splitter(pool).relation(pool.op(e), pool.operand(e, 0), pool.operand(e, 1));
    if (split != e) replacements.push_back({e, split});
  }
  return replacements.empty() ? condition : substitute(pool, condition, replacements);
}

}  // namespace chi::expr
