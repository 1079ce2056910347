#include "code/list_buffer.h"

#include <algorithm>
#include <cstring>

namespace chi::code {
namespace {

constexpr std::size_t kSmallest = 4;

void release_elements(Heap& heap, const RuntimeType& element, Object* buffer, std::uint32_t from,
                      std::uint32_t to) {
  if (element.is_plain) return;
  for (std::uint32_t i = from; i < to; ++i) release(heap, element, buffer->at(i));
}

}  // namespace

void copy_elements(const RuntimeType& element, const Slot* from, std::uint32_t count, Slot* to) {
  std::memcpy(to, from, slots_bytes(element, count));
  if (element.is_plain) return;
  for (std::uint32_t i = 0; i < count; ++i, to += element.slots) retain(element, to);
}

void drop_prefix(Heap& heap, const RuntimeType& element, Sequence q) {
  release_elements(heap, element, q.buffer, q.buffer->first, q.begin);
  q.buffer->first = q.begin;
}

void drop_suffix(Heap& heap, const RuntimeType& element, Sequence q) {
  release_elements(heap, element, q.buffer, q.begin + q.length, q.buffer->used);
  q.buffer->used = q.begin + q.length;
}

bool move_to_new_buffer(Heap& heap, const RuntimeType& element, Sequence& q, std::size_t gap,
                        std::size_t behind) {
  Object* grown = heap.allocate(&element, gap + q.length + behind);
  if (grown == nullptr) return false;
  grown->first = static_cast<std::uint32_t>(gap);
  grown->used = grown->first + q.length;
  if (Object* old = q.buffer; old != nullptr && old->references == 1) {
    drop_prefix(heap, element, q);
    drop_suffix(heap, element, q);
    std::memcpy(grown->at(grown->first), old->at(q.begin), slots_bytes(element, q.length));
    heap.free_moved_out(old);
  } else if (old != nullptr) {
    copy_elements(element, old->at(q.begin), q.length, grown->at(grown->first));
    heap.release(old);
  }
  q.buffer = grown;
  q.begin = grown->first;
  return true;
}

bool make_room_behind(Heap& heap, const RuntimeType& element, Sequence& q, std::uint32_t extra) {
  if (extra > kMaxLength - q.length) return false;
  if (Object* o = q.buffer; o != nullptr) {
    const std::uint32_t end = q.begin + q.length;
    const bool unique = o->references == 1;
    if (unique && o->used != end) drop_suffix(heap, element, q);
    if (o->used == end && o->capacity - end >= extra) return true;
    // At least as many elements were dropped as are moved now: they pay for it.
    if (unique && q.begin >= q.length && o->capacity - q.length >= extra) {
      drop_prefix(heap, element, q);
      std::memmove(o->data(), o->at(q.begin), slots_bytes(element, q.length));
      o->first = q.begin = 0;
      o->used = q.length;
      return true;
    }
  }
  const std::size_t room = std::max({std::size_t{q.length}, std::size_t{extra}, kSmallest});
  // Near the limit of memory a smaller buffer may still do.
  return move_to_new_buffer(heap, element, q, 0,
                            std::min<std::size_t>(room, kMaxLength - q.length)) ||
         (room > extra && move_to_new_buffer(heap, element, q, 0, extra));
}

bool make_room_in_front(Heap& heap, const RuntimeType& element, Sequence& q) {
  if (q.length == kMaxLength) return false;
  if (q.buffer != nullptr && q.buffer->references == 1 && q.begin > 0) {
    drop_prefix(heap, element, q);
    return true;
  }
  const std::size_t gap =
      std::min<std::size_t>(std::max<std::size_t>(q.length, kSmallest), kMaxLength - q.length);
  return move_to_new_buffer(heap, element, q, gap, 0) ||
         (gap > 1 && move_to_new_buffer(heap, element, q, 1, 0));
}

bool make_unshared(Heap& heap, const RuntimeType& element, Sequence& q, std::size_t capacity) {
  if (q.buffer->references == 1) return true;
  return move_to_new_buffer(heap, element, q, 0, capacity - q.length);
}

void store_or_empty(Heap& heap, const RuntimeType& element, Sequence q, Slot* list) {
  if (q.length == 0 && q.buffer != nullptr) {
    if (q.buffer->references == 1) {
      drop_prefix(heap, element, q);
      drop_suffix(heap, element, q);
      q.buffer->first = q.buffer->used = 0;
      q.begin = 0;
    } else {
      heap.release(q.buffer);
      q = {};
    }
  }
  store_sequence(list, q);
}

}  // namespace chi::code
