#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/expr.h"
#include "graph/matching.h"
#include "graph/signature.h"

/// The analysis of the equations of one part of a model in one mode (semantics.md §2, §5).
namespace chi::structure {

/// The equations 0 = row of one part in one mode. The mode is chosen: no evented `if` is left in
/// them.
struct System {
  std::vector<expr::ExprId> rows;
  std::vector<expr::VarId> declared;  ///< in active unknown declarations; ascending, each once
  bool operator==(const System&) const = default;
};

/// Why a system has no analysis: a minimal set of equations and unknowns that cannot be matched.
struct Singular {
  enum class Kind : std::uint8_t {
    Over,           ///< one equation more than unknowns
    Under,          ///< one unknown more than equations
    Contradiction,  ///< a combination of the rows says 0 = a number that is not 0
  };
  Kind kind = Kind::Over;
  std::vector<std::int32_t> rows;     ///< into System::rows
  std::vector<expr::VarId> unknowns;  ///< those in these rows
};

/// A row that was replaced by Σ coefficient * row^(order), because the sum has fewer unknowns or
/// lower derivatives and so shows a constraint that the rows hide. `row` itself is among them with
/// order 0, so the rows say the same before and after.
struct Combination {
  struct Term {
    std::int32_t row = 0;    ///< into System::rows
    std::int32_t order = 0;  ///< differentiated so often
    std::int64_t coefficient = 0;
  };
  std::int32_t row = 0;
  std::vector<Term> of;  ///< ascending by row and order
  /// Some coefficients are expressions: which rows, how often differentiated, is all that is told.
  bool by_values = false;
};

/// Pryce's analysis with what differentiation it asks for.
///
/// The values in play are x_j^(k), 0 <= k <= d_j, for every unknown j; the equations f_i^(k),
/// 0 <= k <= c_i. Variables that are no unknowns have derivative 0.
struct Analysis {
  std::vector<expr::VarId> unknowns;  ///< of the IVP: differentiated in a row, or declared (P1 §4)
  std::vector<char> is_declared;      ///< per unknown
  std::vector<int> given_orders;      ///< per unknown: of its highest derivative in the rows given
  std::optional<Singular> singular;   ///< if set, nothing below holds
  std::vector<std::int32_t> kept;     ///< rows that count: all but redundant ones, ascending
  std::vector<std::int32_t> redundant;  ///< rows that follow from others, exactly; also if singular
  std::vector<Combination> combinations;
  /// What the coefficients of a row that is a combination by values divide by: where one is zero
  /// the row does not say what the rows said that it was made of.
  struct Divisor {
    std::int32_t row = 0;  ///< into System::rows
    expr::ExprId divisor;
  };
  std::vector<Divisor> divisors;
  bool saw_values = false;  ///< with a probe: something cancels that structure does not show
  /// Known values on which the combinations rest: with others the analysis is another one.
  std::vector<expr::ExprId> decided_by;
  std::vector<int> c;                                  ///< per kept row
  std::vector<int> d;                                  ///< per unknown
  std::vector<std::vector<expr::ExprId>> derivatives;  ///< per kept row: f, f', ..., f^(c)
  int degrees_of_freedom = 0;
  int structural_index = 0;
  graph::Matching transversal;  ///< kept rows to unknowns; the hint for a neighbouring mode
  graph::Signature sigma;       ///< kept rows against unknowns

  int unknown_index(expr::VarId v) const;  ///< place in `unknowns`, -1 if it is none
};

/// Values at points drawn near the present one, to see what holds at all of them.
class Probe {
 public:
  virtual ~Probe() = default;
  /// The values of the roots at the point with this number; NaN where there is none. What is
  /// unknown is drawn, `time` too; what is known only if `draw_known`.
  virtual std::vector<double> values(std::span<const expr::ExprId> roots, int draw,
                                     bool draw_known) = 0;
};

/// Analyses one part in one mode. `hint`: the transversal of a mode that differs little.
/// Never fails: what is wrong is in `singular`. Near linear in the size of the rows.
///
/// With `probe` also rows count that depend on each other through the values of variables
/// (hidden_values.h): for equations that turned out singular though their structure is not.
Analysis analyse(expr::Pool& pool, const System& system, const graph::Matching& hint = {},
                 Probe* probe = nullptr);

/// Which of the values x_j^(k), k < d_j, are states; all others are computed from them.
struct StateChoice {
  std::vector<expr::VarRef> states;   ///< as many as degrees of freedom; ascending
  std::vector<expr::VarRef> dummies;  ///< derivatives that became algebraic unknowns; ascending
  /// The declarations did not determine it: there were alternatives, and the states are not just
  /// the variables that are known in the IP.
  bool was_free = false;
};

/// Values of the leaves, for the numerical choice.
class PointValues {
 public:
  virtual ~PointValues() = default;
  /// The values of the roots at the point; NaN where there is none.
  virtual std::vector<double> values(std::span<const expr::ExprId> roots) = 0;
  virtual double nominal(expr::VarRef) { return 1; }
};

/// Dummy derivatives (Mattsson & Söderlind 1993): variables declared unknown become dependent
/// first. Without `point` by structure alone. With it by pivoting on the values of the Jacobians
/// there; `prefer_declared` then takes the declared ones as long as they do not make the pivots
/// smaller than 1e-3 of the best. Empty if the Jacobians are rank deficient at the point.
std::optional<StateChoice> choose_states(expr::Pool& pool, const Analysis& analysis,
                                         PointValues* point = nullptr, bool prefer_declared = true);

/// Equations in an order in which they can be solved, block by block.
struct BlockOrder {
  struct Row {
    std::int32_t row = 0;    ///< into System::rows
    std::int32_t order = 0;  ///< differentiated so often
    expr::ExprId expr;
  };
  struct Block {
    std::int32_t first = 0, count = 0;  ///< rows and unknowns first .. first + count - 1
  };
  std::vector<Row> rows;               ///< of the square blocks, in order;
  std::vector<expr::VarRef> unknowns;  ///< unknowns[k] is matched to rows[k]
  std::vector<Block> blocks;
  /// What could not be matched (Dulmage-Mendelsohn): empty if the system is structurally regular.
  /// The over-determined rows come before the blocks, the under-determined after them.
  std::vector<Row> over_rows, under_rows;
  std::vector<expr::VarRef> over_unknowns, under_unknowns;
  bool is_square() const { return over_rows.empty() && under_unknowns.empty(); }
};

/// All rows f_i^(k), k <= c_i, against all values x_j^(k), k <= d_j, that are not in `given`
/// (ascending). With the states for `given` it is the IVP; with `known_values` the IP. Rows in
/// `without`, ascending by row and order, are left out.
BlockOrder order_blocks(const expr::Pool& pool, const Analysis& analysis,
                        std::span<const expr::VarRef> given,
                        std::span<const BlockOrder::Row> without = {});

/// The highest order of derivative of each unknown in the kept rows, undifferentiated. Combinations
/// of rows may have higher ones, which nobody wrote.
std::vector<int> written_orders(const Analysis& analysis);

/// What is known in the IP: x_j for every unknown that is not declared (P1 §4), with its
/// derivatives below the highest in the rows as they are written. Ascending.
std::vector<expr::VarRef> known_values(const Analysis& analysis);

}  // namespace chi::structure
