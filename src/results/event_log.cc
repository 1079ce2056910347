#include "results/event_log.h"

#include <fmt/format.h>

#include "base/json_text.h"

namespace chi::results {

void EventLog::line(double time, std::string_view kind, std::string_view what,
                    std::string_view more, Span span) {
  const std::string text =
      fmt::format("{{\"time\":{},\"kind\":\"{}\",\"what\":{},\"where\":{}{}}}\n", json_number(time),
                  kind, json_quote(what), json_quote(source_.where(span)), more);
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) failed_ = true;
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

}  // namespace chi::results
