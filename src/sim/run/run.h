#pragma once
#include <memory>

#include "sim/engine/engine.h"
#include "sim/processes/scheduler.h"

namespace chi::sim {

/// A model ready to run: its processes and, if it has equations, who integrates them.
class Run {
 public:
  /// Model and program outlive it.
  Run(flat::FlatModel& model, code::Program& program, const RunOptions& options);

  Scheduler& scheduler() { return scheduler_; }
  Engine* engine() { return engine_.get(); }  ///< null for models without equations

 private:
  Scheduler scheduler_;
  RunOptions options_;  // the engine refers to them
  std::unique_ptr<Engine> engine_;
};

}  // namespace chi::sim
