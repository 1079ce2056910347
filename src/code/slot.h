#pragma once
#include <cstdint>

namespace chi::code {

struct Object;

/// Eight bytes of a value (flat/layout.h says how values lie in slots). Which member is meant, the
/// type tells: `i` for nat, int, bool (0 or 1), channel and function numbers, `r` for real, `o` for
/// references. All bits zero is the zero value of every type: 0, 0.0, false, "", [], {}, and
/// constant(0) for a distribution.
union Slot {
  std::int64_t i;
  double r;
  Object* o;
};
static_assert(sizeof(Slot) == 8);

inline Slot int_slot(std::int64_t i) { return Slot{.i = i}; }
inline Slot real_slot(double r) { return Slot{.r = r}; }

}  // namespace chi::code
