#pragma once
#include <cstdint>

#include "code/heap.h"
#include "code/sequence.h"

/// Dictionaries, sorted by key (ordered.h). `type` is the dictionary's own type. Operands: see
/// "Ownership" in heap.h.
namespace chi::code {

inline std::int64_t dict_size(const Slot* dict) { return sequence_length(dict); }
bool dict_contains(const RuntimeType& type, const Slot* dict, const Slot* key);  ///< O(log n)
/// A copy of d[key]. MissingKey. O(log n).
RunError dict_get(const RuntimeType& type, const Slot* dict, const Slot* key, Slot* value);
/// d[key] := value; both are moved in. O(log n).
RunError dict_set(Heap& heap, const RuntimeType& type, Slot* dict, Slot* key, Slot* value);
/// The address of d[key] for changing it in place. MissingKey. Valid until the next operation.
RunError dict_writable(Heap& heap, const RuntimeType& type, Slot* dict, const Slot* key,
                       Slot** place);
/// Removes `key`, if it is there.
RunError dict_erase(Heap& heap, const RuntimeType& type, Slot* dict, const Slot* key);
/// d := d + other: all entries of both, those of `other` where both have the key.
RunError dict_merge(Heap& heap, const RuntimeType& type, Slot* dict, const Slot* other);
/// keys(d) and values(d) as lists, in the order of the keys. `list` was garbage.
RunError dict_keys(Heap& heap, const RuntimeType& type, const Slot* dict, Slot* list);
RunError dict_values(Heap& heap, const RuntimeType& type, const Slot* dict, Slot* list);

}  // namespace chi::code
