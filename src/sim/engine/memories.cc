#include "sim/engine/memories.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "expr/build.h"
#include "expr/cone.h"
#include "expr/substitute.h"
#include "flat/scalars.h"

namespace chi::sim {
namespace {

using expr::DiscreteId;
using expr::ExprId;
using expr::Op;

/// The numbers of truths as discrete values start here: behind all others that parts know.
constexpr std::int32_t kFirstTruth = 3 << 28;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool is_discrete(Op op) { return op == Op::DiscreteReal || op == Op::DiscreteBool; }

std::uint64_t hash_of(int memory, double value) {
  std::uint64_t x = std::bit_cast<std::uint64_t>(value + 0.0);
  x ^= (static_cast<std::uint64_t>(memory) + 1) * 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;  // Steele, Lea, Flood 2014: the mixer of SplitMix
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

}  // namespace

Memories::Memories(flat::FlatModel& model) : model_(model) {
  expr::Pool& pool = model.equations.pool;
  kept_.resize(all().size(), 0);
  std::unordered_map<ExprId, int> numbers;
  std::vector<expr::Replacement> truths;
  for (std::size_t m = 0; m < all().size(); ++m) {
    by_next_.emplace(all()[m].next, static_cast<int>(m));
    const ExprId value = expr::inline_calls(pool, all()[m].value);
    values_.push_back(value);
    expr::NodeIndex atoms(pool.size());
    const expr::Cone all_nodes(pool, std::array{value});
    for (const ExprId e : all_nodes.nodes()) {
      if (is_atom(e)) atoms.set(e, 0);
    }
    const expr::Cone cone(pool, std::array{value}, {}, &atoms);
    for (const ExprId e : cone.nodes()) {
      const int memory = static_cast<int>(m);
      if (is_atom(e)) {
        const auto [found, added] = numbers.emplace(e, static_cast<int>(relations_.size()));
        if (added) {
          const DiscreteId leaf{kFirstTruth + found->second};
          relations_.push_back({.node = e, .leaf = leaf, .span = all()[m].span});
          truths.push_back({e, expr::discrete_bool(pool, leaf)});
        }
        relations_[at(found->second)].readers.push_back(memory);
      } else if (is_discrete(pool.op(e))) {
        const DiscreteId id = pool.discrete(e);
        readers_[id].push_back(memory);
        if (std::holds_alternative<flat::BlackBox>(model.equations.discrete[id].source)) {
          boxed_.push_back(memory);
        }
      }
    }
    touched_.insert(static_cast<int>(m));
  }
  if (!truths.empty()) values_ = expr::substitute(pool, values_, truths);
}

/// A truth that can change between events, and is no combination of others.
bool Memories::is_atom(ExprId e) const {
  const expr::Pool& pool = model_.equations.pool;
  if (!pool.has(e, expr::kBoolean) || !pool.has(e, expr::kMoving)) return false;
  const Op op = pool.op(e);
  return op != Op::Not && op != Op::And && op != Op::Or && !expr::is_if(op);
}

std::string Memories::name(int memory) const {
  const flat::Memory& m = (*this)[memory];
  return m.slot < 0 ? "pre(...)" : flat::scalar_name(model_, m.slot);
}

std::vector<Memories::Watch> Memories::watches(std::span<const ExprId> translated) const {
  expr::Pool& pool = model_.equations.pool;
  std::unordered_map<ExprId, int> number;
  std::vector<expr::Replacement> as_translated;
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    number.emplace(relations_[r].node, static_cast<int>(r));
    as_translated.push_back({relations_[r].node, translated[r]});
  }
  constexpr std::int32_t kNone = -1, kSeveral = -2;
  std::vector<Watch> result;
  std::unordered_map<ExprId, char> is_there;
  for (std::size_t m = 0; m < all().size(); ++m) {
    const ExprId root = expr::inline_calls(pool, all()[m].value);
    const expr::Cone cone(pool, std::array{root});
    std::vector<std::int32_t> member(at(cone.size()), kNone);
    const auto of = [&](ExprId e) -> std::int32_t& { return member[at(cone.position(e))]; };
    for (const ExprId e : cone.nodes()) {
      if (const auto found = number.find(e); found != number.end()) {
        of(e) = relations_[at(found->second)].member;
        continue;
      }
      if (is_discrete(pool.op(e)) && by_next_.contains(pool.discrete(e))) {
        of(e) = kSeveral;  // a new value, which no part knows
        continue;
      }
      const expr::Operands operands = pool.operands(e);
      for (int i = 0; i < operands.size(); ++i) {
        const std::int32_t other = of(operands[i]);
        if (other == kNone) continue;
        of(e) = of(e) == kNone || of(e) == other ? other : kSeveral;
      }
    }
    std::vector<ExprId> pending{root};
    while (!pending.empty()) {
      const ExprId e = pending.back();
      pending.pop_back();
      if (of(e) == kNone) continue;
      if (of(e) == kSeveral || !pool.has(e, expr::kBoolean)) {
        const expr::Operands operands = pool.operands(e);
        for (int i = 0; i < operands.size(); ++i) pending.push_back(operands[i]);
        continue;
      }
      if (!is_there.emplace(e, 1).second) continue;
      Watch watch{.condition = e, .member = of(e), .relations = {}, .span = all()[m].span};
      const expr::Cone below(pool, std::array{e});
      for (const ExprId node : below.nodes()) {
        if (const auto found = number.find(node); found != number.end()) {
          watch.relations.push_back(found->second);
        }
      }
      result.push_back(std::move(watch));
    }
  }
  std::vector<ExprId> conditions;
  for (const Watch& watch : result) conditions.push_back(watch.condition);
  conditions = expr::substitute(pool, conditions, as_translated);
  for (std::size_t i = 0; i < result.size(); ++i) result[i].condition = conditions[i];
  return result;
}

void Memories::see(int relation, Truth truth) {
  Relation& r = relations_[at(relation)];
  if (std::exchange(r.is_seen, true) && r.truth == truth) return;
  r.truth = truth;
  touched_.insert(r.readers.begin(), r.readers.end());
}

void Memories::touch(DiscreteId leaf) {
  if (const auto found = readers_.find(leaf); found != readers_.end()) {
    touched_.insert(found->second.begin(), found->second.end());
  }
}

void Memories::touch_boxed() { touched_.insert(boxed_.begin(), boxed_.end()); }

double Memories::at_point(DiscreteId id, const expr::Point& point,
                          const std::function<double(int)>& now) const {
  if (id.index >= kFirstTruth) {
    const Truth truth = relations_[at(id.index - kFirstTruth)].truth;
    if (truth == Truth::Undefined) return std::numeric_limits<double>::quiet_NaN();
    return truth == Truth::True ? 1 : 0;
  }
  const auto found = by_next_.find(id);
  if (found == by_next_.end()) return point.discrete(id);
  const auto known = new_values_.find(found->second);
  return known != new_values_.end() ? known->second : now(found->second);
}

expr::Value Memories::value(int memory, const expr::Point& point,
                            const std::function<double(int)>& now) {
  expr::Point here = point;
  here.discrete = [&](DiscreteId id) { return at_point(id, point, now); };
  return expr::evaluate(model_.equations.pool, values_[at(memory)], here);
}

bool Memories::compute(const expr::Point& point, const std::function<double(int)>& now,
                       std::vector<Change>& changes) {
  changes.clear();
  new_values_.clear();
  // Those that read a new value come behind it.
  while (!touched_.empty()) {
    const int memory = *touched_.begin();
    touched_.erase(touched_.begin());
    const expr::Value found = value(memory, point, now);
    if (found.fault != expr::Fault::None) {
      failed_ = {memory, found};
      return false;
    }
    const double before = now(memory);
    if (found.value == before) continue;
    new_values_.emplace(memory, found.value);
    changes.push_back({memory, before, found.value});
    touch((*this)[memory].next);
  }
  new_values_.clear();
  return true;
}

std::vector<std::vector<Memories::Change>> Memories::made(const std::vector<Change>& changes) {
  seen_[hash_].push_back(rounds_.size());
  rounds_.push_back(changes);
  for (const Change& c : changes) {
    hash_ ^= hash_of(c.memory, c.before) ^ hash_of(c.memory, c.after);
    touch((*this)[c.memory].now);
  }
  const auto found = seen_.find(hash_);
  if (found == seen_.end()) return {};
  // A hash may be the same by chance: what changed since must have changed back.
  for (const std::size_t first : found->second) {
    std::unordered_map<int, std::pair<double, double>> net;
    for (std::size_t r = first; r < rounds_.size(); ++r) {
      for (const Change& c : rounds_[r]) {
        net.try_emplace(c.memory, c.before, c.after).first->second.second = c.after;
      }
    }
    const bool is_same = std::ranges::all_of(
        net, [](const auto& entry) { return entry.second.first == entry.second.second; });
    if (is_same) return {rounds_.begin() + static_cast<std::ptrdiff_t>(first), rounds_.end()};
  }
  return {};
}

void Memories::disturb() {
  rounds_.clear();
  seen_.clear();
}

}  // namespace chi::sim
