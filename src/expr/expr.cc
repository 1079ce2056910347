#include "expr/expr.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/cancel.h"
#include "base/check.h"
#include "expr/cone.h"

namespace chi::expr {
namespace {

constexpr std::size_t kNodesPerCheck = 4096;  // some 0.1 ms of work

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 29);
}

std::uint32_t hash_node(const Node& n) {
  const auto word = [](std::int32_t v) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(v));
  };
  std::uint64_t h = mix(static_cast<std::uint64_t>(n.op) + 1, word(n.slot[0]));
  h = mix(h, word(n.slot[1]) | word(n.slot[2]) << 32);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

// Of a call the arguments count, not where they are stored.
std::uint32_t hash_call(std::int32_t f, std::span<const ExprId> arguments) {
  std::uint64_t h = mix(static_cast<std::uint64_t>(Op::Call) + 1, static_cast<std::uint64_t>(f));
  for (const ExprId a : arguments) h = mix(h, static_cast<std::uint64_t>(a.index));
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

double constant_of(const Node& n) {
  const auto word = [&](int i) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(n.slot[i]));
  };
  return std::bit_cast<double>(word(0) | word(1) << 32);
}

constexpr Traits kInherited = static_cast<Traits>(~(kBoolean | kTotal));

Traits leaf_traits(Op op) {
  switch (op) {
    case Op::Boolean: return kBoolean | kTotal;
    case Op::Variable: return kHasVariable | kTotal;
    case Op::Time: return kHasTime | kTotal;
    case Op::DiscreteReal: return kHasDiscrete | kTotal;
    case Op::DiscreteBool: return kHasDiscrete | kTotal | kBoolean;
    case Op::ParamReal: return kHasParam | kTotal;
    case Op::ParamBool: return kHasParam | kTotal | kBoolean;
    case Op::NoAlternative: return 0;
    default: return kTotal;
  }
}

}  // namespace

Pool::Pool() : index_(1024) {}

double Pool::constant(ExprId e) const { return constant_of((*this)[e]); }

ExprId Pool::intern_constant(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return intern(Op::Constant, static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)),
                static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 32)));
}

ExprId Pool::intern_variable(VarRef x) {
  // Numbers may be far apart: no more room than the nodes take anyway.
  const auto at = static_cast<std::size_t>(x.var.index);
  if (x.order >= static_cast<std::int32_t>(variables_.size()) || at > 4 * nodes_.size() + 1024) {
    return intern(Op::Variable, x.var.index, x.order);
  }
  std::vector<ExprId>& known = variables_[static_cast<std::size_t>(x.order)];
  if (at >= known.size()) known.resize(std::max(at + 1, 2 * known.size()));
  if (!known[at]) known[at] = intern(Op::Variable, x.var.index, x.order);
  return known[at];
}

ExprId Pool::intern_call(FunctionId f, std::span<const ExprId> arguments) {
  CHI_CHECK(static_cast<int>(arguments.size()) == function(f).arity, "wrong number of arguments");
  const std::uint32_t hash = hash_call(f.index, arguments);
  const std::size_t at = find(hash, [&](const Node& n) {
    return n.op == Op::Call && n.slot[0] == f.index &&
           std::equal(arguments.begin(), arguments.end(), arguments_.begin() + n.slot[1]);
  });
  if (index_[at].node >= 0) return {index_[at].node};
  const auto first = static_cast<std::int32_t>(arguments_.size());
  const auto count = static_cast<std::int32_t>(arguments.size());
  arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
  return enter({.op = Op::Call, .traits = 0, .slot = {f.index, first, count}}, hash, at);
}

ExprId Pool::intern(Op op, std::int32_t a, std::int32_t b, std::int32_t c) {
  const Node node{.op = op, .traits = 0, .slot = {a, b, c}};
  const std::uint32_t hash = hash_node(node);
  const std::size_t at = find(hash, [&](const Node& n) {
    return n.op == op && n.slot[0] == a && n.slot[1] == b && n.slot[2] == c;
  });
  return index_[at].node >= 0 ? ExprId{index_[at].node} : enter(node, hash, at);
}

// Where in the index a node is, or would be. Comparing hashes first saves a look at most other
// nodes.
template <class Equal>
std::size_t Pool::find(std::uint32_t hash, Equal equal) const {
  const std::size_t mask = index_.size() - 1;
  std::size_t at = hash & mask;
  for (; index_[at].node >= 0; at = (at + 1) & mask) {
    if (index_[at].hash == hash && equal(nodes_[static_cast<std::size_t>(index_[at].node)])) break;
  }
  return at;
}

ExprId Pool::enter(const Node& node, std::uint32_t hash, std::size_t at) {
  CHI_CHECK(nodes_.size() < 0x7FFFFFFF, "more expressions than ids");
  if (nodes_.size() % kNodesPerCheck == 0) check_cancelled();
  const ExprId e{size()};
  index_[at] = {e.index, hash};
  nodes_.push_back(node);
  nodes_.back().traits = traits_of(node);
  if (nodes_.size() * 3 > index_.size() * 2) grow_index();
  return e;
}

void Pool::grow_index() {
  const std::vector<Entry> old = std::exchange(index_, std::vector<Entry>(index_.size() * 2));
  const std::size_t mask = index_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.node < 0) continue;
    std::size_t at = entry.hash & mask;
    while (index_[at].node >= 0) at = (at + 1) & mask;
    index_[at] = entry;
  }
}

// An operation is total if it yields a number for all finite operands short of overflow.
Traits Pool::traits_of(const Node& n) const {
  if (n.op == Op::Constant) return std::isfinite(constant_of(n)) ? kTotal : 0;
  if (is_leaf(n.op)) return leaf_traits(n.op);
  Traits traits = 0;
  bool total = true;
  const Operands below(*this, n);
  for (int i = 0; i < below.size(); ++i) {
    traits = static_cast<Traits>(traits | (this->traits(below[i]) & kInherited));
    total = total && has(below[i], kTotal);
  }
  total = total && domain_of(n.op) == Domain::Everywhere;
  switch (n.op) {
    case Op::Pow: total = false; break;
    case Op::IntPower: total = total && n.slot[1] >= 0; break;
    case Op::Div:
      total = total && op({n.slot[1]}) == Op::Constant && constant({n.slot[1]}) != 0;
      break;
    case Op::If: traits |= kHasEvented; break;
    case Op::Delay:
      traits |= kHasDelay;
      total = false;
      break;
    case Op::Call: {
      const Function& f = function({n.slot[0]});
      traits |= kHasCall;
      if (f.boolean) traits |= kBoolean;
      total = total && f.body && has(f.body, kTotal);
      if (f.body)
        traits = static_cast<Traits>(traits | (this->traits(f.body) & (kHasOpaque | kHasNumeric)));
      if (!f.body) traits |= kHasOpaque;
      if (!f.body && f.parent) traits |= kHasNumeric;
      break;
    }
    default: break;
  }
  if (is_relation(n.op) || n.op == Op::Not || n.op == Op::And || n.op == Op::Or) traits |= kBoolean;
  if (is_if(n.op)) traits = static_cast<Traits>(traits | (this->traits({n.slot[1]}) & kBoolean));
  return total ? static_cast<Traits>(traits | kTotal) : traits;
}

FunctionId Pool::add_function(int arity, ExprId body) {
  CHI_CHECK(!has(body, kHasVariable | kHasTime | kHasDiscrete | kHasDelay | kHasEvented),
            "a function body speaks of its parameters only");
  Function row{.arity = arity,
               .boolean = has(body, kBoolean),
               .body = body,
               .parent = {},
               .param = -1,
               .derivatives = {},
               .uses = {}};
  row.derivatives.resize(static_cast<std::size_t>(arity));
  row.uses.resize(static_cast<std::size_t>(arity), 0);
  const Cone cone(*this, std::span(&body, 1));
  for (const ExprId e : cone.nodes()) {
    if (op(e) != Op::ParamReal && op(e) != Op::ParamBool) continue;
    if (param(e) < arity) row.uses[static_cast<std::size_t>(param(e))] = 1;
  }
  return functions_.add(std::move(row));
}

FunctionId Pool::add_opaque(int arity, bool boolean) {
  Function row{.arity = arity,
               .boolean = boolean,
               .body = {},
               .parent = {},
               .param = -1,
               .derivatives = {},
               .uses = {}};
  row.derivatives.resize(static_cast<std::size_t>(arity));
  row.uses.resize(static_cast<std::size_t>(arity), 1);
  return functions_.add(std::move(row));
}

FunctionId Pool::add_exact(int arity, bool has_steps) {
  const FunctionId f = add_opaque(arity, false);
  functions_[f].is_exact = true;
  functions_[f].has_steps = has_steps;
  const FunctionId zero = add_function(arity, intern_constant(0));
  for (FunctionId& derivative : functions_[f].derivatives) derivative = zero;
  return f;
}

void Pool::set_derivative(FunctionId f, int param, FunctionId derivative) {
  functions_[f].derivatives[static_cast<std::size_t>(param)] = derivative;
}

FunctionId Pool::add_derivative(FunctionId f, int param, ExprId body) {
  const FunctionId d =
      body ? add_function(function(f).arity, body) : add_opaque(function(f).arity, false);
  functions_[d].parent = f;
  functions_[d].param = param;
  functions_[f].derivatives[static_cast<std::size_t>(param)] = d;
  return d;
}

void Pool::add_rest(FunctionId f, int param, ExprId body) {
  const FunctionId rest = body ? add_function(function(f).arity, body) : FunctionId{};
  std::vector<Function::Rest>& rests = functions_[f].rests;
  rests.resize(static_cast<std::size_t>(functions_[f].arity));
  rests[static_cast<std::size_t>(param)] = {true, rest};
}

void Pool::add_solution(FunctionId f, int param, ExprId value, std::span<const ExprId> divisors) {
  const int arity = function(f).arity;
  Function::Solution solution{.is_known = true, .value = {}, .divisors = {}};
  if (value) solution.value = add_function(arity + 1, value);
  for (const ExprId d : divisors) solution.divisors.push_back(add_function(arity, d));
  std::vector<Function::Solution>& solutions = functions_[f].solutions;
  solutions.resize(static_cast<std::size_t>(arity));
  solutions[static_cast<std::size_t>(param)] = std::move(solution);
}

std::size_t Pool::memory() const {
  std::size_t bytes = nodes_.capacity() * sizeof(Node) + arguments_.capacity() * sizeof(ExprId) +
                      index_.capacity() * sizeof(Entry);
  for (const std::vector<ExprId>& known : variables_) bytes += known.capacity() * sizeof(ExprId);
  return bytes;
}

}  // namespace chi::expr
