#include <algorithm>

#include "base/check.h"
#include "sim/processes/scheduler.h"

// Selections over many channels; bundle.h says what is done for them, and when.
namespace chi::sim {
namespace {

using code::Offer;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool communicates(const Offer& offer) {
  return offer.kind == Offer::Kind::Send || offer.kind == Offer::Kind::Receive;
}

/// How many alternatives from `first` on have the same guard, and the same to do.
std::int32_t alike(const code::Routine& routine, const code::Selection& selection,
                   std::int32_t first) {
  const Offer* const offers = routine.offers.data() + selection.first_offer;
  std::int32_t end = first;
  while (end < selection.offers && communicates(offers[end]) &&
         offers[end].kind == offers[first].kind && offers[end].guard == offers[first].guard)
    ++end;
  return end - first;
}

bool has_many_alike(const code::Routine& routine) {
  return std::ranges::any_of(routine.selections, [&](const code::Selection& selection) {
    for (std::int32_t i = 0; i < selection.offers;) {
      const std::int32_t count = alike(routine, selection, i);
      if (count >= kLeastBundle) return true;
      i += std::max(count, 1);
    }
    return false;
  });
}

}  // namespace

/// Who uses which channel in which statements, before the run.
struct Scheduler::ChannelUses {
  std::vector<std::int32_t> senders, receivers;  ///< offers on each channel, in the text
  std::vector<std::uint8_t> selected;            ///< bit 0: sent in a selection, bit 1: received
  std::vector<std::uint8_t> computes;  ///< by process, bit 0: it computes which channel, bit 1: in
                                       ///< a selection
};

/// The channel of an offer where it is the same during the whole run: an element of a parameter.
std::int32_t Scheduler::fixed_channel(const ProcessState& state, const Offer& offer) const {
  const flat::Block& block = model_.blocks[at(state.block)];
  for (std::size_t k = 0; k < block.bindings.size(); ++k) {
    const auto* bound = std::get_if<flat::BoundChannels>(&block.bindings[k]);
    if (bound == nullptr) continue;
    const std::int32_t first = state.routine->param_offsets[k];
    if (offer.channel < first) continue;
    if (offer.channel < first + static_cast<std::int32_t>(bound->channels.size()))
      return bound->channels[at(offer.channel - first)].index;
  }
  return -1;
}

Scheduler::ChannelUses Scheduler::channel_uses() const {
  ChannelUses uses{.senders = std::vector<std::int32_t>(channels_.size()),
                   .receivers = std::vector<std::int32_t>(channels_.size()),
                   .selected = std::vector<std::uint8_t>(channels_.size()),
                   .computes = std::vector<std::uint8_t>(processes_.size())};
  for (const ProcessState& state : processes_) {
    for (const Offer& offer : state.routine->offers) {
      if (!communicates(offer)) continue;
      const std::int32_t channel = fixed_channel(state, offer);
      if (channel < 0) {
        uses.computes[at(number_of(state))] |= 1;
      } else {
        ++(offer.kind == Offer::Kind::Send ? uses.senders : uses.receivers)[at(channel)];
      }
    }
    for (const code::Selection& selection : state.routine->selections) {
      for (std::int32_t i = 0; i < selection.offers; ++i) {
        const Offer& offer = state.offers[selection.first_offer + i];
        if (!communicates(offer)) continue;
        const std::int32_t channel = fixed_channel(state, offer);
        if (channel < 0) {
          uses.computes[at(number_of(state))] |= 2;
        } else {
          uses.selected[at(channel)] |= offer.kind == Offer::Kind::Send ? 1 : 2;
        }
      }
    }
  }
  return uses;
}

void Scheduler::make_bundles() {
  if (options_.random_choice) return;
  if (std::ranges::none_of(program_.bodies, has_many_alike)) return;
  const ChannelUses uses = channel_uses();
  bundle_place_.assign(channels_.size(), -1);
  for (const ProcessState& state : processes_) {
    if (uses.computes[at(number_of(state))] != 0 || !has_many_alike(*state.routine)) continue;
    for (std::size_t s = 0; s < state.routine->selections.size(); ++s)
      make_bundles_of(state, static_cast<std::int32_t>(s), uses);
  }
}

void Scheduler::make_bundles_of(const ProcessState& state, std::int32_t number,
                                const ChannelUses& uses) {
  const code::Selection& selection = state.routine->selections[at(number)];
  if (!selection.conditions.empty()) return;
  for (std::int32_t i = 0; i < selection.offers;) {
    const std::int32_t count = alike(*state.routine, selection, i);
    const auto last = i + count;
    if (count >= kLeastBundle && may_be_bundle(state, selection, i, last, uses))
      add_bundle(state, number, i, last);
    i = std::max(last, i + 1);
  }
}

bool Scheduler::may_be_bundle(const ProcessState& state, const code::Selection& selection,
                              std::int32_t first, std::int32_t last,
                              const ChannelUses& uses) const {
  for (std::int32_t i = first; i < last; ++i) {
    const Offer& offer = state.offers[selection.first_offer + i];
    const std::int32_t number = fixed_channel(state, offer);
    if (number < 0 || channels_[at(number)].many != -1) return false;
    const bool sends = offer.kind == Offer::Kind::Send;
    if ((sends ? uses.senders : uses.receivers)[at(number)] != 1) return false;
    const flat::Channel& channel = model_.channels[flat::ChannelId{number}];
    const std::int32_t other = (sends ? channel.receiver : channel.sender).index;
    if (other < 0) continue;
    if ((uses.computes[at(other)] & 2) != 0) return false;
    if ((uses.selected[at(number)] & (sends ? 2 : 1)) != 0) return false;
  }
  return true;
}

void Scheduler::add_bundle(const ProcessState& state, std::int32_t selection, std::int32_t first,
                           std::int32_t last) {
  if (bundle_of_.empty()) bundle_of_.assign(processes_.size(), -1);
  const auto number = static_cast<std::int32_t>(bundles_.size());
  const std::int32_t first_offer = state.routine->selections[at(selection)].first_offer;
  bundles_.push_back({.process = number_of(state),
                      .selection = selection,
                      .first = first,
                      .count = last - first,
                      .guard = state.offers[first_offer + first].guard,
                      .next = -1,
                      .came = {}});
  bundles_.back().came.resize(last - first);
  std::int32_t* link = &bundle_of_[at(number_of(state))];
  while (*link >= 0) link = &bundles_[at(*link)].next;
  *link = number;
  for (std::int32_t i = first; i < last; ++i) {
    const std::int32_t channel = fixed_channel(state, state.offers[first_offer + i]);
    channels_[at(channel)].many = -2 - number;
    bundle_place_[at(channel)] = i - first;
  }
}

bool Scheduler::is_open(const Bundle& bundle) const {
  return bundle.guard < 0 || processes_[at(bundle.process)].frame[bundle.guard].i != 0;
}

/// A plain send or receive on a channel of a bundle, at which nobody has put out an offer.
Scheduler::Choice Scheduler::meet_bundle(std::int32_t process, const Offer& offer,
                                         std::int32_t number) {
  ChannelState& channel = channels_[at(number)];
  Bundle& bundle = bundles_[at(-2 - channel.many)];
  const std::int32_t place = bundle_place_[at(number)];
  const bool sending = offer.kind == Offer::Kind::Send;
  const ProcessState& other = processes_[at(bundle.process)];
  ProcessState& self = processes_[at(process)];
  if (other.state == State::Selecting && other.waits_at == bundle.selection && is_open(bundle)) {
    const code::Selection& selection = other.routine->selections[at(bundle.selection)];
    End& there = sending ? channel.receiver : channel.sender;
    there = {bundle.process, selection.first_offer + bundle.first + place};
    const bool good = communicate(self, offer, number);
    there = {};
    return good ? Choice::GoOn : Choice::Failed;
  }
  self.state = sending ? State::Sending : State::Receiving;
  self.waits_at = static_cast<std::int32_t>(&offer - self.offers);
  (sending ? channel.sender : channel.receiver) = {process, self.waits_at};
  if (!bundle.came.contains(place)) bundle.came.insert(place);
  return Choice::Wait;
}

}  // namespace chi::sim
