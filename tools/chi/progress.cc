#include "progress.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

#include "base/visible_text.h"

namespace chi::cli {

Progress::Progress(double end, bool show_bar, CancelToken& token)
    : end_(end),
      show_bar_(show_bar),
      token_(token),
      to_terminal_(isatty(STDOUT_FILENO) != 0),
      start_(Clock::now()) {}

void Progress::pulse(double time, const sim::RunCounts& counts) {
  if (!show_bar_ && !pending_) return;
  const auto now = Clock::now();
  if (pending_) flush(now);
  if (!show_bar_) return;
  const auto since_start = std::chrono::duration<double>(now - start_).count();
  if (since_start < 0.5 || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  const std::int64_t events = counts.time_events + counts.communications;
  if (!std::isfinite(end_)) {
    std::fputs(fmt::format("\r\033[Kt = {:.6g}  {} events", time, events).c_str(), stderr);
    return;
  }
  constexpr int kWidth = 20;  // the line fits into 80 columns
  const double share = end_ > 0 ? std::fmin(time / end_, 1.0) : 1.0;
  const auto filled = static_cast<std::size_t>(share * kWidth);
  const std::string left =
      share > 0 ? fmt::format("  {:.0f} s left", since_start * (1 - share) / share) : "";
  std::fputs(
      fmt::format("\r\033[K[{}{}] {:3.0f} %  t = {:.6g}  {} events{}", std::string(filled, '#'),
                  std::string(kWidth - filled, '.'), 100 * share, time, events, left)
          .c_str(),
      stderr);
}

void Progress::print(std::string_view text) {
  has_printed_ = true;
  clear();
  in_line_ = !text.empty() && text.back() != '\n';
  const std::string shown = to_terminal_ ? visible_text(text) : "";
  const std::string_view written = to_terminal_ ? std::string_view(shown) : text;
  if (std::fwrite(written.data(), 1, written.size(), stdout) != written.size()) failed();
  pending_ = true;
  flush(Clock::now());
}

/// Who reads along sees what there is: on a terminal at once, through a pipe soon.
void Progress::flush(Clock::time_point now) {
  if (!to_terminal_ && now - flushed_ < std::chrono::milliseconds(200)) return;
  flushed_ = now;
  pending_ = false;
  if (std::fflush(stdout) != 0) failed();
}

void Progress::failed() {
  // An interrupt ends the wait for a reader: nothing is wrong with the output.
  if (errno == EINTR && is_cancelled()) return;
  output_failed_ = true;
  if (errno != EPIPE) return;
  nobody_reads_ = true;
  token_.request(StopCause::Interrupt);
}

void Progress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

void ProgressOfMotion::start(double time) {
  if (recorder_ != nullptr) recorder_->start(time);
}

void ProgressOfMotion::constant_until(double from, double to) {
  if (recorder_ != nullptr) recorder_->constant_until(from, to);
}

void ProgressOfMotion::moved(double from, double to, sim::MotionView& view) {
  if (recorder_ != nullptr) recorder_->moved(from, to, view);
  if ((++steps_ & 63) == 0) progress_.pulse(to, counts_);  // the clock is not for nothing
}

void ProgressOfMotion::before_event(double time) {
  ++counts_.time_events;
  if (recorder_ != nullptr) recorder_->before_event(time);
}

void ProgressOfMotion::after_event(double time) {
  if (recorder_ != nullptr) recorder_->after_event(time);
}

void ProgressOfMotion::finish(double time, const sim::MotionView* now) {
  if (recorder_ != nullptr) recorder_->finish(time, now);
}

}  // namespace chi::cli
