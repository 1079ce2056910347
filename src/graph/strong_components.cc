#include "graph/strong_components.h"

#include <algorithm>
#include <utility>

namespace chi::graph {
namespace {

class Tarjan {
 public:
  explicit Tarjan(const Digraph& graph)
      : graph_(graph), number_(graph.num_nodes(), 0), low_(graph.num_nodes(), 0) {
    found_.component_of = {graph.num_nodes(), ComponentId{}};
    found_.members.reserve(static_cast<std::size_t>(graph.num_nodes()));
  }

  StrongComponents run() {
    for (NodeId root{0}; root.index < graph_.num_nodes(); ++root.index) {
      if (number_[root] == 0) search(root);
    }
    return std::move(found_);
  }

 private:
  struct Call {
    NodeId node;
    std::size_t next = 0;  // successor to look at
  };

  void enter(NodeId node) {
    number_[node] = low_[node] = ++last_number_;
    open_.push_back(node);
    calls_.push_back({node, 0});
  }

  void search(NodeId root) {
    enter(root);
    while (!calls_.empty()) {
      auto& [node, next] = calls_.back();
      const std::span<const NodeId> successors = graph_.successors(node);
      if (next < successors.size()) {
        const NodeId to = successors[next++];
        if (number_[to] == 0) {
          enter(to);  // invalidates `node` and `next`
        } else if (!found_.component_of[to]) {
          low_[node] = std::min(low_[node], number_[to]);
        }
        continue;
      }
      const NodeId finished = node;
      calls_.pop_back();
      if (low_[finished] == number_[finished]) close(finished);
      if (!calls_.empty()) {
        const NodeId caller = calls_.back().node;
        low_[caller] = std::min(low_[caller], low_[finished]);
      }
    }
  }

  // `root` and all that was opened after it form a component.
  void close(NodeId root) {
    const ComponentId component{found_.size()};
    const auto first = std::find(open_.rbegin(), open_.rend(), root).base() - 1;
    std::sort(first, open_.end());
    for (auto node = first; node != open_.end(); ++node) {
      found_.component_of[*node] = component;
      found_.members.push_back(*node);
    }
    open_.erase(first, open_.end());
    found_.start.add(static_cast<int>(found_.members.size()));
  }

  const Digraph& graph_;
  Table<NodeId, int> number_;  // in order of discovery, from 1; 0 is undiscovered
  Table<NodeId, int> low_;     // lowest number known to be reachable within the component
  int last_number_ = 0;
  std::vector<NodeId> open_;  // discovered, component not yet known
  std::vector<Call> calls_;
  StrongComponents found_;
};

}  // namespace

NodeId Digraph::add_node() {
  start_.add(static_cast<int>(targets_.size()));
  return {num_nodes() - 1};
}

void Digraph::reserve(int nodes, int arcs) {
  start_.reserve(nodes + 1);
  targets_.reserve(static_cast<std::size_t>(arcs));
}

std::span<const NodeId> Digraph::successors(NodeId node) const {
  return {targets_.begin() + start_[node], targets_.begin() + start_[{node.index + 1}]};
}

std::span<const NodeId> StrongComponents::members_of(ComponentId component) const {
  return {members.begin() + start[component], members.begin() + start[{component.index + 1}]};
}

StrongComponents strong_components(const Digraph& graph) { return Tarjan(graph).run(); }

}  // namespace chi::graph
