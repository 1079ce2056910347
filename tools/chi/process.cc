#include "process.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace chi::cli {
namespace {

constexpr std::size_t kStack = std::size_t{8} << 20;
constexpr long kRepeat = 20'000'000;  // ns between signals, once one has come

CancelToken the_token;
timer_t timer;
bool has_timer = false;

/// Signals are async-safe here: an atomic and a system call.
void repeat_from(timespec first) {
  if (!has_timer) return;
  const itimerspec when{.it_interval = {.tv_sec = 0, .tv_nsec = kRepeat}, .it_value = first};
  timer_settime(timer, 0, &when, nullptr);
}

extern "C" void on_interrupt(int) {
  const int error = errno;
  the_token.request(StopCause::Interrupt);
  repeat_from({.tv_sec = 0, .tv_nsec = kRepeat});
  errno = error;
}

extern "C" void on_timer(int) { the_token.request(StopCause::TimeLimit); }

void open_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one: those below it are open. The wrong way round: who writes
    // to a closed output is told so.
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) _exit(3);
  }
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: system calls that wait end with EINTR
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Raises the limit if that is allowed: the stack of the first thread grows up to it.
bool has_room_on_stack() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStack) return true;
  limit.rlim_cur = std::min<rlim_t>(kStack, limit.rlim_max);
  return limit.rlim_cur == kStack && setrlimit(RLIMIT_STACK, &limit) == 0;
}

template <class Body>
bool run_on_own_stack(Body body) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_t thread{};
  void* (*const start)(void*) = [](void* work) -> void* {
    (*static_cast<Body*>(work))();
    return nullptr;
  };
  const bool started = pthread_attr_setstacksize(&attributes, kStack) == 0 &&
                       pthread_create(&thread, &attributes, start, &body) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return false;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // they interrupt what the other thread waits for
  return pthread_join(thread, nullptr) == 0;
}

}  // namespace

Process::Process() {
  open_standard_descriptors();
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
  handle(SIGALRM, on_timer);
  for (const int signal : {SIGINT, SIGTERM, SIGXCPU}) handle(signal, on_interrupt);
  if (!is_ignored(SIGHUP)) handle(SIGHUP, on_interrupt);
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
}

int Process::run(const std::function<int()>& work) const {
  int result = 0;
  const auto body = [&] {
    const CancelScope scope(the_token);
    result = work();
  };
  if (has_room_on_stack()) {
    body();
  } else if (!run_on_own_stack(body)) {
    std::fputs("error: the stack is too small, and there is no memory for another one\n", stderr);
    return 3;
  }
  return result;
}

CancelToken& Process::token() { return the_token; }

void Process::set_time_limit(double seconds) {
  constexpr double kLongest = 1e9;  // thirty years
  const double whole = std::floor(std::fmin(seconds, kLongest));
  timespec first{.tv_sec = static_cast<time_t>(whole),
                 .tv_nsec = static_cast<long>((std::fmin(seconds, kLongest) - whole) * 1e9)};
  if (first.tv_sec == 0 && first.tv_nsec == 0) first.tv_nsec = 1;  // 0 would be no limit
  repeat_from(first);
}

bool Process::set_memory_limit(std::uint64_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return false;
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  return setrlimit(RLIMIT_DATA, &limit) == 0;
}

}  // namespace chi::cli
