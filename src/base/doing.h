#pragma once
#include <exception>

namespace chi {

/// What this thread is doing, in words that end "ran out of memory while ...": scopes nest, and the
/// innermost counts. When an exception leaves scopes, `now` still tells where it began, until a
/// scope outside of the handler ends.
class Doing {
 public:
  explicit Doing(const char* what) : outer_(current), exceptions_(std::uncaught_exceptions()) {
    current = what;
  }
  ~Doing() {
    if (std::uncaught_exceptions() == exceptions_) current = outer_;
  }
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

  static const char* now() { return current; }

 private:
  inline static constinit thread_local const char* current = "starting";
  const char* outer_;
  int exceptions_;
};

}  // namespace chi
