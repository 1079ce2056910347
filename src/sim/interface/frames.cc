#include "sim/interface/frames.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "code/distributions.h"
#include "code/make_value.h"
#include "code/random.h"

namespace chi::sim {
namespace {

const code::Routine& routine_of(const code::Machine& machine, const flat::Block& block) {
  return machine.program().bodies[code::RoutineId{block.body.index}];
}

void bind_parameters(const flat::FlatModel& model, const flat::Block& block, const Frames& frames,
                     code::Machine& machine, code::Slot* frame) {
  const code::Routine& routine = routine_of(machine, block);
  const flat::Body& body = model.bodies[block.body];
  for (std::size_t i = 0; i < block.bindings.size(); ++i) {
    code::Slot* const at = frame + routine.param_offsets[i];
    match(
        block.bindings[i],
        [&](const flat::BoundValue& bound) {
          const code::RuntimeType& type = machine.program().types.known(body.params[i]);
          const code::RunError error = code::make_value(machine.heap(), type, bound.value, at);
          CHI_CHECK(error == code::RunError::None,
                    "instantiation checked the values of parameters");
        },
        [&](const flat::BoundVariable& bound) { at->i = memory_slot(model, frames, bound.slot); },
        [&](const flat::BoundChannels& bound) {
          for (std::size_t k = 0; k < bound.channels.size(); ++k) at[k].i = bound.channels[k].index;
        });
  }
  // Channels declared in the block itself: its instances name them, and so may its own code.
  for (std::size_t i = 0; i < block.channels.size(); ++i) {
    for (std::size_t k = 0; k < block.channels[i].size(); ++k) {
      frame[routine.local_offsets[i] + static_cast<std::int32_t>(k)].i = block.channels[i][k].index;
    }
  }
}

/// What is bound to a `ref` parameter of the part that runs is declared nowhere.
void place_undeclared(const flat::FlatModel& model, code::Machine& machine, Frames& frames) {
  frames.variable.resize(model.variables.size(), -1);
  std::vector<char> is_declared(static_cast<std::size_t>(model.variables.size()), 0);
  for (const flat::Block& block : model.blocks) {
    for (const flat::VariableId v : block.variables) {
      if (v) is_declared[static_cast<std::size_t>(v.index)] = 1;
    }
  }
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index) {
    if (is_declared[static_cast<std::size_t>(v.index)]) continue;
    const flat::VariableId next{v.index + 1};
    const std::int32_t end =
        next.index < model.variables.size() ? model.variables[next].slot : model.variable_slots;
    frames.variable[v] = machine.add_slots(end - model.variables[v].slot);
  }
}

void place_variables(const flat::FlatModel& model, const code::Machine& machine, Frames& frames) {
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const flat::Block& block = model.blocks[b];
    const code::Routine& routine = routine_of(machine, block);
    for (std::size_t i = 0; i < block.variables.size(); ++i) {
      if (block.variables[i])
        frames.variable[block.variables[i]] = frames.base[b] + routine.local_offsets[i];
    }
  }
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index)
    frames.by_flat_slot.push_back(v);
  std::stable_sort(frames.by_flat_slot.begin(), frames.by_flat_slot.end(),
                   [&](flat::VariableId a, flat::VariableId b) {
                     return model.variables[a].slot < model.variables[b].slot;
                   });
}

/// The path of a block as it would be if every instance were numbered: an instance that is the only
/// one of its process draws the same numbers when a second one is added.
std::string numbered(const std::string& path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    text += path[i];
    const bool ends = i + 1 == path.size() || path[i + 1] == '.';
    if (ends && path[i] != ']') text += "[0]";
  }
  return text;
}

void start_streams(const flat::Block& block, code::Machine& machine, code::Slot* frame,
                   std::uint64_t seed) {
  for (const code::StreamPlace& stream : routine_of(machine, block).streams) {
    const std::string place =
        block.path.empty() ? stream.name : numbered(block.path) + "." + stream.name;
    code::distribution_start(code::stream_key(seed, place), frame + stream.reg);
  }
}

}  // namespace

std::uint64_t start_key(const flat::Block& block, std::uint64_t seed) {
  return code::stream_key(seed, numbered(block.path) + ".start");
}

std::int64_t memory_slot(const flat::FlatModel& model, const Frames& frames,
                         std::int32_t flat_slot) {
  const auto next = std::upper_bound(
      frames.by_flat_slot.begin(), frames.by_flat_slot.end(), flat_slot,
      [&](std::int32_t slot, flat::VariableId v) { return slot < model.variables[v].slot; });
  const flat::VariableId variable = *(next - 1);
  return frames.variable[variable] + (flat_slot - model.variables[variable].slot);
}

Frames make_frames(const flat::FlatModel& model, code::Machine& machine, std::uint64_t seed) {
  Frames frames;
  const std::size_t count = model.blocks.size();
  frames.base.resize(count);
  std::vector<char> is_process(count, 0);
  for (const flat::Process& process : model.processes)
    is_process[static_cast<std::size_t>(process.block)] = 1;
  // Variables of systems are the shared ones; so are those of the part that runs.
  for (const bool shared : {true, false}) {
    for (std::size_t b = 0; b < count; ++b) {
      if ((is_process[b] == 0 || b == 0) != shared) continue;
      frames.base[b] = machine.add_frame(routine_of(machine, model.blocks[b]));
    }
    if (!shared) continue;
    place_undeclared(model, machine, frames);
    frames.shared_slots = machine.reserved_slots();
  }
  constexpr std::int64_t kRoomToStart = std::int64_t{1} << 25;  // slots: addresses, not memory
  machine.fix_frames(model.starts.empty() ? 0 : kRoomToStart);
  place_variables(model, machine, frames);
  for (std::size_t b = 0; b < count; ++b) {
    code::Slot* const frame = machine.memory() + frames.base[b];
    bind_parameters(model, model.blocks[b], frames, machine, frame);
    start_streams(model.blocks[b], machine, frame, seed);
  }
  return frames;
}

}  // namespace chi::sim
