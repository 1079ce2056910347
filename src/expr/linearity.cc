#include "expr/linearity.h"

#include <algorithm>
#include <array>

#include "expr/build.h"
#include "expr/cone.h"

namespace chi::expr {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

NodeIndex number(const Pool& pool, std::span<const ExprId> leaves) {
  NodeIndex index(pool.size());
  for (std::size_t j = 0; j < leaves.size(); ++j)
    index.set(leaves[j], static_cast<std::int32_t>(j));
  return index;
}

constexpr Follow kPresent{.delayed = false};

// The linearity of every node of a cone.
class Classification {
 public:
  Classification(const Pool& pool, std::span<const ExprId> roots, std::span<const ExprId> unknowns)
      : pool_(pool), cone_(pool, roots, kPresent) {
    const NodeIndex unknown = number(pool, unknowns);
    for (const ExprId e : cone_.nodes()) {
      const bool leaf = is_leaf(pool.op(e));
      kind_.push_back(!leaf                  ? node(e)
                      : unknown.find(e) >= 0 ? Linearity::Constant
                                             : Linearity::Free);
    }
  }

  const Cone& cone() const { return cone_; }
  Linearity operator[](ExprId e) const { return kind_[at(cone_.position(e))]; }

 private:
  Linearity node(ExprId e) const {
    const Op op = pool_.op(e);
    const Operands operands = pool_.operands(e);
    if (op == Op::Delay) return strict((*this)[operands[1]]);
    const Linearity a = (*this)[operands[0]];
    if (op == Op::Neg) return a;
    if (op == Op::Add || op == Op::Sub) return std::max(a, (*this)[operands[1]]);
    if (op == Op::Mul) return product(operands[0], operands[1]);
    if (op == Op::Div) {
      return (*this)[operands[1]] == Linearity::Free ? product(operands[0], operands[1])
                                                     : Linearity::Nonlinear;
    }
    if (is_if(op) && !pool_.has(e, kBoolean)) {
      if (a != Linearity::Free) return Linearity::Nonlinear;
      const Linearity branches = std::max((*this)[operands[1]], (*this)[operands[2]]);
      return branches == Linearity::Free ? branches : std::max(branches, Linearity::Varying);
    }
    Linearity all = Linearity::Free;
    for (int i = 0; i < operands.size(); ++i) all = std::max(all, (*this)[operands[i]]);
    return strict(all);
  }

  static Linearity strict(Linearity operands) {
    return operands == Linearity::Free ? Linearity::Free : Linearity::Nonlinear;
  }

  Linearity product(ExprId x, ExprId y) const {
    if ((*this)[x] == Linearity::Free) std::swap(x, y);
    if ((*this)[y] != Linearity::Free) return Linearity::Nonlinear;
    if ((*this)[x] == Linearity::Free || pool_.op(y) == Op::Constant) return (*this)[x];
    return std::max((*this)[x], Linearity::Varying);
  }

  const Pool& pool_;
  Cone cone_;
  std::vector<Linearity> kind_;
};

// What is left of each affine node when the unknowns are zero; none stands for zero. Not a
// substitution of zeros: the coefficients, which may have no value where they are not wanted, go
// away entirely.
class Remainder {
 public:
  Remainder(Pool& pool, const Classification& kinds) : pool_(pool), kinds_(kinds) {
    for (const ExprId e : kinds.cone().nodes()) rest_.push_back(of(e));
  }

  ExprId operator[](ExprId e) const { return rest_[at(kinds_.cone().position(e))]; }

 private:
  ExprId of(ExprId e) {
    if (kinds_[e] == Linearity::Free) return is_zero_constant(e) ? ExprId{} : e;
    if (kinds_[e] == Linearity::Nonlinear || is_leaf(pool_.op(e))) return {};
    const Operands operands = pool_.operands(e);
    const ExprId a = (*this)[operands[0]];
    const ExprId b = operands.size() > 1 ? (*this)[operands[1]] : ExprId{};
    switch (pool_.op(e)) {
      case Op::Neg: return a ? neg(pool_, a) : a;
      case Op::Add: return a && b ? add(pool_, a, b) : a ? a : b;
      case Op::Sub: return !b ? a : a ? sub(pool_, a, b) : neg(pool_, b);
      case Op::Mul: return a && b ? mul(pool_, a, b) : ExprId{};
      case Op::Div: return a ? div(pool_, a, operands[1]) : ExprId{};
      default: break;
    }
    const ExprId c = (*this)[operands[2]];
    if (!b && !c) return {};
    const IfKind kind = pool_.op(e) == Op::If ? IfKind::Evented : IfKind::Plain;
    const ExprId zero = constant(pool_, 0);
    return if_else(pool_, kind, operands[0], b ? b : zero, c ? c : zero);
  }

  bool is_zero_constant(ExprId e) const { return !pool_.has(e, kBoolean) && is_zero(pool_, e); }

  Pool& pool_;
  const Classification& kinds_;
  std::vector<ExprId> rest_;
};

}  // namespace

std::vector<Linearity> linearity(const Pool& pool, std::span<const ExprId> roots,
                                 std::span<const ExprId> unknowns) {
  const Classification kinds(pool, roots, unknowns);
  std::vector<Linearity> result;
  for (const ExprId root : roots) result.push_back(kinds[root]);
  return result;
}

LinearForms linear_forms(Pool& pool, std::span<const ExprId> roots,
                         std::span<const ExprId> unknowns) {
  const Classification kinds(pool, roots, unknowns);
  const Remainder rest(pool, kinds);
  LinearForms forms;
  std::vector<ExprId> affine;
  const ExprId zero = constant(pool, 0);
  for (const ExprId root : roots) {
    forms.kind.push_back(kinds[root]);
    const bool nonlinear = kinds[root] == Linearity::Nonlinear;
    const ExprId b = rest[root];
    forms.b.push_back(nonlinear ? ExprId{} : b ? b : zero);
    affine.push_back(nonlinear ? zero : root);
  }
  forms.a = jacobian(pool, affine, unknowns);
  return forms;
}

std::optional<TimeLine> affine_in_time(Pool& pool, ExprId e, std::span<const ExprId> moving) {
  const std::array roots{e};
  const NodeIndex moves = number(pool, moving);
  const Cone cone(pool, roots);
  for (const ExprId n : cone.nodes()) {
    if (moves.find(n) >= 0 || pool.op(n) == Op::Delay) return std::nullopt;
  }
  const LinearForms forms = linear_forms(pool, roots, std::array{time(pool)});
  if (forms.kind[0] == Linearity::Nonlinear) return std::nullopt;
  return TimeLine{forms.a.entry.empty() ? constant(pool, 0) : forms.a.entry[0], forms.b[0]};
}

}  // namespace chi::expr
