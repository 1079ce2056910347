#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace chi {

/// Allocates for a vector. What is large comes in pages of 2 MB, where the system has them: with
/// pages of 4 KB a table of many megabytes that is read in no order costs, besides each miss of the
/// cache, one of the table of pages.
template <class T>
class HugePages {
 public:
  using value_type = T;
  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (!is_large(bytes)) return static_cast<T*>(::operator new(bytes, alignment()));
    const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
    void* const memory = std::aligned_alloc(kPage, whole);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    madvise(memory, whole, MADV_HUGEPAGE);  // a wish: it does not matter if it cannot be
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (is_large(count * sizeof(T))) return std::free(memory);
    ::operator delete(memory, alignment());
  }
  bool operator==(const HugePages&) const = default;

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21;
  static bool is_large(std::size_t bytes) { return bytes >= 2 * kPage; }
  static constexpr std::align_val_t alignment() { return std::align_val_t{alignof(T)}; }
};

}  // namespace chi
