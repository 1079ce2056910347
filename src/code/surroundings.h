#pragma once
#include <cstdint>

#include "code/run_error.h"
#include "code/slot.h"

namespace chi::code {

/// The equations, as the statements of processes meet them (semantics.md §2): what the interpreter
/// asks for when a statement touches a variable that equations may determine. Each returns false
/// exactly when the run cannot go on; whoever implements it knows why (the interpreter then stops
/// with Stop::Failed and RunError::Surroundings).
///
/// Slots are those of the machine's memory. Bodies are shared by instances, so a call may be about
/// slots that no equation knows of in this instance: then there is nothing to do.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  std::int32_t asking = -1;  ///< the process instance whose statements ask; set by the interpreter
  /// Before a statement reads variables that can be unknown, or what is substituted by such: solves
  /// the IP, if anything changed since it was last solved, so that memory holds the values of the
  /// unknowns.
  virtual bool settle() = 0;
  /// Before memory slots [slot, slot + count) are read, some of which may be substituted: puts the
  /// values of these there. Comes after `settle` where they depend on unknowns.
  virtual bool refresh(std::int64_t slot, std::int32_t count) = 0;
  /// Before memory slots [slot, slot + count) are assigned, if equations, guards, unknown
  /// declarations or substitute equations depend on them: the unknowns are materialised, because
  /// what was unknown may become known by the assignment.
  virtual bool about_to_assign(std::int64_t slot, std::int32_t count) = 0;
  /// After it.
  virtual void assigned(std::int64_t slot, std::int32_t count) = 0;
  /// The truth, at this instant, of a condition over real variables (with the tolerance band of
  /// events: semantics.md §4; and see `Wanted`) in the process instance `block`; `condition` is its
  /// number in Program::conditions. Comes after `settle` if it reads what can be unknown.
  virtual bool holds(std::int32_t block, std::int32_t condition, bool* truth) = 0;
  /// The value of a derivative or a `delay`, number `value` in Program::values: all its scalars.
  /// Comes after `settle`.
  virtual bool value(std::int32_t block, std::int32_t value, double* result) = 0;
  /// Instantaneous equations: number in Program::instants.
  virtual bool instant(std::int32_t block, std::int32_t instant) = 0;
};

}  // namespace chi::code
