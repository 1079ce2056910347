// sort, insert and --: what needs an order on the elements.
#include <algorithm>
#include <cstring>

#include "code/compare.h"
#include "code/list.h"
#include "code/list_buffer.h"

namespace chi::code {
namespace {

using Pointer = const Slot*;
constexpr std::size_t kPointerBytes = sizeof(void*);

/// Memory of the heap for a while, so that its limit holds for it as well.
class Scratch {
 public:
  Scratch(Heap& heap, std::size_t bytes) : heap_(heap), object_(heap.allocate(nullptr, bytes)) {}
  ~Scratch() { heap_.release(object_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* get() const { return object_ == nullptr ? nullptr : object_->text(); }

 private:
  Heap& heap_;
  Object* object_;
};

/// Merges the sorted runs [0, middle) and [middle, end) of `from` into `to`.
RunError merge(const Pointer* from, std::size_t middle, std::size_t end, Pointer* to,
               LessThan less) {
  bool out_of_order = false;
  const RunError error = less.call(less.context, from[middle], from[middle - 1], &out_of_order);
  if (error != RunError::None) return error;
  if (!out_of_order) {  // often so: costs one comparison instead of a merge
    std::copy(from, from + end, to);
    return RunError::None;
  }
  std::size_t i = 0;
  std::size_t j = middle;
  while (i < middle && j < end) {
    bool right_first = false;
    const RunError failed = less.call(less.context, from[j], from[i], &right_first);
    if (failed != RunError::None) return failed;
    *to++ = right_first ? from[j++] : from[i++];
  }
  to = std::copy(from + i, from + middle, to);
  std::copy(from + j, from + end, to);
  return RunError::None;
}

/// Sorts `n` pointers, from the bottom up; `sorted` says in which of the two arrays they end.
RunError merge_sort(Pointer* values, Pointer* other, std::size_t n, LessThan less,
                    Pointer** sorted) {
  for (std::size_t width = 1; width < n; width *= 2) {
    for (std::size_t i = 0; i < n; i += 2 * width) {
      const std::size_t end = std::min(2 * width, n - i);
      if (end <= width) {
        std::copy(values + i, values + i + end, other + i);
        continue;
      }
      const RunError error = merge(values + i, width, end, other + i, less);
      if (error != RunError::None) return error;
    }
    std::swap(values, other);
  }
  *sorted = values;
  return RunError::None;
}

/// Opens a dead place at `index` of a view with one owner, moving the first part when it is the
/// shorter one and there is room in front, else the last part. Requires room behind in that case.
Slot* open_place(Heap& heap, const RuntimeType& element, Sequence& q, std::uint32_t index) {
  Object* o = q.buffer;
  if (q.begin > 0 && index < q.length / 2) {
    drop_prefix(heap, element, q);
    std::memmove(o->at(q.begin - 1), o->at(q.begin), slots_bytes(element, index));
    o->first = --q.begin;
  } else {
    std::memmove(o->at(q.begin + index + 1), o->at(q.begin + index),
                 slots_bytes(element, q.length - index));
    ++o->used;
  }
  ++q.length;
  return o->at(q.begin + index);
}

/// Takes the dead place at `index` out of a view with one owner, moving the shorter side.
void close_place(Heap& heap, const RuntimeType& element, Sequence& q, std::uint32_t index) {
  Object* o = q.buffer;
  if (index < q.length / 2) {
    drop_prefix(heap, element, q);
    std::memmove(o->at(q.begin + 1), o->at(q.begin), slots_bytes(element, index));
    o->first = ++q.begin;
  } else {
    drop_suffix(heap, element, q);
    std::memmove(o->at(q.begin + index), o->at(q.begin + index + 1),
                 slots_bytes(element, q.length - index - 1));
    --o->used;
  }
  --q.length;
}

RunError remove_first(Heap& heap, const RuntimeType& element, Slot* list, const Slot* value) {
  Sequence q = load_sequence(list);
  std::uint32_t i = 0;
  while (i < q.length && !equal(element, q.buffer->at(q.begin + i), value)) ++i;
  if (i == q.length) return RunError::None;
  if (!make_unshared(heap, element, q, q.length)) return RunError::OutOfMemory;
  release(heap, element, q.buffer->at(q.begin + i));
  close_place(heap, element, q, i);
  store_or_empty(heap, element, q, list);
  return RunError::None;
}

/// The elements still to be removed, each as often as it occurs: sorted, with the number already
/// used of each group of equals, kept at the group's first place.
class Removals {
 public:
  Removals(const RuntimeType& element, Sequence r, void* memory)
      : element_(element),
        values_(static_cast<Pointer*>(memory)),
        taken_(reinterpret_cast<std::uint32_t*>(values_ + r.length)),
        count_(r.length) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      values_[i] = r.buffer->at(r.begin + i);
      taken_[i] = 0;
    }
    std::sort(values_, values_ + count_,
              [&](Pointer a, Pointer b) { return compare(element_, a, b) < 0; });
  }
  bool take(Pointer value) {
    const Pointer* end = values_ + count_;
    const Pointer* group =
        std::lower_bound(values_, values_ + count_, value,
                         [&](Pointer a, Pointer b) { return compare(element_, a, b) < 0; });
    if (group == end) return false;
    std::uint32_t& taken = taken_[group - values_];
    if (group + taken >= end || !equal(element_, group[taken], value)) return false;
    ++taken;
    return true;
  }

 private:
  const RuntimeType& element_;
  Pointer* values_;
  std::uint32_t* taken_;
  std::uint32_t count_;
};

}  // namespace

RunError list_subtract(Heap& heap, const RuntimeType& element, Slot* list, const Slot* other) {
  Sequence q = load_sequence(list);
  const Sequence r = load_sequence(other);
  if (q.length == 0 || r.length == 0) return RunError::None;
  if (r.length == 1) {
    retain(r.buffer);  // `other` may be the list itself
    const RunError error = remove_first(heap, element, list, r.buffer->at(r.begin));
    heap.release(r.buffer);
    return error;
  }
  const Scratch scratch(heap, std::size_t{r.length} * (kPointerBytes + sizeof(std::uint32_t)));
  if (scratch.get() == nullptr) return RunError::OutOfMemory;
  retain(r.buffer);
  Removals removals(element, r, scratch.get());
  const bool unshared = make_unshared(heap, element, q, q.length);
  if (unshared) {
    drop_prefix(heap, element, q);
    drop_suffix(heap, element, q);
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < q.length; ++i) {
      Slot* value = q.buffer->at(q.begin + i);
      if (removals.take(value)) {
        release(heap, element, value);
      } else if (kept++ != i) {
        move(element, value, q.buffer->at(q.begin + kept - 1));
      }
    }
    q.length = kept;
    q.buffer->used = q.begin + kept;
    store_or_empty(heap, element, q, list);
  }
  heap.release(r.buffer);
  return unshared ? RunError::None : RunError::OutOfMemory;
}

RunError list_sort(Heap& heap, const RuntimeType& element, Slot* list, LessThan less) {
  Sequence q = load_sequence(list);
  if (q.length < 2) return RunError::None;
  const Scratch scratch(heap, std::size_t{q.length} * 2 * kPointerBytes);
  if (scratch.get() == nullptr) return RunError::OutOfMemory;
  auto* values = static_cast<Pointer*>(scratch.get());
  for (std::uint32_t i = 0; i < q.length; ++i) values[i] = q.buffer->at(q.begin + i);
  const RunError error = merge_sort(values, values + q.length, q.length, less, &values);
  if (error != RunError::None) return error;
  Object* result = heap.allocate(&element, q.length);
  if (result == nullptr) return RunError::OutOfMemory;
  for (std::uint32_t i = 0; i < q.length; ++i) move(element, values[i], result->at(i));
  result->used = q.length;
  if (q.buffer->references == 1) {
    drop_prefix(heap, element, q);
    drop_suffix(heap, element, q);
    heap.free_moved_out(q.buffer);
  } else {
    for (std::uint32_t i = 0; i < q.length; ++i) retain(element, result->at(i));
    heap.release(q.buffer);
  }
  store_sequence(list, {result, 0, q.length});
  return RunError::None;
}

RunError list_insert(Heap& heap, const RuntimeType& element, Slot* list, Slot* value,
                     LessThan less) {
  Sequence q = load_sequence(list);
  std::uint32_t low = 0;
  for (std::uint32_t high = q.length; low < high;) {
    const std::uint32_t middle = low + (high - low) / 2;
    bool before = false;
    const RunError error = less.call(less.context, value, q.buffer->at(q.begin + middle), &before);
    if (error != RunError::None) return error;
    (before ? high : low) = before ? middle : middle + 1;
  }
  if (low == q.length) return list_append(heap, element, list, value);
  if (!make_unshared(heap, element, q, std::size_t{q.length} * 2)) return RunError::OutOfMemory;
  store_sequence(list, q);
  const bool in_front = q.begin > 0 && low < q.length / 2;
  if (!in_front && !make_room_behind(heap, element, q, 1)) return RunError::OutOfMemory;
  move(element, value, open_place(heap, element, q, low));
  store_sequence(list, q);
  return RunError::None;
}

}  // namespace chi::code
