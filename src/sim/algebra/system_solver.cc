#include "sim/algebra/system_solver.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "sim/algebra/isolate.h"

namespace chi::sim {
namespace {

using Row = structure::BlockOrder::Row;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

SystemSolver::SystemSolver(const SolverContext& context, const structure::BlockOrder& order)
    : context_(context), order_(order) {
  std::vector<expr::ExprId> roots;
  for (const std::vector<Row>* rows : {&order.rows, &order.over_rows, &order.under_rows}) {
    for (const Row& row : *rows) roots.push_back(row.expr);
  }
  enter_leaves(context, roots);
  if (!order.over_rows.empty()) add_block(order.over_rows, order.over_unknowns);
  build();
  if (!order.under_unknowns.empty()) add_block(order.under_rows, order.under_unknowns);
}

void SystemSolver::build() {
  std::vector<ExplicitRun::Assignment> run;
  const auto count = static_cast<std::int32_t>(order_.blocks.size());
  for (std::int32_t b = 0; b < count; ++b) {
    if (isolate_block(b, run)) continue;
    add_run(run);
    const structure::BlockOrder::Block& block = order_.blocks[at(b)];
    add_block(std::span(order_.rows).subspan(at(block.first), at(block.count)),
              std::span(order_.unknowns).subspan(at(block.first), at(block.count)));
  }
  add_run(run);
}

// Whether the block can be written as assignments.
bool SystemSolver::isolate_block(std::int32_t b, std::vector<ExplicitRun::Assignment>& run) {
  constexpr std::int32_t kHandful = 6;
  const auto [first, count] = order_.blocks[at(b)];
  if (count == 1) {
    const expr::VarRef unknown = order_.unknowns[at(first)];
    std::optional<Isolated> solved =
        isolate(context_.pool, order_.rows[at(first)].expr, leaf_of(context_.pool, unknown));
    if (!solved) return false;
    run.push_back({b, first, unknown, solved->value, std::move(solved->divisors)});
    return true;
  }
  if (count > kHandful) return false;
  std::vector<expr::ExprId> rows, leaves;
  for (std::int32_t k = first; k < first + count; ++k) {
    rows.push_back(order_.rows[at(k)].expr);
    leaves.push_back(leaf_of(context_.pool, order_.unknowns[at(k)]));
  }
  const std::optional<std::vector<expr::ExprId>> values = isolate_all(context_.pool, rows, leaves);
  if (!values) return false;
  for (std::int32_t k = 0; k < count; ++k) {
    run.push_back({b, first + k, order_.unknowns[at(first + k)], (*values)[at(k)], {}});
  }
  return true;
}

void SystemSolver::add_run(std::vector<ExplicitRun::Assignment>& assignments) {
  if (assignments.empty()) return;
  for (std::size_t k = 0; k < assignments.size(); ++k) {
    if (k == 0 || assignments[k].block != assignments[k - 1].block) ++counts_.explicit_blocks;
  }
  pieces_.emplace_back(std::in_place_type<ExplicitRun>, context_, std::exchange(assignments, {}));
}

void SystemSolver::add_block(std::span<const Row> rows, std::span<const expr::VarRef> unknowns) {
  const ImplicitBlock& block = std::get<ImplicitBlock>(
      pieces_.emplace_back(std::in_place_type<ImplicitBlock>, context_, rows, unknowns));
  const bool direct = block.is_linear() && rows.size() == unknowns.size();
  ++(direct ? counts_.linear_blocks : counts_.nonlinear_blocks);
  counts_.largest_block = std::max(counts_.largest_block, static_cast<int>(unknowns.size()));
  if (!direct) guessed_.insert(guessed_.end(), block.places().begin(), block.places().end());
}

const ExplicitRun* SystemSolver::explicit_run() const {
  return pieces_.size() == 1 ? std::get_if<ExplicitRun>(&pieces_.front()) : nullptr;
}

std::vector<expr::Replacement> SystemSolver::assigned() const {
  std::vector<expr::Replacement> result;
  for (const Piece& piece : pieces_) {
    const ExplicitRun* const run = std::get_if<ExplicitRun>(&piece);
    if (run == nullptr) continue;
    for (const ExplicitRun::Assignment& a : run->assignments()) {
      result.push_back({leaf_of(context_.pool, a.unknown), a.value});
    }
  }
  return result;
}

void SystemSolver::read_pivots(std::vector<double>& pivots) const {
  pivots.clear();
  for (const Piece& piece : pieces_) {
    if (const ExplicitRun* const run = std::get_if<ExplicitRun>(&piece)) {
      for (std::size_t k = 0; k < run->divisors(); ++k) pivots.push_back(run->divisor(k).value);
    } else {
      pivots.push_back(std::get<ImplicitBlock>(piece).determinant_sign());
    }
  }
}

SystemSolver::PivotOwner SystemSolver::owner_of_pivot(std::size_t pivot) const {
  for (const Piece& piece : pieces_) {
    const ExplicitRun* const run = std::get_if<ExplicitRun>(&piece);
    const std::size_t count = run ? run->divisors() : 1;
    if (pivot >= count) {
      pivot -= count;
      continue;
    }
    if (!run) {
      const ImplicitBlock& block = std::get<ImplicitBlock>(piece);
      return {{block.rows().begin(), block.rows().end()},
              {block.unknowns().begin(), block.unknowns().end()},
              {}};
    }
    const ExplicitRun::Divisor divisor = run->divisor(pivot);
    const ExplicitRun::Assignment& a = run->assignments()[divisor.assignment];
    return {{order_.rows[at(a.row)]}, {a.unknown}, divisor.written};
  }
  return {};
}

bool SystemSolver::solve(double* frame, Effort effort) {
  iterations_ = rank_deficiency_ = 0;
  for (Piece& piece : pieces_) {
    ExplicitRun* const run = std::get_if<ExplicitRun>(&piece);
    const bool ok = run ? solve_run(*run, frame, effort)
                        : solve_block(std::get<ImplicitBlock>(piece), frame, effort);
    if (!ok) return false;
  }
  return true;
}

bool SystemSolver::solve_block(ImplicitBlock& block, double* frame, Effort effort) {
  const bool ok = block.solve(context_, frame, effort, failure_);
  iterations_ += block.iterations();
  if (ok) rank_deficiency_ += block.rank_deficiency();
  return ok;
}

bool SystemSolver::is_singular_at(double* frame) {
  for (Piece& piece : pieces_) {
    if (ExplicitRun* const run = std::get_if<ExplicitRun>(&piece)) {
      if (!run->is_singular_at(context_, frame)) continue;
      describe(*run, frame);
      return true;
    }
    if (std::get<ImplicitBlock>(piece).is_singular_at(context_, frame, failure_)) return true;
  }
  return false;
}

ImplicitBlock& SystemSolver::replacement(std::int32_t block) {
  const auto found = replaced_.find(block);
  if (found != replaced_.end()) return found->second;
  const auto [first, count] = order_.blocks[at(block)];
  ImplicitBlock made(context_, std::span(order_.rows).subspan(at(first), at(count)),
                     std::span(order_.unknowns).subspan(at(first), at(count)));
  return replaced_.emplace(block, std::move(made)).first->second;
}

// Where an equation does not determine its unknown it is looked at as it stands: it may hold
// whatever the unknown is.
bool SystemSolver::solve_run(ExplicitRun& run, double* frame, Effort effort) {
  if (run.solve(context_, frame)) return true;
  if (effort == Effort::Near || !run.is_singular()) return describe(run, frame), false;
  const std::vector<char> solved = run.solve_each(frame);
  std::int32_t done = -1;
  for (std::size_t k = 0; k < solved.size(); ++k) {
    const std::int32_t block = run.assignments()[k].block;
    if (solved[k] || block == done) continue;
    if (!solve_block(replacement(block), frame, effort)) return false;
    done = block;
  }
  return true;
}

void SystemSolver::describe(ExplicitRun& run, double* frame) {
  const ExplicitRun::Assignment& failed = run.assignments()[run.failed()];
  if (order_.blocks[at(failed.block)].count > 1) {  // which of its equations is it?
    run.solve_each(frame);
    if (!replacement(failed.block).solve(context_, frame, Effort::Near, failure_)) return;
  }
  failure_ = {};
  failure_.status =
      run.is_singular() ? numerics::SolveStatus::Singular : numerics::SolveStatus::Undefined;
  failure_.rows.push_back({order_.rows[at(failed.row)], std::numeric_limits<double>::quiet_NaN()});
  const std::int32_t place = context_.leaves.find(leaf_of(context_.pool, failed.unknown));
  failure_.unknowns.push_back({failed.unknown, frame[place]});
  failure_.worst = 0;
  if (run.is_singular()) {
    failure_.singular_rows = {0};
    failure_.singular_unknowns = {0};
  }
  failure_.fault = run.fault();
}

}  // namespace chi::sim
