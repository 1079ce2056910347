#include "sim/run/run.h"

namespace chi::sim {
Run::Run(flat::FlatModel& model, code::Program& program, const RunOptions& options)
    : scheduler_(model, program, options), options_(options) {
  if (!needs_physics(model, program)) return;
  engine_ =
      std::make_unique<Engine>(model, program, scheduler_.machine(), scheduler_.frames(), options_);
  scheduler_.physics = engine_.get();
}

}  // namespace chi::sim
