#pragma once
#include <cstdint>
#include <string_view>

#include "source/span.h"

namespace chi::sim {

/// Who wants to know of everything that happens in a run: the event log. Called in the order of
/// happening, at model time `time`.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void time_event(double time, std::string_view process, Span span) = 0;
  virtual void communication(double time, std::string_view channel, std::string_view sender,
                             std::string_view receiver, std::string_view value, Span span) = 0;
  virtual void selected(double time, std::string_view process, Span span) = 0;
  virtual void printed(double time, std::string_view process, std::string_view text, Span span) = 0;
};

/// Who records values: called around each instant at which something happens, with the memory as it
/// is then.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void start(double time) = 0;
  /// Time goes from `from` to `to`, and no variable changes on the way.
  virtual void constant_until(double from, double to) = 0;
  virtual void before_event(double time) = 0;
  virtual void after_event(double time) = 0;
  virtual void finish(double time) = 0;
};

}  // namespace chi::sim
