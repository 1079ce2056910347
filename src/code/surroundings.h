#pragma once
#include <cstdint>

#include "code/run_error.h"
#include "code/slot.h"

namespace chi::code {

/// The equations, as the statements of processes meet them (semantics.md §2): what the interpreter
/// asks for when a statement touches a variable that equations may determine. Each returns false
/// exactly when the run cannot go on; whoever implements it knows why (the interpreter then stops
/// with Stop::Failed and RunError::Surroundings).
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  /// Before a statement reads variables that can be unknown: solves the IP, if anything changed
  /// since it was last solved, so that memory holds the values of the unknowns.
  virtual bool settle() = 0;
  /// Before memory slots [slot, slot + count) are assigned, if equations, guards or unknown
  /// declarations depend on them: the unknowns are materialised, because what was unknown may
  /// become known by the assignment.
  virtual bool about_to_assign(std::int64_t slot, std::int32_t count) = 0;
  /// After it.
  virtual void assigned(std::int64_t slot, std::int32_t count) = 0;
  /// The truth, at this instant, of a condition over real variables (with the tolerance band of
  /// events: semantics.md §4) in the process instance `block`; `condition` is its number in
  /// Program::conditions.
  virtual bool holds(std::int32_t block, std::int32_t condition, bool* truth) = 0;
  /// The value of a derivative or of a substituted variable: number in Program::values.
  virtual bool value(std::int32_t block, std::int32_t value, double* result) = 0;
  /// Instantaneous equations: number in Program::instants.
  virtual bool instant(std::int32_t block, std::int32_t instant) = 0;
};

}  // namespace chi::code
