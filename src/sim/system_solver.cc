#include "sim/system_solver.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "sim/isolate.h"

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
  for (const structure::BlockOrder::Block& block : order_.blocks) {
    if (block.count == 1) {
      const expr::VarRef unknown = order_.unknowns[at(block.first)];
      const expr::ExprId leaf = leaf_of(context_.pool, unknown);
      std::optional<Isolated> solved =
          isolate(context_.pool, order_.rows[at(block.first)].expr, leaf);
      if (solved) {
        run.push_back({block.first, unknown, solved->value, std::move(solved->divisors)});
        continue;
      }
    }
    add_run(run);
    add_block(std::span(order_.rows).subspan(at(block.first), at(block.count)),
              std::span(order_.unknowns).subspan(at(block.first), at(block.count)));
  }
  add_run(run);
}

void SystemSolver::add_run(std::vector<ExplicitRun::Assignment>& assignments) {
  if (assignments.empty()) return;
  counts_.explicit_blocks += static_cast<int>(assignments.size());
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

// Where an equation does not determine its unknown it is looked at as it stands: it may hold
// whatever the unknown is.
bool SystemSolver::solve_run(ExplicitRun& run, double* frame, Effort effort) {
  if (run.solve(context_, frame)) return true;
  if (effort == Effort::Near || !run.is_singular()) return describe(run, frame), false;
  const std::vector<char> solved = run.solve_each(frame);
  for (std::size_t k = 0; k < solved.size(); ++k) {
    if (solved[k]) continue;
    const std::int32_t row = run.assignments()[k].row;
    auto found = replaced_.find(row);
    if (found == replaced_.end()) {
      ImplicitBlock block(context_, std::span(order_.rows).subspan(at(row), 1),
                          std::span(order_.unknowns).subspan(at(row), 1));
      found = replaced_.emplace(row, std::move(block)).first;
    }
    if (!solve_block(found->second, frame, effort)) return false;
  }
  return true;
}

void SystemSolver::describe(const ExplicitRun& run, const double* frame) {
  const ExplicitRun::Assignment& failed = run.assignments()[run.failed()];
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
