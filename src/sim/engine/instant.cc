#include "sim/engine/instant.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/linearity.h"
#include "expr/substitute.h"
#include "flat/activity.h"
#include "graph/assignment.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

ExprId instant_row(expr::Pool& pool, const flat::Equation& equation) {
  return expr::evented_kinks(pool, std::array{expr::sub(pool, equation.left, equation.right)})[0];
}

InstantSolver::InstantSolver(Engine& engine, Engine::InstantStatement& statement, Span span)
    : engine_(engine),
      statement_(statement),
      set_(statement.set),
      span_(span),
      context_{
          .pool = engine.workshop_.pool(), .leaves = leaves_, .boxes = engine.workshop_.boxes} {
  if (!engine.members_.empty()) {
    const SolverContext& other = engine.members_.front().part->context();
    context_.lower = other.lower;
    context_.upper = other.upper;
  }
}

std::int32_t InstantSolver::place(VarRef x) {
  const std::int32_t p = leaves_.place(expr::variable(context_.pool, x.var, x.order));
  if (frame_.size() < at(leaves_.size())) frame_.resize(at(leaves_.size()), 0.0);
  return p;
}

/// The active equations of all parts that the statement touches, on these sides.
bool InstantSolver::collect_members(const InstantSides& sides) {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Part& part = *engine_.members_[at(members_[k])].part;
    std::optional<Diagnostic> why;
    const ModeEquations* const mode = part.equations_on(sides.members[k], why);
    if (mode == nullptr) return engine_.fail(*why);
    const auto first = static_cast<std::int32_t>(rows_.size());
    for (const std::vector<std::int32_t>& group : mode->passing) {
      passing_.emplace_back();
      for (const std::int32_t r : group) passing_.back().push_back(first + r);
    }
    for (std::size_t i = 0; i < mode->system.rows.size(); ++i) {
      const std::int32_t e = mode->equations[i];
      rows_.push_back({mode->system.rows[i],
                       e < 0 ? span_ : part.equations().set.equations[flat::EquationId{e}].span});
    }
    declared_.insert(declared_.end(), mode->system.declared.begin(), mode->system.declared.end());
  }
  active_rows_ = rows_.size();
  active_declared_ = declared_;
  std::sort(active_declared_.begin(), active_declared_.end());
  return true;
}

bool InstantSolver::is_true(ExprId condition, bool* truth) {
  double value = 0;
  if (!engine_.evaluate_now(condition, &value, span_)) return false;
  *truth = value != 0;
  return true;
}

/// The statement's own equations, with its conditions as they are on these sides.
bool InstantSolver::collect_own(const std::vector<int>& sides) {
  expr::Pool& pool = context_.pool;
  std::vector<Truth> truths;
  if (conditions_) {
    std::vector<Truth> relations;
    for (const Relation& r : conditions_->relations()) {
      const bool holds = relation_holds(r.op, sides[at(r.border)] * r.orientation);
      relations.push_back(holds ? Truth::True : Truth::False);
    }
    conditions_->evaluate(frame_before_.data(), relations, truths);
  }
  bool failed = false;
  const auto holds = [&](int condition) {
    if (truths[at(condition)] != Truth::Undefined) return truths[at(condition)] == Truth::True;
    bool truth = false;
    failed = failed || !is_true(conditions_->condition(condition), &truth);
    return truth;
  };
  const flat::Activity activity =
      flat::find_activity(set_, [&](flat::BranchId b) { return holds(guards_[at(b.index)]); });
  if (failed) return false;
  if (!activity.nowhere.empty()) {
    return engine_.fail({.code = DiagCode::NoOpenEquations,
                         .span = set_.choices[activity.nowhere.front()].span,
                         .message = "no alternative of these equations is open"});
  }
  for (flat::EquationId e{0}; e.index < set_.equations.size(); ++e.index) {
    if (!activity.is_active(set_.equations[e].branch)) continue;
    const ExprId row = own_rows_[at(e.index)];
    std::vector<expr::Truth> chosen;
    for (const int c : own_conditions_[at(e.index)]) {
      chosen.push_back({conditions_->condition(c), holds(c)});
    }
    if (failed) return false;
    rows_.push_back(
        {expr::select_branches(pool, std::array{row}, chosen)[0], set_.equations[e].span});
  }
  const std::vector<VarId> own = flat::declared_unknowns(set_, activity);
  declared_.insert(declared_.end(), own.begin(), own.end());
  std::sort(declared_.begin(), declared_.end());
  declared_.erase(std::unique(declared_.begin(), declared_.end()), declared_.end());
  return true;
}

/// Values before the instant, everywhere.
bool InstantSolver::load(const std::vector<VarRef>& extra) {
  for (const VarRef x : extra) place(x);
  frame_.resize(at(leaves_.size()), 0.0);
  const expr::Pool& pool = context_.pool;
  for (std::int32_t p = 0; p < leaves_.size(); ++p) {
    const ExprId leaf = leaves_.leaf(p);
    switch (pool.op(leaf)) {
      case expr::Op::Variable: {
        const VarRef x = pool.variable(leaf);
        if (x.var.index < engine_.workshop_.model.variable_slots) {
          const double value = engine_.value_of(x);
          frame_[at(p)] = std::isnan(value) ? 0 : value;
        }
        break;
      }
      case expr::Op::DiscreteReal:
      case expr::Op::DiscreteBool:
        frame_[at(p)] = engine_.discrete_value(pool.discrete(leaf));
        break;
      case expr::Op::Time: frame_[at(p)] = engine_.workshop_.machine.time; break;
      case expr::Op::Delay:
        if (!engine_.evaluate_now(leaf, &frame_[at(p)], span_)) return false;
        break;
      default: break;
    }
  }
  return true;
}

void InstantSolver::keep(VarId v, double value) {
  if (v.index >= engine_.workshop_.model.variable_slots) return;
  double& old = engine_.workshop_.memory(v.index).r;
  if (old != value && engine_.observer != nullptr) {
    engine_.observer->jump(engine_.workshop_.machine.time, engine_.variable_name({v, 0}), old,
                           value, "instantaneous equations", span_);
  }
  old = value;
  engine_.assigned(memory_slot(engine_.workshop_.model, engine_.workshop_.frames, v.index), 1);
}

/// "`F` and `v'`"
std::string InstantSolver::impulsive_names(std::span<const ExprId> leaves) const {
  std::string names;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const VarRef x = context_.pool.variable(leaves[i]);
    names += fmt::format("{}`{}`",
                         i == 0                   ? ""
                         : i + 1 == leaves.size() ? " and "
                                                  : ", ",
                         engine_.variable_name(x));
  }
  return names;
}

bool InstantSolver::solve() {
  structure::InstantSystem instant{.passing = passing_,
                                   .added = static_cast<std::int32_t>(rows_.size() - active_rows_),
                                   .declared_to_last = active_declared_};
  for (const Row& row : rows_) instant.system.rows.push_back(row.expr);
  instant.system.declared = declared_;
  if (instant != statement_.system) {
    statement_.order = structure::order_instant(context_.pool, instant);
    statement_.system = std::move(instant);
  }
  const structure::InstantOrder& found = statement_.order;
  const structure::BlockOrder& order = found.order;
  if (!order.over_rows.empty()) return explain_over(statement_.system.system, found);
  const bool nearest = engine_.workshop_.options.initial == Initial::Nearest;
  if (!order.is_square() && !nearest) return explain_open(found);
  SystemSolver solver(context_, order);
  if (!load({})) return false;
  if (!solver.solve(frame_.data(), Effort::Full)) return explain_unsolved(solver.failure());
  for (const auto* unknowns : {&order.unknowns, &order.under_unknowns}) {
    for (const VarRef x : *unknowns) found_.push_back({x, frame_[at(place(x))]});
  }
  return true;
}

/// Impulse orders of all variables in play (P4 §3.2).
void InstantSolver::find_orders() {
  expr::Pool& pool = context_.pool;
  std::vector<ExprId> rows;
  for (const Row& row : rows_) rows.push_back(row.expr);
  incidence_ = expr::incidence(pool, rows);
  for (const VarRef x : incidence_.entry) {
    if (x.order > 0) variables_.push_back(x.var);
  }
  variables_.insert(variables_.end(), declared_.begin(), declared_.end());
  for (const flat::Unknown& u : set_.impulses) variables_.push_back(u.variable.var);
  std::sort(variables_.begin(), variables_.end());
  variables_.erase(std::unique(variables_.begin(), variables_.end()), variables_.end());
  graph::SignatureBuilder builder(static_cast<int>(rows_.size()),
                                  static_cast<int>(variables_.size()));
  for (int i = 0; i < incidence_.rows(); ++i) {
    for (const VarRef x : incidence_.row(i)) {
      if (const std::int32_t j = number(x.var); j >= 0) builder.add({i}, {j}, x.order);
    }
  }
  const graph::Signature dependencies = builder.build();
  Table<graph::VarId, int> bounds(static_cast<int>(variables_.size()), graph::kNoImpulse);
  for (const flat::Unknown& u : set_.impulses) bounds[{number(u.variable.var)}] = 0;
  // The laws of the impact are about what jumps.
  for (const VarId v : declared_) {
    const bool own = std::any_of(set_.unknowns.begin(), set_.unknowns.end(),
                                 [&](const flat::Unknown& u) { return u.variable.var == v; });
    if (own) bounds[{number(v)}] = std::max(bounds[{number(v)}], -1);
  }
  orders_ = graph::find_impulse_orders(dependencies, graph::best_assignment(dependencies), bounds);
}

std::int32_t InstantSolver::number(VarId v) const {
  const auto found = std::lower_bound(variables_.begin(), variables_.end(), v);
  return found != variables_.end() && *found == v
             ? static_cast<std::int32_t>(found - variables_.begin())
             : -1;
}

/// A row of impulse order 0, integrated over the instant (P4 eq. 8); none if it is not linear in
/// what is impulsive.
std::optional<ExprId> InstantSolver::integral(const Row& row) {
  expr::Pool& pool = context_.pool;
  std::vector<ExprId> leading, step;
  std::vector<expr::Replacement> mean;
  for (const ExprId leaf : expr::variables(pool, std::array{row.expr}).node) {
    const VarRef x = pool.variable(leaf);
    const std::int32_t j = number(x.var);
    if (j < 0 || orders_.of_var[{j}] == graph::kNoImpulse) continue;
    const int order = orders_.of_var[{j}] + x.order;
    const ExprId old = expr::variable(pool, before_id(x.var));
    if (order == 0) {
      leading.push_back(leaf);
      step.push_back(x.order == 0 ? expr::variable(pool, impulse_id(x.var))
                                  : expr::sub(pool, expr::variable(pool, x.var), old));
    } else if (order == -1 && x.order == 0) {
      mean.push_back(
          {leaf, expr::mul(pool, expr::constant(pool, 0.5), expr::add(pool, leaf, old))});
    }
  }
  if (expr::linearity(pool, std::array{row.expr}, leading)[0] == expr::Linearity::Nonlinear) {
    engine_.fail(
        {.code = DiagCode::JumpImpossible,
         .span = row.span,
         .message = "this equation carries the impulse and is not linear in it",
         .notes = {fmt::format("linear it has to be in {}", impulsive_names(leading))},
         .help = "the integral of the equation over the instant says nothing then: write a law "
                 "for the values after the impact, and close the guard of this equation for "
                 "the instant"});
    return std::nullopt;
  }
  ExprId sum = expr::constant(pool, 0);
  IntegratedRow& integrated = integrated_.emplace_back();
  for (std::size_t k = 0; k < leading.size(); ++k) {
    const ExprId slope = expr::substitute(pool, expr::partial(pool, row.expr, leading[k]), mean);
    sum = expr::add(pool, sum, expr::mul(pool, slope, step[k]));
    const VarRef x = pool.variable(leading[k]);
    integrated.terms.push_back({{x.var, 0}, 0, x.order == 0});
    slopes_.push_back(slope);
  }
  return sum;
}

/// What is marked must not make anything worse than an impulse.
bool InstantSolver::check_orders() {
  for (std::size_t j = 0; j < variables_.size(); ++j) {
    if (orders_.of_var[{static_cast<std::int32_t>(j)}] < 1) continue;
    return engine_.fail({.code = DiagCode::JumpImpossible,
                         .span = span_,
                         .message = fmt::format("`{}` would be the derivative of an impulse",
                                                engine_.variable_name({variables_[j], 0})),
                         .help = "what is marked `impulse` may be a force or a current, not "
                                 "what jumps itself: see which equations contain its "
                                 "derivative"});
  }
  return true;
}

/// The equations of order 0, integrated, and those of order -1.
bool InstantSolver::add_rows(structure::Analysis& impact) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int order = orders_.of_eq[{static_cast<std::int32_t>(i)}];
    if (order < -1) continue;
    std::optional<ExprId> row = rows_[i].expr;
    if (order == 0) row = integral(rows_[i]);
    if (!row) return false;
    impact.kept.push_back(static_cast<std::int32_t>(i));
    impact.c.push_back(0);
    impact.derivatives.push_back({*row});
  }
  return true;
}

/// The active equations go on to hold: with the places of a rod its velocities are bound, too. One
/// of order -m has its derivative of order m - 1 hold after the instant.
void InstantSolver::add_hidden(structure::Analysis& impact) {
  for (std::size_t i = 0; i < active_rows_; ++i) {
    const int order = orders_.of_eq[{static_cast<std::int32_t>(i)}];
    if (order >= -1 || order == graph::kNoImpulse) continue;
    ExprId row = rows_[i].expr;
    for (int k = order; k < -1; ++k) row = expr::time_derivative(context_.pool, row);
    impact.kept.push_back(static_cast<std::int32_t>(i));
    impact.c.push_back(0);
    impact.derivatives.push_back({row});
  }
}

/// The unknowns are the values after the instant of what jumps, and the weights of what is
/// impulsive: x_j of impulse order -m has its derivative of order m - 1 jump, if that occurs at
/// all.
structure::BlockOrder InstantSolver::order_impact(structure::Analysis& impact) const {
  std::vector<ExprId> rows;
  for (const auto& derivatives : impact.derivatives) rows.push_back(derivatives.front());
  std::vector<VarRef> present = expr::incidence(context_.pool, rows).entry;
  present.insert(present.end(), incidence_.entry.begin(), incidence_.entry.end());
  std::vector<VarRef> impulses, given;
  for (std::size_t j = 0; j < variables_.size(); ++j) {
    const int order = orders_.of_var[{static_cast<std::int32_t>(j)}];
    if (order == 0) impulses.push_back({impulse_id(variables_[j]), 0});
    if (order >= 0 || order == graph::kNoImpulse) continue;
    const VarRef jumping{variables_[j], -1 - order};
    const bool occurs = std::ranges::any_of(
        present, [&](const VarRef x) { return x.var == jumping.var && x.order >= jumping.order; });
    if (!occurs) continue;
    impact.unknowns.push_back(jumping.var);
    impact.d.push_back(jumping.order);
    for (int k = 0; k < jumping.order; ++k) given.push_back({jumping.var, k});
  }
  for (const VarRef x : impulses) {
    impact.unknowns.push_back(x.var);
    impact.d.push_back(0);
  }
  impact.is_declared.assign(impact.unknowns.size(), 1);
  return structure::order_blocks(context_.pool, impact, given);
}

bool InstantSolver::solve_impulses() {
  find_orders();
  structure::Analysis impact;
  if (!check_orders() || !add_rows(impact)) return false;
  structure::Analysis wider = impact;
  structure::BlockOrder order = order_impact(impact);
  if (!order.is_square()) {
    add_hidden(wider);
    structure::BlockOrder all = order_impact(wider);
    if (!all.is_square()) return explain_impact(impact, order);
    impact = std::move(wider);
    order = std::move(all);
  }
  SystemSolver solver(context_, order);
  std::vector<VarRef> extra;
  for (const VarId v : variables_) extra.push_back({before_id(v), 0});
  if (!load(extra)) return false;
  for (const VarId v : variables_) {
    frame_[at(place({before_id(v), 0}))] = engine_.value_of({v, 0});
  }
  if (!solver.solve(frame_.data(), Effort::Full)) return explain_unsolved(solver.failure());
  for (std::size_t k = 0; k < impact.unknowns.size(); ++k) {
    const VarId v = impact.unknowns[k];
    if (impact.d[k] > 0) continue;
    const double value = frame_[at(place({v, 0}))];
    found_.push_back({{is_extra(v) ? variable_of(v) : v, 0}, value, is_extra(v)});
  }
  find_conserved();
  return true;
}

void InstantSolver::find_conserved() {
  code::Formulas formulas(context_.pool, slopes_, leaves_, context_.boxes);
  frame_.resize(at(leaves_.size()), 0.0);
  std::vector<double> numbers(slopes_.size());
  formulas.evaluate_each(frame_.data(), numbers.data());
  set_slopes(integrated_, numbers);
  const auto values = [&](VarRef x) {
    return std::pair(frame_[at(place({before_id(x.var), 0}))], frame_[at(place(x))]);
  };
  conserved_ = conserved_sums(integrated_, values);
}

/// The values found become those of the variables.
void InstantSolver::commit() {
  for (const Found& found : found_) {
    if (found.variable.order > 0) continue;
    if (!found.is_impulse) {
      keep(found.variable.var, found.value);
    } else if (engine_.observer != nullptr) {
      engine_.observer->jump(engine_.workshop_.machine.time, engine_.variable_name(found.variable),
                             0, found.value, "impulse", span_);
    }
  }
  engine_.tell_conserved(conserved_, span_);
}

bool Engine::instant(std::int32_t block, std::int32_t number) {
  ++answered;
  Diagnostics problems;
  InstantStatement* const statement = asked_equations(block, number, problems);
  if (statement == nullptr) return fail(problems.all().front());
  const syntax::StatId source = program_.instants[at(number)].source;
  return InstantSolver(*this, *statement, workshop_.model.typed.ast.stats[source].span).run();
}

Engine::InstantStatement* Engine::asked_equations(std::int32_t block, std::int32_t number,
                                                  Diagnostics& problems) {
  const auto found = instants_.find(key(block, number));
  if (found != instants_.end()) return &found->second;
  const code::InstantEquations& row = program_.instants[at(number)];
  const syntax::Stat& stat = workshop_.model.typed.ast.stats[row.source];
  auto set =
      statements_.instant(block, row.indices, std::get<syntax::Instant>(stat.node), problems);
  if (!set) return nullptr;
  return &instants_.emplace(key(block, number), InstantStatement{std::move(*set)}).first->second;
}

}  // namespace chi::sim
