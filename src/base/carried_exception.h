#pragma once
#include <exception>
#include <utility>

namespace chi {

/// Carries an exception across frames that it cannot pass, those of C libraries and of compiled
/// models: `guard` in the callback, `rethrow` once the library has returned.
class CarriedException {
 public:
  /// What `call` returns, or `failed` if it throws; the exception is kept.
  template <class Result, class Call>
  Result guard(Result failed, Call call) noexcept {
    try {
      return call();
    } catch (...) {
      if (!caught_) caught_ = std::current_exception();
      return failed;
    }
  }
  bool has_caught() const { return caught_ != nullptr; }
  void rethrow() {
    if (caught_) std::rethrow_exception(std::exchange(caught_, nullptr));
  }

 private:
  std::exception_ptr caught_;
};

}  // namespace chi
