#pragma once
#include "code/runtime_type.h"
#include "code/slot.h"

namespace chi::code {

/// Whether two values of one type are the same value. NaN equals nothing, 0.0 equals -0.0, two
/// distributions are equal when they draw from the same law. O(size); O(1) for the same buffer.
bool equal(const RuntimeType& type, const Slot* a, const Slot* b);

/// A total order on the values of one type: negative, zero or positive. false < true, numbers by
/// size with NaN behind all, strings by code point, lists, arrays, tuples and records
/// lexicographically, sets and dictionaries as their sorted entries. Zero exactly when `equal`,
/// apart from NaN, which compares zero with itself so that it can be a key.
int compare(const RuntimeType& type, const Slot* a, const Slot* b);

}  // namespace chi::code
