#include "code/background.h"

#include <new>
#include <system_error>
#include <utility>

namespace chi::code {

Background::~Background() {
  if (thread_.joinable()) thread_.join();
}

bool Background::start(std::function<void()> work) {
  try {
    thread_ = std::thread([this, work = std::move(work)] {
      try {
        work();
      } catch (const std::bad_alloc&) {  // one goes on without what it makes
      }
      finished_.store(true, std::memory_order_release);
    });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

bool Background::collect() {
  if (!thread_.joinable() || !finished_.load(std::memory_order_acquire)) return false;
  thread_.join();
  return true;
}

}  // namespace chi::code
