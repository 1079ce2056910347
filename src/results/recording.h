#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "code/machine.h"
#include "flat/flat_model.h"
#include "results/output_grid.h"
#include "results/trace.h"
#include "sim/interface/frames.h"
#include "sim/interface/observer.h"

namespace chi::results {

/// What of a model is recorded.
struct RecordingOptions {
  /// Names with `*` and `?`; none: all. Columns come in the order of the patterns, those that one
  /// pattern matches in the order of the model, derivatives that none asked for at the end.
  std::vector<std::string> patterns = {};
  /// x' of every recorded x that is differentiated in the model. Without it only what a pattern
  /// with a prime in it asks for.
  bool derivatives = false;
  OutputGrid grid = {};
  double end = 0;  ///< where the run will end; infinite if that is not known, then only `grid.step`
                   ///< gives output points
};

/// The names that a pattern can match, the derivatives that occur among them.
std::vector<std::string> recordable_names(const flat::FlatModel& model);

/// Records the scalar variables of a model (interface.md: real, bool, nat, int; elements of arrays,
/// tuples, records).
class Recording : public sim::Recorder {
 public:
  Recording(const flat::FlatModel& model, const code::Machine& machine, const sim::Frames& frames,
            const RecordingOptions& options);

  void start(double time) override;
  void constant_until(double from, double to) override;
  void moved(double from, double to, sim::MotionView& view) override;
  void before_event(double time) override;
  void after_event(double time) override;
  void finish(double time, const sim::MotionView* now) override;

  const Trace& trace() const { return trace_; }

  /// Rows [first, last) of the trace, which change no more. Together all rows are told once.
  using RowSink = std::function<void(const Trace&, std::size_t first, std::size_t last)>;
  /// To be told of rows, many at a time. Without `keep` the trace forgets them then. Before the
  /// run.
  void stream(RowSink sink, bool keep);
  /// Tells of all rows that are left: after the run.
  void end_stream();

 private:
  void add_variables(const flat::FlatModel& model, const sim::Frames& frames,
                     const RecordingOptions& options);
  const units::Unit* name_unit(const flat::FlatModel& model, std::int32_t slot, bool derivative);
  void row(double time);
  void tell(std::size_t last);
  void make_room();
  void fill_derivatives(std::size_t row, const sim::MotionView& view);

  const code::Machine& machine_;
  /// A variable that is recorded: where its value is and which column it fills.
  struct Value {
    std::int64_t slot = 0;  // in memory
    std::size_t column = 0;
    bool real = false;
    const units::Unit* unit = nullptr;  // null: coherent, or none
  };
  struct Derivative {
    std::int32_t slot = 0;  // of the flat model
    std::size_t column = 0;
    const units::Unit* unit = nullptr;
  };
  std::vector<Value> values_;
  std::deque<units::Unit> units_;  // that are not coherent
  std::vector<Derivative> derivatives_;
  Trace trace_;
  OutputGrid grid_;
  double end_;
  std::int64_t next_ = 1;
  RowSink sink_;
  bool keep_ = true;
  std::size_t told_ = 0;  // rows
  static constexpr std::size_t kBatch = 4096;
  static constexpr double kNever = -1;
  double arrival_ = kNever;  // where the last piece of motion ended, and the derivatives there
  std::vector<double> arrival_derivatives_;
  bool at_grid_point_ = false;  // the last row stands at the end of a piece of motion: an event or
                                // the end of the run there needs no other
};

}  // namespace chi::results
