#include "expr/linearity.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/check.h"
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

// How a node depends on the unknowns, and whether it is a number.
struct Kind {
  Linearity linearity = Linearity::Free;
  bool is_number = false;
  auto operator<=>(const Kind&) const = default;
};

Linearity strict(Linearity operands) {
  return operands == Linearity::Free ? Linearity::Free : Linearity::Nonlinear;
}

Linearity product(Kind x, Kind y) {
  if (x.linearity == Linearity::Free) std::swap(x, y);
  if (y.linearity != Linearity::Free) return Linearity::Nonlinear;
  if (x.linearity == Linearity::Free || y.is_number) return x.linearity;
  return std::max(x.linearity, Linearity::Varying);
}

// Of a node that is no leaf and no call, by its operands.
template <class KindOf>
Linearity combined(const Pool& pool, ExprId e, const KindOf& of) {
  const Op op = pool.op(e);
  const Operands operands = pool.operands(e);
  if (op == Op::Delay) return strict(of(operands[1]).linearity);
  const Kind a = of(operands[0]);
  if (op == Op::Neg) return a.linearity;
  if (op == Op::Add || op == Op::Sub) return std::max(a.linearity, of(operands[1]).linearity);
  if (op == Op::Mul) return product(a, of(operands[1]));
  if (op == Op::Div) {
    const Kind b = of(operands[1]);
    return b.linearity == Linearity::Free ? product(a, b) : Linearity::Nonlinear;
  }
  if (is_if(op) && !pool.has(e, kBoolean)) {
    if (a.linearity != Linearity::Free) return Linearity::Nonlinear;
    const Linearity branches = std::max(of(operands[1]).linearity, of(operands[2]).linearity);
    return branches == Linearity::Free ? branches : std::max(branches, Linearity::Varying);
  }
  Linearity all = Linearity::Free;
  for (int i = 0; i < operands.size(); ++i) all = std::max(all, of(operands[i]).linearity);
  return strict(all);
}

// The linearity of every node of a cone.
class Classification {
 public:
  Classification(const Pool& pool, std::span<const ExprId> roots, std::span<const ExprId> unknowns)
      : pool_(pool), cone_(pool, roots, kPresent) {
    const NodeIndex unknown = number(pool, unknowns);
    const auto of = [this](ExprId e) { return kind(e); };
    for (const ExprId e : cone_.nodes()) {
      const Op op = pool.op(e);
      kind_.push_back(op == Op::Call         ? call(e)
                      : !is_leaf(op)         ? combined(pool, e, of)
                      : unknown.find(e) >= 0 ? Linearity::Constant
                                             : Linearity::Free);
    }
  }

  const Cone& cone() const { return cone_; }
  Linearity operator[](ExprId e) const { return kind_[at(cone_.position(e))]; }

 private:
  Kind kind(ExprId e) const { return {(*this)[e], pool_.op(e) == Op::Constant}; }

  // Each body is looked at once for each way in which its arguments depend on the unknowns.
  Linearity call(ExprId e) {
    const Operands operands = pool_.operands(e);
    std::vector<Kind> arguments;
    Linearity all = Linearity::Free;
    for (int i = 0; i < operands.size(); ++i) {
      arguments.push_back(kind(operands[i]));
      all = std::max(all, arguments.back().linearity);
    }
    const ExprId body = pool_.function(pool_.called(e)).body;
    if (all == Linearity::Free || all == Linearity::Nonlinear || !body ||
        pool_.has(body, kHasCall)) {
      return strict(all);
    }
    const auto [known, is_new] = bodies_.try_emplace({pool_.called(e), std::move(arguments)});
    if (is_new) known->second = of_body(body, known->first.second);
    return known->second;
  }

  Linearity of_body(ExprId body, const std::vector<Kind>& arguments) const {
    const Cone cone(pool_, std::array{body});
    std::vector<Kind> kinds;
    const auto of = [&](ExprId e) { return kinds[at(cone.position(e))]; };
    for (const ExprId e : cone.nodes()) {
      const Op op = pool_.op(e);
      if (op == Op::ParamReal || op == Op::ParamBool) {
        kinds.push_back(arguments[at(pool_.param(e))]);
      } else {
        const Linearity l = is_leaf(op) ? Linearity::Free : combined(pool_, e, of);
        kinds.push_back({l, op == Op::Constant});
      }
    }
    return of(body).linearity;
  }

  const Pool& pool_;
  Cone cone_;
  std::vector<Linearity> kind_;
  std::map<std::pair<FunctionId, std::vector<Kind>>, Linearity> bodies_;
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
    if (pool_.op(e) == Op::Call) return of_call(e);
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

  // An argument that vanishes takes its coefficient with it.
  ExprId of_call(ExprId e) {
    FunctionId f = pool_.called(e);
    std::vector<ExprId> arguments;
    const Operands operands = pool_.operands(e);
    for (int i = 0; i < operands.size(); ++i) {
      const bool is_free = kinds_[operands[i]] == Linearity::Free;
      const ExprId left = is_free ? operands[i] : (*this)[operands[i]];
      arguments.push_back(left ? left : constant(pool_, 0));
      if (left || is_free) continue;
      f = rest_of(pool_, f, i);
      CHI_CHECK(static_cast<bool>(f), "what is linear in all is linear in each");
    }
    const ExprId rest = call(pool_, f, arguments);
    return is_zero_constant(rest) ? ExprId{} : rest;
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

FunctionId rest_of(Pool& pool, FunctionId f, int param) {
  const auto i = static_cast<std::size_t>(param);
  const Function& function = pool.function(f);
  if (function.rests.empty() || !function.rests[i].is_known) {
    const ExprId body = function.body;
    ExprId rest;
    if (body && !pool.has(body, kHasCall | kBoolean)) {
      const std::array roots{body};
      rest = linear_forms(pool, roots, std::array{param_real(pool, param)}).b[0];
    }
    pool.add_rest(f, param, rest);
  }
  return pool.function(f).rests[i].function;
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
