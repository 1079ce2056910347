#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "expr/cone.h"
#include "expr/incidence.h"
#include "sim/engine/instant.h"
#include "structure/report.h"

// Why instantaneous equations have no solution.
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
constexpr std::size_t kMaxShown = 8;

}  // namespace

/// The equations are more than what they are to determine.
bool InstantSolver::explain_over(const structure::System& system,
                                 const structure::InstantOrder& instant) {
  const std::string close = "close the guard of an active equation for the instant";
  const structure::Analysis analysis = structure::analyse(context_.pool, system);
  const bool contradicts =
      analysis.singular && analysis.singular->kind == structure::Singular::Kind::Contradiction;
  const std::optional<VarId> known = known_in(instant);
  if (!analysis.singular || (known && !contradicts)) {
    Diagnostic result = explain_initial(instant, "one of these is too many");
    if (known) {
      result.help = fmt::format("declare it unknown here, as in `|{}|`",
                                engine_.workshop_.names().written(*known));
    }
    result.help += "; or " + close;
    return engine_.fail(std::move(result));
  }
  const structure::Explanation why =
      structure::explain_singular(context_.pool, system, analysis, engine_.workshop_.names());
  Diagnostic result = structure::to_diagnostic(
      DiagCode::SingularEquations, why, [this](std::int32_t row) { return rows_[at(row)].span; });
  result.message = "at this instant: " + result.message;
  result.span = span_;
  result.help += "; or " + close;
  return engine_.fail(std::move(result));
}

/// A differential variable that keeps its value, in the equations that are too many.
std::optional<VarId> InstantSolver::known_in(const structure::InstantOrder& instant) const {
  std::vector<ExprId> rows;
  for (const structure::BlockOrder::Row& row : instant.order.over_rows) rows.push_back(row.expr);
  for (const ExprId leaf : expr::variables(context_.pool, rows).node) {
    const VarRef x = context_.pool.variable(leaf);
    const int j = instant.analysis.unknown_index(x.var);
    if (x.order == 0 && j >= 0 && !instant.analysis.is_declared[at(j)]) return x.var;
  }
  return std::nullopt;
}

/// More is declared unknown than the equations determine.
bool InstantSolver::explain_open(const structure::InstantOrder& instant) {
  Diagnostic result = explain_initial(instant, "what determines them");
  result.help += ", or add an equation; or `--initial nearest` takes the nearest values";
  return engine_.fail(std::move(result));
}

Diagnostic InstantSolver::explain_initial(const structure::InstantOrder& instant,
                                          std::string_view rows) {
  const auto why = structure::explain_initial(context_.pool, instant.analysis, instant.order,
                                              engine_.workshop_.names(), "at this instant");
  CHI_CHECK(why.has_value(), "unknowns are left open, or equations left over");
  Diagnostic result = structure::to_diagnostic(
      DiagCode::SingularEquations, *why, [this](std::int32_t row) { return rows_[at(row)].span; });
  result.span = span_;
  result.notes.clear();  // degrees of freedom are those of a motion
  for (Label& label : result.labels) {
    if (label.text.empty()) label.text = rows;
  }
  return result;
}

bool InstantSolver::explain_unsolved(const SolveFailure& failure) {
  for (const SolveFailure::RowValue& row : failure.rows) {
    if (!std::isnan(row.residual) || !row.row.expr) continue;
    const expr::Cone cone(context_.pool, std::array{row.row.expr});
    for (int p = 0; p < cone.size(); ++p) {
      if (auto why = engine_.explain_box(cone[p], -1)) return engine_.fail(std::move(*why));
    }
  }
  Diagnostic result{.code = DiagCode::NoConsistentValues, .span = span_};
  result.message = fmt::format("these instantaneous equations have no solution at t = {}: {}",
                               engine_.workshop_.machine.time, numerics::name(failure.status));
  std::string unknowns;
  for (std::size_t i = 0; i < failure.unknowns.size() && i < kMaxShown; ++i) {
    const SolveFailure::Unknown& u = failure.unknowns[i];
    if (u.var.var.index >= engine_.workshop_.model.variable_slots) continue;
    unknowns += fmt::format("{}{} = {:.6g}", unknowns.empty() ? "" : ", ",
                            engine_.variable_name(u.var), u.value);
  }
  if (!unknowns.empty()) {
    result.notes.push_back("unknown here, at the best point found: " + unknowns);
  }
  for (const SolveFailure::RowValue& row : failure.rows) {
    if (at(row.row.row) >= rows_.size() || result.labels.size() >= kMaxShown) continue;
    result.labels.push_back(
        {rows_[at(row.row.row)].span, fmt::format("off by {:.6g}", row.residual)});
  }
  result.help = "see which variables are declared unknown here, and which keep their values";
  return engine_.fail(std::move(result));
}

bool InstantSolver::explain_impact(const structure::Analysis& impact,
                                   const structure::BlockOrder& order) {
  Diagnostic result{.code = DiagCode::SingularEquations,
                    .span = span_,
                    .message = fmt::format("the impact has {} equations for {} unknowns",
                                           impact.kept.size(), impact.unknowns.size())};
  for (const auto& row : order.over_rows) {
    result.labels.push_back({rows_[at(row.row)].span, "one of these is too many"});
  }
  for (const VarRef x : order.under_unknowns) {
    result.notes.push_back(
        fmt::format("nothing determines {} of `{}`", is_extra(x.var) ? "the impulse" : "the jump",
                    engine_.variable_name({is_extra(x.var) ? variable_of(x.var) : x.var, 0})));
  }
  result.help =
      "an equation that fixes an impulsive unknown between impacts (`F = 0`) forbids the "
      "impulse: close its guard for the instant; there is one law for each impulse";
  return engine_.fail(std::move(result));
}

}  // namespace chi::sim
