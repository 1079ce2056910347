#include <algorithm>
#include <array>

#include "expr/build.h"
#include "expr/cone.h"
#include "expr/incidence.h"
#include "expr/substitute.h"

namespace chi::expr {
namespace {

/// Jumps that are opened: each doubles the relations.
constexpr int kMostJumps = 6;
/// Relations that one may become where nothing doubles them, as `max(xs) > 1` does.
constexpr int kMost = 1000;

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

bool is_kink(const Pool& pool, ExprId e) {
  const Op op = pool.op(e);
  return op == Op::Abs || op == Op::Sign || op == Op::Min || op == Op::Max ||
         (is_if(op) && !pool.has(e, kBoolean));
}

/// The kinks that can change between events, inner ones first.
std::vector<ExprId> moving_kinks(const Pool& pool, std::span<const ExprId> roots) {
  std::vector<ExprId> found;
  const Cone cone(pool, roots, {.delayed = false});
  for (const ExprId e : cone.nodes()) {
    if (is_kink(pool, e) && pool.has(e, kMoving)) found.push_back(e);
  }
  return found;
}

/// Whether both branches have the same value where the condition changes: of abs, min and max, also
/// as `evented_kinks` writes them.
bool is_corner(Pool& pool, ExprId e) {
  if (pool.op(e) == Op::Abs || pool.op(e) == Op::Min || pool.op(e) == Op::Max) return true;
  if (pool.op(e) != Op::If) return false;
  const ExprId condition = pool.operand(e, 0);
  if (!is_less(pool.op(condition)) && !is_greater(pool.op(condition))) return false;
  const ExprId left = pool.operand(condition, 0), right = pool.operand(condition, 1);
  const ExprId other = is_zero(pool, right) ? neg(pool, left) : right;
  const auto are_branches = [&](ExprId a, ExprId b) {
    return (pool.operand(e, 1) == a && pool.operand(e, 2) == b) ||
           (pool.operand(e, 1) == b && pool.operand(e, 2) == a);
  };
  return are_branches(left, right) || are_branches(left, other);
}

class Splitter {
 public:
  explicit Splitter(Pool& pool) : pool_(pool) {}

  ExprId relation(Op op, ExprId left, ExprId right) {
    if (const ExprId found = extreme(op, left, right)) return found;
    if (const ExprId found = extreme(mirrored(op), right, left)) return found;
    std::vector<ExprId> jumps = moving_kinks(pool_, std::array{left, right});
    std::erase_if(jumps, [this](ExprId e) { return is_corner(pool_, e); });
    if (jumps.empty() || jumps.size() > kMostJumps) return binary(pool_, op, left, right);
    const ExprId kink = jumps.front();
    const auto with = [&](ExprId by) {
      const std::array<Replacement, 1> one = {{{kink, by}}};
      return relation(op, substitute(pool_, left, one), substitute(pool_, right, one));
    };
    const Operands x = pool_.operands(kink);
    const ExprId zero = constant(pool_, 0);
    if (pool_.op(kink) != Op::Sign) {
      return choose(smooth_relations(pool_, x[0]), with(x[1]), with(x[2]));
    }
    return choose(relation(Op::Greater, x[0], zero), with(constant(pool_, 1)),
                  choose(relation(Op::Less, x[0], zero), with(constant(pool_, -1)), with(zero)));
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

bool has_corners_only(Pool& pool, std::span<const ExprId> roots) {
  const std::vector<ExprId> kinks = moving_kinks(pool, roots);
  return !kinks.empty() && std::ranges::all_of(kinks, [&](ExprId e) { return is_corner(pool, e); });
}

}  // namespace chi::expr
