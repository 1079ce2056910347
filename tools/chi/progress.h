#pragma once
#include <chrono>

#include "base/cancel.h"
#include "sim/processes/scheduler.h"

namespace chi::cli {

/// Writes the model's output to stdout, and on a terminal a bar with model time, share of the end
/// time, events and time left to stderr.
class Progress : public sim::Scheduler::Pulse {
 public:
  /// Asks the run to end when nobody reads the output any more.
  Progress(double end, bool show_bar, CancelToken& token);
  void pulse(double time, const sim::RunCounts& counts) override;
  void print(std::string_view text) override;
  void clear();  ///< takes the bar away
  bool shows_bar() const { return show_bar_; }
  bool output_failed() const { return output_failed_; }
  bool nobody_reads() const { return nobody_reads_; }  ///< the pipe was closed at the other end
  bool has_printed() const { return has_printed_; }    ///< the model wrote something
  bool in_line() const { return in_line_; }  ///< the model's output does not end with a newline

 private:
  void failed();
  void flush(std::chrono::steady_clock::time_point now);
  using Clock = std::chrono::steady_clock;
  double end_;
  bool show_bar_;
  CancelToken& token_;
  bool nobody_reads_ = false;
  bool shown_ = false;
  bool output_failed_ = false;
  bool has_printed_ = false;
  bool in_line_ = false;
  bool pending_ = false;  ///< something was written and may not have been seen yet
  bool to_terminal_;      ///< stdout is one
  Clock::time_point start_;
  Clock::time_point last_ = {};
  Clock::time_point flushed_ = {};
};

/// Tells the progress of motion, of which the scheduler hears nothing, and hands everything on to
/// `recorder`, if there is one.
class ProgressOfMotion : public sim::Recorder {
 public:
  ProgressOfMotion(Progress& progress, sim::Recorder* recorder)
      : progress_(progress), recorder_(recorder) {}
  void start(double time) override;
  void constant_until(double from, double to) override;
  void moved(double from, double to, sim::MotionView& view) override;
  void before_event(double time) override;
  void after_event(double time) override;
  void finish(double time, const sim::MotionView* now) override;

 private:
  Progress& progress_;
  sim::Recorder* recorder_;
  sim::RunCounts counts_;  ///< events met here
  unsigned steps_ = 0;
};

}  // namespace chi::cli
