#include "results/event_log.h"

#include <fmt/format.h>

#include "base/json_text.h"

namespace chi::results {

void EventLog::line(double time, std::string_view kind, std::string_view what,
                    std::string_view more, Span span, std::string_view part) {
  ++count_;
  const std::string where = source_.where(span);
  if (kept_.size() < keep_)
    kept_.push_back({time, std::string(kind), std::string(what), where, std::string(part)});
  if (!sink_) return;
  sink_(fmt::format("{{\"time\":{},\"kind\":{},\"what\":{},\"where\":{}{}}}\n", json_number(time),
                    json_quote(kind), json_quote(what), json_quote(where), more));
}

void EventLog::time_event(double time, std::string_view process, Span span) {
  line(time, "time", source_.text(span), fmt::format(",\"process\":{}", json_quote(process)), span);
}

void EventLog::communication(double time, std::string_view channel, std::string_view sender,
                             std::string_view receiver, std::string_view value, Span span) {
  line(time, "communication", channel,
       fmt::format(",\"sender\":{},\"receiver\":{},\"value\":{}", json_quote(sender),
                   json_quote(receiver), json_quote(value)),
       span);
}

void EventLog::selected(double time, std::string_view process, Span span) {
  line(time, "select", source_.text(span), fmt::format(",\"process\":{}", json_quote(process)),
       span);
}

void EventLog::printed(double time, std::string_view process, std::string_view text, Span span) {
  line(time, "print", text, fmt::format(",\"process\":{}", json_quote(process)), span);
}

void EventLog::state_event(double time, std::string_view what, Span span, int direction) {
  const std::string_view word = direction > 0 ? "rising" : direction < 0 ? "falling" : "touching";
  line(time, "state", what, fmt::format(",\"direction\":\"{}\"", word), span);
}

void EventLog::mode_change(double time, std::string_view part, std::string_view what,
                           std::string_view because, std::string_view found_by, Span span) {
  std::string more = fmt::format(",\"part\":{}", json_quote(part));
  if (!because.empty()) more += fmt::format(",\"because\":{}", json_quote(because));
  if (!found_by.empty()) more += fmt::format(",\"found_by\":{}", json_quote(found_by));
  line(time, "mode", what, more, span, part);
}

void EventLog::jump(double time, std::string_view variable, double before, double after,
                    std::string_view what, Span span) {
  line(time, "jump", what,
       fmt::format(",\"variable\":{},\"before\":{},\"after\":{}", json_quote(variable),
                   json_real(before), json_real(after)),
       span);
}

void EventLog::conserved(double time, std::string_view what, double before, double after,
                         Span span) {
  line(time, "conserved", what,
       fmt::format(",\"before\":{},\"after\":{}", json_real(before), json_real(after)), span);
}

void EventLog::slide(double time, std::string_view what, bool entered, Span span) {
  line(time, "slide", what, fmt::format(",\"entered\":{}", entered), span);
}

void EventLog::zeno(double time, std::string_view what, Span span, const ZenoLimit& limit) {
  std::string more;
  if (!limit.values.empty()) {
    more = fmt::format(",\"limit\":{},\"events\":{},\"time_error\":{},\"error\":{}",
                       json_quote(limit.values), limit.events, json_real(limit.time_error),
                       json_real(limit.error));
  }
  line(time, "zeno", what, more, span);
}

void EventLog::note(double time, std::string_view kind, std::string_view what, Span span) {
  line(time, kind, what, "", span);
}

}  // namespace chi::results
