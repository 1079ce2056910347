#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/id.h"
#include "expr/op.h"

namespace chi::expr {

using ExprId = Id<struct ExprTag>;  ///< a node of a `Pool`
using VarId = Id<struct VarTag>;    ///< a scalar real variable of the flat model
using DiscreteId =
    Id<struct DiscreteTag>;  ///< a value that changes at events only; caller's meaning
using FunctionId = Id<struct FunctionTag>;  ///< a row of the function table of a `Pool`

/// Facts about a node and everything below it, kept with the node. Function bodies count as below
/// their calls for `Total`, `Opaque` and `NumericDerivative`.
using Traits = std::uint16_t;
inline constexpr Traits kBoolean = 1;        ///< the node itself is a truth value, not a number
inline constexpr Traits kTotal = 2;          ///< no fault for finite leaves, barring overflow
inline constexpr Traits kHasVariable = 4;    ///< some variable or derivative occurs
inline constexpr Traits kHasTime = 8;        ///< `time` occurs
inline constexpr Traits kHasDiscrete = 16;   ///< some discrete value occurs
inline constexpr Traits kHasParam = 32;      ///< some function parameter occurs
inline constexpr Traits kHasCall = 64;       ///< some function call occurs
inline constexpr Traits kHasEvented = 128;   ///< some evented `if` occurs
inline constexpr Traits kHasDelay = 256;     ///< some `delay` occurs
inline constexpr Traits kHasOpaque = 512;    ///< some function known only as a black box is called
inline constexpr Traits kHasNumeric = 1024;  ///< some derivative of such a function is called
inline constexpr Traits kMoving =
    kHasVariable | kHasTime | kHasDelay;  ///< can change between events

/// 16 bytes. What `slot` holds depends on `op`; read it through the accessors of `Pool`.
struct Node {
  Op op = Op::Constant;
  Traits traits = 0;
  std::int32_t slot[3] = {-1, -1, -1};
  bool operator==(const Node&) const = default;
};
static_assert(sizeof(Node) == 16);

struct VarRef {
  VarId var;
  std::int32_t order = 0;  ///< 0 for x, 1 for x', 2 for x''
  auto operator<=>(const VarRef&) const = default;
};

/// A function of scalar arguments and one scalar result, in one of three forms:
/// - `body` given: an expression over the parameter leaves;
/// - `body` none, `parent` none: a black box (a function with loops, say), evaluated by the caller;
/// - `body` none, `parent` given: the derivative of the black box `parent` by its parameter
/// `param`,
///   to be had by a difference quotient.
/// A derivative of a function with a body has a body, and `parent` and `param` as well.
struct Function {
  std::int32_t arity = 0;
  bool boolean = false;  ///< the result is a truth value
  ExprId body;
  FunctionId parent;
  std::int32_t param = -1;
  std::vector<FunctionId> derivatives;  ///< by parameter; none where not asked for yet
  std::vector<char> uses;               ///< by parameter: it occurs in the body; without one, all
  /// A black box without noise or jumps, whose derivatives are such functions too.
  bool is_exact = false;
  /// A black box whose value is a whole number that moves in steps: its derivatives are zero.
  bool has_steps = false;
  /// By parameter: what is left of the function where the parameter is zero, if it is linear in it.
  struct Rest {
    bool is_known = false;
    FunctionId function;
  };
  std::vector<Rest> rests = {};
  /// By parameter: the equation `body = t`, solved for it.
  struct Solution {
    bool is_known = false;
    FunctionId value;  ///< of the parameters and, one more, of t; none if there is none
    std::vector<FunctionId> divisors;  ///< what it divides by, of the parameters
  };
  std::vector<Solution> solutions = {};
};

class Pool;

/// The operands of a node, in order. A value: it stays good while the pool grows.
class Operands {
 public:
  Operands(const Pool& pool, const Node& node);
  int size() const { return size_; }
  ExprId operator[](int i) const;

 private:
  static int count(const Node& node);
  const Pool* pool_;
  Node node_;
  int size_;
};

/// All expressions of a model, as one directed acyclic graph in flat tables.
///
/// Hash-consed: equal nodes have equal ids, so that comparing ids compares expressions and common
/// subexpressions exist once. Operands have smaller ids than the nodes that use them, so a
/// bottom-up pass is a loop over ascending ids, and nothing here or in the passes recurses.
/// Nodes are never changed or removed. About 32 bytes per node (16 and the hash table).
/// Build with the constructors of build.h, which simplify; `intern` is their back door.
class Pool {
 public:
  Pool();
  std::int32_t size() const { return static_cast<std::int32_t>(nodes_.size()); }
  Node operator[](ExprId e) const { return nodes_[static_cast<std::size_t>(e.index)]; }
  Op op(ExprId e) const { return nodes_[static_cast<std::size_t>(e.index)].op; }
  Traits traits(ExprId e) const { return nodes_[static_cast<std::size_t>(e.index)].traits; }
  bool has(ExprId e, Traits some) const { return (traits(e) & some) != 0; }
  Operands operands(ExprId e) const { return {*this, (*this)[e]}; }
  ExprId operand(ExprId e, int i) const { return operands(e)[i]; }

  // Each requires a node of the kind it speaks of.
  double constant(ExprId e) const;
  bool boolean(ExprId e) const { return (*this)[e].slot[0] != 0; }
  VarRef variable(ExprId e) const { return {{(*this)[e].slot[0]}, (*this)[e].slot[1]}; }
  DiscreteId discrete(ExprId e) const { return {(*this)[e].slot[0]}; }
  int param(ExprId e) const { return (*this)[e].slot[0]; }
  int exponent(ExprId e) const { return (*this)[e].slot[1]; }
  FunctionId called(ExprId e) const { return {(*this)[e].slot[0]}; }

  /// The node with these slots, new if need be. No simplification; operands must be of the pool.
  ExprId intern(Op op, std::int32_t a = -1, std::int32_t b = -1, std::int32_t c = -1);
  ExprId intern_constant(double value);
  ExprId intern_variable(VarRef x);
  ExprId intern_call(FunctionId f, std::span<const ExprId> arguments);

  /// A function given by its body, in which parameter leaves number 0 to arity - 1 may occur and no
  /// variable, time, discrete value, delay or evented `if`. It can call earlier functions only, so
  /// there is no recursion: recursive functions are black boxes.
  FunctionId add_function(int arity, ExprId body);
  FunctionId add_opaque(int arity, bool boolean);
  /// A black box as `is_exact` and `has_steps` say. Each derivative that is not zero is to be told,
  /// by `set_derivative`, before anybody differentiates.
  FunctionId add_exact(int arity, bool has_steps);
  void set_derivative(FunctionId f, int param, FunctionId derivative);
  /// Enters the derivative of `f` by parameter `param`; without `body` it is a numerical one.
  FunctionId add_derivative(FunctionId f, int param, ExprId body);
  /// Enters what is left of `f` where `param` is zero; without `body`, that it is not linear.
  void add_rest(FunctionId f, int param, ExprId body);
  /// Enters the solution of `body = t` for `param`; without `value`, that there is none.
  void add_solution(FunctionId f, int param, ExprId value, std::span<const ExprId> divisors);
  const Function& function(FunctionId f) const { return functions_[f]; }
  int function_count() const { return functions_.size(); }

  std::size_t memory() const;  ///< bytes held by the tables

 private:
  friend class Operands;
  struct Entry {
    std::int32_t node = -1;
    std::uint32_t hash = 0;
  };
  template <class Equal>
  std::size_t find(std::uint32_t hash, Equal equal) const;
  ExprId enter(const Node& node, std::uint32_t hash, std::size_t at);
  void grow_index();
  Traits traits_of(const Node& node) const;

  std::vector<Node> nodes_;
  std::vector<ExprId> arguments_;  // of calls: slot[1] is the first, slot[2] the count
  std::vector<Entry> index_;       // open addressing; the size is a power of two
  /// By order and variable: the node. Who goes through a model asks for nothing as often.
  std::array<std::vector<ExprId>, 3> variables_;
  Table<FunctionId, Function> functions_;
};

// Every pass over the graph asks for operands, of all nodes.
inline int Operands::count(const Node& n) {
  if (is_leaf(n.op)) return 0;
  if (is_unary(n.op) || n.op == Op::Not) return 1;
  if (is_if(n.op)) return 3;
  if (n.op == Op::Call) return n.slot[2];
  if (n.op == Op::Delay) return n.slot[2] >= 0 ? 3 : 2;
  return 2;
}
inline Operands::Operands(const Pool& pool, const Node& node)
    : pool_(&pool), node_(node), size_(count(node)) {}
inline ExprId Operands::operator[](int i) const {
  if (node_.op != Op::Call) return {node_.slot[i]};
  return pool_->arguments_[static_cast<std::size_t>(node_.slot[1]) + static_cast<std::size_t>(i)];
}

}  // namespace chi::expr
