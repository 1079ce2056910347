#include <fmt/format.h>

#include "sim/processes/scheduler.h"

// Requirements and assertions. A requirement is watched by a process of its own, which runs on the
// frame of the instance, behind all others, and changes nothing: it sees an instant when everybody
// has acted.
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void Scheduler::find_monitors() {
  const std::int32_t count = model_.processes.size();
  first_monitor_ = count;
  while (first_monitor_ > 0 && model_.processes[flat::ProcessId{first_monitor_ - 1}].monitor >= 0)
    --first_monitor_;
  if (first_monitor_ == count) return;
  monitors_of_block_.resize(model_.blocks.size());
  for (std::int32_t p = first_monitor_; p < count; ++p) {
    auto& [first, monitors] = monitors_of_block_[at(model_.processes[flat::ProcessId{p}].block)];
    if (monitors++ == 0) first = p;
  }
}

/// Statements run: they may change variables of their own that a requirement reads, and of these
/// nobody else is told.
void Scheduler::note_act(std::int32_t process) {
  const std::int32_t block = processes_[at(process)].block;
  if (block >= 0 && !is_started(process) && monitors_of_block_[at(block)].second > 0)
    acted_.push_back(block);
}

/// Nobody else is ready: who watches what may have changed looks again. Whether there is anybody.
bool Scheduler::look_at_requirements() {
  woken_.clear();
  for (const std::int32_t block : acted_) {
    const auto [first, count] = monitors_of_block_[at(block)];
    for (std::int32_t p = first; p < first + count; ++p) woken_.push_back(p);
  }
  acted_.clear();
  look_again();
  return true;
}

Scheduler::Choice Scheduler::broken(std::int32_t process, std::int32_t claim) {
  const code::Claim& claimed = program_.claims[at(claim)];
  const syntax::Ast& ast = model_.typed.ast;
  Violation violation{.time = machine_.time,
                      .process = std::string(name(process)),
                      .span = ast.exprs[claimed.condition].span,
                      .claim = {},
                      .values = std::move(machine_.told)};
  machine_.told.clear();
  if (claimed.text) {
    const auto& text = std::get<syntax::StringLiteral>(ast.exprs[claimed.text].node);
    violation.claim = ast.symbols.text(text.text);
  }
  if (observer != nullptr) {
    const std::string what = violation.claim.empty() ? violation.values
                             : violation.values.empty()
                                 ? violation.claim
                                 : fmt::format("{}: {}", violation.claim, violation.values);
    observer->note(machine_.time, "requirement", what, violation.span);
  }
  ++outcome_.violation_count;
  if (outcome_.violations.size() < Outcome::kMostViolations)
    outcome_.violations.push_back(violation);
  if (options_.requirements == Requirements::Warn) return Choice::GoOn;
  outcome_.why = Violated{std::move(violation)};
  return Choice::Failed;
}

}  // namespace chi::sim
