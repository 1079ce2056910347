#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "flat/scalars.h"
#include "numerics/nonlinear_problem.h"
#include "sim/mode_search.h"
#include "structure/report.h"

// Why there is no mode, in the modeller's words.
namespace chi::sim {
namespace {

using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
constexpr std::size_t kMaxShown = 8;

}  // namespace

Diagnostic Part::explain_singular(const Plan& plan, const structure::Singular& singular) const {
  const flat::FlatModel& model = workshop_.model;
  const bool over = singular.kind != structure::Singular::Kind::Under;
  Diagnostic result{.code = DiagCode::SingularEquations};
  std::string names;
  for (std::size_t i = 0; i < singular.unknowns.size() && i < kMaxShown; ++i) {
    const std::int32_t slot = singular.unknowns[i].index;
    if (slot >= model.variable_slots) continue;
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", flat::scalar_name(model, slot));
  }
  const std::size_t equations = singular.rows.size();
  if (singular.kind == structure::Singular::Kind::Contradiction) {
    result.message = "these equations contradict each other";
  } else if (over && singular.unknowns.empty()) {
    result.message = "this equation has no unknown: nothing in it can be solved for";
  } else if (over) {
    result.message =
        fmt::format("{} equations for {} unknown{}: {}", equations, singular.unknowns.size(),
                    singular.unknowns.size() == 1 ? "" : "s", names);
  } else if (equations == 0) {
    result.message = fmt::format("no equation determines {}", names);
  } else {
    result.message =
        fmt::format("{} unknowns and only {} equation{} for them: {}", singular.unknowns.size(),
                    equations, equations == 1 ? "" : "s", names);
  }
  for (std::size_t i = 0; i < equations && i < kMaxShown; ++i) {
    const std::int32_t e = plan.equations().equations[at(singular.rows[i])];
    if (e < 0) continue;
    const Span span = equations_.set.equations[flat::EquationId{e}].span;
    if (!result.span) {
      result.span = span;
    } else {
      result.labels.push_back({span, "and this equation"});
    }
  }
  if (!result.span && !singular.unknowns.empty()) {
    result.span = variable_span({singular.unknowns.front(), 0});
  }
  if (over) {
    // Known variables in these equations are candidates for a declaration.
    std::string candidates;
    std::vector<std::int32_t> seen;
    for (const std::int32_t row : singular.rows) {
      const expr::ExprId e = plan.equations().system.rows[at(row)];
      const auto variables = all_variables(workshop_.pool(), std::span(&e, 1));
      for (const std::int32_t slot : variables.front()) {
        if (plan.analysis().unknown_index({slot}) >= 0 || slot >= model.variable_slots) continue;
        if (std::find(seen.begin(), seen.end(), slot) != seen.end()) continue;
        seen.push_back(slot);
        if (seen.size() > kMaxShown) break;
        candidates +=
            fmt::format("{}|{}|", candidates.empty() ? "" : ", ", flat::scalar_name(model, slot));
      }
    }
    result.help = candidates.empty()
                      ? "remove one of the equations"
                      : fmt::format("declare one of {} unknown, or remove an equation", candidates);
  } else {
    result.help = fmt::format("add an equation for {}, or do not declare it unknown", names);
  }
  return result;
}

std::optional<Diagnostic> Part::explain_static() {
  if (plan_ == nullptr || !plan_->is_static()) return std::nullopt;
  bool moves = false;
  for (const expr::ExprId row : plan_->equations().system.rows) {
    moves = moves || workshop_.pool().has(row, expr::kHasTime | expr::kHasDelay);
  }
  for (const expr::VarRef x : plan_->values()) {
    if (x.order > 0) moves = moves || std::abs(frame_[at(place(x))]) > 1e3 * workshop_.options.atol;
  }
  if (!moves) return std::nullopt;
  Diagnostic result = explain_singular(*plan_, plan_->why_static());
  result.notes.push_back("they have a solution at this instant, but time cannot pass with them");
  return result;
}

void Part::describe(const Plan& plan, const SolveFailure& failure, Diagnostic& result) const {
  const auto span_of = [&](std::int32_t row) -> std::optional<Span> {
    const std::int32_t e = plan.equations().equations[at(row)];
    if (e < 0) return std::nullopt;
    return equations_.set.equations[flat::EquationId{e}].span;
  };
  const int worst = failure.worst >= 0 ? failure.worst : 0;
  if (!failure.rows.empty()) {
    const SolveFailure::RowValue& row = failure.rows[at(worst)];
    result.span = span_of(row.row.row);
    const std::string times = row.row.order == 0
                                  ? ""
                                  : fmt::format(", differentiated {} time{},", row.row.order,
                                                row.row.order == 1 ? "" : "s");
    if (!std::isnan(row.residual)) {
      result.notes.push_back(fmt::format("this equation{} is off by {:.6g}", times, row.residual));
    }
  }
  if (failure.fault) {
    result.notes.push_back(fmt::format("{}: the argument is {:.6g}",
                                       expr::fault_text(failure.fault->fault),
                                       failure.fault->argument));
  }
  std::string unknowns;
  for (std::size_t i = 0; i < failure.unknowns.size() && i < kMaxShown; ++i) {
    const SolveFailure::Unknown& u = failure.unknowns[i];
    if (u.var.var.index >= workshop_.model.variable_slots) continue;
    unknowns +=
        fmt::format("{}{} = {:.6g}", unknowns.empty() ? "" : ", ", variable_name(u.var), u.value);
  }
  if (!unknowns.empty()) {
    result.notes.push_back("unknown here, at the best point found: " + unknowns);
  }
  std::size_t shown = 0;
  for (std::size_t i = 0; i < failure.rows.size() && shown < kMaxShown; ++i) {
    const auto span = span_of(failure.rows[i].row.row);
    if (static_cast<int>(i) == worst || !span) continue;
    if (result.span && span->begin == result.span->begin) continue;
    result.labels.push_back({*span, "together with this equation"});
    ++shown;
  }
}

Diagnostic ModeSearch::explain_open(Plan& plan) const {
  const auto name_of = [&](expr::VarId v) { return part_.variable_name({v, 0}); };
  const auto span_of = [&](std::int32_t row) {
    const std::int32_t e = plan.equations().equations[at(row)];
    return e < 0 ? Span{} : part_.equations_.set.equations[flat::EquationId{e}].span;
  };
  const auto why =
      structure::explain_initial(part_.workshop_.pool(), plan.analysis(), plan.ip(), name_of);
  CHI_CHECK(why.has_value(), "unknowns are left open");
  return structure::to_diagnostic(DiagCode::InconsistentStart, *why, span_of);
}

Diagnostic ModeSearch::explain_unsolved(Plan& plan, const SolveFailure& failure) const {
  Diagnostic result{.code = DiagCode::NoConsistentValues};
  result.message = fmt::format("no values satisfy these equations at t = {}: {}",
                               loaded_[at(part_.time_place_)], numerics::name(failure.status));
  part_.describe(plan, failure, result);
  if (!failure.singular_unknowns.empty()) {
    result.help =
        "the equations depend on each other here: declare another variable unknown, or "
        "give another start value";
  } else if (initial_) {
    result.code = DiagCode::InconsistentStart;
    result.help =
        "declare a variable of the equation unknown, or give start values that satisfy it";
  } else {
    result.help = "start values are guesses for unknowns: others may help";
  }
  return result;
}

/// The modes that were tried, and why none will do.
void ModeSearch::explain() {
  CHI_CHECK(!order_.empty(), "at least one mode was tried");
  const Attempt& first = *order_.front();
  const double time = loaded_[at(part_.time_place_)];
  const auto why_of = [&](const Attempt& a) {
    if (a.plan != nullptr && a.plan->is_singular())
      return part_.explain_singular(*a.plan, *a.plan->analysis().singular);
    if (a.why) return *a.why;
    return Diagnostic{.code = DiagCode::NoConsistentMode,
                      .message = fmt::format("no mode is consistent at t = {}", time)};
  };
  if (part_.mode_borders_.empty() || order_.size() == 1) {
    part_.failure_ = why_of(first);
    const bool jump_needed = attempts_.size() > 0 && first.jumped;
    if (jump_needed && part_.workshop_.options.jumps == Jumps::Error) {
      part_.failure_->code = DiagCode::JumpForbidden;
      part_.failure_->message = fmt::format(
          "a differential variable would have to jump at t = {}, which `--jumps error` "
          "forbids",
          time);
    }
    return;
  }
  Diagnostic result{.code = DiagCode::NoConsistentMode,
                    .message = fmt::format("no mode is consistent at t = {}", time)};
  for (std::size_t i = 0; i < order_.size() && i < kMaxShown; ++i) {
    const Attempt& a = *order_[i];
    std::string assumed;
    std::string becomes;
    for (const int b : part_.mode_borders_) {
      const auto text = [&](Side side) {
        return part_.text(part_.conditions_.borders()[at(b)].difference) +
               (side == Side::Plus    ? " > 0"
                : side == Side::Minus ? " < 0"
                : side == Side::On    ? " = 0"
                                      : " = 0 (sliding)");
      };
      if (assumed.size() < 200) {
        assumed += (assumed.empty() ? "" : ", ") + text(assumed_[i][at(b)]);
      }
      if (a.solved && a.right[at(b)] != assumed_[i][at(b)] && becomes.size() < 200) {
        becomes += (becomes.empty() ? "" : ", ") + text(a.right[at(b)]);
      }
    }
    const std::string verdict =
        a.solved ? "then " + becomes
                 : (a.plan != nullptr && a.plan->is_singular() ? "the equations are singular"
                                                               : "the equations have no solution");
    result.notes.push_back(fmt::format("with {}: {}", assumed, verdict));
  }
  if (order_.size() > kMaxShown) {
    result.notes.push_back(fmt::format("and {} more", order_.size() - kMaxShown));
  }
  const int border = part_.mode_borders_.front();
  result.span = part_.border_span(border);
  if (part_.workshop_.options.sliding == Sliding::Error) {
    result.code = DiagCode::SlidingForbidden;
    result.help =
        "both sides of a border push back: without `--sliding error` the run slides on it";
  } else {
    result.help =
        "the equations on the two sides of a condition exclude each other: look at the "
        "guards and at what happens on the border";
  }
  for (const Attempt* a : order_) {
    if (!a->why || a->why->code != DiagCode::JumpImpossible) continue;
    part_.failure_ = a->why;
    return;
  }
  const bool all_unsolved =
      std::none_of(order_.begin(), order_.end(), [](const Attempt* a) { return a->solved; });
  if (all_unsolved) {
    Diagnostic reason = why_of(first);
    reason.notes.insert(reason.notes.end(), result.notes.begin(), result.notes.end());
    part_.failure_ = std::move(reason);
    return;
  }
  part_.failure_ = std::move(result);
}

}  // namespace chi::sim
