#pragma once
#include <cstdint>

#include "code/heap.h"
#include "code/sequence.h"

/// Lists: views [begin, end) on shared growable buffers.
///
/// An element behind the end of a view is not seen by it, so appending happens in place whenever
/// the view ends where the buffer's used part ends and there is room, even when the buffer is
/// shared. A full buffer that has one owner and whose dropped prefix is at least as long as the
/// rest is moved to its front in place; otherwise the live part moves to a buffer twice its length.
/// Therefore n operations `xs ++ [x]`, hd and tl in any order cost O(n) altogether, and a queue
/// whose length stays bounded stops allocating. The exception is the persistent use of one list:
/// appending twice to the same old value copies it.
///
/// `element` is the element's type, `list` the two slots of the list. Operands: see "Ownership" in
/// heap.h; to keep the operand of an operation that consumes it, `copy` it to the destination
/// first. Dropped elements are released at once when the buffer has one owner, else when the last
/// view goes. Derivation and alternatives: docs/internals/values.md.
namespace chi::code {

inline std::int64_t list_length(const Slot* list) { return sequence_length(list); }

/// Address of element `index`, valid until the list's buffer is changed. Requires 0 <= index < len.
const Slot* list_at(const RuntimeType& element, const Slot* list, std::int64_t index);

/// An empty list with room for `capacity` elements. `list` was garbage.
RunError list_reserve(Heap& heap, const RuntimeType& element, std::int64_t capacity, Slot* list);
/// [v0, v1, ...] from `count` consecutive values, which are moved in. `list` was garbage.
RunError list_make(Heap& heap, const RuntimeType& element, Slot* values, std::int64_t count,
                   Slot* list);

/// xs := xs ++ [value]; `value` is moved in. Amortised O(1).
RunError list_append_anyhow(Heap& heap, const RuntimeType& element, Slot* list, Slot* value);
inline RunError list_append(Heap& heap, const RuntimeType& element, Slot* list, Slot* value) {
  const Sequence q = load_sequence(list);
  Object* const o = q.buffer;
  // A buffer of numbers with room: nothing else to think of.
  if (o != nullptr && element.slots == 1 && o->used == q.begin + q.length &&
      o->used < o->capacity && q.length < kMaxLength) [[likely]] {
    o->data()[o->used++] = *value;
    list[1].i += std::int64_t{1} << 32;
    return RunError::None;
  }
  return list_append_anyhow(heap, element, list, value);
}
/// xs := [value] ++ xs; `value` is moved in. O(1) when there is room in front, amortised O(1) after
/// the first.
RunError list_prepend(Heap& heap, const RuntimeType& element, Slot* list, Slot* value);
/// xs := xs ++ other; amortised O(len other). `other` may be the same list.
RunError list_concat(Heap& heap, const RuntimeType& element, Slot* list, const Slot* other);
/// xs := xs -- other: for each element of `other`, its first occurrence that is still there goes.
/// O(n m) when small, else O((n + m) log m).
RunError list_subtract(Heap& heap, const RuntimeType& element, Slot* list, const Slot* other);

/// A copy of the first (last) element. EmptyList. O(1).
RunError list_hd_anyhow(const RuntimeType& element, const Slot* list, Slot* value);
inline RunError list_hd(const RuntimeType& element, const Slot* list, Slot* value) {
  const Sequence q = load_sequence(list);
  if (q.length == 0) return RunError::EmptyList;
  if (!element.is_plain || element.slots != 1) return list_hd_anyhow(element, list, value);
  *value = q.buffer->data()[q.begin];
  return RunError::None;
}
RunError list_hr(const RuntimeType& element, const Slot* list, Slot* value);
/// xs := xs without its first (last) element. EmptyList. O(1).
RunError list_tl_anyhow(Heap& heap, const RuntimeType& element, Slot* list);
inline RunError list_tl(Heap& heap, const RuntimeType& element, Slot* list) {
  const Sequence q = load_sequence(list);
  if (q.length > 1 && element.is_plain && q.buffer->references == 1) [[likely]] {
    q.buffer->first = q.begin + 1;
    list[1].i -= (std::int64_t{1} << 32) - 1;  // one less, from one further on
    return RunError::None;
  }
  return list_tl_anyhow(heap, element, list);
}
RunError list_tr(Heap& heap, const RuntimeType& element, Slot* list);
/// `value := hd(xs); xs := tl(xs)` in one: the element is moved out when the buffer has one owner.
RunError list_pop(Heap& heap, const RuntimeType& element, Slot* list, Slot* value);
/// xs := the first `count` (all but the first `count`) elements; all (none) when there are fewer.
/// Requires count >= 0. O(1), plus releasing the elements dropped.
void list_take(Heap& heap, const RuntimeType& element, Slot* list, std::int64_t count);
void list_drop(Heap& heap, const RuntimeType& element, Slot* list, std::int64_t count);

/// A copy of element `index`. IndexOutOfRange.
RunError list_get(const RuntimeType& element, const Slot* list, std::int64_t index, Slot* value);
/// xs[index] := value, which is moved in. IndexOutOfRange. O(1) when the buffer has one owner, else
/// O(n) once.
RunError list_set(Heap& heap, const RuntimeType& element, Slot* list, std::int64_t index,
                  Slot* value);
/// The address of element `index` for changing it in place, as in `xs[i].f := e`. Makes the list
/// the only owner of its buffer. Valid until the next operation on the list.
RunError list_writable(Heap& heap, const RuntimeType& element, Slot* list, std::int64_t index,
                       Slot** place);

RunError list_reverse(Heap& heap, const RuntimeType& element, Slot* list);
/// The sum from left to right of a list of nat, int (Overflow) or real; 0 for [].
RunError list_sum(const RuntimeType& element, const Slot* list, Slot* sum);
/// The same of `count` numbers that lie one after the other.
RunError sum_of(const RuntimeType& element, const Slot* values, std::int64_t count, Slot* sum);
/// [a, a + step, ...] up to but without b; empty when b is not ahead. ZeroStep. `list` was garbage.
RunError list_range(Heap& heap, const RuntimeType& integer, std::int64_t a, std::int64_t b,
                    std::int64_t step, Slot* list);
/// Whether an element equals `value`. O(n).
bool list_contains(const RuntimeType& element, const Slot* list, const Slot* value);

/// The order given by a χ function. `call` sets `less` or fails; it may run any code except
/// operations on the list being sorted.
struct LessThan {
  RunError (*call)(void* context, const Slot* a, const Slot* b, bool* less) = nullptr;
  void* context = nullptr;
};
/// xs := sort(xs, less): stable merge sort, n log2 n comparisons, n - 1 when already sorted. Any
/// `less` gives some permutation, also one that is no order. Fails with what `less` fails with.
RunError list_sort(Heap& heap, const RuntimeType& element, Slot* list, LessThan less);
/// xs := insert(xs, value, less): behind the elements that are not greater, found by bisection.
/// Requires xs sorted for the place to be the right one. `value` is moved in.
RunError list_insert(Heap& heap, const RuntimeType& element, Slot* list, Slot* value,
                     LessThan less);

}  // namespace chi::code
