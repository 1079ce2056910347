#pragma once
#include <cstdio>
#include <string>

#include "sim/observer.h"
#include "source/source_file.h"

namespace chi::results {

/// Writes events as JSON lines (interface.md), each as soon as it happens.
class EventLog : public sim::Observer {
 public:
  /// `file` and `source` must outlive the log; who opened the file closes it.
  EventLog(std::FILE* file, const SourceFile& source) : file_(file), source_(source) {}

  void time_event(double time, std::string_view process, Span span) override;
  void communication(double time, std::string_view channel, std::string_view sender,
                     std::string_view receiver, std::string_view value, Span span) override;
  void selected(double time, std::string_view process, Span span) override;
  void printed(double time, std::string_view process, std::string_view text, Span span) override;
  void state_event(double time, std::string_view what, Span span, int direction) override;
  void mode_change(double time, std::string_view part, std::string_view what, Span span) override;
  void jump(double time, std::string_view variable, double before, double after,
            std::string_view what, Span span) override;
  void slide(double time, std::string_view what, bool entered, Span span) override;
  void zeno(double time, std::string_view what, Span span) override;
  void note(double time, std::string_view kind, std::string_view what, Span span) override;

  bool failed() const { return failed_; }  ///< a line could not be written

 private:
  void line(double time, std::string_view kind, std::string_view what, std::string_view more,
            Span span);
  std::FILE* file_;
  const SourceFile& source_;
  bool failed_ = false;
};

}  // namespace chi::results
