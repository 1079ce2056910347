#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "code/formulas.h"
#include "expr/expr.h"
#include "flat/equations.h"
#include "numerics/mode_problem.h"
#include "sim/part/conditions.h"
#include "sim/part/sides.h"

namespace chi::sim {

/// A part at an instant as rows and laws, and what its pieces mean in sides.
struct LawProblem {
  numerics::ModeProblem problem;
  numerics::Mode start;  ///< the pieces that fit the present sides best

  struct Fixed {
    int border = 0;
    Side side = Side::On;
    bool operator==(const Fixed&) const = default;
  };
  /// By law and piece: the sides that the piece says; of a piece that slides, those of its own.
  std::vector<std::vector<std::vector<Fixed>>> fixed;
  std::vector<std::vector<int>> borders;  ///< by law
  std::vector<int> border_of;             ///< by functional: whose difference it is; -1: none

  /// Rows that keep a variable at its value before: the functional, and its column.
  std::vector<std::pair<int, int>> keeps;
  /// A functional that is made of others: the sum of these, each times its factor.
  struct Combination {
    int functional = -1;
    std::vector<std::pair<int, double>> of;
  };
  std::vector<Combination> combinations;
  /// Whether `LawModel::refresh` can bring it to other values: all that is not the model's own is
  /// among the combinations.
  bool is_refreshable = true;

  /// The sides of a mode; borders that no piece speaks of stay as they are in `others`.
  Sides sides_of(const numerics::Mode& mode, Sides others) const;
  /// Whether on this border the rows of the piece and of the one beyond have the same solutions.
  bool is_continuous(int law, int piece, int border) const;
};

/// What the laws of a part are made of. All of it outlives them.
struct LawSource {
  expr::Pool& pool;
  const flat::EquationSet& set;
  Conditions& conditions;
  std::span<const int> guards;  ///< per branch: its condition
  const code::FormulaLeaves& leaves;
  code::Boxes* boxes = nullptr;
  std::int32_t first_free = 0;  ///< numbers of variables from here on are nobody's
};

/// The equations of a part as plain rows and laws, of which a mode chooses a piece each.
///
/// Lifting: an evented `if` becomes a variable y with a row for each side, so that what conditions
/// choose between does not multiply. Borders that meet in one condition, or choose between whole
/// sets of equations, or decide together whether a variable is known, make one law; its pieces are
/// their truth table, cut down to where the rows of the piece hold and joined where rows are equal:
/// in `[ u > 0 or i > 0 -> u = 0 | u <= 0 and i <= 0 -> i = 0 ]` the first piece is u = 0, i >= 0,
/// since on its own rows `u > 0` is false. A variable that is known in a piece keeps its value
/// there, so that all pieces have equally many rows.
///
/// Nothing of it is differentiated or analysed: a mode costs a factorisation and no plan.
class LawModel {
 public:
  explicit LawModel(const LawSource& source);

  /// The problem at these values, linearised there: values before the instant, and guesses for
  /// what is not continuous. Conditions without relations are as `Conditions::evaluate` found them
  /// last. False if it cannot be said: a row has no value, pieces differ in their number of rows.
  bool pose(std::span<const double> frame, const Sides& sides, LawProblem& out);

  /// Whether all functionals are affine in the unknowns and their rates, with factors that change
  /// neither with these nor with time: then problems differ in `Functional::known` only.
  bool is_affine() const { return is_affine_; }
  /// Brings an affine problem that `pose` made to this frame: `known` without derivatives. What is
  /// known in equations, and no unknown, has to be as it was. O(entries).
  void refresh(std::span<const double> frame, LawProblem& problem);

  /// What the variables of a problem stand for: x, x', ... in the order of their columns.
  int columns() const { return static_cast<int>(columns_.size()); }
  expr::VarRef variable_of(int column) const {
    const Column& c = columns_[static_cast<std::size_t>(column)];
    return {c.var, c.order};
  }
  /// Whether its derivative occurs, too.
  bool has_rate_of(int column) const { return has_rate(variable_of(column)); }

 private:
  static constexpr std::size_t kMostSurfaces = 8;  // of a law: its truth table has 2^n rows

  struct IfNode {
    expr::ExprId node, y;
    int condition = -1;
    int law = -1;
    int then = -1, otherwise = -1;  // functionals
    std::vector<int> uses = {};     // `if`s in its branches: 2 * number + (in otherwise)
    bool is_inner = false;          // it stands in other `if`s of its law, and nowhere else
  };
  struct Row {
    int functional = -1;
    flat::BranchId branch;
    int law = -1;  // -1: always there
  };
  /// A variable that some modes leave known: where it is unknown.
  struct Conditional {
    expr::VarId var;
    int law = -1;
    std::vector<flat::BranchId> declared;
    std::vector<int> rows;                     // rows with a derivative of it,
    std::vector<std::pair<int, bool>> in_ifs;  // branches of `if`s with one
  };
  struct LawParts {
    std::vector<int> borders, ifs, rows, choices, conditionals;
  };
  /// A row of a truth table: sides by bits over the borders, those in `mask` count.
  struct Region {
    std::uint32_t plus = 0, mask = 0;
  };

  void lift();
  void find_columns();
  void group();
  void compile();
  int add_functional(expr::ExprId e);
  int column(expr::VarRef x) const;
  bool has_rate(expr::VarRef x) const;
  void read_frame(std::span<const double> frame);
  void read_columns();
  void evaluate(std::span<const double> frame);
  numerics::Functional functional(int f) const;
  bool make_law(const LawParts& parts, LawProblem& out);
  /// The rows of a law where its borders are on these sides; false if some condition is undefined
  /// or no alternative open.
  bool rows_at(const LawParts& parts, std::span<const Side> sides, LawProblem& out,
               std::vector<int>& rows);
  /// A row with inner `if`s as they are on these sides.
  int with_inner(int f, std::span<const Side> sides, LawProblem& out);
  bool is_active(flat::BranchId branch, std::span<const Side> sides);
  bool has_unknown(const Conditional& v, std::span<const Side> sides,
                   const std::vector<char>& used);
  Truth truth(int condition, std::span<const Side> sides);
  bool has_own_mode(int border) const;
  int keep_of(expr::VarId v) const { return keeps_.at(v); }
  static bool is_finite(const numerics::Functional& f);

  LawSource source_;
  std::vector<expr::ExprId> functionals_;  // lifted
  std::vector<IfNode> ifs_;                // inner ones first
  std::vector<Row> rows_;                  // one for each equation
  std::vector<Conditional> conditionals_;
  std::vector<LawParts> laws_;
  std::vector<int> plain_;    // functionals
  std::vector<int> surface_;  // per border: the functional of its difference; -1

  struct Column {
    expr::VarId var;
    std::int32_t order = 0;
  };
  std::vector<Column> columns_;
  std::vector<int> chains_;  // columns whose value is the rate of the column before
  struct Columns {           // of x, x', ..., x^(orders - 1); has_rate: x^(orders) occurs
    int first = 0, orders = 1;
    bool has_rate = false;
  };
  std::map<expr::VarId, Columns> columns_of_;

  // Formulas over leaves of their own: functionals, their jets and the entries of the Jacobian.
  code::FormulaLeaves leaves_;
  std::vector<std::int32_t> from_part_;  // per leaf: its place in a frame of the part; -1
  std::unique_ptr<code::Formulas> formulas_;
  std::unique_ptr<code::Formulas> plain_formulas_;  // the functionals alone; for `refresh`
  bool is_affine_ = false;
  std::vector<double> frame_, values_;
  struct Entry {
    int column = 0;
    bool is_rate = false;
    int place = 0;  // in values_
  };
  std::vector<std::vector<Entry>> entries_;  // per functional
  std::vector<std::vector<int>> jets_;       // per functional: places of its derivatives by time
  std::vector<std::vector<int>> in_rows_;    // per `if`: the rows it stands in

  // Of the instant.
  std::vector<Side> trial_;                                            // per border
  std::vector<double> here_, rate_;                                    // per column
  std::vector<std::pair<std::int32_t, std::int32_t>> leaf_of_column_;  // its value, and its rate
  std::map<expr::VarId, int> keeps_;            // functionals: a variable keeps its value
  std::map<std::vector<int>, int> with_inner_;  // by a row and those that were put into it
};

}  // namespace chi::sim
