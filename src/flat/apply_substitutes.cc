#include "flat/apply_substitutes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "expr/build.h"
#include "expr/cone.h"
#include "expr/differentiate.h"
#include "expr/substitute.h"
#include "flat/scalars.h"

namespace chi::flat {
namespace {

using expr::ExprId;
using expr::Replacement;
using expr::VarRef;

std::string name_of(const FlatModel& model, VarRef variable) {
  return scalar_name(model, variable.var.index) +
         std::string(static_cast<std::size_t>(variable.order), '\'');
}

// Every expression of a set of equations, in one list and back.
std::vector<ExprId> roots_of(const EquationSet& set) {
  std::vector<ExprId> roots;
  for (const Equation& e : set.equations) {
    roots.push_back(e.left);
    roots.push_back(e.right);
  }
  for (const Branch& b : set.branches) roots.push_back(b.guard);
  for (const Choice& c : set.choices) {
    if (c.restitution) roots.push_back(c.restitution);
  }
  return roots;
}

void set_roots(EquationSet& set, std::span<const ExprId> roots) {
  std::size_t next = 0;
  for (Equation& e : set.equations) {
    e.left = roots[next++];
    e.right = roots[next++];
  }
  for (Branch& b : set.branches) b.guard = roots[next++];
  for (Choice& c : set.choices) {
    if (c.restitution) c.restitution = roots[next++];
  }
}

using Places = std::map<VarRef, std::size_t>;  // of the substitution of each scalar

/// What is replaced.
ExprId target_of(expr::Pool& pool, const FlatModel& model, const Substitution& s) {
  if (!s.discrete) return expr::variable(pool, s.variable.var, s.variable.order);
  return model.equations.discrete[s.discrete].boolean ? expr::discrete_bool(pool, s.discrete)
                                                      : expr::discrete_real(pool, s.discrete);
}

// The derivatives in `roots` of variables that are substituted, but whose derivative is not.
std::set<VarRef> derivatives_without(const expr::Pool& pool, std::span<const ExprId> roots,
                                     const Places& places) {
  std::set<VarRef> found;
  const expr::Cone cone(pool, roots);
  for (const ExprId e : cone.nodes()) {
    if (pool.op(e) != expr::Op::Variable) continue;
    const VarRef v = pool.variable(e);
    if (v.order > 0 && places.contains({v.var, 0}) && !places.contains(v)) found.insert(v);
  }
  return found;
}

class Substituter {
 public:
  Substituter(FlatModel& model, std::vector<Substitution> written, Diagnostics& diagnostics)
      : model_(model),
        pool_(model.equations.pool),
        all_(std::move(written)),
        diagnostics_(diagnostics) {}

  bool run() {
    if (all_.empty()) return true;
    if (!check_doubles() || !resolve()) return false;
    while (add_derivatives()) {
      if (!resolve()) return false;
    }
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i].value = resolved_[i].by;
    model_.equations.substitutions = std::move(all_);
    apply_substitutes(model_, model_.equations.system);
    return true;
  }

 private:
  bool check_doubles() {
    const int before = diagnostics_.error_count();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto [at, added] = place_.try_emplace(all_[i].variable, i);
      if (added) continue;
      const Substitution& first = all_[at->second];
      diagnostics_.report({.code = DiagCode::DuplicateSubstitute,
                           .span = all_[i].span,
                           .message = fmt::format("`{}` is substituted twice: in {} and in {}",
                                                  name_of(model_, all_[i].variable),
                                                  place_text(first), place_text(all_[i])),
                           .labels = {{first.span, "first substituted here"}}});
      if (diagnostics_.error_count() >= before + 10) break;
    }
    return diagnostics_.error_count() == before;
  }

  std::string place_text(const Substitution& s) const {
    const std::string& path = model_.blocks[static_cast<std::size_t>(s.block)].path;
    return path.empty() ? "the part that runs" : fmt::format("`{}`", path);
  }

  bool resolve() {
    std::vector<Replacement> written;
    for (const Substitution& s : all_) {
      written.push_back({target_of(pool_, model_, s), s.value});
    }
    expr::Resolved resolved = expr::resolve_substitutes(pool_, written);
    if (!resolved.cycle.empty()) return report(resolved.cycle);
    resolved_ = std::move(resolved.replacements);
    return true;
  }

  bool report(const std::vector<ExprId>& cycle) {
    Diagnostic d{.code = DiagCode::SubstituteCycle};
    std::string text;
    for (const ExprId e : cycle) {
      const VarRef variable = pool_.variable(e);
      text += fmt::format("`{}` <- ", name_of(model_, variable));
      const Span span = all_[place_.at(variable)].span;
      if (!d.span) {
        d.span = span;
      } else if (span != *d.span) {
        d.labels.push_back({span, "and this one"});
      }
    }
    d.message = fmt::format("substitute equations form a cycle: {}`{}`", text,
                            name_of(model_, pool_.variable(cycle.front())));
    diagnostics_.report(std::move(d));
    return false;
  }

  // x <- e makes x' the derivative of e where x' occurs and has no substitute equation of its own.
  bool add_derivatives() {
    std::vector<ExprId> roots = roots_of(model_.equations.system);
    for (const Replacement& r : resolved_) roots.push_back(r.by);
    const std::set<VarRef> wanted = derivatives_without(pool_, roots, place_);
    for (const VarRef v : wanted) {
      const std::size_t base = place_.at({v.var, 0});
      Substitution derivative = all_[base];
      derivative.variable = v;
      derivative.value = expr::time_derivative(pool_, resolved_[base].by);
      place_.emplace(v, all_.size());
      all_.push_back(derivative);
    }
    return !wanted.empty();
  }

  FlatModel& model_;
  expr::Pool& pool_;
  std::vector<Substitution> all_;
  Diagnostics& diagnostics_;
  Places place_;
  std::vector<Replacement> resolved_;
};

std::vector<Replacement> replacements(FlatModel& model) {
  std::vector<Replacement> list;
  for (const Substitution& s : model.equations.substitutions) {
    list.push_back({target_of(model.equations.pool, model, s), s.value});
  }
  return list;
}

// A statement may be the first to mention the derivative of a substituted variable.
void add_derivatives_of(FlatModel& model, std::span<const ExprId> roots) {
  Equations& e = model.equations;
  Places places;
  for (std::size_t i = 0; i < e.substitutions.size(); ++i) {
    places.emplace(e.substitutions[i].variable, i);
  }
  for (const VarRef v : derivatives_without(e.pool, roots, places)) {
    Substitution derivative = e.substitutions[places.at({v.var, 0})];
    derivative.variable = v;
    derivative.value = expr::substitute(e.pool, expr::time_derivative(e.pool, derivative.value),
                                        replacements(model));
    e.substitutions.push_back(derivative);
  }
}

}  // namespace

bool apply_substitutes(FlatModel& model, std::vector<Substitution> written,
                       Diagnostics& diagnostics) {
  return Substituter(model, std::move(written), diagnostics).run();
}

void apply_substitutes(FlatModel& model, EquationSet& set) {
  if (model.equations.substitutions.empty()) return;
  const std::vector<ExprId> roots = roots_of(set);
  add_derivatives_of(model, roots);
  set_roots(set, expr::substitute(model.equations.pool, roots, replacements(model)));
  std::set<VarRef> gone;
  for (const Substitution& s : model.equations.substitutions) gone.insert(s.variable);
  std::erase_if(set.unknowns, [&](const Unknown& u) { return gone.contains(u.variable); });
}

ExprId apply_substitutes(FlatModel& model, ExprId expr) {
  if (model.equations.substitutions.empty()) return expr;
  add_derivatives_of(model, std::span(&expr, 1));
  return expr::substitute(model.equations.pool, expr, replacements(model));
}

}  // namespace chi::flat
