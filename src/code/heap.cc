#include "code/heap.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "base/sanitized.h"
#include "flat/layout.h"

namespace chi::code {
namespace {

// Under the address sanitizer every block is the system's own, so that a use after release shows.
constexpr bool kPooled = !kSanitized;

constexpr std::size_t kFirstSlab = std::size_t{16} * 1024;
constexpr std::size_t kLargestSlab = std::size_t{1024} * 1024;

/// Sizes are 64, 80, 96, 112, 128, 160, ...: four to a doubling, so a block is at most a quarter
/// larger than asked for.
std::size_t class_bytes(std::uint32_t size_class) {
  return (std::size_t{4} + size_class % 4) << (4 + size_class / 4);
}

std::uint32_t class_of(std::size_t bytes) {
  if (bytes <= 64) return 0;
  const auto doubling = static_cast<std::uint32_t>(std::bit_width(bytes - 1)) - 1;  // 2^d < bytes
  const auto quarter = static_cast<std::uint32_t>((bytes - 1) >> (doubling - 2)) - 4;
  return (doubling - 6) * 4 + quarter + 1;
}

/// A big block is preceded by its neighbours in the list of all big blocks.
struct BigLink {
  BigLink* previous;
  BigLink* next;
};
static_assert(sizeof(BigLink) == 16);

BigLink* link_of(Object* object) { return reinterpret_cast<BigLink*>(object) - 1; }

}  // namespace

Heap::Heap(std::int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

Heap::~Heap() {
  while (big_ != nullptr) {
    BigLink* link = link_of(big_);
    big_ = link->next == nullptr ? nullptr : reinterpret_cast<Object*>(link->next + 1);
    std::free(link);
  }
  for (void* slab : slabs_) std::free(slab);
}

Object* Heap::allocate(const RuntimeType* element, std::size_t capacity) {
  const std::size_t stride =
      element == nullptr ? 1 : sizeof(Slot) * static_cast<std::size_t>(element->slots);
  std::size_t bytes = 0;
  if (capacity > kMaxLength || __builtin_mul_overflow(stride, capacity, &bytes) ||
      bytes > std::size_t{1} << 60) {
    return nullptr;
  }
  const std::uint32_t size_class = class_of(bytes + sizeof(Object));
  bytes = class_bytes(size_class);
  if (static_cast<std::int64_t>(bytes) > limit_bytes_ - live_bytes_) return nullptr;
  auto* object = static_cast<Object*>(take_block(size_class));
  if (object == nullptr) return nullptr;
  object->references = 1;
  object->element = element;
  object->first = object->used = 0;
  object->size_class = size_class;
  const std::size_t room = stride == 0 ? kMaxLength : (bytes - sizeof(Object)) / stride;
  object->capacity = static_cast<std::uint32_t>(std::min<std::size_t>(room, kMaxLength));
  live_bytes_ += static_cast<std::int64_t>(bytes);
  peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  ++live_objects_;
  ++allocations_;
  return object;
}

void* Heap::take_block(std::uint32_t size_class) {
  const std::size_t bytes = class_bytes(size_class);
  if (!kPooled || size_class >= kPooledClasses) {
    auto* link = static_cast<BigLink*>(std::malloc(sizeof(BigLink) + bytes));
    if (link == nullptr) return nullptr;
    ++system_allocations_;
    link->previous = nullptr;
    link->next = big_ == nullptr ? nullptr : link_of(big_);
    if (link->next != nullptr) link->next->previous = link;
    big_ = reinterpret_cast<Object*>(link + 1);
    return link + 1;
  }
  if (Object* object = free_[size_class]; object != nullptr) {
    free_[size_class] = object->next;
    return object;
  }
  if (slab_left_ < bytes) {
    std::size_t slab =
        std::min(kFirstSlab << std::min<std::size_t>(slabs_.size(), 8), kLargestSlab);
    slab = std::max(slab, bytes);
    void* memory = std::malloc(slab);
    if (memory == nullptr) return nullptr;
    ++system_allocations_;
    slabs_.push_back(memory);
    slab_next_ = static_cast<char*>(memory);
    slab_left_ = slab;
  }
  void* block = slab_next_;
  slab_next_ += bytes;
  slab_left_ -= bytes;
  return block;
}

void Heap::free_moved_out(Object* object) {
  const std::uint32_t size_class = object->size_class;
  live_bytes_ -= static_cast<std::int64_t>(class_bytes(size_class));
  --live_objects_;
  if (kPooled && size_class < kPooledClasses) {
    object->next = free_[size_class];
    free_[size_class] = object;
    return;
  }
  BigLink* link = link_of(object);
  if (link->next != nullptr) link->next->previous = link->previous;
  if (link->previous != nullptr) {
    link->previous->next = link->next;
  } else {
    big_ = link->next == nullptr ? nullptr : reinterpret_cast<Object*>(link->next + 1);
  }
  std::free(link);
}

void Heap::destroy(Object* object) {
  // Objects without owner form a list, linked where their count was: no stack, however deep the
  // value is nested.
  object->next = nullptr;
  Object* dead = object;
  while (dead != nullptr) {
    Object* o = dead;
    dead = o->next;
    if (o->element != nullptr && !o->element->is_plain) {
      for (std::uint32_t i = o->first; i < o->used; ++i) {
        const Slot* value = o->at(i);
        for (const std::int32_t slot : o->element->managed) {
          Object* child = value[slot].o;
          if (child == nullptr || --child->references > 0) continue;
          child->next = dead;
          dead = child;
        }
      }
    }
    free_moved_out(o);
  }
}

namespace {

std::size_t bytes_of(const RuntimeType& type) {
  return sizeof(Slot) * static_cast<std::size_t>(type.slots);
}

/// Writes `from` over `to`, leaving the streams in `to`.
void overwrite(const RuntimeType& type, const Slot* from, Slot* to) {
  if (!type.has_streams) {
    move(type, from, to);
    return;
  }
  constexpr std::size_t kLaw = flat::kDistributionSlots - 2;
  for (const Leaf& leaf : type.leaves) {
    const bool stream = leaf.type->kind == TypeKind::Distribution;
    const std::size_t bytes = stream ? kLaw * sizeof(Slot) : bytes_of(*leaf.type);
    for (std::int32_t i = 0; i < leaf.count; ++i) {
      const std::int32_t slot = leaf.offset + i * leaf.type->slots;
      std::memcpy(to + slot, from + slot, bytes);
    }
  }
}

}  // namespace

void retain(const RuntimeType& type, const Slot* value) {
  for (const std::int32_t slot : type.managed) retain(value[slot].o);
}

void release(Heap& heap, const RuntimeType& type, const Slot* value) {
  for (const std::int32_t slot : type.managed) heap.release(value[slot].o);
}

void copy(const RuntimeType& type, const Slot* from, Slot* to) {
  move(type, from, to);
  if (!type.is_plain) retain(type, to);
}

void move(const RuntimeType& type, const Slot* from, Slot* to) {
  if (type.slots == 1) {
    *to = *from;
  } else {
    std::memcpy(to, from, bytes_of(type));
  }
}

void clear(const RuntimeType& type, Slot* value) { std::memset(value, 0, bytes_of(type)); }

void assign(Heap& heap, const RuntimeType& type, const Slot* from, Slot* to) {
  if (from == to) return;
  retain(type, from);
  release(heap, type, to);
  overwrite(type, from, to);
}

void assign_moved(Heap& heap, const RuntimeType& type, const Slot* from, Slot* to) {
  release(heap, type, to);
  overwrite(type, from, to);
}

}  // namespace chi::code
