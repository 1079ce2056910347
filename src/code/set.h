#pragma once
#include <cstdint>

#include "code/heap.h"
#include "code/sequence.h"

/// Sets, sorted without doubles (ordered.h). `type` is the set's own type. Operands: see
/// "Ownership" in heap.h.
namespace chi::code {

inline std::int64_t set_size(const Slot* set) { return sequence_length(set); }
/// {v0, v1, ...} from `count` consecutive values, which are moved in; doubles are dropped. `set`
/// was garbage. O(n log n).
RunError set_make(Heap& heap, const RuntimeType& type, Slot* values, std::int64_t count, Slot* set);
bool set_contains(const RuntimeType& type, const Slot* set, const Slot* value);  ///< O(log n)
/// s := s + {value}; `value` is moved in (released if it was there). O(log n).
RunError set_insert(Heap& heap, const RuntimeType& type, Slot* set, Slot* value);
/// s := s - {value}. O(log n).
RunError set_erase(Heap& heap, const RuntimeType& type, Slot* set, const Slot* value);
/// s := s + other, s - other, s * other. The smaller of O(n + m) and, where the result is close to
/// an operand, O(m log n).
RunError set_union(Heap& heap, const RuntimeType& type, Slot* set, const Slot* other);
RunError set_difference(Heap& heap, const RuntimeType& type, Slot* set, const Slot* other);
RunError set_intersection(Heap& heap, const RuntimeType& type, Slot* set, const Slot* other);
/// A copy of the smallest element: a choice that never depends on history. EmptySet.
RunError set_pick(const RuntimeType& type, const Slot* set, Slot* value);
/// The elements in order, as a list. `list` was garbage.
RunError set_to_list(Heap& heap, const RuntimeType& type, const Slot* set, Slot* list);

}  // namespace chi::code
