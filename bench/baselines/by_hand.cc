#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>

#include "event_heap.h"

// The models of bench/models as one writes them by hand in C++: a heap of events and one state
// machine a process.
//
//     by_hand line|timers|mm1|pingpong|fifo N        prints: events seconds answer
namespace {

using chi::bench::EventHeap;

struct Result {
  double events = 0;
  double answer = 0;
};

/// A machine is empty, busy, or has a lot that its successor cannot take yet.
class Line {
 public:
  explicit Line(std::int64_t lots) : lots_(lots) {}

  Result run() {
    feed();
    while (left_ < lots_) {
      const auto event = calendar_.front();
      calendar_.pop();
      now_ = event.time;
      stations_[event.what].state = State::Blocked;
      hand_over(event.what);
    }
    return {static_cast<double>(hand_overs_), now_};
  }

 private:
  static constexpr std::int32_t kMachines = 10;
  enum class State : std::uint8_t { Empty, Busy, Blocked };
  struct Station {
    State state = State::Empty;
    std::int64_t lot = 0;
  };

  void start(std::int32_t machine, std::int64_t lot) {
    ++hand_overs_;
    stations_[machine] = {State::Busy, lot};
    calendar_.push(now_ + (0.5 + 0.05 * machine), machine);
  }
  void feed() {
    if (next_lot_ < lots_ && stations_[0].state == State::Empty) start(0, next_lot_++);
  }
  /// Gives the lot to the next machine if that is empty; the place that comes free may unblock the
  /// one before.
  void hand_over(std::int32_t machine) {
    while (machine >= 0 && stations_[machine].state == State::Blocked) {
      if (machine + 1 < kMachines && stations_[machine + 1].state != State::Empty) return;
      if (machine + 1 < kMachines) {
        start(machine + 1, stations_[machine].lot);
      } else {
        ++hand_overs_;
        ++left_;
        total_ += stations_[machine].lot;
      }
      stations_[machine].state = State::Empty;
      --machine;
    }
    if (machine < 0) feed();
  }

  std::int64_t lots_ = 0, next_lot_ = 0, left_ = 0, total_ = 0, hand_overs_ = 0;
  double now_ = 0;
  Station stations_[kMachines];
  EventHeap<2> calendar_;
};

Result timers(std::int64_t events) {
  constexpr std::int32_t kTimers = 1000;
  EventHeap<4> calendar;
  std::vector<std::int64_t> counts(kTimers, 0);
  for (std::int32_t i = 0; i < kTimers; ++i) calendar.push(1.0 + 0.001 * i, i);
  double now = 0;
  for (std::int64_t i = 0; i < events; ++i) {
    const auto event = calendar.front();
    now = event.time;
    ++counts[static_cast<std::size_t>(event.what)];
    calendar.replace_front(now + (1.0 + 0.001 * event.what));
  }
  return {static_cast<double>(events), now};
}

Result mm1(std::int64_t lots) {
  std::mt19937_64 generator(1);
  std::exponential_distribution<double> arrival(1.0), service(1.0 / 0.8);
  EventHeap<2> calendar;
  enum : std::int32_t { Arrival, Departure };
  std::deque<double> queue;
  double total = 0;
  std::int64_t left = 0, events = 0;
  calendar.push(0, Arrival);
  while (left < lots) {
    const auto event = calendar.front();
    calendar.pop();
    ++events;
    if (event.what == Arrival) {
      queue.push_back(event.time);
      if (queue.size() == 1) calendar.push(event.time + service(generator), Departure);
      calendar.push(event.time + arrival(generator), Arrival);
    } else {
      total += event.time - queue.front();
      queue.pop_front();
      ++left;
      if (!queue.empty()) calendar.push(event.time + service(generator), Departure);
    }
  }
  return {static_cast<double>(lots), total / static_cast<double>(lots)};
}

/// Two state machines that answer each other through a channel of one place.
Result pingpong(std::int64_t rounds) {
  struct Channel {
    std::int64_t value = 0;
    bool full = false;
  };
  Channel volatile to_pong, to_ping;
  std::int64_t x = 0;
  while (x < rounds) {
    to_pong.value = x;
    to_pong.full = true;
    if (to_pong.full) {
      to_pong.full = false;
      to_ping.value = to_pong.value + 1;
      to_ping.full = true;
    }
    if (to_ping.full) {
      to_ping.full = false;
      x = to_ping.value;
    }
  }
  return {2 * static_cast<double>(rounds), static_cast<double>(x)};
}

Result fifo(std::int64_t lots) {
  std::deque<std::int64_t> queue;
  for (std::int64_t i = 0; i < lots; ++i) queue.push_back(i);
  std::int64_t total = 0;
  for (; !queue.empty(); queue.pop_front()) total += queue.front();
  return {2 * static_cast<double>(lots), static_cast<double>(total)};
}

Result run(const char* model, std::int64_t n) {
  if (std::strcmp(model, "line") == 0) return Line(n).run();
  if (std::strcmp(model, "timers") == 0) return timers(n);
  if (std::strcmp(model, "mm1") == 0) return mm1(n);
  if (std::strcmp(model, "pingpong") == 0) return pingpong(n);
  return fifo(n);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto start = std::chrono::steady_clock::now();
  const Result result = run(argv[1], std::atoll(argv[2]));
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf("%.0f %.6f %.17g\n", result.events, spent.count(), result.answer);
  return 0;
}
