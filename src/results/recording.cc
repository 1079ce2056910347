#include "results/recording.h"

#include <cmath>
#include <limits>

#include "flat/layout.h"

namespace chi::results {
namespace {

bool glob(std::string_view pattern, std::string_view name) {
  // Greedy with one way back: on a mismatch the last `*` takes one character more.
  std::size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

bool matches(const std::vector<std::string>& patterns, std::string_view name) {
  if (patterns.empty()) return true;
  for (const std::string& pattern : patterns) {
    if (glob(pattern, name)) return true;
  }
  return false;
}

Recording::Recording(const flat::FlatModel& model, const code::Machine& machine,
                     const sim::Frames& frames, const std::vector<std::string>& patterns,
                     OutputGrid grid, double end)
    : machine_(machine), grid_(grid), end_(end) {
  const sema::Types& types = model.typed.types;
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index) {
    const flat::Variable& variable = model.variables[v];
    for (const flat::ScalarPart& part :
         flat::scalar_parts(types, variable.type, model.typed.ast.symbols)) {
      const std::string name = variable.name + part.suffix;
      if (!matches(patterns, name)) continue;
      trace_.names.push_back(name);
      trace_.kinds.push_back(types.is(part.type, sema::BasicType::Real)   ? Trace::Kind::Real
                             : types.is(part.type, sema::BasicType::Bool) ? Trace::Kind::Boolean
                                                                          : Trace::Kind::Integer);
      slots_.push_back(frames.variable[v] + part.offset);
    }
  }
  trace_.columns.resize(slots_.size());
}

void Recording::row(double time) {
  trace_.times.push_back(time);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const code::Slot slot = machine_.memory()[slots_[i]];
    trace_.columns[i].push_back(trace_.kinds[i] == Trace::Kind::Real ? slot.r
                                                                     : static_cast<double>(slot.i));
  }
}

double Recording::grid_point(std::int64_t k) const {
  if (grid_.step > 0) return static_cast<double>(k) * grid_.step;
  if (!std::isfinite(end_) || grid_.points < 2) return std::numeric_limits<double>::infinity();
  return end_ * static_cast<double>(k) / static_cast<double>(grid_.points - 1);
}

// The values before anything happened are the initial ones: the first row stands for them and for
// what happens at the start.
void Recording::start(double) {}

void Recording::constant_until(double from, double to) {
  for (double point = grid_point(next_); point < to; point = grid_point(++next_)) {
    if (point > from) row(point);
  }
  if (grid_point(next_) == to) ++next_;  // the event's own rows stand there
}

void Recording::finish(double time) { row(time); }

}  // namespace chi::results
