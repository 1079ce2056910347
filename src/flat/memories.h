#pragma once
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.h"
#include "expr/substitute.h"
#include "flat/flat_model.h"

namespace chi::flat {

/// A discrete equation as it is written, for one scalar.
struct DiscreteEquation {
  expr::DiscreteId leaf;  ///< the variable
  std::int32_t slot = -1;
  expr::ExprId value;
  bool boolean = false;
  bool natural = false;  ///< it must not be below zero, and its value could be
  std::int32_t block = -1;
  Span span;
};

/// Sorts discrete equations (laws.md §8) into abbreviations, which become substitutes in
/// `substitutions`, and memories, which become `model.equations.memories` in an order of
/// evaluation. An equation is memory if it looks back, or if something looks back at its variable.
///
/// A memory is a value that only changes between rounds. One that does not look back itself is put
/// into the equations, where its relations belong to the mode. And so is one over variables that
/// the equations determine, as the voltage of a thyristor that is off, behind a *gate*: a truth,
/// false in general, that is set where the equations have no solution with the memories fixed. Then
/// it is found together with them, over what was before. (Of two thyristors that both were fired
/// one has to go out.) A gate is a memory that nothing changes: its value is `false`.
///
/// Before the substitutes are applied. False exactly when it reported: two equations for one
/// scalar, or a cycle without `pre`.
class Memories {
 public:
  Memories(FlatModel& model, std::vector<DiscreteEquation> written, Diagnostics& diagnostics);

  bool find(std::vector<Substitution>& substitutions);
  /// After the substitutes were applied: puts memories into the equations where they belong.
  void apply();

 private:
  bool check_doubles();
  bool check_cycles(const std::vector<Substitution>& substitutions);
  bool check_boxes();
  void check_whole(expr::ExprId value, const Memory& memory);
  void find_looked_back_at();
  expr::ExprId add_gate(const DiscreteEquation& e);
  expr::ExprId gated(expr::ExprId gate, expr::ExprId open, expr::ExprId closed) const;
  void collect(const std::vector<expr::Replacement>& abbreviations);
  expr::ExprId leaf(expr::DiscreteId id, bool boolean) const;
  expr::ExprId leaf(const DiscreteEquation& e) const { return leaf(e.leaf, e.boolean); }
  bool looks_back(expr::ExprId value) const;
  bool is_solved_together(expr::ExprId value, const std::vector<char>& unknown) const;
  std::vector<char> unknown_slots() const;

  FlatModel& model_;
  std::vector<DiscreteEquation> all_;
  Diagnostics& diagnostics_;
  std::unordered_map<expr::ExprId, std::size_t> equation_of_;  // by leaf
  std::vector<char> is_memory_;                                // per equation
  std::vector<expr::Replacement> looked_back_at_;  // `pre` and `rises`, by what they mean
  std::vector<Memory> gates_;
  std::vector<expr::Replacement> in_equations_;  // of memories that are solved with them
};

}  // namespace chi::flat
