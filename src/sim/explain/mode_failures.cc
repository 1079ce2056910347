#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "numerics/nonlinear_problem.h"
#include "sim/consistency/mode_search.h"
#include "structure/report.h"

// Why there is no mode, in the modeller's words.
namespace chi::sim {
namespace {

using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
constexpr std::size_t kMaxShown = 8;

/// Whether the block that has no solution is the one with more equations than unknowns.
bool is_overdetermined(const Plan& plan, const SolveFailure& failure) {
  const auto& over = plan.ip().over_rows;
  return std::any_of(over.begin(), over.end(), [&](const structure::BlockOrder::Row& row) {
    return std::any_of(failure.rows.begin(), failure.rows.end(), [&](const auto& failed) {
      return failed.row.row == row.row && failed.row.order == row.order;
    });
  });
}

}  // namespace

/// What makes no sense at a later time is only said of the start.
Diagnostic ModeSearch::explain_unsolved(Plan& plan, const SolveFailure& failure) const {
  if (auto why = part_.explain_box(plan, failure)) return *why;
  const std::string when =
      initial_ ? std::string("at the start") : fmt::format("at t = {:.10g}", time());
  Diagnostic result{.code = DiagCode::NoConsistentValues};
  const structure::NameOf name_of = part_.names();
  std::optional<structure::Explanation> known;
  if (is_overdetermined(plan, failure)) {
    known = structure::explain_initial(part_.workshop_.pool(), plan.analysis(), plan.ip(), name_of,
                                       when);
  }
  if (known) {
    if (initial_) result.code = DiagCode::InconsistentStart;
    result.message = known->message;
    part_.describe(plan, failure, result);
    result.notes.insert(result.notes.end(), known->notes.begin(), known->notes.end());
    result.help = fmt::format("{}; or give values that satisfy the equations", known->help);
    return result;
  }
  const bool is_undefined = failure.status == numerics::SolveStatus::Undefined;
  result.message = fmt::format(
      "no values {} {} {}: {}", is_undefined ? "were found for" : "satisfy",
      failure.rows.size() > 1 ? "these equations" : "this equation", when,
      is_undefined ? part_.what_is_undefined(plan, failure) : numerics::name(failure.status));
  part_.describe(plan, failure, result);
  if (!failure.singular_unknowns.empty()) {
    result.help = fmt::format(
        "the equation{} here: declare another variable unknown, or start from another value",
        failure.unknowns.size() == 1 ? " does not determine its unknown"
                                     : "s do not tell their unknowns apart");
  } else if (failure.status == numerics::SolveStatus::OutOfBounds) {
    result.help = "the range of a variable in its declaration may be too narrow";
  } else if (is_undefined && part_.is_undefined_for_all(plan, failure)) {
    result.help =
        "whatever the unknown is, this has no value: look at what gives the known values, or guard "
        "the equation by a condition";
  } else {
    result.help =
        "start values of unknowns are guesses, and others may help; or the equations have no "
        "solution for these known values";
  }
  return result;
}

Diagnostic ModeSearch::explain_dependent(const Plan& plan, const SolveFailure& failure) const {
  std::string names;
  for (std::size_t k = 0; k < failure.singular_unknowns.size() && k < kMaxShown; ++k) {
    const VarRef x = failure.unknowns[at(failure.singular_unknowns[k])].var;
    if (x.var.index >= part_.workshop_.model.variable_slots) continue;
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", part_.variable_name(x));
  }
  if (names.empty()) names = "how to slide";  // weights have no name
  const bool several = failure.singular_rows.size() > 1;
  const std::string when =
      initial_ ? std::string("at the start") : fmt::format("at t = {:.10g}", time());
  Diagnostic result{
      .code = DiagCode::SingularEquations,
      .message = several ? fmt::format("these equations depend on each other {}, so "
                                       "that nothing determines {}",
                                       when, names)
                         : fmt::format("this equation does not determine {} {}", names, when)};
  for (std::size_t k = 0; k < failure.singular_rows.size() && k < kMaxShown; ++k) {
    const structure::BlockOrder::Row& row = failure.rows[at(failure.singular_rows[k])].row;
    const std::optional<Span> span = part_.row_span(plan.equations(), row.row);
    if (!span) continue;
    if (!result.span) {
      result.span = span;
    } else {
      result.labels.push_back({*span, "depends on the others"});
    }
  }
  result.notes.push_back(several
                             ? "that is so wherever they hold: one of them follows from the others"
                             : "that is so wherever it holds");
  result.help =
      "leave out the equation that says nothing new, and add what determines the unknowns";
  return result;
}

/// An impulse moves velocities, not positions: a constraint on what cannot jump holds before.
Diagnostic ModeSearch::explain_violated(const Plan& plan, const JumpResult& jump) const {
  Diagnostic result{.code = DiagCode::JumpImpossible,
                    .message = fmt::format("the equations of the new mode do not hold at t = "
                                           "{:.10g}, and no impulse can make them hold",
                                           time())};
  for (std::size_t i = 0; i < jump.violated_rows.size() && i < kMaxShown; ++i) {
    const std::optional<Span> span = part_.row_span(plan.equations(), jump.violated_rows[i]);
    if (!span) continue;
    if (!result.span) result.span = span;
    result.labels.push_back({*span, fmt::format("off by {:.6g}", jump.violations[i])});
  }
  result.help =
      "an impulse changes velocities and currents at once, not positions and charges: enter the "
      "mode when the constraint holds, or assign values that satisfy it";
  return result;
}

Diagnostic ModeSearch::explain_open(Plan& plan) const {
  const structure::NameOf name_of = part_.names();
  const auto why =
      structure::explain_initial(part_.workshop_.pool(), plan.analysis(), plan.ip(), name_of);
  CHI_CHECK(why.has_value(), "unknowns are left open");
  Diagnostic result = structure::to_diagnostic(
      DiagCode::InconsistentStart, *why,
      [&](std::int32_t row) { return part_.row_span(plan.equations(), row).value_or(Span{}); });
  result.help += "; or `--initial nearest` takes the values nearest to the guesses";
  return result;
}

Diagnostic ModeSearch::explain(const Attempt& attempt) const {
  if (attempt.plan != nullptr && attempt.plan->is_singular()) {
    return part_.explain_singular(*attempt.plan, attempt.plan->analysis());
  }
  if (!attempt.forbidden.empty()) {
    Diagnostic result{
        .code = DiagCode::JumpForbidden,
        .message = fmt::format("`{}` would have to jump at t = {:.10g}, which "
                               "`--jumps error` forbids",
                               part_.variable_name(attempt.forbidden[0].variable), time())};
    if (attempt.why) result.span = attempt.why->span;
    for (const Change& change : attempt.forbidden) {
      const std::string name = part_.variable_name(change.variable);
      result.notes.push_back(
          change.is_impulse
              ? fmt::format("`{}` would have an impulse of {:.6g}", name, change.after)
              : fmt::format("`{}` would jump from {:.6g} to {:.6g}", name, change.before,
                            change.after));
      if (result.notes.size() == kMaxShown) break;
    }
    result.help = "without `--jumps error` the run goes on from the values after the jump";
    return result;
  }
  if (attempt.why) return *attempt.why;
  // It has a solution, whose own derivatives lead to other modes, and these back to it.
  Diagnostic result{.code = DiagCode::NoConsistentMode,
                    .message = fmt::format("no mode is consistent at t = {:.10g}", time())};
  if (attempt.plan != nullptr) result.span = part_.row_span(attempt.plan->equations(), 0);
  return result;
}

/// Where the values, or impulses, led from the first mode: to one without a solution, or around in
/// a circle.
const ModeSearch::Attempt& ModeSearch::last_of_chain(Sides& sides) {
  std::set<Sides> seen;
  sides = assumed_.front();
  // Without jumps there may have been so many modes that none was tried with them.
  const bool jumps = jumps_ && attempts_.contains({sides, true});
  while (true) {
    const Attempt& here = attempts_.at({sides, jumps});
    if ((!here.solved && here.refused.empty()) || !seen.insert(sides).second) return here;
    const Sides next = here.solved ? here.right : impact_sides(here, sides);
    if (!attempts_.contains({next, jumps})) return here;
    sides = next;
  }
}

/// What became of the mode that was assumed: with a jump, if it has a solution only then.
std::string ModeSearch::verdict(const Sides& assumed) const {
  constexpr std::size_t kMostImpulses = 3;
  const auto still = attempts_.find({assumed, false}), moved = attempts_.find({assumed, true});
  const bool jumps = still == attempts_.end() ||
                     (moved != attempts_.end() && moved->second.solved && !still->second.solved);
  const Attempt& a = (jumps ? moved : still)->second;
  if (a.plan == nullptr) return "there are no equations";
  if (a.plan->is_singular()) return "the equations are singular";
  if (!a.solved) return "the equations have no solution";
  std::string impulses;
  std::size_t count = 0;
  for (const Change& change : a.changes) {
    if (!a.jumped || !change.is_impulse || count++ == kMostImpulses) continue;
    impulses += fmt::format("{}{} = {:.6g}", impulses.empty() ? "" : ", ",
                            part_.variable_name(change.variable), change.after);
  }
  const std::string jump = impulses.empty() ? "" : "a jump with impulses " + impulses + "; ";
  if (a.next == nullptr && !a.after.empty())
    return jump + "what it leaves is in no mode without another jump";
  return jump + "then " + part_.mode_text(a.right, &assumed);
}

/// The modes that were tried, and why none will do.
void ModeSearch::explain() {
  CHI_CHECK(!order_.empty(), "at least one mode was tried");
  std::set<Sides> tried(assumed_.begin(), assumed_.end());
  Sides sides;
  const Attempt& last = last_of_chain(sides);
  if (!last.solved) {
    part_.failure_ = explain(last);
    if (last.plan != nullptr) part_.failed_ = {last.plan, nullptr, sides, time()};
    if (const std::string mode = part_.mode_text(sides); !mode.empty()) {
      part_.failure_->notes.push_back(fmt::format("this is the mode with {}", mode));
    }
    if (tried.size() > 1) {
      part_.failure_->notes.push_back("other modes were tried, and are not consistent either");
    }
    return;
  }
  if (why_not_as_set_) {
    part_.failure_ = why_not_as_set_;
    part_.failure_->notes.push_back(
        "other modes, and other values of variables without a start value, were tried, and are not "
        "consistent");
    return;
  }
  for (const Attempt* a : order_) {
    if (!a->why || a->why->code != DiagCode::JumpImpossible) continue;
    part_.failure_ = a->why;
    return;
  }
  Diagnostic result{.code = DiagCode::NoConsistentMode,
                    .message = fmt::format("no mode is consistent at t = {:.10g}", time())};
  for (std::size_t i = 0; i < order_.size() && result.notes.size() < kMaxShown; ++i) {
    if (tried.erase(assumed_[i]) == 0) continue;  // tried before, without jumps
    result.notes.push_back(
        fmt::format("with {}: {}", part_.mode_text(assumed_[i]), verdict(assumed_[i])));
  }
  if (!tried.empty()) result.notes.push_back(fmt::format("and {} more modes", tried.size()));
  result.span = part_.border_span(part_.mode_borders_.front());
  const std::vector<int> surfaces = reached();
  if (part_.workshop_.options.sliding == Sliding::Error && !surfaces.empty()) {
    result.code = DiagCode::SlidingForbidden;
    result.span = part_.border_span(surfaces[0]);
    result.message = fmt::format(
        "both sides of {} = 0 push back at t = {:.10g}, and `--sliding error` forbids to slide on "
        "it",
        part_.text(part_.conditions_.borders()[at(surfaces[0])].difference), time());
    result.help =
        "without `--sliding error` the run slides along the border; a hysteresis, or a mode of its "
        "own for the border, avoids it";
  } else {
    result.help =
        "with the values of each mode the conditions are those of another one: look at the guards, "
        "and at what holds on their border";
  }
  part_.failure_ = std::move(result);
}

}  // namespace chi::sim
