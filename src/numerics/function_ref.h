#pragma once
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace chi::numerics {

template <class Signature>
class FunctionRef;

/// A callable that belongs to somebody else: two words, no allocation, one indirect call.
///
/// The callable must outlive the reference; a lambda written in an argument list lives until the
/// call returns, which is what solvers need. A default-made reference is empty and tests false.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  FunctionRef() = default;

  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef> &&
           std::is_invocable_r_v<R, F&, Args...>)
      FunctionRef(
          F&& callable)  // implicit on purpose: a lambda is passed where a FunctionRef is due
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }
  explicit operator bool() const { return call_ != nullptr; }

 private:
  void* object_ = nullptr;
  R (*call_)(void*, Args...) = nullptr;
};

}  // namespace chi::numerics
