#include "expr/expr.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"

namespace chi::expr {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 29);
}

std::uint64_t hash_node(const Node& n) {
  const auto word = [](std::int32_t v) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(v));
  };
  std::uint64_t h = mix(static_cast<std::uint64_t>(n.op) + 1, word(n.slot[0]));
  h = mix(h, word(n.slot[1]) | word(n.slot[2]) << 32);
  return h ^ (h >> 32);
}

// Of a call the arguments count, not where they are stored.
std::uint64_t hash_call(std::int32_t f, std::span<const ExprId> arguments) {
  std::uint64_t h = mix(static_cast<std::uint64_t>(Op::Call) + 1, static_cast<std::uint64_t>(f));
  for (const ExprId a : arguments) h = mix(h, static_cast<std::uint64_t>(a.index));
  return h ^ (h >> 32);
}

double constant_of(const Node& n) {
  const auto word = [&](int i) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(n.slot[i]));
  };
  return std::bit_cast<double>(word(0) | word(1) << 32);
}

constexpr Traits kInherited = static_cast<Traits>(~(kBoolean | kTotal));

int operand_count(const Node& n) {
  if (is_leaf(n.op)) return 0;
  if (is_unary(n.op) || n.op == Op::Not) return 1;
  if (is_if(n.op)) return 3;
  if (n.op == Op::Call) return n.slot[2];
  if (n.op == Op::Delay) return n.slot[2] >= 0 ? 3 : 2;
  return 2;
}

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

Operands::Operands(const Pool& pool, const Node& node)
    : pool_(&pool), node_(node), size_(operand_count(node)) {}

ExprId Operands::operator[](int i) const {
  if (node_.op != Op::Call) return {node_.slot[i]};
  return pool_->arguments_[static_cast<std::size_t>(node_.slot[1] + i)];
}

Pool::Pool() : index_(1024, -1) {}

double Pool::constant(ExprId e) const { return constant_of((*this)[e]); }

ExprId Pool::intern(Op op, std::int32_t a, std::int32_t b, std::int32_t c) {
  return find_or_add({.op = op, .traits = 0, .slot = {a, b, c}});
}

ExprId Pool::intern_constant(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return intern(Op::Constant, static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)),
                static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 32)));
}

ExprId Pool::intern_call(FunctionId f, std::span<const ExprId> arguments) {
  CHI_CHECK(static_cast<int>(arguments.size()) == function(f).arity, "wrong number of arguments");
  const std::size_t mask = index_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash_call(f.index, arguments)) & mask;
  for (; index_[at] >= 0; at = (at + 1) & mask) {
    const Node& n = nodes_[static_cast<std::size_t>(index_[at])];
    if (n.op != Op::Call || n.slot[0] != f.index) continue;
    const auto first = arguments_.begin() + n.slot[1];
    if (std::equal(arguments.begin(), arguments.end(), first)) return {index_[at]};
  }
  Node n{.op = Op::Call,
         .traits = 0,
         .slot = {f.index, static_cast<std::int32_t>(arguments_.size()),
                  static_cast<std::int32_t>(arguments.size())}};
  arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
  n.traits = traits_of(n);
  index_[at] = size();
  nodes_.push_back(n);
  if (nodes_.size() * 3 > index_.size() * 2) grow_index();
  return {size() - 1};
}

ExprId Pool::find_or_add(const Node& node) {
  const std::size_t mask = index_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash_node(node)) & mask;
  for (; index_[at] >= 0; at = (at + 1) & mask) {
    const Node& n = nodes_[static_cast<std::size_t>(index_[at])];
    if (n.op == node.op && std::equal(n.slot, n.slot + 3, node.slot)) return {index_[at]};
  }
  CHI_CHECK(nodes_.size() < 0x7FFFFFFF, "more expressions than ids");
  index_[at] = size();
  nodes_.push_back(node);
  nodes_.back().traits = traits_of(node);
  if (nodes_.size() * 3 > index_.size() * 2) grow_index();
  return {size() - 1};
}

void Pool::grow_index() {
  index_.assign(index_.size() * 2, -1);
  const std::size_t mask = index_.size() - 1;
  for (std::int32_t i = 0; i < size(); ++i) {
    const Node& n = nodes_[static_cast<std::size_t>(i)];
    std::uint64_t h = 0;
    if (n.op == Op::Call) {
      h = hash_call(n.slot[0],
                    {arguments_.data() + n.slot[1], static_cast<std::size_t>(n.slot[2])});
    } else {
      h = hash_node(n);
    }
    std::size_t at = static_cast<std::size_t>(h) & mask;
    while (index_[at] >= 0) at = (at + 1) & mask;
    index_[at] = i;
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
  switch (n.op) {
    case Op::Sqrt:
    case Op::Ln:
    case Op::Log10:
    case Op::Asin:
    case Op::Acos:
    case Op::Acosh:
    case Op::Atanh:
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
               .derivatives = {}};
  row.derivatives.resize(static_cast<std::size_t>(arity));
  return functions_.add(std::move(row));
}

FunctionId Pool::add_opaque(int arity, bool boolean) {
  Function row{
      .arity = arity, .boolean = boolean, .body = {}, .parent = {}, .param = -1, .derivatives = {}};
  row.derivatives.resize(static_cast<std::size_t>(arity));
  return functions_.add(std::move(row));
}

FunctionId Pool::add_derivative(FunctionId f, int param, ExprId body) {
  const FunctionId d =
      body ? add_function(function(f).arity, body) : add_opaque(function(f).arity, false);
  functions_[d].parent = f;
  functions_[d].param = param;
  functions_[f].derivatives[static_cast<std::size_t>(param)] = d;
  return d;
}

std::size_t Pool::memory() const {
  return nodes_.capacity() * sizeof(Node) + arguments_.capacity() * sizeof(ExprId) +
         index_.capacity() * sizeof(std::int32_t);
}

}  // namespace chi::expr
