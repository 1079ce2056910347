#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sema/decl_id.h"
#include "sema/types.h"

/// Nodes of physical connections (language.md, "Nodes"): which terminals of which instances are
/// connected to which node, and the equations and unknowns that follow from it.
namespace chi::flat {

struct FlatModel;

/// A node declared in a system; or a terminal of a system instance seen from inside, which passes
/// on what flows into it.
struct Node {
  std::int32_t potential = 0;  ///< first slot of its potentials
  std::int32_t inflow = -1;   ///< of a terminal: first slot of the flows into the instance; else -1
  std::int32_t block = -1;    ///< the system
  sema::DeclId decl = {};     ///< the node, or the parameter
  sema::TypeId type = {};     ///< the node type
  std::int32_t element = -1;  ///< which element of an array of nodes, in slot order; -1: no array
};

/// A terminal of an instance at a node.
struct Terminal {
  std::int32_t node = -1;
  std::int32_t flow = 0;  ///< first slot of the flows into the instance through it
  std::int32_t block = -1;
  sema::DeclId param = {};
  std::int32_t element = -1;  ///< of a parameter that is an array of nodes
};

struct Net {
  std::vector<Node> nodes;
  std::vector<Terminal> terminals;
  /// First node of a variable or terminal, by the slot that identifies it: of the potentials of a
  /// declared node, of the flows of a terminal of a system.
  std::unordered_map<std::int32_t, std::int32_t> first_node;
};

/// The terminals at each node, in order of instantiation.
class TerminalsOfNodes {
 public:
  explicit TerminalsOfNodes(const Net& net);
  std::span<const std::int32_t> of(std::size_t node) const;

 private:
  std::vector<std::int32_t> start_, rows_;
};

/// Adds the nodes of a declared variable, or of a terminal of a system.
void add_nodes(FlatModel& model, Node first, sema::TypeId type);

/// Adds the equations that balance the flows at each node, and makes potentials and flows unknown.
/// Requires that the equations of all instances are there. Linear in nodes and terminals.
void add_balances(FlatModel& model);

/// Potentials and flows are unknowns without a declaration, but those that are differentiated: they
/// are states then, which the equations may determine. Called when substitutes are applied.
void settle_implied(FlatModel& model);

}  // namespace chi::flat
