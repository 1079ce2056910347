#pragma once
#include "driver/compile.h"
#include "sim/run/run.h"

namespace chi::driver {

/// A run that is kept to look into: its variables and its equations as they are in the end.
class Inspection {
 public:
  /// `compiled` outlives it.
  Inspection(Compiled& compiled, const sim::RunOptions& options);

  /// Runs to `options.end`. With 0 that is up to the point where time would pass: initialisers and
  /// statements at the start have run, the equations have consistent values. Throws `Cancelled` and
  /// std::bad_alloc.
  const sim::Outcome& run();

  const sim::Outcome& outcome() const { return outcome_; }
  sim::Scheduler& scheduler() { return run_.scheduler(); }
  sim::Engine* engine() { return run_.engine(); }  ///< null for models without equations
  const flat::FlatModel& model() const { return *compiled_.model; }
  code::RuntimeTypes& types() { return compiled_.program->types; }

 private:
  Compiled& compiled_;
  sim::Run run_;
  sim::Outcome outcome_;
};

}  // namespace chi::driver
