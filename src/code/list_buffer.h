#pragma once
#include <cstddef>

#include "code/heap.h"
#include "code/sequence.h"

/// The buffer under a list view: how room is made and what is dropped. Used by list*.cc only.
///
/// Invariant: the elements that some view sees lie in [first, used); those outside are dead. With
/// one owner, elements before the view's begin and behind its end are seen by nobody.
namespace chi::code {

inline std::size_t slots_bytes(const RuntimeType& element, std::uint32_t count) {
  return sizeof(Slot) * static_cast<std::size_t>(element.slots) * count;
}

/// Copies `count` elements to dead places.
void copy_elements(const RuntimeType& element, const Slot* from, std::uint32_t count, Slot* to);

/// Releases what lies before (behind) the view. Requires one owner.
void drop_prefix(Heap& heap, const RuntimeType& element, Sequence q);
void drop_suffix(Heap& heap, const RuntimeType& element, Sequence q);

/// Moves the view to a new buffer, at `gap` elements from its front, with room for `behind` more
/// elements. False, with `q` as it was, when there is no memory.
bool move_to_new_buffer(Heap& heap, const RuntimeType& element, Sequence& q, std::size_t gap,
                        std::size_t behind);

/// Ensures `extra` dead places behind the view and that the view ends where the buffer's used part
/// ends. The buffer may be shared. False when there is no memory.
bool make_room_behind(Heap& heap, const RuntimeType& element, Sequence& q, std::uint32_t extra);
/// Ensures one dead place in front of the view, first == begin > 0, and one owner.
bool make_room_in_front(Heap& heap, const RuntimeType& element, Sequence& q);
/// Ensures that the view is its buffer's only owner; a new buffer gets room for `capacity`.
bool make_unshared(Heap& heap, const RuntimeType& element, Sequence& q, std::size_t capacity);

/// Stores the view; an empty one starts its own buffer afresh, and lets go of a shared one.
void store_or_empty(Heap& heap, const RuntimeType& element, Sequence q, Slot* list);

}  // namespace chi::code
