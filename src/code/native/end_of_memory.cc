#include "code/native/end_of_memory.h"

#include <atomic>
#include <new>

#include <llvm/Support/ErrorHandling.h>

namespace chi::code::native {
namespace {

std::atomic<bool> failed{false};

}  // namespace

bool has_llvm_failed() { return failed.load(std::memory_order_relaxed); }
void note_failure_of_llvm() { failed.store(true, std::memory_order_relaxed); }

void throw_at_end_of_memory() {
  static const bool installed = [] {
    llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { throw std::bad_alloc(); },
                                          nullptr);
    return true;
  }();
  (void)installed;
}

}  // namespace chi::code::native
