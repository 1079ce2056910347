#include <fmt/format.h>

#include "sim/processes/life.h"
#include "sim/processes/scheduler.h"

// Channels of several senders and receivers (`-T many`): who waits longest is met first.
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void Scheduler::make_lines() {
  lines_.resize(model_.many.size());
  if (!lines_.empty()) retries_.resize(processes_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const flat::ManyEnds& ends = model_.many[i];
    ChannelState& channel = channels_[at(ends.channel.index)];
    channel.many = static_cast<std::int32_t>(i);
    lines_[i].receivers_left = static_cast<std::int32_t>(ends.receivers.size());
    channel.deaf = ends.receivers.empty();
  }
}

/// A started process is behind those of the model, and behind those started before it.
void Scheduler::join_line(std::int32_t process, const code::Offer& offer, double since) {
  const ProcessState& state = processes_[at(process)];
  ChannelState& channel = channel_of(state, offer);
  const bool sending = offer.kind == code::Offer::Kind::Send;
  const std::int64_t order =
      is_started(process) ? model_.processes.size() + lives_[at(process)].number : process;
  Lines& lines = lines_of(channel);
  (sending ? lines.senders : lines.receivers)
      .insert({since, order, process, static_cast<std::int32_t>(&offer - state.offers)});
  show_first(channel, sending);
}

void Scheduler::leave_line(ChannelState& channel, bool sending, std::int32_t process) {
  Lines& lines = lines_of(channel);
  (sending ? lines.senders : lines.receivers).erase(process);
  show_first(channel, sending);
}

void Scheduler::show_first(ChannelState& channel, bool sending) {
  const Lines& lines = lines_of(channel);
  const WaitingLine& line = sending ? lines.senders : lines.receivers;
  (sending ? channel.sender : channel.receiver) =
      line.empty() ? End{} : End{line[0].process, line[0].offer};
}

/// The process waits in a selection with offers on such channels, and goes on elsewhere.
void Scheduler::leave_lines(std::int32_t process) {
  const ProcessState& state = processes_[at(process)];
  const code::Selection& selection = state.routine->selections[at(state.waits_at)];
  const auto leave = [&](std::int32_t i) {
    const code::Offer& offer = state.offers[selection.first_offer + i];
    if (offer.kind != code::Offer::Kind::Send && offer.kind != code::Offer::Kind::Receive) return;
    if (offer.guard >= 0 && state.frame[offer.guard].i == 0) return;
    ChannelState& channel = channel_of(state, offer);
    if (channel.many >= 0) leave_line(channel, offer.kind == code::Offer::Kind::Send, process);
  };
  for_each_piece(process, selection, state.waits_at, leave, [](const Bundle&) {});
}

/// A plain send or receive that nobody is there for.
Scheduler::Choice Scheduler::wait_in_line(std::int32_t process, const code::Offer& offer,
                                          std::int32_t channel) {
  const bool sending = offer.kind == code::Offer::Kind::Send;
  if (sending && channels_[at(channel)].deaf && !check_partner(process, offer))
    return Choice::Failed;
  ProcessState& state = processes_[at(process)];
  state.state = sending ? State::Sending : State::Receiving;
  state.waits_at = static_cast<std::int32_t>(&offer - state.offers);
  join_line(process, offer, machine_.time);
  return Choice::Wait;
}

/// With `--choice random`: any of those who wait.
Scheduler::End Scheduler::any_waiting(const ChannelState& channel, bool sending) {
  const Lines& lines = lines_of(channel);
  const WaitingLine& line = sending ? lines.senders : lines.receivers;
  if (line.size() == 1) return {line[0].process, line[0].offer};
  const auto& entry =
      line[static_cast<std::size_t>(choose(static_cast<std::int32_t>(line.size())))];
  return {entry.process, entry.offer};
}

/// A process that could receive has ended.
void Scheduler::lose_receiver(std::int32_t channel, std::int32_t process) {
  for (const flat::ProcessId id : model_.many[at(channels_[at(channel)].many)].receivers) {
    if (id.index == process) return lose_receiver(channel);
  }
}

void Scheduler::lose_receiver(std::int32_t number) {
  ChannelState& channel = channels_[at(number)];
  Lines& lines = lines_of(channel);
  if (--lines.receivers_left > 0) return;
  channel.deaf = true;
  for (std::size_t i = 0; i < lines.senders.size(); ++i) {
    const WaitingLine::Entry& waiting = lines.senders[i];
    if (processes_[at(waiting.process)].state != State::Sending) continue;
    if (check_partner(waiting.process, offer_of({waiting.process, waiting.offer}))) continue;
    ended_ = true;
    return;
  }
}

/// A process that was woken to look at its alternatives again has not left its places: at the same
/// instant and selection it goes on waiting since it came there.
void Scheduler::note_retry(std::int32_t process) {
  if (lines_.empty()) return;
  const ProcessState& state = processes_[at(process)];
  Retry& retry = retries_[at(process)];
  retry.time = machine_.time;
  retry.selection = state.waits_at;
}

double Scheduler::waits_since(std::int32_t process, std::int32_t selection) {
  Retry& retry = retries_[at(process)];
  if (retry.time != machine_.time || retry.selection != selection) retry.since = machine_.time;
  return retry.since;
}

std::string Scheduler::many_partners_text(std::int32_t channel, bool sending) const {
  const flat::ManyEnds& ends = model_.many[at(channels_[at(channel)].many)];
  const auto& partners = sending ? ends.receivers : ends.senders;
  const std::string_view verb = sending ? "receive" : "send";
  if (partners.empty()) return fmt::format("no process is connected there to {}", verb);
  std::size_t finished = 0;
  for (const flat::ProcessId id : partners)
    finished += processes_[at(id.index)].state == State::Finished ? 1 : 0;
  if (finished == partners.size())
    return fmt::format("all {} that could {} have finished", finished, verb);
  return fmt::format("of {} that could {}, none does so now", partners.size(), verb);
}

}  // namespace chi::sim
