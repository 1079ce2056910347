#include "experiment/executor.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace chi::experiment {
namespace {

constexpr std::int64_t kMostInBlock = 64;
constexpr std::int64_t kBlocksAhead = 8;  // per worker

class Execution {
 public:
  Execution(const Subject& subject, const Setting& setting, const Work& work, int jobs)
      : subject_(subject), setting_(setting), work_(work), jobs_(jobs) {
    block_ = std::clamp<std::int64_t>(work.count / (16 * jobs), 1, kMostInBlock);
  }

  Worked operator()() {
    std::vector<std::thread> others;
    for (int i = 1; i < jobs_; ++i) {
      try {
        others.emplace_back([this, token = detail::this_threads_token] {
          if (token == nullptr) return work();
          const CancelScope scope(*token);
          work();
        });
      } catch (const std::system_error&) {
        break;  // no more threads: those that there are do it
      }
    }
    work();
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
    return {next_delivered_, stopped_};
  }

 private:
  struct Done {
    Point point;
    RunResult result;
  };

  void work() {
    try {
      Worker worker(subject_, setting_);
      for (std::int64_t first = take(); first >= 0; first = take()) {
        const std::int64_t last = std::min(first + block_, work_.count);
        std::vector<Done> done;
        for (std::int64_t i = first; i < last && !is_over(); ++i) {
          Done one{work_.point(i), {}};
          if (!work_.known || !work_.known(i, one.result)) one.result = worker.run(one.point);
          if (one.result.stopped != StopCause::None) {
            stop(one.result.stopped);
            break;
          }
          done.push_back(std::move(one));
        }
        hand_in(first, std::move(done));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      over_ = true;
      room_.notify_all();
    }
  }

  /// The first run of the next block; -1 if there is none.
  std::int64_t take() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] {
      return over_ || next_taken_ >= work_.count ||
             next_taken_ - next_delivered_ < kBlocksAhead * jobs_ * block_;
    });
    if (over_ || next_taken_ >= work_.count) return -1;
    const std::int64_t first = next_taken_;
    next_taken_ += block_;
    return first;
  }

  void hand_in(std::int64_t first, std::vector<Done> done) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(first, std::move(done));
    while (!waiting_.empty() && waiting_.begin()->first == next_delivered_) {
      const std::vector<Done> block = std::move(waiting_.begin()->second);
      const bool is_whole = static_cast<std::int64_t>(block.size()) ==
                            std::min(block_, work_.count - next_delivered_);
      waiting_.erase(waiting_.begin());
      for (const Done& one : block) {
        if (wants_no_more_) break;
        wants_no_more_ = !work_.deliver(next_delivered_, one.point, one.result);
        ++next_delivered_;
      }
      if (!is_whole || wants_no_more_) {
        over_ = true;
        break;
      }
    }
    room_.notify_all();
  }

  void stop(StopCause cause) {
    const std::lock_guard lock(mutex_);
    if (stopped_ == StopCause::None) stopped_ = cause;
    over_ = true;
    room_.notify_all();
  }

  bool is_over() {
    const std::lock_guard lock(mutex_);
    return over_;
  }

  const Subject& subject_;
  const Setting& setting_;
  const Work& work_;
  int jobs_;
  std::int64_t block_ = 1;
  std::mutex mutex_;
  std::condition_variable room_;
  std::map<std::int64_t, std::vector<Done>> waiting_;  // by their first run
  std::int64_t next_taken_ = 0, next_delivered_ = 0;
  bool over_ = false, wants_no_more_ = false;
  StopCause stopped_ = StopCause::None;
  std::exception_ptr failure_;
};

}  // namespace

Worked execute(const Subject& subject, const Setting& setting, const Work& work, int jobs) {
  return Execution(subject, setting, work, std::max(1, jobs))();
}

}  // namespace chi::experiment
