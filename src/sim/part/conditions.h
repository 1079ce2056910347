#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "code/formulas.h"
#include "expr/expr.h"
#include "numerics/function_ref.h"
#include "sim/part/surface.h"

namespace chi::sim {

/// Truth of a condition: a relation in it may have no value.
enum class Truth : std::int8_t { False = 0, True = 1, Undefined = 2 };

/// A comparison of reals that can change between events.
struct Relation {
  expr::ExprId node;
  expr::Op op = expr::Op::Less;
  int border = 0;       ///< where it changes
  int orientation = 1;  ///< 1: left - right has the sign of the border's difference, -1: the other
};

/// A surface on which relations change: difference = 0, a smooth root function and never a truth
/// value made a number (semantics.md §4). Relations that change on one surface share it, so that
/// `x > 0`, `x < 0` and `2*x > 0` are one event, and one border to slide on. With corners, as
/// in `x + abs(y) > 1`, it is smooth while these are on one side: evented `if`s, whose conditions
/// are among the nodes before it.
struct Border {
  expr::ExprId left, right, difference;
  std::vector<std::int32_t> corners = {};
  /// The gap of a contact with restitution: where its impacts accumulate the run goes on.
  bool has_restitution = false;
};

/// The truth of a relation where its difference has this sign.
bool relation_holds(expr::Op op, int sign);

/// The conditions of one part: guards, conditions of evented `if`s, and what processes wait for,
/// each made of relations with `and`, `or`, `not` and `if`.
///
/// The truths of the relations are given, since at an event they are not what a plain evaluation
/// says; conditions are combined from them after the fact. Everything else in a condition, such as
/// discrete values, is evaluated on the frame.
class Conditions {
 public:
  Conditions(expr::Pool& pool, code::FormulaLeaves& leaves, code::Boxes* boxes)
      : pool_(pool), leaves_(leaves), boxes_(boxes) {}

  /// The number of a condition, new if need be.
  int add(expr::ExprId condition);
  int find(expr::ExprId condition) const;  ///< -1 if it is not here
  int size() const { return static_cast<int>(conditions_.size()); }
  expr::ExprId condition(int i) const { return conditions_[static_cast<std::size_t>(i)]; }
  std::span<const Relation> relations() const { return relations_; }
  std::span<const Border> borders() const { return borders_; }
  void mark_restitution(int border) {
    borders_[static_cast<std::size_t>(border)].has_restitution = true;
  }
  /// The borders of the relations that a condition is made of.
  std::span<const int> borders_of(int condition) const {
    return borders_of_[static_cast<std::size_t>(condition)];
  }

  /// Call after the last `add`, before `evaluate`: may enter new leaves.
  void prepare();
  /// The truths of all conditions, for given truths of the relations and the rest of the frame.
  void evaluate(const double* frame, std::span<const Truth> relations, std::vector<Truth>& out);
  /// Appends the truths of all that is no relation in them, as `evaluate` found them last.
  void append_plain(std::vector<char>& out) const;
  /// The truth of one of them; what is not a relation in it as `evaluate` found it last.
  Truth truth_of(int condition, numerics::FunctionRef<Truth(const Relation&)> relation);
  /// The differences of all borders, with their corners decided as `evaluate` found them last.
  /// Valid up to the next call.
  std::span<const expr::ExprId> differences();
  bool has_corners() const { return !corners_.empty(); }
  /// Marks borders that hold conditions as `evaluate` found them last: while no relation changes on
  /// these, the conditions do not change, whatever happens on the others. `x <= 0 and v < 0` is
  /// false as long as x is positive: nobody need follow v. Where either would do, a cheap one.
  /// `open`: along these borders the part slides, on both sides at once: they hold nothing.
  /// `plain`, if given: gets the rest that these conditions are made of, and that is looked at.
  void mark_deciding(std::span<const int> conditions, std::span<const char> cheap,
                     std::span<const char> open, std::vector<char>& marked,
                     std::vector<expr::ExprId>* plain = nullptr);

 private:
  struct Node {
    enum class Kind : std::uint8_t { Relation, Plain, Not, And, Or, If };
    Kind kind = Kind::Plain;
    std::int32_t a = -1, b = -1, c = -1;  // nodes; or the number of the relation or plain root
    bool is_total = false;                // it has a value whatever the values of its leaves
  };
  std::int32_t node_of(expr::ExprId e);
  bool has_held(expr::ExprId e) const;
  std::int32_t enter(expr::ExprId condition);
  void collect_corners();
  void start_walk(std::span<const std::int32_t> nodes);
  void visit(std::int32_t node);
  template <class OfRelation>
  Truth combine(const Node& node, const OfRelation& relation, std::span<const Truth> truths) const;
  void see_missing_inputs(const double* frame);
  void find_open(std::span<const char> borders);
  bool is_cheap(std::int32_t node, std::span<const char> borders) const;
  Relation make_relation(expr::ExprId e);

  expr::Pool& pool_;
  code::FormulaLeaves& leaves_;
  code::Boxes* boxes_;
  std::vector<expr::ExprId> conditions_;
  std::unordered_map<expr::ExprId, int> numbers_;
  std::vector<std::int32_t> roots_;  // per condition: its node
  std::vector<std::vector<int>> borders_of_;
  std::vector<Relation> relations_;
  std::vector<Border> borders_;
  std::vector<std::optional<Surface>> surfaces_;                  // per border
  std::unordered_map<expr::ExprId, int> border_index_;            // by difference
  std::multimap<std::pair<expr::ExprId, double>, int> by_place_;  // by the first term, the constant
  std::vector<Node> nodes_;                                       // operands before what uses them
  std::unordered_map<expr::ExprId, std::int32_t> index_;
  std::vector<expr::ExprId> plain_;
  std::unique_ptr<code::Formulas> formulas_;  // of `plain_`; made anew when that has grown
  std::vector<double> plain_values_;
  struct Input {  // a discrete value in a plain root
    expr::DiscreteId id;
    std::int32_t place = 0;
    std::int32_t root = 0;
  };
  std::vector<Input> inputs_;
  std::vector<Truth> truths_, alone_;  // per node: of `evaluate`, of `truth_of`
  // Corners in differences, inner ones first.
  struct Corner {
    expr::ExprId node;
    std::int32_t condition = -1;  // -1: no corner itself
  };
  std::vector<Corner> corners_;
  std::unordered_map<expr::ExprId, std::int32_t> entered_;  // node of a condition of a corner
  std::vector<expr::ExprId> differences_;
  std::vector<Truth> decided_;  // truths of `corners_` for which these are
  std::unordered_map<expr::ExprId, expr::ExprId> smooth_;
  std::vector<std::int32_t> stack_;    // of a walk from conditions to borders
  std::vector<std::int32_t> visited_;  // the last walk that came by
  std::int32_t walk_ = 0;
  std::vector<char> is_open_;  // per node, of `mark_deciding`
};

}  // namespace chi::sim
