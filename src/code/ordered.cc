#include "code/ordered.h"

#include <algorithm>
#include <cstring>

#include "code/compare.h"
#include "code/list.h"

namespace chi::code {
namespace {

constexpr std::uint32_t kLeafSlots = 252;  // with the header 2 KiB, a size class

std::uint32_t leaf_limit(const OrderedType& type) {
  const auto slots = static_cast<std::uint32_t>(std::max(type.entry->slots, 1));
  return std::max<std::uint32_t>(kLeafSlots / slots, 8);
}

std::size_t bytes(const RuntimeType& type, std::uint32_t count) {
  return sizeof(Slot) * static_cast<std::size_t>(type.slots) * count;
}

Object* leaf_at(Object* top, std::uint32_t index) { return top->at(index)->o; }

/// A block with the same elements, one owner and room for `capacity`. Moves them out of `old` when
/// that has no other owner, and gives up one reference to it. Null when there is no memory; then
/// `old` is as it was.
Object* renew(Heap& heap, Object* old, std::uint32_t capacity) {
  Object* fresh = heap.allocate(old->element, capacity);
  if (fresh == nullptr) return nullptr;
  std::memcpy(fresh->data(), old->data(), bytes(*old->element, old->used));
  fresh->used = old->used;
  if (old->references == 1) {
    heap.free_moved_out(old);
    return fresh;
  }
  if (!old->element->is_plain) {
    for (std::uint32_t i = 0; i < fresh->used; ++i) retain(*fresh->element, fresh->at(i));
  }
  heap.release(old);
  return fresh;
}

/// Makes `object` a block with one owner and at least `room` free places, but asks for no more than
/// `limit` in all.
bool ready_to_change(Heap& heap, Object*& object, std::uint32_t room, std::uint32_t limit) {
  if (object->references == 1 && object->capacity - object->used >= room) return true;
  std::uint32_t capacity = object->used;
  if (room > 0) capacity = std::max(capacity + room, std::min(2 * capacity, limit));
  Object* fresh = renew(heap, object, capacity);
  if (fresh == nullptr) return false;
  object = fresh;
  return true;
}

/// Opens a dead place at `index`. Requires one owner and room.
Slot* open_place(Object* object, std::uint32_t index) {
  Slot* place = object->at(index);
  std::memmove(place + object->element->slots, place,
               bytes(*object->element, object->used - index));
  ++object->used;
  return place;
}

void close_place(Object* object, std::uint32_t index) {
  Slot* place = object->at(index);
  --object->used;
  std::memmove(place, place + object->element->slots,
               bytes(*object->element, object->used - index));
}

void write_entry(const OrderedType& type, const Slot* key, const Slot* value, Slot* entry) {
  move(*type.key, key, entry);
  if (value != nullptr) {
    std::memcpy(entry + type.key->slots, value,
                sizeof(Slot) * static_cast<std::size_t>(type.entry->slots - type.key->slots));
  }
}

/// One table being changed: its slots are written back when the change is done.
class Change {
 public:
  Change(Heap& heap, const OrderedType& type, Slot* table)
      : heap_(heap), type_(type), table_(table), q_(load_sequence(table)) {}

  /// Gives an empty table its first leaf.
  bool start() {
    if (q_.buffer != nullptr) return true;
    Object* top = heap_.allocate(type_.node, 1);
    Object* leaf = heap_.allocate(type_.entry, 4);
    if (top == nullptr || leaf == nullptr) {
      heap_.release(top);
      heap_.release(leaf);
      return false;
    }
    open_place(top, 0)->o = leaf;
    q_.buffer = top;
    return true;
  }

  /// Makes the top and one leaf unshared, with room in each. A clone is not seen by anybody, so a
  /// failure between the two leaves the table as it was.
  Object* open_leaf(std::uint32_t index, std::uint32_t room_in_top, std::uint32_t room_in_leaf) {
    const bool ready = ready_to_change(heap_, q_.buffer, room_in_top, kMaxLength);
    store_sequence(table_, q_);
    if (!ready) return nullptr;
    Object*& leaf = q_.buffer->at(index)->o;
    return ready_to_change(heap_, leaf, room_in_leaf, leaf_limit(type_)) ? leaf : nullptr;
  }

  /// A dead place for an entry.
  Slot* make_place(Place place) {
    if (!start()) return nullptr;
    const std::uint32_t limit = leaf_limit(type_);
    const bool full = leaf_at(q_.buffer, place.leaf)->used >= limit;
    Object* leaf = open_leaf(place.leaf, full ? 1 : 0, full ? 0 : 1);
    if (leaf == nullptr) return nullptr;
    if (full) {
      // Entries that arrive in order fill their leaves; others leave halves behind.
      const bool at_end = place.index == leaf->used && place.leaf + 1 == q_.buffer->used;
      const std::uint32_t kept = at_end ? leaf->used : leaf->used / 2;
      Object* right = split(place.leaf, leaf, kept);
      if (right == nullptr) return nullptr;
      if (place.index > kept || at_end) {
        leaf = right;
        place.index -= kept;
      }
    }
    count(+1);
    return open_place(leaf, place.index);
  }

  void erase(Object* leaf, Place place) {
    release(heap_, *type_.entry, leaf->at(place.index));
    close_place(leaf, place.index);
    count(-1);
    if (q_.length == 0) {  // an empty table has no objects: a shared one must not get a first entry
      heap_.release(q_.buffer);
      store_sequence(table_, {});
    } else if (leaf->used == 0) {
      heap_.release(leaf);
      close_place(q_.buffer, place.leaf);
    } else if (leaf->used < leaf_limit(type_) / 4) {
      const std::uint32_t left = place.leaf > 0 ? place.leaf - 1 : 0;
      if (left + 1 < q_.buffer->used) join(left);
    }
  }

 private:
  Object* split(std::uint32_t index, Object* leaf, std::uint32_t kept) {
    const std::uint32_t moved = leaf->used - kept;
    Object* right = heap_.allocate(type_.entry, std::max(moved + 1, leaf_limit(type_) / 2));
    if (right == nullptr) return nullptr;
    std::memcpy(right->data(), leaf->at(kept), bytes(*type_.entry, moved));
    right->used = moved;
    leaf->used = kept;
    open_place(q_.buffer, index + 1)->o = right;
    return right;
  }

  /// Appends the leaf behind `index` to it if both are small, so that a table that shrinks does not
  /// keep a leaf for every few entries. May be left undone.
  void join(std::uint32_t index) {
    Object*& left = q_.buffer->at(index)->o;
    Object* right = leaf_at(q_.buffer, index + 1);
    if (left->used + right->used > leaf_limit(type_) / 2) return;
    if (!ready_to_change(heap_, left, right->used, leaf_limit(type_))) return;
    Slot* end = left->at(left->used);
    std::memcpy(end, right->data(), bytes(*type_.entry, right->used));
    left->used += right->used;
    if (right->references > 1) {
      for (std::uint32_t i = 0; i < right->used; ++i) retain(*type_.entry, right->at(i));
      heap_.release(right);
    } else {
      heap_.free_moved_out(right);
    }
    close_place(q_.buffer, index + 1);
  }

  void count(int change) {
    q_.length += static_cast<std::uint32_t>(change);
    store_sequence(table_, q_);
  }

  Heap& heap_;
  const OrderedType& type_;
  Slot* table_;
  Sequence q_;
};

}  // namespace

OrderedCursor::OrderedCursor(const Slot* table) : top_(table[0].o) {
  if (sequence_length(table) == 0) top_ = nullptr;
}

const Slot* OrderedCursor::entry() const {
  return top_ == nullptr ? nullptr : leaf_at(top_, leaf_)->at(index_);
}

void OrderedCursor::next() {
  if (++index_ < leaf_at(top_, leaf_)->used) return;
  index_ = 0;
  if (++leaf_ == top_->used) top_ = nullptr;
}

Place ordered_find(const OrderedType& type, const Slot* table, const Slot* key) {
  if (sequence_length(table) == 0) return {};
  Object* top = table[0].o;
  std::uint32_t low = 0;  // the last leaf that does not begin behind the key
  for (std::uint32_t high = top->used; high - low > 1;) {
    const std::uint32_t middle = low + (high - low) / 2;
    (compare(*type.key, leaf_at(top, middle)->data(), key) <= 0 ? low : high) = middle;
  }
  Object* leaf = leaf_at(top, low);
  std::uint32_t from = 0;
  for (std::uint32_t to = leaf->used; from < to;) {
    const std::uint32_t middle = from + (to - from) / 2;
    const int result = compare(*type.key, leaf->at(middle), key);
    if (result == 0) return {low, middle, true};
    (result < 0 ? from : to) = result < 0 ? middle + 1 : middle;
  }
  return {low, from, false};
}

const Slot* ordered_entry(const Slot* table, Place place) {
  return leaf_at(table[0].o, place.leaf)->at(place.index);
}

RunError ordered_writable(Heap& heap, const OrderedType& type, Slot* table, Place place,
                          Slot** entry) {
  Object* leaf = Change(heap, type, table).open_leaf(place.leaf, 0, 0);
  if (leaf == nullptr) return RunError::OutOfMemory;
  *entry = leaf->at(place.index);
  return RunError::None;
}

RunError ordered_insert(Heap& heap, const OrderedType& type, Slot* table, Place place,
                        const Slot* key, const Slot* value) {
  if (sequence_length(table) == kMaxLength) return RunError::OutOfMemory;
  Slot* entry = Change(heap, type, table).make_place(place);
  if (entry == nullptr) return RunError::OutOfMemory;
  write_entry(type, key, value, entry);
  return RunError::None;
}

RunError ordered_erase(Heap& heap, const OrderedType& type, Slot* table, Place place) {
  Change change(heap, type, table);
  Object* leaf = change.open_leaf(place.leaf, 0, 0);
  if (leaf == nullptr) return RunError::OutOfMemory;
  change.erase(leaf, place);
  return RunError::None;
}

RunError ordered_append(Heap& heap, const OrderedType& type, Slot* table, const Slot* entry) {
  Place end;
  if (sequence_length(table) > 0) {
    end.leaf = table[0].o->used - 1;
    end.index = leaf_at(table[0].o, end.leaf)->used;
  }
  if (sequence_length(table) == kMaxLength) return RunError::OutOfMemory;
  Slot* place = Change(heap, type, table).make_place(end);
  if (place == nullptr) return RunError::OutOfMemory;
  copy(*type.entry, entry, place);
  return RunError::None;
}

RunError ordered_to_list(Heap& heap, const Slot* table, std::int32_t offset,
                         const RuntimeType& part, Slot* list) {
  const std::uint32_t length = sequence_length(table);
  const RunError error = list_reserve(heap, part, length, list);
  if (error != RunError::None || length == 0) return error;
  Object* buffer = list[0].o;
  for (OrderedCursor c(table); c.entry() != nullptr; c.next()) {
    copy(part, c.entry() + offset, buffer->at(buffer->used++));
  }
  store_sequence(list, {buffer, 0, length});
  return RunError::None;
}

}  // namespace chi::code
