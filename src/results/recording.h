#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "code/machine.h"
#include "flat/flat_model.h"
#include "sim/frames.h"
#include "sim/observer.h"

namespace chi::results {

/// The rows of one run: time and the recorded variables, in time order. At an event there are two
/// rows with the same time, before and after.
struct Trace {
  enum class Kind : std::uint8_t { Real, Integer, Boolean };
  std::vector<std::string> names;
  std::vector<Kind> kinds;
  std::vector<double> times;
  std::vector<std::vector<double>>
      columns;  ///< per variable; integers beyond 2^53 lose their last digits
  std::size_t rows() const { return times.size(); }
};

/// Where the output points of a run lie: every `step`, or `points` of them evenly from 0 to the
/// end.
struct OutputGrid {
  double step = 0;
  int points = 501;
};

/// Whether `name` matches one of the patterns, in which `*` stands for any text and `?` for any
/// character. No patterns: everything matches.
bool matches(const std::vector<std::string>& patterns, std::string_view name);

/// Records the scalar variables of a model (interface.md: real, bool, nat, int; elements of arrays,
/// tuples, records).
class Recording : public sim::Recorder {
 public:
  /// `end`: where the run will end, infinite if that is not known; then only `grid.step` gives
  /// output points.
  Recording(const flat::FlatModel& model, const code::Machine& machine, const sim::Frames& frames,
            const std::vector<std::string>& patterns, OutputGrid grid, double end);

  void start(double time) override;
  void constant_until(double from, double to) override;
  void before_event(double time) override { row(time); }
  void after_event(double time) override { row(time); }
  void finish(double time) override;

  const Trace& trace() const { return trace_; }

 private:
  void row(double time);
  double grid_point(std::int64_t k) const;

  const code::Machine& machine_;
  std::vector<std::int64_t> slots_;
  Trace trace_;
  OutputGrid grid_;
  double end_;
  std::int64_t next_ = 1;
};

}  // namespace chi::results
