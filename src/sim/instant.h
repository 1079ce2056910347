#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/incidence.h"
#include "graph/impulse_orders.h"
#include "sim/engine.h"

namespace chi::sim {

/// One instantaneous equation as it is solved: left - right, with kinks that make events.
expr::ExprId instant_row(expr::Pool& pool, const flat::Equation& equation);

/// Solves one instantaneous equation statement (semantics.md §6, §7): its unknowns and equations
/// are added to the active ones of the parts it touches, the IP of all of them is solved, and the
/// variables keep the values found.
///
/// With `impulse |F|`, the impulse order iteration tells which equations carry the impulse; they
/// are integrated over the instant (P4 = Uhlig et al., "Initial value calculation for DAE with
/// higher index", §3.2), so that only the law of the impact has to be written.
class InstantSolver {
 public:
  InstantSolver(Engine& engine, const flat::EquationSet& set, Span span);
  bool run();

 private:
  struct Row {
    expr::ExprId expr;
    Span span;
  };
  bool collect_members();
  bool collect_own();
  bool solve();
  bool solve_impulses();
  void find_orders();
  std::int32_t number(expr::VarId v) const;  ///< in `variables_`; -1 if it is not there
  std::optional<expr::ExprId> integral(const Row& row);
  void tell_conserved();
  bool is_true(expr::ExprId condition, bool* truth);
  bool load(const std::vector<expr::VarRef>& extra);
  void keep(expr::VarId v, double value);
  bool explain_singular(const structure::System& system, const structure::Analysis& analysis);
  bool explain_open(const StaticOrder& instant);
  bool explain_unsolved(const SolveFailure& failure);
  bool explain_impact(const structure::Analysis& impact, const structure::BlockOrder& order);
  std::string impulsive_names(std::span<const expr::ExprId> leaves) const;
  std::int32_t place(expr::VarRef x);

  Engine& engine_;
  const flat::EquationSet& set_;
  Span span_;
  std::vector<Row> rows_;
  std::vector<expr::VarId> declared_;
  std::vector<std::int32_t> members_;
  code::FormulaLeaves leaves_;
  SolverContext context_;
  std::vector<double> frame_;

  // Of an impact.
  std::vector<expr::VarId> variables_;  // unknown, impulsive or differentiated; ascending
  expr::Incidence incidence_;
  graph::ImpulseOrders orders_;
  std::vector<IntegratedRow> integrated_;
  std::vector<expr::ExprId> slopes_;  // of all terms of these
};

}  // namespace chi::sim
