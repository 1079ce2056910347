#include "code/set.h"

#include "code/compare.h"
#include "code/list.h"
#include "code/ordered.h"

namespace chi::code {
namespace {

OrderedType ordered(const RuntimeType& type) { return {type.element, type.entry, type.node}; }

/// Whether m single steps in a table of n entries cost less than going through both.
bool is_few(std::uint32_t m, std::uint32_t n) { return m < n / 8; }

enum class Keep { Either, FirstOnly, Both };

/// Goes through both in order, copying what is kept into a new set, which replaces `set`.
RunError merge(Heap& heap, const RuntimeType& type, Slot* set, const Slot* other, Keep keep) {
  Slot result[2];
  store_sequence(result, {});
  OrderedCursor a(set);
  OrderedCursor b(other);
  RunError error = RunError::None;
  while (error == RunError::None && (a.entry() != nullptr || b.entry() != nullptr)) {
    int side = a.entry() == nullptr ? 1 : -1;
    if (a.entry() != nullptr && b.entry() != nullptr) {
      side = compare(*type.element, a.entry(), b.entry());
    }
    const bool kept = keep == Keep::Either || (keep == Keep::FirstOnly && side < 0) ||
                      (keep == Keep::Both && side == 0);
    if (kept) error = ordered_append(heap, ordered(type), result, side > 0 ? b.entry() : a.entry());
    if (side <= 0) a.next();
    if (side >= 0) b.next();
  }
  if (error != RunError::None) {
    heap.release(result[0].o);
    return error;
  }
  heap.release(set[0].o);
  store_sequence(set, load_sequence(result));
  return RunError::None;
}

void replace(Heap& heap, Slot* set, const Slot* by) {
  retain(by[0].o);
  heap.release(set[0].o);
  store_sequence(set, load_sequence(by));
}

/// The elements of `small` that are in `large`.
RunError probe(Heap& heap, const RuntimeType& type, const Slot* small, const Slot* large,
               Slot* result) {
  store_sequence(result, {});
  for (OrderedCursor c(small); c.entry() != nullptr; c.next()) {
    if (!set_contains(type, large, c.entry())) continue;
    const RunError error = ordered_append(heap, ordered(type), result, c.entry());
    if (error == RunError::None) continue;
    heap.release(result[0].o);
    return error;
  }
  return RunError::None;
}

}  // namespace

RunError set_make(Heap& heap, const RuntimeType& type, Slot* values, std::int64_t count,
                  Slot* set) {
  const RuntimeType& element = *type.element;
  store_sequence(set, {});
  for (std::int64_t i = 0; i < count; ++i) {
    // A copy goes in, so that all values are still the caller's if memory runs out.
    Slot* value = values + i * element.slots;
    const Place place = ordered_find(ordered(type), set, value);
    if (place.found) continue;
    const RunError error = ordered_insert(heap, ordered(type), set, place, value, nullptr);
    if (error != RunError::None) {
      heap.release(set[0].o);
      store_sequence(set, {});
      return error;
    }
    retain(element, value);
  }
  for (std::int64_t i = 0; i < count; ++i) release(heap, element, values + i * element.slots);
  return RunError::None;
}

bool set_contains(const RuntimeType& type, const Slot* set, const Slot* value) {
  return ordered_find(ordered(type), set, value).found;
}

RunError set_insert(Heap& heap, const RuntimeType& type, Slot* set, Slot* value) {
  const Place place = ordered_find(ordered(type), set, value);
  if (!place.found) return ordered_insert(heap, ordered(type), set, place, value, nullptr);
  release(heap, *type.element, value);
  return RunError::None;
}

RunError set_erase(Heap& heap, const RuntimeType& type, Slot* set, const Slot* value) {
  const Place place = ordered_find(ordered(type), set, value);
  return place.found ? ordered_erase(heap, ordered(type), set, place) : RunError::None;
}

RunError set_union(Heap& heap, const RuntimeType& type, Slot* set, const Slot* other) {
  const std::uint32_t m = sequence_length(other);
  if (m == 0 || set[0].o == other[0].o) return RunError::None;
  if (sequence_length(set) == 0) {
    replace(heap, set, other);
    return RunError::None;
  }
  if (!is_few(m, sequence_length(set))) return merge(heap, type, set, other, Keep::Either);
  for (OrderedCursor c(other); c.entry() != nullptr; c.next()) {
    const Place place = ordered_find(ordered(type), set, c.entry());
    if (place.found) continue;
    const RunError error = ordered_insert(heap, ordered(type), set, place, c.entry(), nullptr);
    if (error != RunError::None) return error;
    retain(*type.element, c.entry());
  }
  return RunError::None;
}

RunError set_difference(Heap& heap, const RuntimeType& type, Slot* set, const Slot* other) {
  const std::uint32_t m = sequence_length(other);
  if (m == 0 || sequence_length(set) == 0) return RunError::None;
  if (set[0].o == other[0].o || !is_few(m, sequence_length(set))) {
    return merge(heap, type, set, other, Keep::FirstOnly);
  }
  for (OrderedCursor c(other); c.entry() != nullptr; c.next()) {
    const RunError error = set_erase(heap, type, set, c.entry());
    if (error != RunError::None) return error;
  }
  return RunError::None;
}

RunError set_intersection(Heap& heap, const RuntimeType& type, Slot* set, const Slot* other) {
  const std::uint32_t n = sequence_length(set);
  const std::uint32_t m = sequence_length(other);
  if (n == 0 || set[0].o == other[0].o) return RunError::None;
  if (!is_few(m, n) && !is_few(n, m)) return merge(heap, type, set, other, Keep::Both);
  Slot result[2];
  const RunError error = probe(heap, type, m < n ? other : set, m < n ? set : other, result);
  if (error != RunError::None) return error;
  heap.release(set[0].o);
  store_sequence(set, load_sequence(result));
  return RunError::None;
}

RunError set_pick(const RuntimeType& type, const Slot* set, Slot* value) {
  if (set_size(set) == 0) return RunError::EmptySet;
  copy(*type.element, OrderedCursor(set).entry(), value);
  return RunError::None;
}

RunError set_to_list(Heap& heap, const RuntimeType& type, const Slot* set, Slot* list) {
  return ordered_to_list(heap, set, 0, *type.element, list);
}

}  // namespace chi::code
