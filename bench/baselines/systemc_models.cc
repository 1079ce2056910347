#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <systemc>

// The line of machines with SC_THREADs and a rendezvous channel, and periodic timers with
// SC_METHODs.
//
//     systemc line|timers N        prints: events seconds answer
namespace {

/// Synchronous hand-over: whoever comes second meets the first; the first is woken.
class Rendezvous {
 public:
  void send(std::int64_t value) {
    value_ = value;
    full_ = true;
    if (receiver_waits_) {
      receiver_waits_ = false;
      full_ = false;
      arrived_.notify();
      return;
    }
    sc_core::wait(taken_);
  }
  std::int64_t receive() {
    if (full_) {
      full_ = false;
      taken_.notify();
      return value_;
    }
    receiver_waits_ = true;
    sc_core::wait(arrived_);
    return value_;
  }

 private:
  sc_core::sc_event arrived_, taken_;
  std::int64_t value_ = 0;
  bool full_ = false, receiver_waits_ = false;
};

class Line : public sc_core::sc_module {
 public:
  Line(sc_core::sc_module_name name, std::int64_t lots)
      : sc_module(name), lots_(lots), channels_(kMachines + 1) {
    sc_core::sc_spawn([this] { source(); });
    for (int i = 0; i < kMachines; ++i) sc_core::sc_spawn([this, i] { machine(i); });
    sc_core::sc_spawn([this] { leave(); });
  }
  std::int64_t hand_overs = 0;

 private:
  static constexpr int kMachines = 10;
  void source() {
    for (std::int64_t i = 0; i < lots_; ++i) channels_[0].send(i);
  }
  void machine(int i) {
    const sc_core::sc_time work(500 + 50 * i, sc_core::SC_NS);
    while (true) {
      const std::int64_t lot = channels_[static_cast<std::size_t>(i)].receive();
      sc_core::wait(work);
      channels_[static_cast<std::size_t>(i) + 1].send(lot);
    }
  }
  void leave() {
    for (std::int64_t i = 0; i < lots_; ++i) channels_[kMachines].receive();
    hand_overs = lots_ * (kMachines + 1);
    sc_core::sc_stop();
  }
  std::int64_t lots_ = 0;
  std::vector<Rendezvous> channels_;
};

class Timer : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Timer);
  Timer(sc_core::sc_module_name name, int period_ns)
      : sc_module(name), period_(period_ns, sc_core::SC_NS) {
    SC_METHOD(tick);
  }
  std::int64_t ticks = -1;  // the first call is the start

 private:
  void tick() {
    ++ticks;
    next_trigger(period_);
  }
  sc_core::sc_time period_;
};

double run_line(std::int64_t lots) {
  Line line("line", lots);
  sc_core::sc_start();
  return static_cast<double>(line.hand_overs);
}

/// `until` is in units of a microsecond: the periods are 1000 ns and up.
double run_timers(std::int64_t until) {
  std::vector<std::unique_ptr<Timer>> timers;
  for (int i = 0; i < 1000; ++i) timers.push_back(std::make_unique<Timer>("timer", 1000 + i));
  sc_core::sc_start(sc_core::sc_time(static_cast<double>(until), sc_core::SC_US));
  double events = 0;
  for (const auto& timer : timers) events += static_cast<double>(timer->ticks);
  return events;
}

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::int64_t n = std::atoll(argv[2]);
  const auto start = std::chrono::steady_clock::now();
  const double events = std::strcmp(argv[1], "line") == 0 ? run_line(n) : run_timers(n);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf("%.0f %.6f %.17g\n", events, spent.count(),
              sc_core::sc_time_stamp().to_seconds() * 1e6);
  return 0;
}
