#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "code/interpreter.h"
#include "code/run_error.h"
#include "expr/build.h"
#include "expr/evaluate.h"
#include "expr/incidence.h"
#include "flat/layout.h"
#include "sim/modes/part.h"
#include "structure/report.h"

// What is wrong with the equations of a part, in the modeller's words.
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
constexpr std::size_t kMaxShown = 8;
constexpr std::size_t kLongestText = 200;
constexpr const char* kTogether = "together with this equation";

// Equations of several instances of a process have one text: a note says which instances they are.
void name_instances(const flat::FlatModel& model, const flat::EquationSet& set,
                    const ModeEquations& mode, const structure::Explanation& why,
                    Diagnostic& result) {
  std::vector<Span> spans;
  std::vector<std::string_view> names;
  bool ambiguous = false;
  for (const structure::Explanation::Equation& shown : why.equations) {
    const flat::Equation& e = set.equations[flat::EquationId{mode.equations[at(shown.row)]}];
    ambiguous = ambiguous || std::ranges::count(spans, e.span) != 0;
    spans.push_back(e.span);
    if (e.block < 0) continue;
    const std::string_view path = model.blocks[at(e.block)].path;
    if (!path.empty() && std::ranges::count(names, path) == 0) names.push_back(path);
  }
  if (!ambiguous || names.empty()) return;
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < kMaxShown; ++i) {
    list += fmt::format("{}`{}`", i == 0 ? "" : ", ", names[i]);
  }
  if (names.size() > kMaxShown) list += fmt::format(" and {} more", names.size() - kMaxShown);
  result.notes.push_back("they are equations of " + list);
}

// Potentials of nodes that this mode cuts off from everything that fixes one, as open switches do.
void explain_cut_off(const flat::FlatModel& model, const structure::Singular& singular,
                     Diagnostic& result) {
  if (singular.kind != structure::Singular::Kind::Under || singular.unknowns.empty()) return;
  const auto is_potential = [&](expr::VarId x) {
    return std::ranges::any_of(model.net.nodes, [&](const flat::Node& node) {
      const std::int64_t count = flat::slot_count(model.typed.types, node.type);
      return node.inflow < 0 && x.index >= node.potential && x.index < node.potential + count;
    });
  };
  if (!std::ranges::all_of(singular.unknowns, is_potential)) return;
  result.notes.emplace_back(
      "in this mode nothing fixes these potentials: their nodes are cut off from every ground");
  result.help =
      "connect something to one of these nodes that fixes its potential in this mode too, "
      "such as a large resistance to the ground";
}

}  // namespace

std::optional<Span> Part::row_span(const ModeEquations& mode, std::int32_t row) const {
  const std::int32_t e = mode.equations[at(row)];
  if (e < 0) return std::nullopt;
  return equations_.set.equations[flat::EquationId{e}].span;
}

std::string Part::mode_text(const Sides& sides, const Sides* except) const {
  std::string all;
  for (const int b : mode_borders_) {
    const Side side = sides[at(b)];
    if (except != nullptr && (*except)[at(b)] == side) continue;
    if (all.size() > kLongestText) return all + ", ...";
    const char* const relation = side == Side::Plus     ? " > 0"
                                 : side == Side::Minus  ? " < 0"
                                 : side == Side::On     ? " = 0"
                                 : side == Side::Slide  ? " = 0 (sliding)"
                                 : side == Side::Follow ? " = 0 (sliding)"
                                 : side == Side::Rest   ? " = 0 (sliding)"
                                 : side == Side::Kink   ? " near 0"
                                                        : " undefined";
    all += (all.empty() ? "" : ", ") + text(conditions_.borders()[at(b)].difference) + relation;
  }
  return all;
}

Diagnostic Part::explain_singular(const Plan& plan, const structure::Analysis& analysis) const {
  const ModeEquations& mode = plan.equations();
  structure::Explanation why =
      structure::explain_singular(workshop_.pool(), mode.system, analysis, names());
  std::erase_if(why.equations, [&](const auto& e) { return !row_span(mode, e.row); });
  Diagnostic result = structure::to_diagnostic(
      DiagCode::SingularEquations, why, [&](std::int32_t row) { return *row_span(mode, row); });
  name_instances(workshop_.model, equations_.set, mode, why, result);
  explain_cut_off(workshop_.model, *analysis.singular, result);
  std::string values;
  for (const expr::ExprId leaf : analysis.decided_by) {
    if (workshop_.pool().op(leaf) != expr::Op::Variable || values.size() > kLongestText) continue;
    const expr::VarRef x = workshop_.pool().variable(leaf);
    values += fmt::format(
        "{}{} = {}", values.empty() ? "" : ", ", variable_name(x),
        flat::shown_value(workshop_.model, x.var.index, x.order, workshop_.memory(x.var.index).r));
  }
  if (!values.empty()) result.notes.push_back("that is so for the present values " + values);
  if (!result.span && !analysis.singular->unknowns.empty()) {
    result.span = variable_span({analysis.singular->unknowns.front(), 0});
  }
  return result;
}

expr::Point Part::point_here() {
  expr::Point point;
  point.time = frame_[at(time_place_)];
  point.variable = [this](expr::VarRef x) {
    const std::size_t p = at(place(x));
    return p < frame_.size() ? frame_[p] : std::numeric_limits<double>::quiet_NaN();
  };
  point.discrete = [this](expr::DiscreteId d) {
    if (d.index < kFirstHeld) return workshop_.discrete(d);
    if (d.index >= kFirstSwitch) {
      return frame_[at(leaves_.place(expr::discrete_bool(workshop_.pool(), d)))];
    }
    const auto held = std::ranges::find_if(equations_.steps, [&](const HeldStep& step) {
      return workshop_.pool().discrete(step.leaf) == d;
    });
    return held == equations_.steps.end() ? std::numeric_limits<double>::quiet_NaN()
                                          : frame_[at(leaves_.place(held->leaf))];
  };
  point.delayed = [this](expr::ExprId delay, double) {
    const std::size_t p = at(leaves_.place(delay));
    return p < frame_.size() ? frame_[p] : std::numeric_limits<double>::quiet_NaN();
  };
  point.opaque = [this](expr::FunctionId f, std::span<const double> arguments) {
    return workshop_.boxes == nullptr ? std::numeric_limits<double>::quiet_NaN()
                                      : workshop_.boxes->call(f, arguments);
  };
  return point;
}

std::optional<Diagnostic> Part::explain_box(const Plan& plan, const SolveFailure& failure) {
  for (const SolveFailure::RowValue& row : failure.rows) {
    if (!std::isnan(row.residual) || !row.row.expr) continue;
    if (auto why = explain_box(plan, row.row.row, row.row.expr)) return why;
  }
  return std::nullopt;
}

std::optional<Diagnostic> Part::explain_box(const Plan& plan, std::int32_t row, expr::ExprId e) {
  if (!workshop_.explain_box) return std::nullopt;
  const expr::Value value = value_here(e);
  if (!value.where) return std::nullopt;
  const std::int32_t number = plan.equations().equations[at(row)];
  return workshop_.explain_box(
      value.where, number < 0 ? -1 : equations_.set.equations[flat::EquationId{number}].block);
}

std::optional<Diagnostic> Part::explain_missing_input() {
  const std::vector<expr::ExprId>& rows = plan_->equations().system.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (auto why = explain_box(*plan_, static_cast<std::int32_t>(i), rows[i])) return why;
  }
  return std::nullopt;
}

/// "in `sqrt(y)`, y = -1": where a fault is, and what is known of the variables of e.
std::string Part::values_in(const expr::Value& value, expr::ExprId e) {
  std::string values;
  if (is_of_model(value.where)) values = fmt::format("in `{}`", text(value.where));
  const expr::Point point = point_here();
  const auto variables = all_variables(workshop_.pool(), std::span(&e, 1));
  for (const std::int32_t slot : variables.front()) {
    if (values.size() > kLongestText) break;
    values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", variable_name({{slot}, 0}),
                          flat::shown_value(workshop_.model, slot, 0, point.variable({{slot}, 0})));
  }
  return values;
}

/// What is held in an equation has no value.
Diagnostic Part::explain_missing_step(const expr::Value& value, expr::ExprId row,
                                      std::optional<Span> span) {
  return {
      .code = DiagCode::NoConsistentValues,
      .span = span,
      .message = fmt::format("no values were found for this equation {}: {}",
                             has_started_ ? fmt::format("at t = {:.10g}", frame_[at(time_place_)])
                                          : std::string("at the start"),
                             expr::fault_text(value.fault)),
      .notes = {values_in(value, value.where ? value.where : row)},
      .help = "look at what gives the values in it, or guard the equation by a condition"};
}

Diagnostic Part::explain_undefined(std::string_view what, expr::ExprId e, Span span) {
  Diagnostic result{
      .code = DiagCode::ConditionUndefined,
      .span = span,
      .message = fmt::format("{} has no value at t = {}", what, frame_[at(time_place_)])};
  const expr::Value value = value_here(e);
  if (value.where && workshop_.explain_box) {
    if (auto why = workshop_.explain_box(value.where, -1)) return *why;
  }
  if (value.fault != expr::Fault::None) {
    result.message += fmt::format(": {}", expr::fault_text(value.fault));
    std::string values = values_in(value, e);
    if (!values.empty()) result.notes.push_back(values);
  }
  result.help = "guard it by a condition that is looked at first, as in `x >= 0 and sqrt(x) > 1`";
  return result;
}

bool Part::is_stuck(const Plan& plan, const std::vector<double>& frame) const {
  if (!plan.is_static()) return false;
  const bool is_driven = std::ranges::any_of(plan.equations().system.rows, [&](expr::ExprId row) {
    return workshop_.pool().has(row, expr::kHasTime | expr::kHasDelay);
  });
  if (is_driven) return true;
  for (std::size_t i = 0; i < plan.values().size(); ++i) {
    const std::size_t place = at(plan.places()[i]);
    if (plan.values()[i].order == 0 || place >= frame.size()) continue;
    if (std::abs(frame[place]) > kTolerances * workshop_.options.atol) return true;
  }
  return false;
}

std::optional<Diagnostic> Part::explain_static() {
  if (plan_ == nullptr || !is_stuck(*plan_, frame_)) return std::nullopt;
  structure::Analysis analysis = plan_->analysis();
  analysis.singular = plan_->why_static();
  Diagnostic result = explain_singular(*plan_, analysis);
  result.notes.push_back("they have a solution at this instant, but time cannot pass with them");
  return result;
}

void Part::warn_of_singular_point(const SystemSolver::PivotOwner& where, double time) const {
  if (!workshop_.warn) return;
  std::string unknowns;
  for (const expr::VarRef x : where.unknowns) {
    if (unknowns.size() > kLongestText) break;
    unknowns += fmt::format("{}`{}`", unknowns.empty() ? "" : ", ", variable_name(x));
  }
  const bool one = where.rows.size() == 1;
  Diagnostic result{.code = DiagCode::SingularPointPassed};
  if (where.unknowns.empty()) {
    result.message = fmt::format(
        "near t = {:.6g} the combination of equations that stands for this one is singular", time);
  } else {
    result.message = fmt::format("near t = {:.6g} the equation{} for {} {} singular", time,
                                 one ? "" : "s", unknowns, one ? "is" : "are");
  }
  for (const structure::BlockOrder::Row& row : where.rows) {
    const std::optional<Span> span = row_span(plan_->equations(), row.row);
    if (!span) continue;
    if (!result.span) {
      result.span = span;
    } else if (result.labels.size() < kMaxShown && span->begin != result.span->begin) {
      result.labels.push_back({*span, kTogether});
    }
  }
  const std::string divisor = where.divisor ? text(where.divisor) : std::string();
  if (!divisor.empty() && divisor.size() <= kLongestText) {
    result.notes.push_back(fmt::format("`{}`, its factor there, passes through zero", divisor));
  }
  result.notes.push_back(
      "the run went on as smoothly as before; where derivatives depend on these unknowns, the "
      "equations may not determine what comes after such a point");
  result.help =
      "if the solution is meant to pass there, write the equations so that the unknowns do not "
      "have to be divided out; compare with another `--solver` and a smaller `--rtol`";
  workshop_.warn(std::move(result));
}

namespace {

/// Why the box at a node, a call or a discrete value, has no value; null if it has.
const code::Failure* box_failure(const Workshop& workshop, expr::ExprId e) {
  const expr::Pool& pool = workshop.pool();
  if (workshop.boxes == nullptr || !e) return nullptr;
  if (pool.op(e) == expr::Op::Call) return workshop.boxes->failure(pool.called(e));
  if (pool.op(e) != expr::Op::DiscreteReal && pool.op(e) != expr::Op::DiscreteBool) return nullptr;
  const expr::DiscreteId id = pool.discrete(e);
  return id.index >= kFirstHeld ? nullptr : workshop.boxes->failure(id);
}

}  // namespace

/// A discrete value that does not exist makes no fault of its own where it is used.
const code::Failure* Part::failed_box(const Plan& plan, const SolveFailure& failure) const {
  if (failure.fault) return box_failure(workshop_, failure.fault->where);
  const int worst = failure.worst >= 0 ? failure.worst : 0;
  if (failure.rows.empty()) return nullptr;
  const auto row = static_cast<std::size_t>(failure.rows[at(worst)].row.row);
  const std::array root{plan.equations().system.rows[row]};
  const expr::Occurrences leaves = expr::occurrences(workshop_.pool(), root, {}, [&](auto e) {
    return box_failure(workshop_, e) != nullptr ? e : expr::ExprId{};
  });
  return leaves.node.empty() ? nullptr : box_failure(workshop_, leaves.node.front());
}

/// A node in the body of a function speaks of parameters, which have no name.
bool Part::is_of_model(expr::ExprId e) const {
  return e && !workshop_.pool().has(e, expr::kHasParam);
}

std::string Part::what_is_undefined(const Plan& plan, const SolveFailure& failure) const {
  constexpr std::size_t kLongest = 60;
  if (const code::Failure* const box = failed_box(plan, failure)) return code::failure_text(*box);
  if (!failure.fault) return "a number becomes too large for the machine";
  std::string what(expr::fault_text(failure.fault->fault));
  const bool is_told =
      failure.fault->fault != expr::Fault::NoAlternative && is_of_model(failure.fault->where);
  const std::string where = is_told ? text(failure.fault->where) : std::string();
  if (is_told && where.size() <= kLongest) what += fmt::format(" in `{}`", where);
  return failure.fault_at == SolveFailure::At::Slope ? "a slope has no value: " + what : what;
}

bool Part::is_undefined_for_all(const Plan& plan, const SolveFailure& failure) const {
  if (!failure.fault) return failed_box(plan, failure) != nullptr;
  if (failure.fault_at != SolveFailure::At::Row || !is_of_model(failure.fault->where)) return false;
  const auto inside = expr::variables(workshop_.pool(), std::array{failure.fault->where}).node;
  return std::ranges::none_of(inside, [&](expr::ExprId leaf) {
    const expr::VarRef x = workshop_.pool().variable(leaf);
    return std::ranges::any_of(failure.unknowns, [&](const auto& u) { return u.var == x; });
  });
}

void Part::describe(const Plan& plan, const SolveFailure& failure, Diagnostic& result) const {
  const ModeEquations& mode = plan.equations();
  const int worst = failure.worst >= 0 ? failure.worst : 0;
  if (!failure.rows.empty()) {
    const SolveFailure::RowValue& row = failure.rows[at(worst)];
    result.span = row_span(mode, row.row.row);
    const std::string times = row.row.order == 0
                                  ? ""
                                  : fmt::format(", differentiated {} time{},", row.row.order,
                                                row.row.order == 1 ? "" : "s");
    if (!std::isnan(row.residual)) {
      result.notes.push_back(fmt::format("this equation{} is off by {:.6g}", times, row.residual));
    }
  }
  const code::Failure* const box = failed_box(plan, failure);
  if (failure.fault || box != nullptr) {
    const expr::Fault fault = failure.fault ? failure.fault->fault : expr::Fault::None;
    std::string note = box != nullptr ? code::failure_text(*box) : std::string(fault_text(fault));
    const bool of_function = fault == expr::Fault::SqrtOfNegative ||
                             fault == expr::Fault::LnOfNonPositive ||
                             fault == expr::Fault::OutsideDomain;
    const bool is_said = result.message.find(note) != std::string::npos;
    if (of_function) {
      note = fmt::format("{}the argument is {:.6g}", is_said ? "" : note + ": ",
                         failure.fault->argument);
    }
    if (failure.fault_at == SolveFailure::At::OnTheWay) note = "at other points tried: " + note;
    if (!is_said || of_function) result.notes.push_back(std::move(note));
    if (box != nullptr && box->span.begin != box->span.end) {
      result.labels.push_back({box->span, "here"});
    }
  }
  std::string unknowns;
  for (std::size_t i = 0; i < failure.unknowns.size() && i < kMaxShown; ++i) {
    const SolveFailure::Unknown& u = failure.unknowns[i];
    if (u.var.var.index >= workshop_.model.variable_slots) continue;
    unknowns +=
        fmt::format("{}{} = {}", unknowns.empty() ? "" : ", ", variable_name(u.var),
                    flat::shown_value(workshop_.model, u.var.var.index, u.var.order, u.value));
  }
  if (!unknowns.empty()) {
    result.notes.push_back("unknown here, at the best point found: " + unknowns);
  }
  std::size_t shown = 0;
  for (std::size_t i = 0; i < failure.rows.size() && shown < kMaxShown; ++i) {
    const auto span = row_span(mode, failure.rows[i].row.row);
    if (static_cast<int>(i) == worst || !span) continue;
    if (result.span && span->begin == result.span->begin) continue;
    result.labels.push_back({*span, kTogether});
    ++shown;
  }
}

}  // namespace chi::sim
