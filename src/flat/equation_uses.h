#pragma once
#include <cstdint>
#include <vector>

#include "flat/flat_model.h"

namespace chi::flat {

/// What equations have to do with a variable, or with some part of it.
struct SlotUse {
  /// The IP may have to be solved before its value is there: it is declared unknown in some mode,
  /// or substituted by what depends on such a variable or on a derivative. (A variable that only
  /// occurs differentiated is known when time stands still: semantics.md §2.)
  bool unknown = false;
  bool substituted = false;
  /// Some equation, guard, unknown declaration or substitute equation depends on it, directly or in
  /// a black box, or a `delay` of a statement looks back at it: an assignment to it concerns them.
  bool used = false;
  /// It can change otherwise than by an assignment: differentiated, unknown or substituted in the
  /// model, or unknown in instantaneous equations.
  bool moves = false;

  bool any() const { return unknown || substituted || used || moves; }
  SlotUse& operator|=(const SlotUse& other);
};

/// The use of all slots of a model's variables. Questions about ranges are O(1).
class EquationUses {
 public:
  explicit EquationUses(const FlatModel& model);
  /// Of slots [slot, slot + count) together.
  SlotUse of(std::int32_t slot, std::int64_t count) const;
  bool none() const { return before_.empty(); }  ///< no equations at all

 private:
  struct Counts {
    std::int32_t unknown = 0, substituted = 0, used = 0, moves = 0;
  };
  std::vector<Counts> before_;  // in the slots before this one
};

}  // namespace chi::flat
