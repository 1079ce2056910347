#include "sema/unit_rules.h"

#include <algorithm>
#include <cmath>

#include "base/match.h"
#include "sema/paths.h"
#include "sema/walk.h"

namespace chi::sema {

using Kind = UnitShape::Kind;
using syntax::BinaryOp;
using units::Rational;

UnitRules::UnitRules(Context& c)
    : shapes(c),
      c_(c),
      of_expr_(static_cast<std::size_t>(c.ast.exprs.size()), 0),
      of_decl_(static_cast<std::size_t>(c.model.decls.size()), 0) {}

ShapeId UnitRules::infer(ExprId root) {
  if (!root) return shapes.any();
  todo_.clear();
  walk(c_.ast, root, [&](ExprId e) { return todo_.push_back(e), true; });
  std::ranges::sort(todo_, {}, [](ExprId e) { return e.index; });
  for (const ExprId e : todo_) of_expr_[static_cast<std::size_t>(e.index)] = rule(e);
  return found(root);
}

void UnitRules::require(ExprId expr, ShapeId wanted, Meeting how, ExprId place, DeclId declared) {
  if (!expr) return;
  unify(wanted, infer(expr), {how, place, expr, c_.span(expr), declared});
}

ShapeId UnitRules::unify(ShapeId a, ShapeId b, const Met& met) {
  const UnitShape x = shapes[a], y = shapes[b];
  if (x.kind == Kind::Any) return b;
  if (y.kind == Kind::Any || x.kind == Kind::Plain || y.kind == Kind::Plain) return a;
  if (x.kind == Kind::Bare && y.kind == Kind::Bare) return shapes.bare(x.zero && y.zero);
  if (x.kind == Kind::Bare && y.kind == Kind::Real) return bare(a, b, met, true);
  if (x.kind == Kind::Real && y.kind == Kind::Bare) return bare(b, a, met, false);
  if (x.kind == Kind::Real && y.kind == Kind::Real) return reals(a, b, met);
  if (x.kind != y.kind || x.parts.count != y.parts.count) return a;
  std::vector<ShapeId> parts;
  for (std::int32_t k = 0; k < x.parts.count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    parts.push_back(unify(shapes.parts(a)[at], shapes.parts(b)[at], met));
  }
  return shapes.compound(x.kind, parts);
}

bool UnitRules::has_offset(ShapeId shape) const {
  const UnitShape& s = shapes[shape];
  return s.kind == Kind::Real && s.unit >= 0 && shapes.unit(s.unit).has_offset();
}

// A default value counts where an instance takes it.
bool UnitRules::is_default(const Met& met) const {
  return met.how == Meeting::Initial && met.declared &&
         c_.model.decls[met.declared].kind == DeclKind::ValueParam;
}

/// A parameter without a unit stands here for a value whose unit is not coherent. Numbers without a
/// unit that it meets are in the coherent one, in the definition and among the other arguments.
void UnitRules::carry(ShapeId value, ShapeId parameter, const Met& met) {
  const std::int32_t odd = shapes.odd_unit(value);
  const TermId term = shapes[parameter].term;
  if (odd < 0 || shapes[parameter].unit >= 0 || !shapes.terms.is_instance(term)) return;
  if (shapes.terms.stands_for(term) < 0 && shapes.terms.number_met(term)) {
    report_inner_number(value, *shapes.terms.number_met(term), met);
  }
  shapes.terms.stand_for(term, odd);
}

// Zero is zero in every unit but in those with an offset.
ShapeId UnitRules::bare(ShapeId bare, ShapeId real, const Met& met, bool bare_first) {
  const std::int32_t here = shapes.terms.stands_for(shapes[real].term);
  const bool scale = has_offset(real) || (here >= 0 && shapes.unit(here).has_offset());
  if (shapes.odd_unit(real) >= 0 && (!shapes[bare].zero || scale)) {
    report_bare(real, met, bare_first);
  } else if (!shapes[bare].zero && !is_default(met)) {
    const ExprId number = bare_first ? met.first : met.second;
    shapes.terms.meet_number(shapes[real].term, number ? c_.span(number) : met.span);
  }
  return real;
}

ShapeId UnitRules::reals(ShapeId a, ShapeId b, const Met& met) {
  if (!shapes.terms.unify(shapes[a].term, shapes[b].term, met.span)) {
    report_mismatch(a, b, met);
    return shapes.any();
  }
  carry(b, a, met);
  carry(a, b, met);
  if (shapes[a].difference != shapes[b].difference && (has_offset(a) || has_offset(b))) {
    report_difference(has_offset(a) ? a : b, met);
    return shapes.any();
  }
  if (shapes.same_unit(shapes[a].unit, shapes[b].unit)) return shapes[a].made_of >= 0 ? a : b;
  UnitShape both = shapes[a];
  both.unit = -1;
  both.made_of = std::max(shapes.odd_unit(a), shapes.odd_unit(b));
  return shapes.add(both);
}

ShapeId UnitRules::rule(ExprId e) {
  using namespace syntax;
  const auto all = [&](const auto& elements, Meeting how) {
    return together(c_.ast.list(elements), how);
  };
  return match(
      c_.ast.exprs[e].node, [&](const BoolLiteral&) { return shapes.plain(); },
      [&](const StringLiteral&) { return shapes.plain(); },
      [&](const IntLiteral& n) { return shapes.bare(n.value == 0); },
      [&](const RealLiteral& n) {
        const Quantity* quantity = c_.ast.quantity(e);
        if (quantity != nullptr) return shapes.quantity(*quantity);
        return shapes.bare(n.value == 0 || std::isinf(n.value));
      },
      [&](const Name&) { return name(e); }, [&](const Time&) { return shapes.seconds(); },
      [&](const Derivative& n) { return shapes.derivative(found(n.of)); },
      [&](const Unary& n) { return n.op == UnaryOp::Not ? shapes.plain() : found(n.operand); },
      [&](const Binary& n) { return binary(e, n); },
      [&](const Conditional& n) {
        return together(std::array{n.then, n.otherwise}, Meeting::Branches);
      },
      [&](const GuardedExpr& n) {
        std::vector<ExprId> values;
        for (const GuardedValue& v : c_.ast.list(n.alternatives)) values.push_back(v.value);
        return together(values, Meeting::Branches);
      },
      [&](const Call& n) { return call(e, n); },
      [&](const syntax::Index& n) {
        if (!c_.as<Dict>(c_.model.type[n.of])) return found(n.of);
        unify(shapes.element(found(n.of), 0), found(n.index),
              {Meeting::Elements, n.of, n.index, c_.span(n.index)});
        return shapes.element(found(n.of), 1);
      },
      [&](const Member& n) {
        return c_.model.field[e] < 0 ? found(n.of) : shapes.element(found(n.of), c_.model.field[e]);
      },
      [&](const Project& n) {
        if (!c_.as<Tuple>(c_.model.type[n.of])) return found(n.of);
        return shapes.element(found(n.of), static_cast<std::int32_t>(n.index));
      },
      [&](const TupleExpr& n) {
        return c_.as<Tuple>(c_.model.type[e]) ? compound(c_.ast.list(n.elements))
                                              : all(n.elements, Meeting::Elements);
      },
      [&](const ListExpr& n) { return all(n.elements, Meeting::Elements); },
      [&](const SetExpr& n) { return all(n.elements, Meeting::Elements); },
      [&](const RecordExpr& n) { return record(e, n); },
      [&](const DictExpr& n) {
        std::vector<ExprId> keys, values;
        for (const DictEntry& entry : c_.ast.list(n.entries)) {
          keys.push_back(entry.key);
          values.push_back(entry.value);
        }
        return shapes.compound(Kind::Parts, std::array{together(keys, Meeting::Elements),
                                                       together(values, Meeting::Elements)});
      },
      [&](const Parenthesized& n) { return found(n.inner); },
      [&](const Error&) { return shapes.any(); });
}

// Each use of a function has dimensions of its own.
ShapeId UnitRules::name(ExprId e) {
  const Resolution& meaning = c_.model.resolution[e];
  if (const auto* builtin = std::get_if<Builtin>(&meaning)) {
    return *builtin == Builtin::Pi ? shapes.bare(false) : shapes.any();
  }
  const auto* decl = std::get_if<DeclId>(&meaning);
  if (decl == nullptr) return shapes.any();
  const Decl& d = c_.model.decls[*decl];
  if (d.kind != DeclKind::Function || d.owner == owner) return of_decl(*decl);
  DimensionTerms::Renamed renamed;
  return shapes.instance(of_decl(*decl), d.owner, owner, renamed);
}

ShapeId UnitRules::together(std::span<const ExprId> exprs, Meeting how) {
  ShapeId result = shapes.any();
  for (const ExprId e : exprs) {
    result = unify(result, found(e), {how, exprs.front(), e, c_.span(e)});
  }
  return result;
}

ShapeId UnitRules::compound(std::span<const ExprId> exprs) {
  std::vector<ShapeId> parts;
  for (const ExprId e : exprs) parts.push_back(found(e));
  return shapes.compound(Kind::Parts, parts);
}

ShapeId UnitRules::record(ExprId e, const syntax::RecordExpr& n) {
  const auto type = c_.as<Record>(c_.model.type[e]);
  if (!type) return shapes.any();
  std::vector<ShapeId> parts;
  for (const Field& field : c_.types.list(type->fields)) {
    const auto rows = c_.ast.list(n.fields);
    const auto at =
        std::ranges::find(rows, field.name, [](const auto& row) { return row.field.name; });
    parts.push_back(at == rows.end() ? shapes.any() : found(at->value));
  }
  return shapes.compound(Kind::Parts, parts);
}

ShapeId UnitRules::binary(ExprId e, const syntax::Binary& n) {
  const ShapeId left = found(n.left), right = found(n.right);
  const auto meet = [&](Meeting how) {
    return unify(left, right, {how, n.left, n.right, c_.span(e)});
  };
  switch (n.op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: return sum(e, n);
    case BinaryOp::Mul:
    case BinaryOp::Div:
      if (c_.as<Set>(c_.model.type[e])) return meet(Meeting::Elements);
      reject_temperature(n.left);
      reject_temperature(n.right);
      return shapes.product(left, right, n.op == BinaryOp::Mul ? 1 : -1);
    case BinaryOp::IntDiv:
    case BinaryOp::Mod: return shapes.bare(false);
    case BinaryOp::Pow: return power(e, n);
    case BinaryOp::Concat:
    case BinaryOp::Subtract: return meet(Meeting::Elements);
    case BinaryOp::Eq:
    case BinaryOp::Ne:
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge: meet(Meeting::Comparison); return shapes.plain();
    case BinaryOp::In:
      unify(c_.as<Dict>(c_.model.type[n.right]) ? shapes.element(right, 0) : right, left,
            {Meeting::Comparison, n.right, n.left, c_.span(e)});
      return shapes.plain();
    case BinaryOp::And:
    case BinaryOp::Or: return shapes.plain();
  }
  return shapes.any();
}

// A temperature in degrees plus a difference is a temperature; less another one it is a difference,
// which has no offset.
ShapeId UnitRules::sum(ExprId e, const syntax::Binary& n) {
  const ShapeId left = found(n.left), right = found(n.right);
  const bool minus = n.op == BinaryOp::Sub;
  const Met met{minus ? Meeting::Difference : Meeting::Sum, n.left, n.right, c_.span(e)};
  const bool first = has_offset(left), second = has_offset(right);
  if (!first && !second) return unify(left, right, met);
  if (!shapes.is_real(left) || !shapes.is_real(right)) return unify(left, right, met);
  if (!shapes.terms.unify(shapes[left].term, shapes[right].term, met.span)) {
    report_mismatch(left, right, met);
    return shapes.any();
  }
  UnitShape result = shapes[first ? left : right];
  result.temperature = false;
  if (minus && second) {
    if (shapes[left].difference) report_difference(right, met);
    result.made_of = result.unit;
    result.unit = -1;
    result.difference = first;
  } else if (first && second) {
    if (shapes[left].temperature || shapes[right].temperature) {
      report_sum_of_temperatures(e, left, right);
    }
    result.made_of = result.unit;
    result.unit = -1;
  }
  return shapes.add(result);
}

void UnitRules::reject_temperature(ExprId expr) {
  const ShapeId shape = found(expr);
  if (shapes[shape].kind != Kind::Real || !shapes[shape].temperature) return;
  const units::Unit& unit = shapes.unit(shapes[shape].unit);
  report({.code = DiagCode::OffsetUnit,
          .span = c_.span(expr),
          .message = "a number in [" + unit.text +
                     "] is a point on a scale and has no multiple, as one in [K] has",
          .help = "a difference or a temperature above absolute zero is written in [K]"});
}

std::optional<double> UnitRules::constant(ExprId expr) const {
  expr = strip(c_.ast, expr);
  if (const auto* n = c_.node<syntax::IntLiteral>(expr)) return static_cast<double>(n->value);
  if (const auto* n = c_.node<syntax::RealLiteral>(expr)) {
    return c_.ast.quantity(expr) == nullptr ? std::optional(n->value) : std::nullopt;
  }
  if (const auto* n = c_.node<syntax::Unary>(expr)) {
    const auto of = constant(n->operand);
    if (n->op == syntax::UnaryOp::Minus && of) return -*of;
    return n->op == syntax::UnaryOp::Plus ? of : std::nullopt;
  }
  if (const auto* n = c_.node<syntax::Binary>(expr); n && n->op == BinaryOp::Div) {
    const auto a = constant(n->left), b = constant(n->right);
    return a && b && *b != 0 ? std::optional(*a / *b) : std::nullopt;
  }
  const auto* decl = std::get_if<DeclId>(&c_.model.resolution[expr]);
  if (decl == nullptr || !c_.node<syntax::Name>(expr)) return std::nullopt;
  const auto value = c_.model.constant_values.find(*decl);
  if (value == c_.model.constant_values.end()) return std::nullopt;
  if (const auto* i = std::get_if<std::int64_t>(&value->second.data)) {
    return static_cast<double>(*i);
  }
  const auto* real = std::get_if<double>(&value->second.data);
  return real != nullptr ? std::optional(*real) : std::nullopt;
}

ShapeId UnitRules::power(ExprId e, const syntax::Binary& n) {
  const ShapeId base = found(n.left);
  require_pure(n.right, "an exponent");
  reject_temperature(n.left);
  if (!shapes.is_real(base)) return base;
  const auto value = constant(n.right);
  const auto exponent = value ? units::as_rational(*value) : std::nullopt;
  if (exponent) return shapes.power(base, *exponent);
  if (!shapes.terms.unify(shapes[base].term, shapes[shapes.one()].term, c_.span(e))) {
    report_power(e, n.left);
    return shapes.any();
  }
  return shapes.one();
}

void UnitRules::require_pure(ExprId expr, std::string_view what) {
  const ShapeId shape = found(expr);
  if (!shapes.is_real(shape)) return;
  if (!shapes.terms.unify(shapes[shape].term, shapes[shapes.one()].term, c_.span(expr))) {
    report_not_pure(expr, what);
  }
}

ShapeId UnitRules::call(ExprId e, const syntax::Call& n) {
  const auto arguments = c_.ast.list(n.arguments);
  if (c_.node<syntax::Name>(n.callee)) {
    if (const auto* builtin = std::get_if<Builtin>(&c_.model.resolution[n.callee])) {
      return library(e, *builtin, arguments);
    }
  }
  const ShapeId function = found(n.callee);
  if (shapes[function].kind != Kind::Function) return shapes.any();
  const auto count = static_cast<std::size_t>(shapes[function].parts.count) - 1;
  const DeclId named = root_of(c_, n.callee);
  const auto parameter = [&](std::size_t i) {
    if (!named || c_.model.decls[named].kind != DeclKind::Function) return DeclId{};
    const auto& info = c_.model.definitions[static_cast<std::size_t>(c_.model.decls[named].owner)];
    return i < info.params.size() ? info.params[i] : DeclId{};
  };
  for (const bool bare : {false, true}) {  // numbers without a unit adapt to the others
    for (std::size_t i = 0; i < std::min(count, arguments.size()); ++i) {
      if (shapes.is_bare(found(arguments[i])) != bare) continue;
      unify(shapes.parts(function)[i], found(arguments[i]),
            {Meeting::Argument, {}, arguments[i], c_.span(arguments[i]), parameter(i)});
    }
  }
  return shapes.parts(function)[count];
}

ShapeId UnitRules::pure(ExprId call, std::span<const ExprId> arguments) {
  const auto& callee = c_.ast.exprs[call].node;
  const auto* name = c_.node<syntax::Name>(std::get<syntax::Call>(callee).callee);
  bool bare = true;
  for (const ExprId a : arguments) {
    require_pure(a, c_.text(name->name));
    bare = bare && shapes.is_bare(found(a));
  }
  return bare ? shapes.bare(false) : shapes.one();
}

ShapeId UnitRules::library(ExprId e, Builtin builtin, std::span<const ExprId> a) {
  using enum Builtin;
  const auto first = [&] { return a.empty() ? shapes.any() : found(a[0]); };
  const auto times = [&](Rational power) { return shapes.product(first(), found(a[1]), power); };
  switch (builtin) {
    case Abs:
    case Norm:
    case Transpose:
    case Diag:
    case Hd:
    case Hr:
    case Tl:
    case Tr:
    case Take:
    case Drop:
    case Reverse:
    case Sort:
    case Sum:
    case Pick:
    case Constant:
    case Exponential:
    case Erlang: return first();
    case Min:
    case Max:
    case Uniform:
    case Triangle: return together(a, Meeting::Comparison);
    case Insert: return together(a.first(2), Meeting::Elements);
    case Sqrt: return shapes.power(first(), Rational(1, 2));
    case Cbrt: return shapes.power(first(), Rational(1, 3));
    case Lognormal:
    case Beta: return pure(e, a);
    case Floor:
    case Ceil:
    case Round:
    case Bernoulli:
    case Binomial:
    case Geometric:
    case Poisson: pure(e, a); return shapes.bare(false);
    case Atan2:
      return shapes.is_bare(together(a, Meeting::Comparison)) ? shapes.bare(false) : shapes.one();
    case Sign:
    case Len:
    case Size:
    case Range:
    case Identity: return shapes.bare(false);
    case Keys: return shapes.element(first(), 0);
    case Values: return shapes.element(first(), 1);
    case Str:
    case Format: printed.insert(printed.end(), a.begin(), a.end()); return shapes.plain();
    case Gamma:
    case Weibull: pure(e, a.first(1)); return found(a[1]);
    case Normal:  // its second argument is a variance
      unify(shapes.power(first(), 2), found(a[1]), {Meeting::Argument, {}, a[1], c_.span(a[1])});
      return first();
    case Delayed:  // delay(x, lag, x before the start)
      unify(shapes.seconds(), found(a[1]), {Meeting::Time, {}, a[1], c_.span(a[1])});
      return a.size() < 3
                 ? first()
                 : unify(first(), found(a[2]), {Meeting::Comparison, a[0], a[2], c_.span(a[2])});
    case Dot:
    case Cross:
    case Outer:
    case Times: return times(1);
    case Divide: return times(-1);
    default: return is_elementary(builtin) ? pure(e, a) : shapes.any();
  }
}

}  // namespace chi::sema
