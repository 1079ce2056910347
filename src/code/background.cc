#include "code/background.h"

#include <csignal>
#include <exception>
#include <new>
#include <utility>

namespace chi::code {

Background::~Background() {
  if (thread_.joinable()) thread_.join();
}

bool Background::start(std::function<void()> work) {
  // Signals interrupt what the thread of the run waits for; this one waits for nothing.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    thread_ = std::thread([this, work = std::move(work)] {
      try {
        work();
      } catch (const std::bad_alloc&) {  // one goes on without what it makes
      }
      finished_.store(true, std::memory_order_release);
    });
  } catch (const std::exception&) {  // no thread, or no memory for one
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

bool Background::collect() {
  if (!thread_.joinable() || !finished_.load(std::memory_order_acquire)) return false;
  thread_.join();
  return true;
}

}  // namespace chi::code
