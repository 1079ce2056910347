#include "flat/equation_walk.h"

#include <fmt/format.h>

#include "base/match.h"
#include "expr/build.h"
#include "flat/flatten_equations.h"
#include "flat/known_integer.h"
#include "flat/scalars.h"

namespace chi::flat {
namespace {

using expr::IfKind;
using syntax::ExprId;

bool is_truth(const expr::Pool& pool, expr::ExprId e, bool value) {
  return pool.op(e) == expr::Op::Boolean && pool.boolean(e) == value;
}

}  // namespace

EquationWalk::EquationWalk(FlatModel& model)
    : model_(model),
      facts_(find_facts(model.typed)),
      functions_(model.typed, facts_, model.equations),
      translator_(model.typed, facts_, model.equations.pool, functions_),
      scope_(model, facts_),
      loops_(model.typed, facts_, model.equations, translator_, scope_) {}

bool EquationWalk::add(std::int32_t block, const Indices& indices, Slice<syntax::EquationId> list,
                       EquationSet& out, std::vector<Substitution>& substitutions,
                       std::vector<DiscreteEquation>& discrete, Diagnostics& diagnostics) {
  out_ = &out;
  substitutions_ = &substitutions;
  discrete_ = &discrete;
  diagnostics_ = &diagnostics;
  scope_.enter(block, indices);
  return walk(list, {});
}

std::optional<expr::ExprId> EquationWalk::condition(std::int32_t block, const Indices& indices,
                                                    ExprId expr, Diagnostics& diagnostics) {
  const auto scalars = value(block, indices, expr, diagnostics);
  if (!scalars) return std::nullopt;
  return scalars->front();
}

std::optional<EquationWalk::Scalars> EquationWalk::value(std::int32_t block, const Indices& indices,
                                                         ExprId expr, Diagnostics& diagnostics) {
  diagnostics_ = &diagnostics;
  scope_.enter(block, indices);
  return translate(expr, IfKind::Plain);
}

// Follows the nesting of guards and unwindings in the text, which the parser limits.
bool EquationWalk::walk(Slice<syntax::EquationId> list, Site site) {
  for (const syntax::EquationId id : model_.typed.ast.list(list)) {
    const syntax::Equation& equation = model_.typed.ast.equations[id];
    const bool good = match(
        equation.node,
        [&](const syntax::UnknownDecl& n) { return unknowns(n.unknowns, site, out_->unknowns); },
        [&](const syntax::ImpulseDecl& n) { return unknowns(n.unknowns, site, out_->impulses); },
        [&](const syntax::Substitute& n) { return substitute(n, equation.span); },
        [&](const syntax::Equality& n) { return equality(id, n, site); },
        [&](const syntax::Complements& n) { return complements(id, n, site); },
        [&](const syntax::GuardedEquations& n) { return guarded(n, equation.span, site); },
        [&](const syntax::UnwoundEquations& n) { return unwound(id, n, site); },
        [](const syntax::Require&) { return true; },  // watched as statements watch (code/lower)
        [](const syntax::Error&) { return false; });
    if (!good) return false;
  }
  return true;
}

std::optional<EquationWalk::Scalars> EquationWalk::translate(ExprId expr, IfKind kind) {
  scope_.start();
  const auto result = translator_.translate(expr, scope_, kind);
  const std::span<const expr::ExprId> scalars = result ? *result : std::span<const expr::ExprId>{};
  if (!scope_.settle(scalars, *diagnostics_)) return std::nullopt;
  if (result) return Scalars(scalars.begin(), scalars.end());
  diagnostics_->report({.code = DiagCode::NotInEquations,
                        .span = model_.typed.ast.exprs[expr].span,
                        .message = "the alternatives of this expression have different lengths"});
  return std::nullopt;
}

std::optional<EquationWalk::Scalars> EquationWalk::side(ExprId expr, Site site) {
  if (site.loop) {
    if (const expr::ExprId copy = loops_.side(expr, site.index)) return Scalars{copy};
  }
  return translate(expr, IfKind::Evented);
}

bool EquationWalk::equality(syntax::EquationId id, const syntax::Equality& node, Site site) {
  const Span span = model_.typed.ast.equations[id].span;
  const auto left = side(node.left, site);
  const auto right = left ? side(node.right, site) : std::nullopt;
  if (!right) return false;
  if (left->size() != right->size()) {
    diagnostics_->report(
        {.code = DiagCode::ArrayLengthsDiffer,
         .span = span,
         .message = fmt::format("the sides of this equation have {} and {} elements", left->size(),
                                right->size())});
    return false;
  }
  if (out_->equations.size() + static_cast<std::int64_t>(left->size()) > kMaxEquations) {
    return too_many(span);
  }
  for (std::size_t k = 0; k < left->size(); ++k) {
    out_->equations.add({.left = (*left)[k],
                         .right = (*right)[k],
                         .branch = site.branch,
                         .block = scope_.block(),
                         .source = id,
                         .element = static_cast<std::int32_t>(k),
                         .loop = site.loop,
                         .index = site.index,
                         .span = span});
  }
  return true;
}

/// An expression in a complementarity: as it stands in a row, and in a guard. One scalar stands for
/// every element of the others.
struct EquationWalk::Compared {
  Scalars row, guard;
  expr::ExprId in_row(std::size_t k) const { return row[row.size() == 1 ? 0 : k]; }
  expr::ExprId in_guard(std::size_t k) const { return guard[guard.size() == 1 ? 0 : k]; }
};

std::optional<EquationWalk::Compared> EquationWalk::compared(ExprId expr, Site site,
                                                             std::size_t& elements) {
  auto row = side(expr, site);
  auto guard = row ? translate(expr, IfKind::Plain) : std::nullopt;
  if (!guard) return std::nullopt;
  const std::size_t size = row->size();
  if (size != 1 && elements != 1 && size != elements) {
    diagnostics_->report(
        {.code = DiagCode::ArrayLengthsDiffer,
         .span = model_.typed.ast.exprs[expr].span,
         .message = fmt::format("{} elements are compared with {}", size, elements)});
    return std::nullopt;
  }
  elements = std::max(elements, size);
  return Compared{std::move(*row), std::move(*guard)};
}

// On the row of each alternative, of all relations only those of its own conditions are left: where
// a = 0, `a < 0` is false and `b > 0` says how long it holds.
//     0 <= a complements b >= 0        [ b > 0 or a < 0 -> a = 0 | true -> b = 0 ]
//     low <= y <= high complements e   [ y < low or y <= low and e > 0 -> y = low
//                                      | y > high or y >= high and e < 0 -> y = high
//                                      | true -> e = 0 ]
bool EquationWalk::complements(syntax::EquationId id, const syntax::Complements& node, Site site) {
  using enum expr::Op;
  const Span span = model_.typed.ast.equations[id].span;
  const bool is_pair = node.left.is_single();
  const syntax::ComplementSide& range = node.left.high || is_pair ? node.left : node.right;
  const syntax::ComplementSide& other = node.left.high || is_pair ? node.right : node.left;
  std::size_t elements = 1;
  const auto low = compared(range.low, site, elements);
  const auto value = low ? compared(range.value, site, elements) : std::nullopt;
  const auto bound =
      value ? compared(is_pair ? other.low : range.high, site, elements) : std::nullopt;
  const auto opposite = bound ? compared(other.value, site, elements) : std::nullopt;
  if (!opposite) return false;
  std::optional<Scalars> restitution;
  if (node.restitution) {
    restitution = translate(node.restitution, IfKind::Plain);
    if (!restitution) return false;
  }
  expr::Pool& pool = model_.equations.pool;
  const auto relation = [&](expr::Op op, expr::ExprId a, expr::ExprId b) {
    return expr::binary(pool, op, a, b);
  };
  if (out_->equations.size() + 3 * static_cast<std::int64_t>(elements) > kMaxEquations) {
    return too_many(span);
  }
  for (std::size_t k = 0; k < elements; ++k) {
    const expr::ExprId y = value->in_guard(k), at_low = low->in_guard(k);
    const expr::ExprId at_bound = bound->in_guard(k), e = opposite->in_guard(k);
    const expr::ExprId zero = expr::constant(pool, 0);
    const auto below = relation(Less, y, at_low);
    struct Row {
      expr::ExprId guard, left, right;
    };
    std::vector<Row> rows;
    if (is_pair) {
      rows.push_back({expr::disjunction(pool, relation(Greater, e, at_bound), below),
                      value->in_row(k), low->in_row(k)});
      rows.push_back({expr::boolean(pool, true), opposite->in_row(k), bound->in_row(k)});
    } else {
      const auto pushes = [&](expr::Op op, expr::ExprId limit, expr::Op sign) {
        return expr::conjunction(pool, relation(op, y, limit), relation(sign, e, zero));
      };
      rows.push_back({expr::disjunction(pool, below, pushes(LessEqual, at_low, Greater)),
                      value->in_row(k), low->in_row(k)});
      rows.push_back({expr::disjunction(pool, relation(Greater, y, at_bound),
                                        pushes(GreaterEqual, at_bound, Less)),
                      value->in_row(k), bound->in_row(k)});
      rows.push_back({expr::boolean(pool, true), opposite->in_row(k), zero});
    }
    const ChoiceId choice =
        out_->choices.add({.parent = site.branch,
                           .first = out_->branches.size(),
                           .count = static_cast<std::int32_t>(rows.size()),
                           .block = scope_.block(),
                           .span = span,
                           .form = is_pair ? ChoiceForm::Pair : ChoiceForm::Range});
    if (restitution) {
      out_->choices[choice].restitution = (*restitution)[restitution->size() == 1 ? 0 : k];
    }
    for (const Row& row : rows) {
      const BranchId branch =
          out_->branches.add({.choice = choice, .guard = row.guard, .span = span});
      out_->equations.add({.left = row.left,
                           .right = row.right,
                           .branch = branch,
                           .block = scope_.block(),
                           .source = id,
                           .element = static_cast<std::int32_t>(k),
                           .loop = site.loop,
                           .index = site.index,
                           .span = span});
    }
  }
  return true;
}

// The variables and derivatives that a path names.
std::optional<EquationWalk::Scalars> EquationWalk::targets(ExprId path) {
  return translate(path, IfKind::Plain);
}

bool EquationWalk::unknowns(Slice<ExprId> list, Site site, std::vector<Unknown>& out) {
  for (const ExprId e : model_.typed.ast.list(list)) {
    const auto scalars = targets(e);
    if (!scalars) return false;
    const Span span = model_.typed.ast.exprs[e].span;
    if (static_cast<std::int64_t>(out.size() + scalars->size()) > kMaxEquations) {
      return too_many(span);
    }
    for (const expr::ExprId s : *scalars) {
      out.push_back({.variable = model_.equations.pool.variable(s),
                     .branch = site.branch,
                     .block = scope_.block(),
                     .span = span});
    }
  }
  return true;
}

bool EquationWalk::substitute(const syntax::Substitute& node, Span span) {
  const sema::TypedModel& typed = model_.typed;
  const bool is_discrete = typed.types.is_discrete_based(typed.type[node.target]);
  const auto left = targets(node.target);
  const auto right =
      left ? translate(node.value, is_discrete ? IfKind::Evented : IfKind::Plain) : std::nullopt;
  if (!right) return false;
  if (left->size() != right->size()) {
    diagnostics_->report(
        {.code = DiagCode::ArrayLengthsDiffer,
         .span = span,
         .message = fmt::format("{} elements are substituted by {}", left->size(), right->size())});
    return false;
  }
  if (is_discrete) return discrete(node, *left, *right);
  for (std::size_t k = 0; k < left->size(); ++k) {
    substitutions_->push_back({.variable = model_.equations.pool.variable((*left)[k]),
                               .value = (*right)[k],
                               .block = scope_.block(),
                               .span = model_.typed.ast.exprs[node.target].span});
  }
  return true;
}

bool EquationWalk::discrete(const syntax::Substitute& node, const Scalars& left,
                            const Scalars& right) {
  const expr::Pool& pool = model_.equations.pool;
  const sema::Types& types = model_.typed.types;
  const std::vector<sema::TypeId> values = scalar_types(types, model_.typed.type[node.value]);
  for (std::size_t k = 0; k < left.size(); ++k) {
    const expr::DiscreteId leaf = pool.discrete(left[k]);
    const auto slot = std::get<DiscreteSlot>(model_.equations.discrete[leaf].source).slot;
    discrete_->push_back(
        {.leaf = leaf,
         .slot = slot,
         .value = right[k],
         .boolean = pool.has(left[k], expr::kBoolean),
         .natural = types.is(scalar_type(model_, slot), sema::BasicType::Nat) &&
                    !(k < values.size() && types.is(values[k], sema::BasicType::Nat)),
         .block = scope_.block(),
         .span = model_.typed.ast.exprs[node.target].span});
  }
  return true;
}

// Alternatives that can never be open are not even translated: in unwound equations they often
// mention elements that do not exist.
bool EquationWalk::guarded(const syntax::GuardedEquations& node, Span span, Site site) {
  const expr::Pool& pool = model_.equations.pool;
  const auto alternatives = model_.typed.ast.list(node.alternatives);
  std::vector<std::pair<const syntax::EquationAlternative*, expr::ExprId>> kept;
  for (const syntax::EquationAlternative& a : alternatives) {
    const auto guard = translate(a.guard, IfKind::Plain);
    if (!guard) return false;
    if (is_truth(pool, guard->front(), false)) continue;
    kept.emplace_back(&a, guard->front());
    if (is_truth(pool, guard->front(), true)) break;
  }
  const bool must_open = alternatives.size() > 1;
  if (kept.empty() && !must_open) return true;
  if (kept.size() == 1 && is_truth(pool, kept.front().second, true)) {
    return walk(kept.front().first->body, site);
  }
  const ChoiceId choice = out_->choices.add({.parent = site.branch,
                                             .first = out_->branches.size(),
                                             .count = static_cast<std::int32_t>(kept.size()),
                                             .must_open = must_open,
                                             .block = scope_.block(),
                                             .span = span});
  for (const auto& [alternative, guard] : kept) {
    out_->branches.add({.choice = choice,
                        .guard = guard,
                        .span = model_.typed.ast.exprs[alternative->guard].span});
  }
  BranchId branch{out_->choices[choice].first};
  for (const auto& [alternative, guard] : kept) {
    Site inner = site;
    inner.branch = branch;
    ++branch.index;
    if (!walk(alternative->body, inner)) return false;
  }
  return true;
}

bool EquationWalk::unwound(syntax::EquationId id, const syntax::UnwoundEquations& node, Site site) {
  const syntax::Unwind& unwind = node.unwind;
  if (!unwind) return walk(node.body, site);
  const sema::TypedModel& typed = model_.typed;
  const auto low = known_integer(typed, unwind.low, scope_.values(), *diagnostics_);
  const auto high =
      low ? known_integer(typed, unwind.high, scope_.values(), *diagnostics_) : std::nullopt;
  if (!high) return false;
  const Span span = typed.ast.equations[id].span;
  const std::int64_t copies = range_length(*low, *high);
  if (copies > kMaxEquations) return too_many(span);
  Site inner = site;
  inner.loop = out_->loops.add({.source = id,
                                .block = scope_.block(),
                                .low = *low,
                                .high = *high,
                                .parent = site.loop,
                                .parent_index = site.index});
  const sema::DeclId index = typed.unwind_index.at(unwind.variable.span.begin);
  bool good = true;
  loops_.enter(node.body, index, *low, copies);
  for (std::int64_t k = 0; good && k < copies; ++k) {
    if (++copies_ > kMaxEquations) good = too_many(span);  // they may hold nothing
    if (!good) break;
    inner.index = *low + k;
    scope_.push_index(index, inner.index);
    good = walk(node.body, inner);
    scope_.pop_index();
  }
  loops_.leave(node.body);
  return good;
}

bool EquationWalk::too_many(Span span) {
  diagnostics_->report(
      {.code = DiagCode::ModelTooLarge,
       .span = span,
       .message = fmt::format("the model has more than {} equations or unknowns", kMaxEquations)});
  return false;
}

}  // namespace chi::flat
