#include "code/list.h"

#include <algorithm>
#include <cstring>

#include "code/checked.h"
#include "code/compare.h"
#include "code/list_buffer.h"

namespace chi::code {

const Slot* list_at(const RuntimeType& element, const Slot* list, std::int64_t index) {
  const Sequence q = load_sequence(list);
  return q.buffer->data() + (q.begin + index) * element.slots;
}

RunError list_reserve(Heap& heap, const RuntimeType& element, std::int64_t capacity, Slot* list) {
  Object* buffer =
      capacity == 0 ? nullptr : heap.allocate(&element, static_cast<std::size_t>(capacity));
  if (buffer == nullptr && capacity != 0) return RunError::OutOfMemory;
  store_sequence(list, {buffer, 0, 0});
  return RunError::None;
}

RunError list_make(Heap& heap, const RuntimeType& element, Slot* values, std::int64_t count,
                   Slot* list) {
  const RunError error = list_reserve(heap, element, count, list);
  if (error != RunError::None || count == 0) return error;
  Object* buffer = list[0].o;
  const auto length = static_cast<std::uint32_t>(count);
  std::memcpy(buffer->data(), values, slots_bytes(element, length));
  buffer->used = length;
  store_sequence(list, {buffer, 0, length});
  return RunError::None;
}

RunError list_append_anyhow(Heap& heap, const RuntimeType& element, Slot* list, Slot* value) {
  Sequence q = load_sequence(list);
  if (!make_room_behind(heap, element, q, 1)) return RunError::OutOfMemory;
  move(element, value, q.buffer->at(q.begin + q.length));
  ++q.buffer->used;
  ++q.length;
  store_sequence(list, q);
  return RunError::None;
}

RunError list_prepend(Heap& heap, const RuntimeType& element, Slot* list, Slot* value) {
  Sequence q = load_sequence(list);
  if (!make_room_in_front(heap, element, q)) return RunError::OutOfMemory;
  --q.begin;
  --q.buffer->first;
  ++q.length;
  move(element, value, q.buffer->at(q.begin));
  store_sequence(list, q);
  return RunError::None;
}

RunError list_concat(Heap& heap, const RuntimeType& element, Slot* list, const Slot* other) {
  Sequence q = load_sequence(list);
  const Sequence r = load_sequence(other);
  if (r.length == 0) return RunError::None;
  if (q.length == 0) {
    retain(r.buffer);
    heap.release(q.buffer);
    store_sequence(list, r);
    return RunError::None;
  }
  retain(r.buffer);  // a buffer with two owners is not moved while we read from it
  const bool room = make_room_behind(heap, element, q, r.length);
  if (room) {
    copy_elements(element, r.buffer->at(r.begin), r.length, q.buffer->at(q.begin + q.length));
    q.buffer->used += r.length;
    q.length += r.length;
    store_sequence(list, q);
  }
  heap.release(r.buffer);
  return room ? RunError::None : RunError::OutOfMemory;
}

RunError list_hd_anyhow(const RuntimeType& element, const Slot* list, Slot* value) {
  return list_get(element, list, 0, value);
}

RunError list_hr(const RuntimeType& element, const Slot* list, Slot* value) {
  const std::int64_t length = list_length(list);
  return length == 0 ? RunError::EmptyList : list_get(element, list, length - 1, value);
}

RunError list_tl_anyhow(Heap& heap, const RuntimeType& element, Slot* list) {
  if (list_length(list) == 0) return RunError::EmptyList;
  list_drop(heap, element, list, 1);
  return RunError::None;
}

RunError list_tr(Heap& heap, const RuntimeType& element, Slot* list) {
  const std::int64_t length = list_length(list);
  if (length == 0) return RunError::EmptyList;
  list_take(heap, element, list, length - 1);
  return RunError::None;
}

RunError list_pop(Heap& heap, const RuntimeType& element, Slot* list, Slot* value) {
  Sequence q = load_sequence(list);
  if (q.length == 0) return RunError::EmptyList;
  const Slot* front = q.buffer->at(q.begin);
  if (q.buffer->references > 1) {
    copy(element, front, value);
    list_drop(heap, element, list, 1);
    return RunError::None;
  }
  drop_prefix(heap, element, q);
  move(element, front, value);
  q.buffer->first = ++q.begin;
  --q.length;
  store_or_empty(heap, element, q, list);
  return RunError::None;
}

void list_take(Heap& heap, const RuntimeType& element, Slot* list, std::int64_t count) {
  Sequence q = load_sequence(list);
  if (count >= q.length) return;
  q.length = static_cast<std::uint32_t>(count);
  if (q.buffer->references == 1) drop_suffix(heap, element, q);
  store_or_empty(heap, element, q, list);
}

void list_drop(Heap& heap, const RuntimeType& element, Slot* list, std::int64_t count) {
  Sequence q = load_sequence(list);
  if (q.length == 0 || count == 0) return;
  const auto dropped = static_cast<std::uint32_t>(std::min<std::int64_t>(count, q.length));
  q.begin += dropped;
  q.length -= dropped;
  if (q.buffer->references == 1) drop_prefix(heap, element, q);
  store_or_empty(heap, element, q, list);
}

RunError list_get(const RuntimeType& element, const Slot* list, std::int64_t index, Slot* value) {
  if (index < 0 || index >= list_length(list)) return RunError::IndexOutOfRange;
  copy(element, list_at(element, list, index), value);
  return RunError::None;
}

RunError list_writable(Heap& heap, const RuntimeType& element, Slot* list, std::int64_t index,
                       Slot** place) {
  Sequence q = load_sequence(list);
  if (index < 0 || index >= q.length) return RunError::IndexOutOfRange;
  if (!make_unshared(heap, element, q, q.length)) return RunError::OutOfMemory;
  store_sequence(list, q);
  *place = q.buffer->at(q.begin + static_cast<std::uint32_t>(index));
  return RunError::None;
}

RunError list_set(Heap& heap, const RuntimeType& element, Slot* list, std::int64_t index,
                  Slot* value) {
  Slot* place = nullptr;
  const RunError error = list_writable(heap, element, list, index, &place);
  if (error != RunError::None) return error;
  if (!element.is_plain) release(heap, element, place);
  move(element, value, place);
  return RunError::None;
}

RunError list_reverse(Heap& heap, const RuntimeType& element, Slot* list) {
  Sequence q = load_sequence(list);
  if (q.length < 2) return RunError::None;
  if (!make_unshared(heap, element, q, q.length)) return RunError::OutOfMemory;
  store_sequence(list, q);
  for (std::uint32_t i = 0, j = q.length - 1; i < j; ++i, --j) {
    Slot* a = q.buffer->at(q.begin + i);
    std::swap_ranges(a, a + element.slots, q.buffer->at(q.begin + j));
  }
  return RunError::None;
}

RunError list_sum(const RuntimeType& element, const Slot* list, Slot* sum) {
  const Sequence q = load_sequence(list);
  return sum_of(element, q.length == 0 ? nullptr : q.buffer->at(q.begin), q.length, sum);
}

RunError sum_of(const RuntimeType& element, const Slot* values, std::int64_t count, Slot* sum) {
  Slot total = element.kind == TypeKind::Real ? real_slot(0.0) : int_slot(0);
  for (std::int64_t i = 0; i < count; ++i) {
    if (element.kind == TypeKind::Real) {
      total.r += values[i].r;
    } else if (!checked_add(total.i, values[i].i, total.i)) {
      return RunError::Overflow;
    }
  }
  *sum = total;
  return RunError::None;
}

RunError list_range(Heap& heap, const RuntimeType& integer, std::int64_t a, std::int64_t b,
                    std::int64_t step, Slot* list) {
  if (step == 0) return RunError::ZeroStep;
  // In unsigned arithmetic, where no distance overflows.
  const auto from = static_cast<std::uint64_t>(a);
  const auto to = static_cast<std::uint64_t>(b);
  const auto stride = static_cast<std::uint64_t>(step);
  std::uint64_t count = 0;
  if (step > 0 && a < b) count = (to - from - 1) / stride + 1;
  if (step < 0 && a > b) count = (from - to - 1) / (0 - stride) + 1;
  if (count > kMaxLength) return RunError::OutOfMemory;
  const RunError error = list_reserve(heap, integer, static_cast<std::int64_t>(count), list);
  if (error != RunError::None || count == 0) return error;
  Object* buffer = list[0].o;
  for (std::uint64_t i = 0; i < count; ++i) {
    buffer->data()[i].i = static_cast<std::int64_t>(from + i * stride);
  }
  buffer->used = static_cast<std::uint32_t>(count);
  store_sequence(list, {buffer, 0, buffer->used});
  return RunError::None;
}

bool list_contains(const RuntimeType& element, const Slot* list, const Slot* value) {
  const Sequence q = load_sequence(list);
  for (std::uint32_t i = 0; i < q.length; ++i) {
    if (equal(element, q.buffer->at(q.begin + i), value)) return true;
  }
  return false;
}

}  // namespace chi::code
