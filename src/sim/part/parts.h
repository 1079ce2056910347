#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "flat/flat_model.h"

namespace chi::sim {

/// A value that moves in steps, and is held between the events at which it does.
struct HeldStep {
  enum class Kind : std::uint8_t {
    Floor,  ///< floor(argument): the events are where the argument reaches the next whole number
    Round,  ///< round(argument - 0.5), which is floor(argument) but where a negative half rests
    Piece,  ///< of a table, `argument` the variable: the events are where that reaches its border
    Call,   ///< a whole number or truth that only statements can compute, the argument itself: the
            ///< events are where its value is seen to have changed
  };
  expr::ExprId argument;
  expr::ExprId leaf;  ///< stands for it: a discrete value of its own
  Kind kind = Kind::Floor;
  expr::FunctionId piece = {};      ///< Piece: of the variable, the number of the piece,
  flat::TableBorders borders = {};  ///< and of that number, where it begins and ends
};
/// Appends those that are not there yet.
void add_steps(std::vector<HeldStep>& to, std::span<const HeldStep> steps);
inline constexpr std::int32_t kFirstHeld = 1
                                           << 28;  ///< their numbers as discrete values start here

/// The equations of one part, renumbered: a model of its own. Kinks are evented.
struct PartEquations {
  std::vector<HeldStep> steps;  ///< inner ones first
  flat::EquationSet set;
  std::vector<flat::EquationId> origin;  ///< per equation: in the model's set
};

/// The model's equations as independent parts, each with its own mode, structure and step size
/// (semantics.md §5.7): n independent switches never make 2^n modes.
struct Parts {
  std::vector<PartEquations> parts;
  /// Per slot of the flat model: the part in which it can be unknown, -1 if it never can.
  std::vector<std::int32_t> part_of_slot;
  /// `together`, with what moves in steps held, and what that is, for each.
  std::vector<expr::ExprId> together;
  std::vector<std::vector<HeldStep>> steps_of_together;
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
