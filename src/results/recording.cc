#include "results/recording.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/cancel.h"
#include "expr/cone.h"
#include "flat/layout.h"
#include "flat/scalars.h"

namespace chi::results {
namespace {

/// Per slot of the flat model: whether its derivative occurs in the equations.
std::vector<bool> differentiated_slots(const flat::FlatModel& model) {
  const flat::Equations& equations = model.equations;
  std::vector<expr::ExprId> roots;
  for (flat::EquationId e{0}; e.index < equations.system.equations.size(); ++e.index) {
    roots.push_back(equations.system.equations[e].left);
    roots.push_back(equations.system.equations[e].right);
  }
  std::vector<bool> found(static_cast<std::size_t>(model.variable_slots), false);
  const auto mark = [&](expr::VarRef variable) {
    if (variable.order > 0) found[static_cast<std::size_t>(variable.var.index)] = true;
  };
  for (const flat::Substitution& s : equations.substitutions) {
    roots.push_back(s.value);
    mark(s.variable);
  }
  const expr::Cone cone(equations.pool, roots);
  for (const expr::ExprId e : cone.nodes()) {
    if (equations.pool.op(e) == expr::Op::Variable) mark(equations.pool.variable(e));
  }
  return found;
}

/// The first pattern that speaks of derivatives and matches; their count if there is none.
std::size_t asked_for(const std::vector<std::string>& patterns, const std::string& derivative) {
  std::size_t p = 0;
  while (p < patterns.size() &&
         (patterns[p].find('\'') == std::string::npos || !matches({patterns[p]}, derivative)))
    ++p;
  return p;
}

}  // namespace

std::vector<std::string> recordable_names(const flat::FlatModel& model) {
  const std::vector<bool> differentiated = differentiated_slots(model);
  std::vector<std::string> names;
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index) {
    const flat::Variable& variable = model.variables[v];
    for (const flat::ScalarPart& part :
         flat::scalar_parts(model.typed.types, variable.type, model.typed.ast.symbols)) {
      names.push_back(variable.name + part.suffix);
      const std::int32_t slot = variable.slot + static_cast<std::int32_t>(part.offset);
      if (differentiated[static_cast<std::size_t>(slot)]) names.push_back(names.back() + "'");
    }
  }
  return names;
}

Recording::Recording(const flat::FlatModel& model, const code::Machine& machine,
                     const sim::Frames& frames, const RecordingOptions& options)
    : machine_(machine), grid_(options.grid), end_(options.end) {
  add_variables(model, frames, options);
  trace_.columns.resize(trace_.names.size());
  arrival_derivatives_.resize(derivatives_.size());
}

void Recording::add_variables(const flat::FlatModel& model, const sim::Frames& frames,
                              const RecordingOptions& options) {
  struct Column {
    std::size_t rank = 0;
    bool derivative = false;
    std::string name;
    Trace::Kind kind = Trace::Kind::Real;
    std::int64_t slot = 0;
    std::int32_t variable_slot = 0;
  };
  const sema::Types& types = model.typed.types;
  const std::vector<bool> differentiated = differentiated_slots(model);
  const std::size_t none = options.patterns.size();
  std::vector<Column> columns;
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index) {
    const flat::Variable& variable = model.variables[v];
    for (const flat::ScalarPart& part :
         flat::scalar_parts(types, variable.type, model.typed.ast.symbols)) {
      const std::string name = variable.name + part.suffix, derivative = name + "'";
      const std::int32_t slot = variable.slot + static_cast<std::int32_t>(part.offset);
      const std::size_t rank = first_match(options.patterns, name);
      const bool recorded = none == 0 || rank < none;
      if (differentiated[static_cast<std::size_t>(slot)]) {
        const std::size_t asked = asked_for(options.patterns, derivative);
        if (asked < none || (options.derivatives && recorded))
          columns.push_back({asked, true, derivative, Trace::Kind::Real, slot, slot});
      }
      if (!recorded) continue;
      const Trace::Kind kind = types.is(part.type, sema::BasicType::Real)   ? Trace::Kind::Real
                               : types.is(part.type, sema::BasicType::Bool) ? Trace::Kind::Boolean
                                                                            : Trace::Kind::Integer;
      columns.push_back({rank, false, name, kind, frames.variable[v] + part.offset, slot});
    }
  }
  std::stable_sort(columns.begin(), columns.end(), [](const Column& a, const Column& b) {
    return std::tie(a.rank, a.derivative) < std::tie(b.rank, b.derivative);
  });
  for (Column& column : columns) {
    const std::size_t number = trace_.names.size();
    const units::Unit* unit = column.kind == Trace::Kind::Real
                                  ? name_unit(model, column.variable_slot, column.derivative)
                                  : nullptr;
    if (column.derivative) {
      derivatives_.push_back({static_cast<std::int32_t>(column.slot), number, unit});
    } else {
      values_.push_back({column.slot, number, column.kind == Trace::Kind::Real, unit});
    }
    trace_.names.push_back(std::move(column.name));
    trace_.kinds.push_back(column.kind);
  }
  if (!trace_.units.empty()) trace_.units.resize(trace_.names.size());
}

/// Names the unit of the column that comes next; it is given back if numbers must be converted.
const units::Unit* Recording::name_unit(const flat::FlatModel& model, std::int32_t slot,
                                        bool derivative) {
  const units::Unit* shown = flat::shown_unit(model, slot);
  if (shown == nullptr) return nullptr;
  const units::Unit unit = derivative ? units::per_second(*shown) : *shown;
  trace_.units.resize(trace_.names.size());
  trace_.units.push_back(unit.text);
  return unit.is_coherent() ? nullptr : &units_.emplace_back(unit);
}

namespace {

double shown(double value, const units::Unit* unit) {
  return unit == nullptr ? value : unit->from_si(value);
}

}  // namespace

/// Adds the values that the memory holds now.
void Recording::stream(RowSink sink, bool keep) {
  sink_ = std::move(sink);
  keep_ = keep;
}

void Recording::end_stream() { tell(trace_.rows()); }

void Recording::tell(std::size_t last) {
  if (sink_ && told_ < last) sink_(trace_, told_, last);
  told_ = last;
  if (!sink_ || keep_ || last == 0) return;
  const auto forget = [last](std::vector<double>& values) {
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(last));
  };
  forget(trace_.times);
  for (std::vector<double>& column : trace_.columns) forget(column);
  told_ = 0;
}

// Room for all columns before any grows: where memory ends, all rows are whole.
void Recording::make_room() {
  const std::size_t room = std::max(kBatch, 2 * trace_.rows());
  for (std::vector<double>& column : trace_.columns) column.reserve(room);
  trace_.times.reserve(room);
}

void Recording::row(double time) {
  if (trace_.rows() > told_ + kBatch) {
    check_cancelled();
    tell(trace_.rows() - 1);  // the last may still get its derivatives
  }
  if (trace_.times.size() == trace_.times.capacity()) make_room();
  trace_.times.push_back(time);
  for (const Value& value : values_) {
    const code::Slot slot = machine_.memory()[value.slot];
    trace_.columns[value.column].push_back(value.real ? shown(slot.r, value.unit)
                                                      : static_cast<double>(slot.i));
  }
  for (std::size_t i = 0; i < derivatives_.size(); ++i) {
    trace_.columns[derivatives_[i].column].push_back(
        time == arrival_ ? arrival_derivatives_[i] : std::numeric_limits<double>::quiet_NaN());
  }
  at_grid_point_ = false;
}

void Recording::fill_derivatives(std::size_t row, const sim::MotionView& view) {
  for (const Derivative& d : derivatives_) {
    trace_.columns[d.column][row] = shown(view.derivative(d.slot), d.unit);
  }
}

// The values before anything happened are the initial ones: the first row stands for them and for
// what happens at the start.
void Recording::start(double) {}

void Recording::constant_until(double from, double to) {
  for (double point = grid_.point(next_, end_); point < to; point = grid_.point(++next_, end_)) {
    if (point > from) row(point);
  }
  if (grid_.point(next_, end_) == to) ++next_;  // the event's own rows stand there
}

// Rows that stand at the ends of a piece, those of events, get their derivatives from the piece
// that touches them: the one before an event from the motion that led to it, the one after it from
// the motion that it began.
void Recording::moved(double from, double to, sim::MotionView& view) {
  const std::size_t rows = trace_.rows();
  if (!derivatives_.empty() && rows > 0 && trace_.times.back() == from && !at_grid_point_) {
    view.values_at(from);
    if (!view.has_values()) return;
    fill_derivatives(rows - 1, view);
  }
  for (double point = grid_.point(next_, end_); point <= to; point = grid_.point(++next_, end_)) {
    if (point <= from) continue;
    view.values_at(point);
    if (!view.has_values()) return;
    row(point);
    if (!derivatives_.empty()) fill_derivatives(trace_.rows() - 1, view);
    at_grid_point_ = point == to;
  }
  if (derivatives_.empty()) return;
  view.values_at(to);
  if (!view.has_values()) return;
  arrival_ = to;
  for (std::size_t i = 0; i < derivatives_.size(); ++i)
    arrival_derivatives_[i] = shown(view.derivative(derivatives_[i].slot), derivatives_[i].unit);
}

void Recording::before_event(double time) {
  if (!at_grid_point_ || trace_.times.back() != time) row(time);
  at_grid_point_ = false;
  arrival_ = kNever;  // the derivatives may be others from now on
}

void Recording::after_event(double time) { row(time); }

// No motion begins at an event that ends the run: the derivatives behind it are those that the
// equations have there.
void Recording::finish(double time, const sim::MotionView* now) {
  if (at_grid_point_ && trace_.times.back() == time) return;
  row(time);
  if (now != nullptr && time != arrival_) fill_derivatives(trace_.rows() - 1, *now);
}

}  // namespace chi::results
