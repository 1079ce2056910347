#include "sim/run.h"

#include <algorithm>

namespace chi::sim {
namespace {

/// Actions at one instant that no model with equations needs; each takes far longer than one
/// without.
constexpr std::int64_t kMostActions = 1'000'000;

RunOptions suited(RunOptions options, bool has_equations) {
  if (has_equations) options.max_actions = std::min(options.max_actions, kMostActions);
  return options;
}

}  // namespace

Run::Run(flat::FlatModel& model, code::Program& program, const RunOptions& options)
    : scheduler_(model, program, suited(options, needs_physics(model, program))),
      options_(options) {
  if (!needs_physics(model, program)) return;
  engine_ =
      std::make_unique<Engine>(model, program, scheduler_.machine(), scheduler_.frames(), options_);
  scheduler_.physics = engine_.get();
}

}  // namespace chi::sim
