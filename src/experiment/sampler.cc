#include "experiment/sampler.h"

#include <cmath>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "flat/layout.h"
#include "sema/suggest.h"

namespace chi::experiment {

Sampler::Sampler(const Samples& samples, const flat::FlatModel& model, Diagnostics& diagnostics)
    : samples_(samples), model_(model) {
  std::map<std::string, Place> all;
  const sema::Types& types = model.typed.types;
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index) {
    const flat::Variable& variable = model.variables[v];
    for (const flat::ScalarPart& part :
         flat::scalar_parts(types, variable.type, model.typed.ast.symbols)) {
      all.emplace(variable.name + part.suffix, Place{variable.slot + part.offset, 0,
                                                     types.is(part.type, sema::BasicType::Real)});
    }
  }
  for (const std::string& name : samples.names) {
    if (const auto found = all.find(name); found != all.end()) {
      places_.push_back(found->second);
      continue;
    }
    std::vector<std::string_view> known;
    for (const auto& [other, place] : all) known.push_back(other);
    const std::string meant = sema::nearest(name, known);
    diagnostics.report({.code = DiagCode::BadOption,
                        .message = fmt::format("the data have a column `{}`, and the model no such "
                                               "variable",
                                               name),
                        .help = meant.empty() ? "" : fmt::format("did you mean `{}`?", meant)});
  }
}

void Sampler::attach(const code::Machine& machine, const sim::Frames& frames, sim::Recorder* next) {
  machine_ = &machine;
  next_ = next;
  for (Place& place : places_) place.memory = sim::memory_slot(model_, frames, place.flat_slot);
  values_.assign(samples_.names.size() * samples_.times.size(), std::nan(""));
  due_ = 0;
}

void Sampler::read(std::size_t time) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const code::Slot slot = machine_->memory()[places_[i].memory];
    values_[i * samples_.times.size() + time] =
        places_[i].is_real ? slot.r : static_cast<double>(slot.i);
  }
}

void Sampler::start(double time) {
  if (next_ != nullptr) next_->start(time);
}

void Sampler::constant_until(double from, double to) {
  for (; due_ < samples_.times.size() && samples_.times[due_] < to; ++due_) read(due_);
  if (next_ != nullptr) next_->constant_until(from, to);
}

// A sample at the end of the piece waits: something may happen there.
void Sampler::moved(double from, double to, sim::MotionView& view) {
  for (; due_ < samples_.times.size() && samples_.times[due_] < to; ++due_) {
    view.values_at(samples_.times[due_]);
    if (!view.has_values()) break;
    read(due_);
  }
  if (next_ != nullptr) next_->moved(from, to, view);
}

void Sampler::before_event(double time) {
  if (next_ != nullptr) next_->before_event(time);
}

void Sampler::after_event(double time) {
  for (std::size_t k = due_; k < samples_.times.size() && samples_.times[k] == time; ++k) read(k);
  if (next_ != nullptr) next_->after_event(time);
}

void Sampler::finish(double time, const sim::MotionView* now) {
  for (; due_ < samples_.times.size() && samples_.times[due_] <= time; ++due_) read(due_);
  if (next_ != nullptr) next_->finish(time, now);
}

}  // namespace chi::experiment
