#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/cancel.h"
#include "sim/engine/engine.h"

// Time passes: the race of the parts, and what is recorded on the way.
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

class Engine::View : public MotionView {
 public:
  View(Engine& engine, double from) : engine_(engine), good_(from) {}
  bool has_values() const override { return !engine_.output_failed_; }
  double good() const { return good_; }  ///< the last time at which there were values
  void values_at(double time) override {
    for (Member& member : engine_.members_) {
      if (!member.run->moves()) continue;
      member.output = member.part->frame();
      if (member.run->values_for_output(time, member.output)) {
        member.part->store(member.output);
      } else if (!engine_.output_failed_) {
        engine_.output_failed_ = member.run->explain_values(time);
      }
    }
    engine_.is_viewing_ = true;
    engine_.store_substituted(time);
    engine_.is_viewing_ = false;
    time_ = time;
    if (!engine_.output_failed_) good_ = time;
  }
  double derivative(std::int32_t flat_slot) const override {
    return engine_.derivative_for_output(flat_slot, time_);
  }

 private:
  Engine& engine_;
  double time_ = 0;
  double good_;
};

/// The present instant, at which the parts are settled.
class Engine::Now : public MotionView {
 public:
  explicit Now(Engine& engine) : engine_(engine) {}
  void values_at(double) override {}
  double derivative(std::int32_t flat_slot) const override {
    return engine_.rate(flat_slot, engine_.workshop_.machine.time);
  }

 private:
  Engine& engine_;
};

const MotionView* Engine::now() {
  if (now_ == nullptr) now_ = std::make_unique<Now>(*this);
  return now_.get();
}

/// Not a number where nothing moves.
double Engine::derivative_for_output(std::int32_t flat_slot, double time) {
  is_viewing_ = true;
  const double result = rate(flat_slot, time);
  is_viewing_ = false;
  return result;
}

/// Of the motion that is looked at, or else of the present instant.
double Engine::rate(std::int32_t flat_slot, double time) {
  const auto substituted = substituted_rates_.find(flat_slot);
  if (substituted != substituted_rates_.end()) return evaluate_at(substituted->second, time).value;
  const std::int32_t part = parts_.part_of_slot[at(flat_slot)];
  const double none = std::numeric_limits<double>::quiet_NaN();
  if (part < 0) return none;
  const Member& member = members_[at(part)];
  if (member.part->plan() == nullptr) return none;
  if (is_viewing_ ? !member.run->moves() : !member.run->would_move()) return none;
  if (!is_viewing_ && member.due.has_to_settle()) return none;  // not settled
  const bool is_unknown = member.part->plan()->analysis().unknown_index({flat_slot}) >= 0;
  return is_unknown ? value_of({{flat_slot}, 1}) : none;
}

/// False if some value that is to be recorded does not exist.
bool Engine::record(double from, double to) {
  if (recorder == nullptr || !(to > from)) return true;
  View view(*this, from);
  output_failed_.reset();
  recorder->moved(from, to, view);
  if (!output_failed_) return true;
  workshop_.machine.time = view.good();
  view.values_at(view.good());
  return fail(*output_failed_);
}

/// Its place in the race.
void Engine::follow(std::int32_t number) {
  const Member& member = members_[at(number)];
  const bool moves = member.run->moves();
  steps_.set(at(number), moves ? member.run->reached() : kInfinity);
  events_.set(at(number), moves ? member.run->event_time() : kInfinity);
}

bool Engine::prepare_to_move(double until) {
  const double now = workshop_.machine.time;
  for (const std::int32_t number : changed_) {
    Member& member = members_[at(number)];
    member.is_listed = false;
    if (member.due.has_to_restart()) {
      if (member.run->fixed_steps() == nullptr) {
        if (auto why = member.part->explain_static()) return fail(std::move(*why));
      }
      member.run->restart(now, member.due.restart());
    } else if (member.due.has_to_search()) {
      member.run->search(now);
    }
    member.due.moved_on();
    follow(number);
  }
  const bool good = seek_limits(until);
  changed_.clear();
  return good;
}

Physics::Advance Engine::advance(double limit, std::vector<std::int32_t>& woken) {
  code::Machine& machine = workshop_.machine;
  if (!prepare_to_move(limit)) return Advance::Failed;
  double recorded = machine.time;
  while (true) {
    const double event = events_.time(), front = steps_.time();
    const double target = std::min(event, limit);
    const double until = std::min(front, target);
    if (!std::isfinite(front) && !std::isfinite(limit)) return Advance::AtRest;
    if (until > recorded && std::isfinite(until)) {
      if (!record(recorded, until)) return Advance::Failed;
      recorded = until;
    }
    if (front >= target) {
      if (target > recorded && !record(recorded, target)) return Advance::Failed;
      machine.time = target;
      return arrive(event <= limit, woken);
    }
    if (++steps_since_check_ % 64 == 0 && progress != nullptr) progress->passed(recorded);
    if (is_cancelled()) {
      machine.time = std::max(machine.time, recorded);
      bring_all();
      return Advance::Interrupted;
    }
    const auto last = static_cast<std::int32_t>(steps_.first());
    Member& member = members_[at(last)];
    if (!member.run->step(limit)) {
      machine.time = std::max(machine.time, recorded);
      bring_all();
      fail(*member.part->failure());
      return Advance::Failed;
    }
    follow(last);
    tell_states(member);
  }
}

Physics::Advance Engine::arrive(bool has_event, std::vector<std::int32_t>& woken) {
  const double now = workshop_.machine.time;
  if (recorder != nullptr) bring_all();
  if (!has_event) return Advance::ReachedLimit;
  while (events_.time() == now) {
    const auto m = static_cast<std::int32_t>(events_.first());
    bring(m);
    note_event(members_[at(m)], woken);
    list(m);
    if (!notice_chattering(members_[at(m)]) || !notice_zeno(m)) return Advance::Failed;
    events_.set(at(m), kInfinity);
  }
  has_arrived_ = !memories_.empty();
  std::sort(woken.begin(), woken.end());
  woken.erase(std::unique(woken.begin(), woken.end()), woken.end());
  return Advance::Event;
}

void Engine::note_event(Member& member, std::vector<std::int32_t>& woken) {
  Part& part = *member.part;
  const std::span<const Part::BorderValue> values = part.border_values(part.frame());
  for (const Event& event : member.run->events()) {
    const Consequence asked = consequence_of(event.kind);
    if (asked.widens_band) {
      // How far from zero the values of the formulas are, where the event was located.
      const double value =
          std::max(std::abs(event.value), std::abs(values[at(event.border)].value));
      part.touch(event.border, event.time, value, event.direction == 0, event.is_close);
    }
    if (asked.crowds) part.crowd(event.time);
    if (asked.restarts) member.due.request(Due::Motion::Restart);
    if (asked.is_cold) member.due.request_cold_restart();
    if (asked.settles) member.due.request(Due::Values::Event);
    if (asked.reads_memory) member.due.request(Due::Values::Assigned);
    if (asked.puts_on_border && member.run->put_on_border(event.border)) {
      member.due.request(Due::Values::Assigned);
    }
    if (event.kind == EventKind::Limit) arrive_at_limit(part.number());
    if (!asked.of_border) continue;
    note_in_series(member, event.border, event.direction);
    const auto& deciding = part.mode_borders();
    if (event.kind != EventKind::Passed &&
        std::find(deciding.begin(), deciding.end(), event.border) != deciding.end()) {
      member.due.request(Due::Values::Event);
    }
    ++state_events_;
    if (event.direction != 0) {
      if (member.crossed_at != event.time) member.crossed.clear();
      member.crossed_at = event.time;
      member.crossed.push_back({event.border, event.direction});
    }
    if (observer != nullptr) {
      observer->state_event(event.time, part.text(part.difference(event.border)) + " = 0",
                            part.border_span(event.border), event.direction);
    }
    for (const Watching& w : member.watching) {
      const auto borders = part.conditions().borders_of(w.awaited->condition);
      if (std::find(borders.begin(), borders.end(), event.border) != borders.end()) {
        woken.push_back(w.process);
        *w.awaited->look = {.came_at = event.time};
      }
    }
  }
  if (member.run->fixed_steps() == nullptr) part.update_sides();
  member.due.request(Due::Motion::Search);
}

}  // namespace chi::sim
