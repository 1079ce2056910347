#pragma once
#include <span>
#include <vector>

#include "base/id.h"

namespace chi::graph {

using NodeId = Id<struct NodeTag>;
using ComponentId = Id<struct ComponentTag>;

/// A directed graph, compressed by source. Filled node by node: all arcs of node 0, then of node 1.
class Digraph {
 public:
  /// Ends the current node's arcs and gives its id.
  NodeId add_node();
  /// An arc from the node that the next `add_node` will give.
  void add_arc(NodeId to) { targets_.push_back(to); }
  void reserve(int nodes, int arcs);

  int num_nodes() const { return start_.size() - 1; }
  std::span<const NodeId> successors(NodeId node) const;

 private:
  Table<NodeId, int> start_{1, 0};  // one more than nodes
  std::vector<NodeId> targets_;
};

/// The strongly connected components, each after all those it has arcs to.
struct StrongComponents {
  Table<NodeId, ComponentId> component_of;
  Table<ComponentId, int> start{1, 0};  ///< one more than components
  std::vector<NodeId> members;          ///< by component, ascending within each

  int size() const { return start.size() - 1; }
  std::span<const NodeId> members_of(ComponentId component) const;
};

/// Tarjan's algorithm [1] with its recursion as a loop. Linear, plus sorting the members of each
/// component. Targets must be nodes of the graph.
///
/// [1] R. E. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972,
///     146-160.
StrongComponents strong_components(const Digraph& graph);

}  // namespace chi::graph
