#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "flat/equations.h"
#include "sim/part/conditions.h"

namespace chi::sim {

/// The numbers of switches as discrete values start here.
inline constexpr std::int32_t kFirstSwitch = 1 << 29;

/// The mode as data, where it can be.
///
/// In `u' = -max(u - 1, 0)` the condition u >= 1 chooses between values of states: what is unknown,
/// the order of solving and the pattern of the Jacobian are the same on both sides. Such a
/// condition need not be written into the equations of a mode. It becomes a *switch*, a truth in
/// the frame that the equations read, and modes that differ in switches only have one plan in
/// common: of 10^5 cells with a corner each, one that passes its corner costs no new analysis.
///
/// The `if`s of an equation are of that kind if all alternatives speak of the same unknowns, but
/// for states: variables that are never declared unknown, and whose derivative stands in an
/// equation that is always active, in all of its alternatives. A condition is a switch if it
/// decides nothing but such equations.
struct ModeSwitches {
  std::vector<int> conditions;       ///< ascending
  std::vector<expr::ExprId> leaves;  ///< of each: its truth in the frame
  std::vector<expr::ExprId> rows;    ///< per equation: with switches; none if it has none
  std::vector<char> is_switch;       ///< per condition
  bool empty() const { return conditions.empty(); }

  /// What is chosen by these truths: modes in which that is the same have the same equations,
  /// whatever else differs, such as a condition in a branch that does not count. Empty if a
  /// condition that counts has no truth.
  std::vector<std::int32_t> chosen(std::span<const Truth> truths) const;

  /// An `if`, and what it chooses between: an expression, with further `if`s in it.
  struct Choice {
    int condition = 0;
    struct Branch {
      expr::ExprId value;
      std::vector<std::int32_t> inner = {};  ///< `if`s in it
    };
    Branch yes, no;
  };
  std::vector<Choice> choices;
  std::vector<std::int32_t> outer;  ///< those that are in no other
};

/// `guards`: the condition of each branch; `of_equations`: those of the `if`s in each equation.
/// Empty if there are fewer than `fewest`. Near linear.
ModeSwitches find_switches(expr::Pool& pool, const flat::EquationSet& set,
                           const Conditions& conditions, std::span<const int> guards,
                           std::span<const std::vector<int>> of_equations, std::size_t fewest);

}  // namespace chi::sim
