#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "code/run_error.h"
#include "code/runtime_type.h"
#include "code/slot.h"

namespace chi::code {

/// A reference-counted block: header, then `capacity` elements of `element->slots` slots each
/// (bytes when `element` is null: the text of a string). Elements [first, used) are alive and
/// owned.
struct Object {
  union {
    std::int64_t references;
    Object* next;  ///< while free or waiting to be destroyed
  };
  const RuntimeType* element;
  std::uint32_t first;
  std::uint32_t used;
  std::uint32_t capacity;
  std::uint32_t size_class;

  Slot* data() { return reinterpret_cast<Slot*>(this + 1); }
  char* text() { return reinterpret_cast<char*>(this + 1); }
  Slot* at(std::uint32_t index) {
    return data() + static_cast<std::size_t>(index) * static_cast<std::size_t>(element->slots);
  }
};
static_assert(sizeof(Object) == 32);

inline constexpr std::uint32_t kMaxLength =
    0x7fff'ffff;  ///< elements of a sequence, bytes of a text

/// The memory of one run's lists, sets, dictionaries and strings.
///
/// Freed blocks are kept by size and given out again, so that a model in its steady state asks the
/// system for nothing. Not for use by several threads at once. Freeing a deeply nested value takes
/// no stack.
class Heap {
 public:
  explicit Heap(std::int64_t limit_bytes = std::numeric_limits<std::int64_t>::max());
  ~Heap();  ///< gives everything back, also what is still alive
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// A new block with room for at least `capacity` elements (`element` null: bytes), owned once,
  /// with first = used = 0. Null when that would exceed the limit or kMaxLength.
  Object* allocate(const RuntimeType* element, std::size_t capacity);
  /// Gives up one reference; `object` may be null.
  void release(Object* object) {
    if (object != nullptr && --object->references == 0) destroy(object);
  }
  /// Frees the block only, without releasing its elements: they were moved out.
  void free_moved_out(Object* object);

  std::int64_t live_objects() const { return live_objects_; }
  std::int64_t live_bytes() const { return live_bytes_; }
  std::int64_t peak_bytes() const { return peak_bytes_; }
  std::int64_t limit_bytes() const { return limit_bytes_; }
  std::int64_t allocations() const { return allocations_; }  ///< blocks given out so far
  std::int64_t system_allocations() const { return system_allocations_; }  ///< calls of malloc

 private:
  static constexpr int kPooledClasses = 40;
  void destroy(Object* object);
  void* take_block(std::uint32_t size_class);
  std::int64_t limit_bytes_;
  std::int64_t live_objects_ = 0, live_bytes_ = 0, peak_bytes_ = 0;
  std::int64_t allocations_ = 0, system_allocations_ = 0;
  std::array<Object*, kPooledClasses> free_{};
  Object* big_ = nullptr;  // every big block, so that the destructor finds those still alive
  std::vector<void*> slabs_;
  char* slab_next_ = nullptr;
  std::size_t slab_left_ = 0;
};

/// Ownership. Slots that hold a value own its references. Throughout src/code, a `const Slot*`
/// operand is borrowed; a `Slot*` operand is owned, and is consumed or replaced by the result. To
/// keep the old value, `copy` it first: that costs an increment and, since buffers are shared, does
/// not make the operation slower. On failure every operand is still the caller's and valid.

inline void retain(Object* object) {
  if (object != nullptr) ++object->references;
}
/// One more owner for the references in `value`.
void retain(const RuntimeType& type, const Slot* value);
/// Gives up the references in `value`; its slots are garbage afterwards.
void release(Heap& heap, const RuntimeType& type, const Slot* value);
/// `to` (garbage before) becomes a copy of `from`.
void copy(const RuntimeType& type, const Slot* from, Slot* to);
/// `to` (garbage before) takes over the references of `from`, which is garbage afterwards.
void move(const RuntimeType& type, const Slot* from, Slot* to);
/// All bits zero: the zero value of every type.
void clear(const RuntimeType& type, Slot* value);
/// What `to := from` does: `to`, a valid value, becomes a copy of `from`; they may be the same
/// value. A distribution in `to` keeps its own stream (distributions.h).
void assign(Heap& heap, const RuntimeType& type, const Slot* from, Slot* to);
/// As `assign`, but takes over `from`, which is garbage afterwards and must not overlap `to`.
void assign_moved(Heap& heap, const RuntimeType& type, const Slot* from, Slot* to);

}  // namespace chi::code
