#include <algorithm>
#include <cmath>

#include "sim/processes/scheduler.h"

// Selective waiting: `[ b1; E1 -> S1 | b2; E2 -> S2 ]`, and `nabla`.
namespace chi::sim {

using code::Offer;

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

inline bool Scheduler::possible(const ProcessState& process, const Offer& offer) const {
  switch (offer.kind) {
    case Offer::Kind::Immediate: return offer.ready < 0 || process.frame[offer.ready].i != 0;
    case Offer::Kind::Delay: return process.frame[offer.deadline].r <= machine_.time;
    case Offer::Kind::Send:
    case Offer::Kind::Receive: {
      const ChannelState& channel = channel_of(process, offer);
      return (offer.kind == Offer::Kind::Send ? channel.receiver : channel.sender).process >= 0;
    }
  }
  return false;
}

/// The process has evaluated its guards. It takes an alternative that can happen now, or waits for
/// one.
Scheduler::Choice Scheduler::select(std::int32_t process, std::int32_t number) {
  const ProcessState& state = processes_[at(process)];
  const code::Selection& selection = state.routine->selections[at(number)];
  if (physics != nullptr && !selection.conditions.empty() && look_behind(process, selection)) {
    return Choice::GoOn;
  }
  if (has_bundles(process)) [[unlikely]]
    return select_among_bundles(process, number);
  possible_.clear();
  for (std::int32_t i = 0; i < selection.offers; ++i) {
    const Offer& offer = state.offers[selection.first_offer + i];
    if (offer.guard >= 0 && state.frame[offer.guard].i == 0) continue;
    if (!possible(state, offer)) continue;
    if (!options_.random_choice) return take(process, offer);
    possible_.push_back(selection.first_offer + i);
  }
  if (!possible_.empty()) {
    const std::int32_t chosen = choose(static_cast<std::int32_t>(possible_.size()));
    return take(process, state.offers[possible_[at(chosen)]]);
  }
  return wait_for_any(process, number);
}

/// Takes the first alternative, in the order of the text, at which somebody waits; GoOn then.
Scheduler::Choice Scheduler::select_among_bundles(std::int32_t process, std::int32_t number) {
  const ProcessState& state = processes_[at(process)];
  const code::Selection& selection = state.routine->selections[at(number)];
  const Offer* const offers = state.offers + selection.first_offer;
  const Offer* found = nullptr;
  for_each_piece(
      process, selection, number,
      [&](std::int32_t i) {
        const bool open = offers[i].guard < 0 || state.frame[offers[i].guard].i != 0;
        if (found == nullptr && open && possible(state, offers[i])) found = offers + i;
      },
      [&](Bundle& bundle) {
        if (!is_open(bundle)) return;
        while (found == nullptr && bundle.came.first() >= 0) {
          const Offer& offer = offers[bundle.first + bundle.came.take_first()];
          if (possible(state, offer)) found = &offer;
        }
      });
  return found != nullptr ? take(process, *found) : wait_for_any(process, number);
}

/// A process that came for an event looks twice: at the instant, and behind it. What it may do by
/// either, it may do. Whether the second look is still to come.
bool Scheduler::look_behind(std::int32_t process, const code::Selection& selection) {
  ProcessState& state = processes_[at(process)];
  const bool again = physics->looks_twice(state.block, selection.conditions.front().condition);
  for (std::int32_t i = 0; i < selection.offers; ++i) {
    const Offer& offer = state.offers[selection.first_offer + i];
    if (offer.ready < 0) continue;
    const bool is_open = offer.guard < 0 || state.frame[offer.guard].i != 0;
    if (again && is_open && state.frame[offer.ready].i != 0) seen_at_instant_.push_back(i);
    if (!again && std::ranges::find(seen_at_instant_, i) != seen_at_instant_.end()) {
      state.frame[offer.ready].i = 1;
    }
  }
  if (again) {
    state.pc = selection.retry_pc;
  } else {
    seen_at_instant_.clear();
  }
  return again;
}

/// Nothing is possible now: it waits, unless all guards are closed for ever.
Scheduler::Choice Scheduler::wait_for_any(std::int32_t process, std::int32_t number) {
  ProcessState& state = processes_[at(process)];
  const code::Selection& selection = state.routine->selections[at(number)];
  if (!has_bundles(process) && code::waits_for_partners(selection, state.offers) &&
      wait_for_partners(state, selection, process)) [[likely]] {
    state.waits_at = number;
    return Choice::Wait;
  }
  bool open = selection.offers == 0;  // a nabla: its only way on is its condition
  for_each_piece(
      process, selection, number,
      [&](std::int32_t i) {
        const Offer& offer = state.offers[selection.first_offer + i];
        open = open || offer.guard < 0 || state.frame[offer.guard].i != 0;
      },
      [&](const Bundle& bundle) { open = open || is_open(bundle); });
  if (!open) {
    if (selection.closed_pc >= 0) {
      state.pc = selection.closed_pc;
      return Choice::GoOn;
    }
    // Closed guards over shared variables, or over what equations determine, may still open; others
    // stay closed for ever.
    const bool never = selection.watched.empty() && selection.conditions.empty();
    if (!selection.waits || never) {
      code::Failure failure;
      failure.error = code::RunError::NoOpenGuard;
      failure.span = selection.span;
      report(name(process), failure);
      return Choice::Failed;
    }
  }
  state.waits_at = number;
  state.state = State::Selecting;
  wait_in_selection(process, selection);
  return Choice::Wait;
}

/// Most selections wait for others to communicate, and for nothing else: requires
/// `code::waits_for_partners`. False, with nothing done, if no guard is open.
[[gnu::always_inline]] inline bool Scheduler::wait_for_partners(ProcessState& state,
                                                                const code::Selection& selection,
                                                                std::int32_t process) {
  const code::Slot* const frame = state.frame;
  ChannelState* const channels = channels_.data();
  End** const first_end = ends_.data() + state.first_end;
  End** next_end = first_end;
  const Offer* offer = state.offers + selection.first_offer;
  End mine{process, selection.first_offer};
  for (const Offer* const end = offer + selection.offers; offer != end; ++offer, ++mine.offer) {
    if (offer->guard >= 0 && frame[offer->guard].i == 0) continue;
    ChannelState& channel = channels[frame[offer->channel].i];
    if (channel.many >= 0) [[unlikely]] {
      while (next_end != first_end) **--next_end = {};
      return false;
    }
    End* const here = offer->kind == Offer::Kind::Receive ? &channel.receiver : &channel.sender;
    if (here->process >= 0) continue;  // of two offers on one channel the first counts
    *here = mine;
    *next_end++ = here;
  }
  if (next_end == first_end) return false;
  state.ends = static_cast<std::int32_t>(next_end - first_end);
  state.state = State::Selecting;
  state.timed = state.watching = false;
  state.asking = 0;
  return true;
}

/// `wait_for_any` for compiled code. Requires `code::waits_for_partners`.
std::uint64_t Scheduler::wait_natively(std::int32_t process, const code::Selection& selection,
                                       std::int32_t number, std::int32_t behind) {
  ProcessState& state = processes_[at(process)];
  if (!has_bundles(process) && wait_for_partners(state, selection, process)) [[likely]] {
    state.waits_at = number;
    return code::native_result(code::NativeStop::Wait, behind);
  }
  state.pc = behind;
  const Choice choice = wait_for_any(process, number);
  return code::native_result(static_cast<code::NativeStop>(choice), state.pc);
}

Scheduler::Choice Scheduler::take(std::int32_t process, const Offer& offer) {
  ProcessState& state = processes_[at(process)];
  if (offer.kind == Offer::Kind::Send || offer.kind == Offer::Kind::Receive) {
    if (!communicate(state, offer, channel_number(state, offer))) return Choice::Failed;
  }
  if (observer != nullptr) observer->selected(machine_.time, name(process), offer.span);
  state.pc = offer.body_pc;
  return Choice::GoOn;
}

/// With `--choice random`: any open offer on the same end of the same channel, if one selection
/// waits with several.
Scheduler::End Scheduler::chosen_offer(End waiting) {
  const ProcessState& state = processes_[at(waiting.process)];
  if (!options_.random_choice || state.state != State::Selecting) return waiting;
  const code::Selection& selection = state.routine->selections[at(state.waits_at)];
  const Offer& first = state.offers[waiting.offer];
  possible_.clear();
  for (std::int32_t i = 0; i < selection.offers; ++i) {
    const Offer& offer = state.offers[selection.first_offer + i];
    if (offer.kind != first.kind || (offer.guard >= 0 && state.frame[offer.guard].i == 0)) continue;
    if (state.frame[offer.channel].i == state.frame[first.channel].i)
      possible_.push_back(selection.first_offer + i);
  }
  if (possible_.size() == 1) return waiting;
  return {waiting.process, possible_[at(choose(static_cast<std::int32_t>(possible_.size())))]};
}

inline void Scheduler::wait_in_selection(std::int32_t process, const code::Selection& selection) {
  ProcessState& state = processes_[at(process)];
  double deadline = std::numeric_limits<double>::infinity();
  End** const first_end = ends_.data() + state.first_end;
  std::int32_t ends = 0;
  state.asking = selection.conditions.empty() ? 0 : kConditions;
  const double since = lines_.empty() ? 0 : waits_since(process, state.waits_at);
  const auto put_out = [&](ChannelState& channel, End& end, std::int32_t number) {
    if (channel.many >= 0) {
      join_line(process, state.offers[number], since);
      state.asking |= kLines;
      return;
    }
    if (end.process >= 0) return;  // of two offers on one channel the first counts
    end = {process, number};
    first_end[ends++] = &end;
  };
  const auto put_out_one = [&](std::int32_t i) {
    const std::int32_t number = selection.first_offer + i;
    const Offer& offer = state.offers[number];
    if (offer.guard >= 0 && state.frame[offer.guard].i == 0) return;
    if (offer.kind == Offer::Kind::Delay) {
      deadline = std::min(deadline, state.frame[offer.deadline].r);
    } else if (offer.kind == Offer::Kind::Send) {
      ChannelState& channel = channel_of(state, offer);
      put_out(channel, channel.sender, number);
    } else if (offer.kind == Offer::Kind::Receive) {
      ChannelState& channel = channel_of(state, offer);
      put_out(channel, channel.receiver, number);
    }
  };
  for_each_piece(process, selection, state.waits_at, put_out_one, [](const Bundle&) {});
  for (const std::int32_t reg : selection.deadlines) {
    if (state.frame[reg].r > machine_.time) deadline = std::min(deadline, state.frame[reg].r);
  }
  state.ends = ends;
  state.timed = std::isfinite(deadline);
  state.watching = !selection.watched.empty();
  if (!selection.ends.empty()) wait_for_ends(process, selection);
  if (state.timed) calendar_.insert_to_withdraw(deadline, process);
  for (const code::Watched& watched : selection.watched) {
    const auto first = static_cast<std::int32_t>(state.frame[watched.reg].i);
    for (std::int32_t i = 0; i < watched.slots; ++i) watches_.add(first + i, process);
  }
  if (!selection.conditions.empty()) watch_conditions(state, selection);
}

void Scheduler::withdraw_the_rest(std::int32_t process) {
  const ProcessState& state = processes_[at(process)];
  if (state.timed && calendar_.contains(process)) calendar_.erase(process);
  if (state.watching && watches_.any(process)) watches_.remove_all(process);
  if ((state.asking & kConditions) != 0) physics->unwatch(process);
  if ((state.asking & kLines) != 0) leave_lines(process);
  if ((state.asking & kEnds) != 0) leave_ends(process);
}

}  // namespace chi::sim
