#include "sema/equations.h"

#include <utility>

#include <fmt/format.h>

#include "base/match.h"
#include "sema/declarations.h"
#include "sema/expression_parts.h"
#include "sema/expressions.h"
#include "sema/paths.h"
#include "sema/substitutes.h"

namespace chi::sema {
namespace {

class EquationChecker {
 public:
  EquationChecker(Context& c, bool instant) : c_(c), instant_(instant) {}

  void check_all(Slice<syntax::EquationId> equations) {
    for (syntax::EquationId id : c_.ast.list(equations)) {
      match(
          c_.ast.equations[id].node, [&](const syntax::UnknownDecl& n) { unknowns(n); },
          [&](const syntax::ImpulseDecl& n) { impulse(n, c_.ast.equations[id].span); },
          [&](const syntax::Substitute& n) { substitute(n, c_.ast.equations[id].span); },
          [&](const syntax::Equality& n) { equality(n, c_.ast.equations[id].span); },
          [&](const syntax::Complements& n) { complements(n); },
          [&](const syntax::GuardedEquations& n) { guarded(n); },
          [&](const syntax::UnwoundEquations& n) { unwound(n); },
          [&](const syntax::Require& n) { requirement(id, n); }, [](const syntax::Error&) {});
    }
  }

  EquationFacts finish() {
    check_substitutes(c_, substitutes_);
    for (const syntax::Substitute& s : substitutes_) {
      if (!c_.node<syntax::Name>(strip(c_.ast, s.target))) continue;
      const DeclId decl = root_of(c_, s.target);
      const auto unknown = facts_.unknown.find(decl);
      if (unknown == facts_.unknown.end()) continue;
      c_.report(
          {.code = DiagCode::UnknownSubstituted,
           .span = unknown->second,
           .message = fmt::format("`{}` is substituted and cannot be unknown", c_.name_of(decl)),
           .labels = {{c_.span(s.target), "substituted here"}}});
    }
    return std::move(facts_);
  }

 private:
  /// Checks something that equations are to determine: a variable or, if allowed, its derivative.
  bool determines(ExprId expr, std::string_view what, bool derivative_allowed) {
    const TypeId type = check_expr(c_, expr);
    if (c_.types.is_unknown(type)) return false;
    const bool derivative = c_.node<syntax::Derivative>(strip(c_.ast, expr)) != nullptr;
    const DeclId root = root_of(c_, expr);
    if (!root || !is_variable(c_, root) || (derivative && !derivative_allowed)) {
      Diagnostic d{.code = DiagCode::NotAnUnknown, .span = c_.span(expr)};
      d.message =
          derivative ? fmt::format("a derivative cannot be {}", what)
          : root ? fmt::format("`{}` is not a variable and cannot be {}", c_.name_of(root), what)
                 : fmt::format("only a variable can be {}", what);
      if (root && !derivative) d.labels.push_back({c_.model.decls[root].span, "declared here"});
      c_.report(std::move(d));
      return false;
    }
    const bool discrete = what == "substituted" && !derivative && c_.types.is_discrete_based(type);
    if (!discrete && !c_.types.is_real_based(type)) {
      c_.report({.code = DiagCode::NotAnUnknown,
                 .span = c_.span(expr),
                 .message = fmt::format(
                     "`{}` cannot be {}: equations determine {}", c_.text(type), what,
                     what == "substituted" ? "numbers and truth values" : "real variables"),
                 .labels = {{c_.model.decls[root].span, "declared here"}}});
      return false;
    }
    if (derivative || is_fixed_path(c_, expr)) return true;
    c_.report({.code = DiagCode::ElementNotFixed,
               .span = c_.span(expr),
               .message = "which element is meant changes during the run",
               .help = "use constants, parameters and indices of an unwinding as index"});
    return false;
  }

  void unknowns(const syntax::UnknownDecl& n) {
    for (ExprId e : c_.ast.list(n.unknowns)) {
      if (!determines(e, "an unknown", true) || instant_ || guards_ > 0) continue;
      const ExprId stripped = strip(c_.ast, e);
      if (c_.node<syntax::Name>(stripped))
        facts_.unknown.emplace(root_of(c_, stripped), c_.span(e));
    }
  }

  void impulse(const syntax::ImpulseDecl& n, Span span) {
    if (!instant_) {
      c_.report({.code = DiagCode::ImpulsePlace,
                 .span = span,
                 .message = "`impulse` can stand only in instantaneous equations `{ ... }`"});
    }
    for (ExprId e : c_.ast.list(n.unknowns)) determines(e, "impulsive", false);
  }

  void substitute(const syntax::Substitute& n, Span span) {
    if (instant_ || guards_ > 0) {
      c_.report({.code = DiagCode::SubstitutePlace,
                 .span = span,
                 .message = instant_ ? "a substitute equation cannot be instantaneous"
                                     : "a substitute equation cannot be guarded",
                 .help = instant_ ? "" : "guard its value: `x <- [ b -> e | not b -> f ]`"});
    }
    const PlaceGuard place(c_, Place::Substitute);
    const bool sound = determines(n.target, "substituted", true);
    const TypeId target = c_.model.type[n.target];
    c_.in_discrete_equation = c_.types.is_discrete_based(target);
    require(c_, n.value, c_.types.is_unknown(target) ? c_.unknown() : target);
    const bool discrete = std::exchange(c_.in_discrete_equation, false);
    if (!sound || instant_ || guards_ > 0) return;
    substitutes_.push_back(n);
    if (discrete) {
      facts_.discrete.push_back(n.target);
      return;
    }
    const ExprId stripped = strip(c_.ast, n.target);
    if (c_.node<syntax::Name>(stripped)) {
      facts_.substituted.emplace(root_of(c_, stripped), c_.span(n.target));
    }
  }

  void equality(const syntax::Equality& n, Span span) {
    const bool right_first = is_open_literal(c_, n.left) && !is_open_literal(c_, n.right);
    const ExprId first = right_first ? n.right : n.left;
    const ExprId second = right_first ? n.left : n.right;
    const TypeId a = check_expr(c_, first);
    const TypeId b = check_expr(c_, second, c_.types.is_real_based(a) ? a : TypeId{});
    if (c_.types.is_unknown(a) || c_.types.is_unknown(b)) return;
    const auto both = join(c_.types, a, b);
    if (!both) {
      const TypeId left = right_first ? b : a;
      c_.report({.code = DiagCode::EquationShape,
                 .span = span,
                 .message = fmt::format("the sides of this equation are `{}` and `{}`",
                                        c_.text(left), c_.text(right_first ? a : b))});
    } else if (!c_.types.is_real_based(*both)) {
      c_.report(
          {.code = DiagCode::EquationNotReal,
           .span = span,
           .message = fmt::format("an equation relates real numbers, found `{}`", c_.text(*both)),
           .help = "other variables get their values by `:=` in statements"});
    }
  }

  /// Its expressions are numbers, or vectors of one shape; a number stands for all elements.
  void complements(const syntax::Complements& n) {
    TypeId shape;
    ExprId shaped;
    const auto check = [&](ExprId e) {
      if (!e) return;
      const TypeId type = check_expr(c_, e, shape);
      if (c_.types.is_unknown(type) || c_.types.is_numeric(type)) return;
      if (!c_.types.is_real_based(type)) {
        c_.report({.code = DiagCode::EquationNotReal,
                   .span = c_.span(e),
                   .message = fmt::format("a complementarity relates real numbers, found `{}`",
                                          c_.text(type))});
      } else if (!shaped) {
        shape = type;
        shaped = e;
      } else if (!same_type(c_.types, shape, type)) {
        c_.report({.code = DiagCode::EquationShape,
                   .span = c_.span(e),
                   .message = fmt::format("this is `{}`, and another part of it `{}`",
                                          c_.text(type), c_.text(shape)),
                   .labels = {{c_.span(shaped), "of another shape"}}});
      }
    };
    for (const syntax::ComplementSide& side : {n.left, n.right}) {
      for (const ExprId e : {side.low, side.value, side.high}) check(e);
    }
    check(n.restitution);
    if (n.restitution && instant_) {
      c_.report({.code = DiagCode::ImpulsePlace,
                 .span = c_.span(n.restitution),
                 .message = "`restitution` cannot stand in instantaneous equations `{ ... }`"});
    }
  }

  void guarded(const syntax::GuardedEquations& n) {
    const std::size_t mark = active_.size();
    for (const auto& alternative : c_.ast.list(n.alternatives)) {
      require(c_, alternative.guard, c_.bool_type(), "a guard");
      ++guards_;
      active_.push_back({alternative.guard, true});
      check_all(alternative.body);
      active_.back().holds = false;  // for those behind it
      --guards_;
    }
    active_.resize(mark);
  }

  /// What a process that watches it waits for: the guards hold and the condition does not.
  void requirement(syntax::EquationId id, const syntax::Require& n) {
    const Span span = c_.ast.equations[id].span;
    if (instant_) {
      c_.report({.code = DiagCode::RequirePlace,
                 .span = span,
                 .message = "`require` cannot stand in instantaneous equations `{ ... }`",
                 .help = "what is to hold at this instant is a statement: `assert`"});
    }
    require(c_, n.condition, c_.bool_type(), "a requirement");
    if (n.text) check_expr(c_, n.text);
    if (instant_) return;
    ExprId broken = made(n.condition, syntax::Unary{syntax::UnaryOp::Not, n.condition});
    for (const Truth& guard : active_) {
      const ExprId truth =
          guard.holds ? guard.of : made(guard.of, syntax::Unary{syntax::UnaryOp::Not, guard.of});
      broken = made(n.condition, syntax::Binary{syntax::BinaryOp::And, truth, broken});
    }
    const ExprId holds = made(n.condition, syntax::Unary{syntax::UnaryOp::Not, broken});
    c_.model.requirements.push_back({.definition = c_.definition,
                                     .equation = id,
                                     .condition = n.condition,
                                     .broken = broken,
                                     .holds = holds,
                                     .unwinds = unwinds_});
  }

  /// A truth that is not written, in the place of `like`.
  template <class Node>
  ExprId made(ExprId like, Node node) {
    const ExprId id = c_.model.ast.exprs.add({c_.span(like), node});
    c_.model.type.add(c_.bool_type());
    c_.model.resolution.add(Unresolved{});
    c_.model.field.add(-1);
    return id;
  }

  void unwound(const syntax::UnwoundEquations& n) {
    const std::size_t mark = c_.scope.enter();
    if (n.unwind) declare_index(c_, n.unwind), unwinds_.push_back(n.unwind);
    check_all(n.body);
    if (n.unwind) unwinds_.pop_back();
    c_.scope.leave(mark);
  }

  Context& c_;
  bool instant_;
  int guards_ = 0;
  struct Truth {
    ExprId of;
    bool holds = true;
  };
  std::vector<Truth> active_;  // what holds where the alternatives around are open
  std::vector<syntax::Unwind> unwinds_;
  std::vector<syntax::Substitute> substitutes_;
  EquationFacts facts_;
};

}  // namespace

EquationFacts check_equations(Context& c, Slice<syntax::EquationId> equations) {
  const PlaceGuard place(c, Place::Equation);
  EquationChecker checker(c, false);
  checker.check_all(equations);
  return checker.finish();
}

void check_instant(Context& c, Slice<syntax::EquationId> equations) {
  const PlaceGuard place(c, Place::Equation);
  EquationChecker(c, true).check_all(equations);
}

}  // namespace chi::sema
