#pragma once
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/formulas.h"
#include "expr/incidence.h"
#include "graph/impulse_orders.h"
#include "sim/engine/engine.h"

namespace chi::sim {

/// One instantaneous equation as it is solved: left - right, with kinks that make events.
expr::ExprId instant_row(expr::Pool& pool, const flat::Equation& equation);

/// Solves one instantaneous equation statement (semantics.md §6, §7): its unknowns and equations
/// are added to the active ones of the parts it touches, the IP of all of them is solved, and the
/// variables keep the values found. The active equations go on to hold, so their hidden constraints
/// belong to the IP; those of the statement do not, and are not differentiated.
///
/// With `impulse |F|`, the impulse order iteration tells which equations carry the impulse; they
/// are integrated over the instant (P4 = Uhlig et al., "Initial value calculation for DAE with
/// higher index", §3.2), so that only the law of the impact has to be written. The hidden
/// constraints hold after it, too.
class InstantSolver {
 public:
  InstantSolver(Engine& engine, Engine::InstantStatement& statement, Span span);
  /// Conditions, those of the active equations too, are part of the problem: with the values found
  /// every equation holds with every condition as it is at these values (instant_sides.cc).
  bool run();

 private:
  struct Row {
    expr::ExprId expr;
    Span span;
  };
  /// Ids for values before the instant and for impulses, which no variable of a model has.
  static constexpr std::int32_t kFirstExtra = 1 << 29;
  static expr::VarId before_id(expr::VarId v) { return {kFirstExtra + 2 * v.index}; }
  static expr::VarId impulse_id(expr::VarId v) { return {kFirstExtra + 2 * v.index + 1}; }
  static bool is_extra(expr::VarId v) { return v.index >= kFirstExtra; }
  static expr::VarId variable_of(expr::VarId extra) { return {(extra.index - kFirstExtra) / 2}; }
  /// On which side of every border the values are taken to be: of the parts that the statement
  /// touches, and -1, 0 or 1 of its own.
  struct InstantSides {
    std::vector<Sides> members;
    std::vector<int> own;
    friend auto operator<=>(const InstantSides&, const InstantSides&) = default;
  };
  /// A border whose difference has an unknown of the instant in it.
  struct Open {
    std::int32_t member = -1;  ///< in `members_`; -1: one of the statement
    int border = 0;
  };
  bool enter();
  void enter_own();
  InstantSides present_sides();
  InstantSides sides_found(const InstantSides& assumed);
  Sides member_sides(std::size_t k, const Sides& assumed);
  std::vector<int> own_sides();
  bool try_on(const InstantSides& sides);
  bool iterate(const InstantSides& start);
  bool find_any(const InstantSides& start);
  void tell_others(const InstantSides& taken);
  bool holds(const InstantSides& assumed);
  std::vector<Open> open_borders();
  static void set_side(InstantSides& sides, const Open& border, bool plus);
  bool explain_no_sides();
  void commit();
  bool collect_members(const InstantSides& sides);
  bool collect_own(const std::vector<int>& sides);
  bool solve();
  bool solve_impulses();
  void find_orders();
  bool check_orders();
  bool add_rows(structure::Analysis& impact);
  void add_hidden(structure::Analysis& impact);
  structure::BlockOrder order_impact(structure::Analysis& impact) const;
  std::int32_t number(expr::VarId v) const;  ///< in `variables_`; -1 if it is not there
  std::optional<expr::ExprId> integral(const Row& row);
  void find_conserved();
  bool is_true(expr::ExprId condition, bool* truth);
  bool load(const std::vector<expr::VarRef>& extra);
  void keep(expr::VarId v, double value);
  bool explain_over(const structure::System& system, const structure::InstantOrder& instant);
  std::optional<expr::VarId> known_in(const structure::InstantOrder& instant) const;
  bool explain_open(const structure::InstantOrder& instant);
  Diagnostic explain_initial(const structure::InstantOrder& instant, std::string_view rows);
  bool explain_unsolved(const SolveFailure& failure);
  bool explain_impact(const structure::Analysis& impact, const structure::BlockOrder& order);
  std::string impulsive_names(std::span<const expr::ExprId> leaves) const;
  std::int32_t place(expr::VarRef x);

  Engine& engine_;
  Engine::InstantStatement& statement_;
  const flat::EquationSet& set_;
  Span span_;
  std::vector<Row> rows_;  // the active ones, then those of the statement
  std::size_t active_rows_ = 0;
  std::vector<std::vector<std::int32_t>> passing_;  // of ModeEquations
  std::vector<expr::VarId> active_declared_;        // ascending
  std::vector<expr::VarId> declared_;
  std::vector<std::int32_t> members_;
  code::FormulaLeaves leaves_;
  SolverContext context_;
  std::vector<double> frame_;

  // Conditions of the statement, and what was found on the sides that were tried last.
  std::optional<Conditions> conditions_;
  std::vector<int> guards_;  // per branch of `set_`
  std::vector<expr::ExprId> own_rows_;
  std::vector<std::vector<int>> own_conditions_;  // per row
  std::unique_ptr<code::Formulas> own_borders_;
  std::vector<std::vector<double>> loaded_;  // per member: its frame before the instant
  std::vector<double> frame_before_;
  struct Found {
    expr::VarRef variable;
    double value = 0;
    bool is_impulse = false;
  };
  std::vector<Found> found_;
  std::vector<ConservedSum> conserved_;

  // Of an impact.
  std::vector<expr::VarId> variables_;  // unknown, impulsive or differentiated; ascending
  expr::Incidence incidence_;
  graph::ImpulseOrders orders_;
  std::vector<IntegratedRow> integrated_;
  std::vector<expr::ExprId> slopes_;  // of all terms of these
};

}  // namespace chi::sim
