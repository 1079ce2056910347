#include <fmt/format.h>

#include "sim/consistency/mode_search.h"
#include "sim/modes/part.h"

// Values that are set at the start and that no mode can keep.
namespace chi::sim {
namespace {

constexpr std::size_t kMaxTold = 4;

}  // namespace

/// The search has failed with the values as they are set. They jump as during the run, if that is
/// wanted; else the failure says where to.
bool Part::jump_at_start() {
  const RunOptions& options = workshop_.options;
  const bool is_of_values = failure_ && (failure_->code == DiagCode::InconsistentStart ||
                                         failure_->code == DiagCode::NoConsistentMode);
  if (!is_of_values || options.jumps == Jumps::Error) return false;
  const std::optional<Diagnostic> why = failure_;
  const std::vector<double> frame = frame_;
  const Sides sides = sides_;
  Plan* const plan = plan_;
  failure_.reset();
  failed_.reset();
  const bool found = ModeSearch(*this, false).run();
  if (found && options.start == StartValues::Jump) return true;
  failure_ = why;
  std::string jumps;
  std::size_t told = 0;
  for (const Change& change : jumps_) {
    if (change.is_impulse || change.variable.order > 0 || told == kMaxTold) continue;
    if (change.variable.var.index >= workshop_.model.variable_slots) continue;
    jumps += fmt::format("{}`{}` from {:.6g} to {:.6g}", told++ == 0 ? "" : ", ",
                         variable_name(change.variable), change.before, change.after);
  }
  if (found && !jumps.empty()) {
    failure_->notes.push_back("with `--start jump` it would jump, as during the run: " + jumps);
  }
  jumps_.clear();
  conserved_.clear();
  found_by_.reset();
  frame_ = frame;
  fit(frame_);
  sides_ = sides;
  plan_ = plan;
  return false;
}

}  // namespace chi::sim
