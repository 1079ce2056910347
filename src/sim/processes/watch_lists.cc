#include "sim/processes/watch_lists.h"

namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void WatchLists::resize(std::int64_t slots, std::int32_t processes) {
  of_slot_.assign(static_cast<std::size_t>(slots), -1);
  counts_.assign(static_cast<std::size_t>(slots), 0);
  of_process_.assign(at(processes), -1);
}

void WatchLists::grow(std::int32_t processes) { of_process_.resize(at(processes), -1); }

void WatchLists::add(std::int32_t slot, std::int32_t process) {
  std::int32_t id = free_;
  if (id >= 0) {
    free_ = nodes_[at(id)].next_of_process;
  } else {
    id = static_cast<std::int32_t>(nodes_.size());
    nodes_.emplace_back();
  }
  const std::int32_t next = of_slot_[at(slot)];
  nodes_[at(id)] = {slot, process, next, -1, of_process_[at(process)]};
  if (next >= 0) nodes_[at(next)].previous_of_slot = id;
  of_slot_[at(slot)] = id;
  of_process_[at(process)] = id;
  ++counts_[at(slot)];
}

void WatchLists::remove_all(std::int32_t process) {
  std::int32_t id = of_process_[at(process)];
  of_process_[at(process)] = -1;
  while (id >= 0) {
    Node& node = nodes_[at(id)];
    if (node.previous_of_slot >= 0) {
      nodes_[at(node.previous_of_slot)].next_of_slot = node.next_of_slot;
    } else {
      of_slot_[at(node.slot)] = node.next_of_slot;
    }
    if (node.next_of_slot >= 0)
      nodes_[at(node.next_of_slot)].previous_of_slot = node.previous_of_slot;
    --counts_[at(node.slot)];
    const std::int32_t next = node.next_of_process;
    node.next_of_process = free_;
    free_ = id;
    id = next;
  }
}

void WatchLists::watchers(std::int32_t slot, std::vector<std::int32_t>& out) const {
  for (std::int32_t id = of_slot_[at(slot)]; id >= 0; id = nodes_[at(id)].next_of_slot) {
    out.push_back(nodes_[at(id)].process);
  }
}

}  // namespace chi::sim
