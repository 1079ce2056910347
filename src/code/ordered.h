#pragma once
#include <cstdint>

#include "code/heap.h"
#include "code/sequence.h"

/// Entries in increasing order of their keys: what sets and dictionaries are made of.
///
/// A B+-tree of two levels with copy on write: the top object holds references to leaves, each leaf
/// at most kLeafSlots slots of entries. Finding is a bisection in the top and one in a leaf,
/// O(log n). Inserting moves at most one leaf's entries (2 KiB) and, once per half leaf, the
/// references behind it: 10^5 entries in random order take 10^5 short moves, not a quadratic
/// number. A shared table is copied leaf by leaf, only where it changes.
namespace chi::code {

/// What distinguishes a set from a dictionary: an entry is a key and then, in a dictionary, a
/// value.
struct OrderedType {
  const RuntimeType* key = nullptr;
  const RuntimeType* entry = nullptr;
  const RuntimeType* node = nullptr;
};

/// Where an entry is, or would be inserted.
struct Place {
  std::uint32_t leaf = 0;
  std::uint32_t index = 0;
  bool found = false;
};

/// Reads entries in order. `entry()` is null at the end. Valid while the table does not change.
class OrderedCursor {
 public:
  OrderedCursor() = default;  ///< at the end
  explicit OrderedCursor(const Slot* table);
  const Slot* entry() const;
  void next();

 private:
  Object* top_ = nullptr;
  std::uint32_t leaf_ = 0, index_ = 0;
};

Place ordered_find(const OrderedType& type, const Slot* table, const Slot* key);
/// The entry at a place that was found.
const Slot* ordered_entry(const Slot* table, Place place);
/// The same for changing its value in place; makes the way to it unshared.
RunError ordered_writable(Heap& heap, const OrderedType& type, Slot* table, Place place,
                          Slot** entry);
/// Inserts at `place`, which ordered_find gave and did not find. Key and value (null for a set) are
/// moved in.
RunError ordered_insert(Heap& heap, const OrderedType& type, Slot* table, Place place,
                        const Slot* key, const Slot* value);
/// Removes and releases the entry at a place that was found.
RunError ordered_erase(Heap& heap, const OrderedType& type, Slot* table, Place place);
/// Adds a copy of `entry` behind the greatest one: for building from sorted input in O(1) each.
RunError ordered_append(Heap& heap, const OrderedType& type, Slot* table, const Slot* entry);
/// The part of each entry that starts at `offset` and is of type `part`, as a list. `list` was
/// garbage.
RunError ordered_to_list(Heap& heap, const Slot* table, std::int32_t offset,
                         const RuntimeType& part, Slot* list);

}  // namespace chi::code
