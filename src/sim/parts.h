#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "flat/flat_model.h"

namespace chi::sim {

/// floor(argument) in an equation: a value that is held between events, when the argument reaches
/// the next whole number.
struct HeldFloor {
  expr::ExprId argument;
  expr::ExprId leaf;  ///< stands for it: a discrete value of its own
};
inline constexpr std::int32_t kFirstHeld = 1
                                           << 28;  ///< their numbers as discrete values start here

/// The equations of one part, renumbered: a model of its own. Kinks are evented.
struct PartEquations {
  std::vector<HeldFloor> floors;  ///< inner ones first
  flat::EquationSet set;
  std::vector<flat::EquationId> origin;  ///< per equation: in the model's set
};

/// The model's equations as independent parts, each with its own mode, structure and step size
/// (semantics.md §5.7): n independent switches never make 2^n modes.
struct Parts {
  std::vector<PartEquations> parts;
  /// Per slot of the flat model: the part in which it can be unknown, -1 if it never can.
  std::vector<std::int32_t> part_of_slot;
};

/// Splits the equations. Two equations are in one part if they share a variable that can be unknown
/// in some mode: in themselves, in a guard they depend on, in the condition of an `if`, in a delay.
/// So are, for each of `together`, the variables in it: a relation is watched by one part.
/// Near linear.
Parts split_parts(flat::FlatModel& model, std::span<const expr::ExprId> together);

/// The variables that occur in each root, also in conditions and delays; as slots, ascending.
std::vector<std::vector<std::int32_t>> all_variables(const expr::Pool& pool,
                                                     std::span<const expr::ExprId> roots);

}  // namespace chi::sim
