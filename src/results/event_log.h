#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/text_sink.h"
#include "sim/interface/observer.h"
#include "source/source_file.h"

namespace chi::results {

/// An event as a plot shows it.
struct LoggedEvent {
  double time = 0;
  std::string kind, what, where;
  std::string part = {};  ///< of a change of mode: whose
};

/// Writes events as JSON lines (interface.md), each as soon as it happens; keeps the first ones for
/// a plot, if that is asked for.
class EventLog : public sim::Observer {
 public:
  /// `source` must outlive the log. Each event goes to `sink` as one piece, if there is a sink. At
  /// most `keep` events are kept.
  EventLog(TextSink sink, const SourceFile& source, std::size_t keep = 0)
      : sink_(std::move(sink)), source_(source), keep_(keep) {}

  void time_event(double time, std::string_view process, Span span) override;
  void communication(double time, std::string_view channel, std::string_view sender,
                     std::string_view receiver, std::string_view value, Span span) override;
  void selected(double time, std::string_view process, Span span) override;
  void printed(double time, std::string_view process, std::string_view text, Span span) override;
  void state_event(double time, std::string_view what, Span span, int direction) override;
  void mode_change(double time, std::string_view part, std::string_view what,
                   std::string_view because, std::string_view found_by, Span span) override;
  void jump(double time, std::string_view variable, double before, double after,
            std::string_view what, Span span) override;
  void conserved(double time, std::string_view what, double before, double after,
                 Span span) override;
  void slide(double time, std::string_view what, bool entered, Span span) override;
  void zeno(double time, std::string_view what, Span span, const ZenoLimit& limit) override;
  void note(double time, std::string_view kind, std::string_view what, Span span) override;

  const std::vector<LoggedEvent>& kept() const { return kept_; }
  std::size_t count() const { return count_; }  ///< events so far

 private:
  void line(double time, std::string_view kind, std::string_view what, std::string_view more,
            Span span, std::string_view part = "");
  TextSink sink_;
  const SourceFile& source_;
  std::size_t keep_;
  std::vector<LoggedEvent> kept_;
  std::size_t count_ = 0;
};

}  // namespace chi::results
