#include "sim/modes/plan.h"

#include <algorithm>
#include <iterator>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "structure/instant.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

Plan::Plan(const SolverContext& context, ModeEquations equations, const graph::Matching& hint,
           structure::Probe* probe)
    : own_(std::make_unique<Work>(Work{.context = context, .equations = std::move(equations)})),
      work_(*own_) {
  work_.analysis = structure::analyse(context.pool, work_.equations.system, hint, probe);
  if (is_singular() && work_.analysis.singular->kind != structure::Singular::Kind::Contradiction) {
    make_static();
  }
  if (is_singular()) return;
  if (!work_.is_static) {
    const std::vector<VarRef> known = structure::known_values(work_.analysis);
    work_.ip = structure::order_blocks(work_.context.pool, work_.analysis, known);
    std::ranges::copy_if(known, std::back_inserter(work_.overruled), [&](VarRef x) {
      return x.order == work_.analysis.d[at(work_.analysis.unknown_index(x.var))];
    });
  }
  for (std::size_t j = 0; j < work_.analysis.unknowns.size(); ++j) {
    for (int k = 0; k <= work_.analysis.d[j]; ++k) {
      work_.values.push_back({work_.analysis.unknowns[j], k});
      const ExprId leaf = expr::variable(work_.context.pool, work_.analysis.unknowns[j], k);
      work_.places.push_back(work_.context.leaves.place(leaf));
    }
  }
}

Plan::Plan(Plan& like, std::span<const std::int32_t> switch_places, std::vector<char> switches)
    : work_(like.work_), switch_places_(switch_places), switches_(std::move(switches)) {
  like.is_lent_ = true;
}

void Plan::set_id(PlanId id) {
  id_ = id;
  if (own_) own_->id = id;
}

StateVariant* Plan::add_variant(std::unique_ptr<StateVariant> variant) {
  variant->id = {work_.id, static_cast<std::int32_t>(work_.variants.size())};
  work_.variants.push_back(std::move(variant));
  return work_.variants.back().get();
}

void Plan::set_switches(std::vector<double>& frame) const {
  for (std::size_t k = 0; k < switches_.size(); ++k) frame[at(switch_places_[k])] = switches_[k];
}

void Plan::append_divisors(const double* frame, std::vector<double>& pivots) {
  const std::size_t count = work_.analysis.divisors.size(), first = pivots.size();
  if (count == 0) return;
  if (!work_.divisors) {
    std::vector<ExprId> roots;
    for (const structure::Analysis::Divisor& d : work_.analysis.divisors)
      roots.push_back(d.divisor);
    work_.divisors = std::make_unique<code::Formulas>(work_.context.pool, roots,
                                                      work_.context.leaves, work_.context.boxes);
  }
  pivots.resize(first + count);
  work_.divisors->evaluate_each(frame, pivots.data() + first);
}

void Plan::make_static() {
  structure::InstantOrder found = structure::order_instant(
      work_.context.pool, {.system = work_.equations.system,
                           .passing = work_.equations.passing,
                           .declared_to_last = work_.equations.system.declared});
  if (!found.order.is_square()) return;
  work_.is_static = true;
  work_.why_static = work_.analysis.singular;
  work_.ip = std::move(found.order);
  work_.analysis = std::move(found.analysis);
}

bool Plan::has_lower(VarRef x) const {
  const int j = work_.analysis.unknown_index(x.var);
  return j >= 0 && x.order < work_.analysis.d[at(j)];
}

bool Plan::rests_on_values() const { return work_.analysis.saw_values; }

const std::vector<std::size_t>& Plan::switched_rows() {
  if (work_.switched_rows) return *work_.switched_rows;
  std::vector<expr::ExprId> rows;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < work_.analysis.c.size(); ++i) {
    if (work_.analysis.c[i] == 0) continue;
    rows.push_back(work_.analysis.derivatives[i].front());
    numbers.push_back(i);
  }
  const expr::Pool& pool = work_.context.pool;
  const expr::Occurrences found = expr::occurrences(pool, rows, {}, [&](expr::ExprId e) {
    return pool.op(e) == expr::Op::PlainIf ? e : expr::ExprId{};
  });
  work_.switched_rows.emplace();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!found.row(static_cast<int>(k)).empty()) work_.switched_rows->push_back(numbers[k]);
  }
  return *work_.switched_rows;
}

SystemSolver& Plan::ip_solver() {
  if (!work_.ip_solver) work_.ip_solver = std::make_unique<SystemSolver>(work_.context, work_.ip);
  return *work_.ip_solver;
}

SystemSolver& Plan::ip_solver(const std::vector<VarRef>& known_too) {
  if (known_too.empty()) return ip_solver();
  WithKnown& with = work_.with_known[known_too];
  if (!with.solver) {
    std::vector<VarRef> known = structure::known_values(work_.analysis);
    known.insert(known.end(), known_too.begin(), known_too.end());
    std::sort(known.begin(), known.end());
    with.order = structure::order_blocks(work_.context.pool, work_.analysis, known);
    with.solver = std::make_unique<SystemSolver>(work_.context, with.order);
  }
  return *with.solver;
}

bool Plan::has_choice() const {
  return !work_.is_static &&
         std::any_of(work_.analysis.c.begin(), work_.analysis.c.end(), [](int c) { return c > 0; });
}

StateVariant* Plan::variant_for(structure::StateChoice choice) {
  for (const auto& variant : work_.variants) {
    if (variant->choice.states == choice.states) return variant.get();
  }
  auto variant = std::make_unique<StateVariant>();
  variant->choice = std::move(choice);
  variant->order =
      structure::order_blocks(work_.context.pool, work_.analysis, variant->choice.states);
  variant->solver = std::make_unique<SystemSolver>(work_.context, variant->order);
  return add_variant(std::move(variant));
}

StateVariant* Plan::structural_variant() {
  if (!work_.variants.empty()) return work_.variants.front().get();
  if (work_.is_static) {
    auto variant = std::make_unique<StateVariant>();
    variant->order = work_.ip;
    return add_variant(std::move(variant));
  }
  auto choice = structure::choose_states(work_.context.pool, work_.analysis);
  return choice ? variant_for(std::move(*choice)) : nullptr;
}

StateVariant* Plan::variant_at(structure::PointValues& point) {
  if (!has_choice()) return structural_variant();
  auto choice = structure::choose_states(work_.context.pool, work_.analysis, &point);
  return choice ? variant_for(std::move(*choice)) : nullptr;
}

ExprId Plan::time_derivative(ExprId e, int k) {
  const auto of_variable = [this](expr::Pool& pool, VarRef x) {
    return work_.analysis.unknown_index(x.var) < 0 ? expr::constant(pool, 0)
                                                   : expr::variable(pool, x.var, x.order + 1);
  };
  return expr::time_derivatives(work_.context.pool, std::span(&e, 1), std::span(&k, 1),
                                of_variable)[0]
      .back();
}

// Level m: the rows f_i^(c_i + m) determine x_j^(d_j + m), through the same Jacobian as level 0.
Plan::Level Plan::make_level(int m, const std::vector<ExprId>& rows) {
  structure::Analysis level = work_.analysis;
  std::vector<VarRef> given;
  for (std::size_t j = 0; j < level.unknowns.size(); ++j) {
    level.d[j] += m;
    for (int k = 0; k < level.d[j]; ++k) given.push_back({level.unknowns[j], k});
    work_.context.leaves.place(expr::variable(work_.context.pool, level.unknowns[j], level.d[j]));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    level.c[i] = 0;
    level.derivatives[i] = {rows[i]};
  }
  std::sort(given.begin(), given.end());
  return {structure::order_blocks(work_.context.pool, level, given), nullptr};
}

SystemSolver& Plan::leading_solver(std::vector<double>& frame) {
  if (!work_.leading) {
    std::vector<ExprId> rows;
    for (const auto& derivatives : work_.analysis.derivatives) rows.push_back(derivatives.back());
    work_.leading = std::make_unique<Level>(make_level(0, rows));
    work_.leading->solver = std::make_unique<SystemSolver>(work_.context, work_.leading->order);
  }
  if (frame.size() < at(work_.context.leaves.size()))
    frame.resize(at(work_.context.leaves.size()), 0.0);
  return *work_.leading->solver;
}

bool Plan::solve_leading(std::vector<double>& frame) {
  return leading_solver(frame).solve(frame.data(), Effort::Full);
}

bool Plan::is_leading_regular(std::vector<double> frame) {
  return solve_leading(frame) && work_.leading->solver->rank_deficiency() == 0;
}

bool Plan::is_leading_singular(std::vector<double>& frame) {
  return leading_solver(frame).is_singular_at(frame.data());
}

void Plan::build_tower(int levels) {
  if (work_.top.empty()) {
    for (const auto& derivatives : work_.analysis.derivatives)
      work_.top.push_back(derivatives.back());
  }
  while (static_cast<int>(work_.tower.size()) < levels) {
    for (ExprId& row : work_.top) row = time_derivative(row, 1);
    work_.tower.push_back(make_level(static_cast<int>(work_.tower.size()) + 1, work_.top));
    Level& added = work_.tower.back();
    if (added.order.is_square()) {
      added.solver = std::make_unique<SystemSolver>(work_.context, added.order);
    }
  }
}

bool Plan::climb(double* frame, int levels, int known) {
  for (int m = known; m < levels; ++m) {
    SystemSolver* const solver = work_.tower[at(m)].solver.get();
    if (solver == nullptr || !solver->solve(frame, Effort::Near)) return false;
  }
  return true;
}

}  // namespace chi::sim
