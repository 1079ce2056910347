#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/evaluate.h"
#include "flat/flat_model.h"
#include "sim/part/conditions.h"

namespace chi::sim {

/// The memories of a model (flat::Memory): which of them have to be computed anew, what they come
/// to, and whether their rounds at an instant go round in circles (laws.md §8).
///
/// The relations in their values belong to parts, which watch them; here they are truths. What is
/// computed goes with what changed: a memory none of whose inputs did is not looked at.
class Memories {
 public:
  /// A relation in a value that can change while time passes.
  struct Relation {
    expr::ExprId node;
    expr::DiscreteId leaf = {};  ///< stands for its truth
    Span span = {};
    std::int32_t member = -1;  ///< the part that it belongs to, and its condition there
    int condition = -1;
    Truth truth = Truth::Undefined;  ///< as it was seen last
    bool is_seen = false;
    std::vector<int> readers = {};  ///< the memories in whose values it stands
  };
  struct Change {
    int memory = 0;
    double before = 0, after = 0;
  };

  /// `model` outlives it; its pool may receive nodes.
  explicit Memories(flat::FlatModel& model);

  bool empty() const { return all().empty(); }
  std::vector<Relation>& relations() { return relations_; }
  const flat::Memory& operator[](int memory) const {
    return all()[static_cast<std::size_t>(memory)];
  }
  std::string name(int memory) const;

  /// What a part has to follow for the memories: conditions in which all relations are of one part.
  /// `translated`: the relations as the parts know them. Call when the members of the relations are
  /// known.
  struct Watch {
    expr::ExprId condition;
    std::int32_t member = -1;
    std::vector<int> relations;
    Span span;
  };
  std::vector<Watch> watches(std::span<const expr::ExprId> translated) const;

  /// A truth or a discrete value changed: those who read it have to be computed anew.
  void see(int relation, Truth truth);
  void touch(expr::DiscreteId leaf);
  void touch_boxed();  ///< those that read what only statements compute
  /// Whether a variable, by its leaf, is an input of some.
  bool is_read(expr::DiscreteId leaf) const { return readers_.contains(leaf); }
  bool has_work() const { return !touched_.empty(); }

  /// Values that no variable holds.
  double kept(int memory) const { return kept_[static_cast<std::size_t>(memory)]; }
  void keep(int memory, double value) { kept_[static_cast<std::size_t>(memory)] = value; }

  /// The new values of all that were touched, as far as they differ from `now`; they are touched no
  /// more. `point` has everything but truths and new values. False: some memory has no value,
  /// `failed`.
  bool compute(const expr::Point& point, const std::function<double(int)>& now,
               std::vector<Change>& changes);
  struct Failed {
    int memory = 0;
    expr::Value value = {};
  };
  const Failed& failed() const { return failed_; }
  /// The value of one over the present values.
  expr::Value value(int memory, const expr::Point& point, const std::function<double(int)>& now);

  /// The changes of a round are made: those who read them are touched. Empty, or the rounds since
  /// the memories had these values before: they go round in circles.
  std::vector<std::vector<Change>> made(const std::vector<Change>& changes);
  std::int64_t rounds() const { return static_cast<std::int64_t>(rounds_.size()); }
  /// Something else happened, so that the same memories need not lead to the same again.
  void disturb();

 private:
  const std::vector<flat::Memory>& all() const { return model_.equations.memories; }
  double at_point(expr::DiscreteId id, const expr::Point& point,
                  const std::function<double(int)>& now) const;
  bool is_atom(expr::ExprId e) const;

  flat::FlatModel& model_;
  std::vector<Relation> relations_;
  std::vector<expr::ExprId> values_;  // per memory: with truths for relations
  std::unordered_map<expr::DiscreteId, std::vector<int>> readers_;  // by now, next and inputs
  std::unordered_map<expr::DiscreteId, int> by_next_;
  std::vector<int> boxed_;
  std::vector<double> kept_;
  std::set<int> touched_;
  std::unordered_map<int, double> new_values_;
  Failed failed_;
  std::vector<std::vector<Change>> rounds_;  // since something else happened
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> seen_;  // by hash: before which round
  std::uint64_t hash_ = 0;
};

}  // namespace chi::sim
