#pragma once
#include <atomic>
#include <cstdint>

namespace chi {

/// Why work is asked to end before it is done.
enum class StopCause : std::uint8_t { None, Interrupt, TimeLimit };

/// Asks work to end. The first request counts. `request` may be called from a signal handler and
/// from any thread.
class CancelToken {
 public:
  void request(StopCause cause) noexcept {
    StopCause none = StopCause::None;
    cause_.compare_exchange_strong(none, cause, std::memory_order_relaxed);
  }
  StopCause cause() const noexcept { return cause_.load(std::memory_order_relaxed); }

 private:
  std::atomic<StopCause> cause_{StopCause::None};
  static_assert(std::atomic<StopCause>::is_always_lock_free, "signal handlers write it");
};

/// What `check_cancelled` throws. Nothing is reported; whoever began the work catches it and knows
/// what is to be kept: a run in `sim::Scheduler::run`, everything else in `main`.
struct Cancelled {
  StopCause cause = StopCause::None;
};

namespace detail {
inline constinit thread_local const CancelToken* this_threads_token = nullptr;
[[noreturn]] void throw_cancelled(StopCause cause);
}  // namespace detail

/// While it lives, the work of this thread asks this token. Scopes nest.
class CancelScope {
 public:
  explicit CancelScope(const CancelToken& token) : outer_(detail::this_threads_token) {
    detail::this_threads_token = &token;
  }
  ~CancelScope() { detail::this_threads_token = outer_; }
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  const CancelToken* outer_;
};

/// Why the work of this thread is to end; None: it is to go on. Two loads: cheap enough for every
/// loop whose pass does more than arithmetic.
inline StopCause stop_cause() noexcept {
  const CancelToken* const token = detail::this_threads_token;
  return token == nullptr ? StopCause::None : token->cause();
}

/// For loops that hand back a value of failure anyway.
inline bool is_cancelled() noexcept { return stop_cause() != StopCause::None; }

/// For all other loops without a small bound: throws `Cancelled` if the work is to end. Not to be
/// called below a frame that exceptions cannot pass (`CarriedException`).
inline void check_cancelled() {
  if (const StopCause cause = stop_cause(); cause != StopCause::None) [[unlikely]]
    detail::throw_cancelled(cause);
}

}  // namespace chi
