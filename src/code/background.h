#pragma once
#include <atomic>
#include <functional>
#include <thread>

namespace chi::code {

/// One piece of work in a thread of its own, beside a run that goes on meanwhile: compiling.
///
/// What the work writes belongs to it until `collect` has said true. Whoever owns this waits for
/// the work before it goes away, so the work should not be long, or should look whether it is still
/// wanted.
class Background {
 public:
  Background() = default;
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// False if there are no more threads: then nothing was begun. Once. Running out of memory ends
  /// the work.
  bool start(std::function<void()> work);
  /// True once, after the work is done.
  bool collect();

 private:
  std::thread thread_;
  std::atomic<bool> finished_ = false;
};

}  // namespace chi::code
