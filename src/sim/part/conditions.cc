#include "sim/part/conditions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "expr/build.h"
#include "expr/cone.h"
#include "expr/evaluate.h"
#include "expr/incidence.h"
#include "expr/substitute.h"
#include "sim/part/parts.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::Op;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

bool relation_holds(Op op, int sign) {
  switch (op) {
    case Op::Less: return sign < 0;
    case Op::LessEqual: return sign <= 0;
    case Op::Greater: return sign > 0;
    case Op::GreaterEqual: return sign >= 0;
    case Op::Equal: return sign == 0;
    default: return sign != 0;
  }
}

int Conditions::find(ExprId condition) const {
  const auto found = numbers_.find(condition);
  return found == numbers_.end() ? -1 : found->second;
}

int Conditions::add(ExprId condition) {
  if (const int known = find(condition); known >= 0) return known;
  numbers_.emplace(condition, size());
  conditions_.push_back(condition);
  roots_.push_back(enter(condition));
  std::vector<int>& mine = borders_of_.emplace_back();
  start_walk(std::array{roots_.back()});
  while (!stack_.empty()) {
    const Node& node = nodes_[at(stack_.back())];
    stack_.pop_back();
    if (node.kind == Node::Kind::Relation) {
      mine.push_back(relations_[at(node.a)].border);
      for (const std::int32_t n : borders_[at(mine.back())].corners) visit(n);
    } else if (node.kind != Node::Kind::Plain) {
      for (const std::int32_t n : {node.a, node.b, node.c}) {
        if (n >= 0) visit(n);
      }
    }
  }
  std::sort(mine.begin(), mine.end());
  mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  return size() - 1;
}

void Conditions::append_plain(std::vector<char>& out) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].kind == Node::Kind::Plain) out.push_back(static_cast<char>(truths_[i]));
  }
}

void Conditions::start_walk(std::span<const std::int32_t> nodes) {
  visited_.resize(nodes_.size());
  ++walk_;
  stack_.clear();
  for (const std::int32_t n : nodes) visit(n);
}

void Conditions::visit(std::int32_t node) {
  if (visited_[at(node)] != walk_) stack_.push_back(node);
  visited_[at(node)] = walk_;
}

/// The node of a condition, with those of all that it is made of.
std::int32_t Conditions::enter(ExprId condition) {
  if (const auto known = entered_.find(condition); known != entered_.end()) return known->second;
  // Relations hide in the bodies of functions, and corners in relations.
  const ExprId whole =
      pool_.has(condition, expr::kHasCall) ? expr::inline_calls(pool_, condition) : condition;
  const ExprId open = expr::smooth_relations(pool_, whole);
  const expr::Cone cone(pool_, std::array{open}, {.below_relations = false});
  for (const ExprId e : cone.nodes()) {
    if (pool_.has(e, expr::kBoolean)) node_of(e);
  }
  const std::int32_t node = index_.at(open);
  entered_.emplace(condition, node);
  return node;
}

/// Requires that the nodes of its operands are there: they have smaller ids.
std::int32_t Conditions::node_of(ExprId e) {
  if (const auto found = index_.find(e); found != index_.end()) return found->second;
  const Op op = pool_.op(e);
  const auto operand = [&](int i) { return index_.at(pool_.operand(e, i)); };
  Node node;
  if (expr::is_relation(op) && pool_.has(e, expr::kMoving) &&
      !pool_.has(pool_.operand(e, 0), expr::kBoolean)) {
    const Relation relation = make_relation(e);  // what it needs comes before it
    node = {Node::Kind::Relation, static_cast<std::int32_t>(relations_.size())};
    relations_.push_back(relation);
  } else if (op == Op::Not) {
    node = {Node::Kind::Not, operand(0)};
  } else if (op == Op::And || op == Op::Or) {
    node = {op == Op::And ? Node::Kind::And : Node::Kind::Or, operand(0), operand(1)};
  } else if (expr::is_if(op)) {
    node = {Node::Kind::If, operand(0), operand(1), operand(2)};
  } else {
    node = {Node::Kind::Plain, static_cast<std::int32_t>(plain_.size())};
    plain_.push_back(e);
    formulas_.reset();
  }
  node.is_total = pool_.has(e, expr::kTotal) && !(pool_.has(e, expr::kHasDiscrete) && has_held(e));
  nodes_.push_back(node);
  const auto number = static_cast<std::int32_t>(nodes_.size()) - 1;
  index_.emplace(e, number);
  return number;
}

/// Whether what is held between events occurs in it, which may have no value.
bool Conditions::has_held(ExprId e) const {
  const expr::Cone cone(pool_, std::array{e});
  return std::ranges::any_of(cone.nodes(), [&](ExprId node) {
    const Op op = pool_.op(node);
    return (op == Op::DiscreteReal || op == Op::DiscreteBool) &&
           pool_.discrete(node).index >= kFirstHeld;
  });
}

Relation Conditions::make_relation(ExprId e) {
  std::vector<ExprId> ends = {pool_.operand(e, 0), pool_.operand(e, 1)};
  const bool has_corners = expr::has_corners_only(pool_, ends);
  if (has_corners) ends = expr::evented_kinks(pool_, ends);
  const ExprId left = ends[0], right = ends[1];
  const ExprId difference = expr::sub(pool_, left, right);
  Relation relation{.node = e, .op = pool_.op(e)};
  if (const auto same = border_index_.find(difference); same != border_index_.end()) {
    relation.border = same->second;
    return relation;
  }
  const ExprId negative = expr::sub(pool_, right, left);
  if (const auto mirror = border_index_.find(negative); mirror != border_index_.end()) {
    relation.border = mirror->second;
    relation.orientation = -1;
    return relation;
  }
  Border border{left, right, difference};
  if (has_corners) {
    for (const ExprId c : expr::conditions(pool_, std::array{difference}).node) {
      border.corners.push_back(enter(c));
    }
  }
  std::optional<Surface> surface = surface_of(pool_, difference);
  if (surface) {
    const ExprId first = surface->terms.front();
    const double c = surface->constant, width = kSurfaceRounding * std::abs(c);
    for (auto i = by_place_.lower_bound({first, c - width});
         i != by_place_.end() && i->first <= std::pair{first, c + width}; ++i) {
      const Surface& other = *surfaces_[at(i->second)];
      if (!other.same_as(*surface)) continue;
      relation.border = i->second;
      relation.orientation = surface->sign * other.sign;
      return relation;
    }
    by_place_.emplace(std::pair{first, c}, static_cast<int>(borders_.size()));
  }
  relation.border = static_cast<int>(borders_.size());
  borders_.push_back(std::move(border));
  surfaces_.push_back(std::move(surface));
  border_index_.emplace(difference, relation.border);
  return relation;
}

/// The nodes of the differences that have corners in or below them.
void Conditions::collect_corners() {
  corners_.clear();
  decided_.clear();
  differences_.clear();
  std::vector<ExprId> roots;
  for (const Border& border : borders_) {
    differences_.push_back(border.difference);
    if (!border.corners.empty()) roots.push_back(border.difference);
  }
  if (roots.empty()) return;
  const expr::Cone cone(pool_, roots, {.delayed = false, .evented_conditions = false});
  for (const ExprId e : cone.nodes()) {
    if (!pool_.has(e, expr::kHasEvented)) continue;
    const bool is_corner = pool_.op(e) == Op::If && pool_.has(pool_.operand(e, 0), expr::kMoving);
    corners_.push_back({e, is_corner ? entered_.at(pool_.operand(e, 0)) : -1});
  }
}

std::span<const ExprId> Conditions::differences() {
  const auto is_decided = [&](std::size_t i) {
    return corners_[i].condition < 0 || decided_[i] == truths_[at(corners_[i].condition)];
  };
  bool are_decided = decided_.size() == corners_.size();
  for (std::size_t i = 0; i < corners_.size() && are_decided; ++i) are_decided = is_decided(i);
  if (are_decided) return differences_;
  decided_.resize(corners_.size());
  smooth_.clear();
  const auto smooth = [&](ExprId e) {
    const auto found = smooth_.find(e);
    return found == smooth_.end() ? e : found->second;
  };
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const auto [e, condition] = corners_[i];
    const expr::Operands old = pool_.operands(e);
    if (condition >= 0) decided_[i] = truths_[at(condition)];
    if (condition >= 0 && decided_[i] != Truth::Undefined) {
      smooth_[e] = smooth(old[decided_[i] == Truth::True ? 1 : 2]);
      continue;
    }
    std::vector<ExprId> operands;
    for (int k = 0; k < old.size(); ++k) operands.push_back(smooth(old[k]));
    smooth_[e] = expr::rebuild(pool_, e, operands);
  }
  for (std::size_t b = 0; b < borders_.size(); ++b) {
    differences_[b] = smooth(borders_[b].difference);
  }
  return differences_;
}

void Conditions::prepare() {
  if (differences_.size() != borders_.size()) collect_corners();
  if (formulas_) return;
  formulas_ = std::make_unique<code::Formulas>(pool_, plain_, leaves_, boxes_);
  plain_values_.resize(plain_.size());
  inputs_.clear();
  for (std::size_t i = 0; i < plain_.size(); ++i) {
    const expr::Cone cone(pool_, std::array{plain_[i]});
    for (const ExprId e : cone.nodes()) {
      if (pool_.op(e) != Op::DiscreteReal && pool_.op(e) != Op::DiscreteBool) continue;
      inputs_.push_back({pool_.discrete(e), leaves_.place(e), static_cast<std::int32_t>(i)});
    }
  }
}

/// To a relation of numbers, what is not a number is no reason to have no truth. A box that failed
/// is: where one is needed, the condition is undefined.
void Conditions::see_missing_inputs(const double* frame) {
  expr::Point point;
  point.variable = [](expr::VarRef) { return std::numeric_limits<double>::quiet_NaN(); };
  point.discrete = [&](expr::DiscreteId id) {
    const auto input = std::ranges::find(inputs_, id, &Input::id);
    return frame[at(input->place)];
  };
  point.opaque = [this](expr::FunctionId f, std::span<const double> arguments) {
    return boxes_ == nullptr ? std::numeric_limits<double>::quiet_NaN()
                             : boxes_->call(f, arguments);
  };
  for (const Input& input : inputs_) {
    if (!std::isnan(frame[at(input.place)])) continue;
    if (expr::evaluate(pool_, plain_[at(input.root)], point).where)
      plain_values_[at(input.root)] = std::numeric_limits<double>::quiet_NaN();
  }
}

/// A node's truth, from those of its operands.
template <class OfRelation>
Truth Conditions::combine(const Node& node, const OfRelation& relation,
                          std::span<const Truth> truths) const {
  const auto truth = [&](std::int32_t n) { return truths[at(n)]; };
  switch (node.kind) {
    case Node::Kind::Relation: return relation(node.a);
    case Node::Kind::Plain: {
      const double value = plain_values_[at(node.a)];
      return std::isnan(value) ? Truth::Undefined : value != 0 ? Truth::True : Truth::False;
    }
    case Node::Kind::Not:
      return truth(node.a) == Truth::Undefined ? Truth::Undefined
             : truth(node.a) == Truth::True    ? Truth::False
                                               : Truth::True;
    case Node::Kind::And: return truth(node.a) == Truth::True ? truth(node.b) : truth(node.a);
    case Node::Kind::Or: return truth(node.a) == Truth::False ? truth(node.b) : truth(node.a);
    case Node::Kind::If:
      return truth(node.a) == Truth::Undefined ? Truth::Undefined
             : truth(node.a) == Truth::True    ? truth(node.b)
                                               : truth(node.c);
  }
  return Truth::Undefined;
}

void Conditions::evaluate(const double* frame, std::span<const Truth> relations,
                          std::vector<Truth>& out) {
  CHI_CHECK(formulas_ != nullptr, "conditions are prepared before they are evaluated");
  formulas_->evaluate_each(frame, plain_values_.data());
  for (const Input& input : inputs_) {
    if (!std::isnan(frame[at(input.place)])) continue;
    see_missing_inputs(frame);
    break;
  }
  truths_.resize(nodes_.size());
  const auto of_relation = [&](std::int32_t r) { return relations[at(r)]; };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    truths_[i] = combine(nodes_[i], of_relation, truths_);
  }
  out.resize(conditions_.size());
  for (std::size_t i = 0; i < conditions_.size(); ++i) out[i] = truths_[at(roots_[i])];
}

Truth Conditions::truth_of(int condition, numerics::FunctionRef<Truth(const Relation&)> relation) {
  std::vector<std::int32_t> mine;
  start_walk(std::array{roots_[at(condition)]});
  while (!stack_.empty()) {
    mine.push_back(stack_.back());
    const Node& node = nodes_[at(stack_.back())];
    stack_.pop_back();
    if (node.kind == Node::Kind::Relation || node.kind == Node::Kind::Plain) continue;
    for (const std::int32_t n : {node.a, node.b, node.c}) {
      if (n >= 0) visit(n);
    }
  }
  std::ranges::sort(mine);
  alone_.resize(nodes_.size());
  const auto of_relation = [&](std::int32_t r) { return relation(relations_[at(r)]); };
  for (const std::int32_t n : mine) alone_[at(n)] = combine(nodes_[at(n)], of_relation, alone_);
  return alone_[at(roots_[at(condition)])];
}

/// A relation that is cheap to follow, or what needs none.
bool Conditions::is_cheap(std::int32_t node, std::span<const char> borders) const {
  while (nodes_[at(node)].kind == Node::Kind::Not) node = nodes_[at(node)].a;
  const Node& n = nodes_[at(node)];
  if (n.kind == Node::Kind::Plain) return true;
  return n.kind == Node::Kind::Relation && borders[at(relations_[at(n.a)].border)] != 0;
}

/// The nodes whose truth depends on borders that are open.
void Conditions::find_open(std::span<const char> borders) {
  is_open_.assign(nodes_.size(), 0);
  if (std::ranges::none_of(borders, [](char open) { return open != 0; })) return;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.kind == Node::Kind::Plain) continue;
    if (node.kind == Node::Kind::Relation) {
      is_open_[i] = borders[at(relations_[at(node.a)].border)];
      continue;
    }
    for (const std::int32_t n : {node.a, node.b, node.c}) {
      if (n >= 0 && is_open_[at(n)]) is_open_[i] = 1;
    }
  }
}

void Conditions::mark_deciding(std::span<const int> conditions, std::span<const char> cheap,
                               std::span<const char> open, std::vector<char>& marked,
                               std::vector<ExprId>* plain) {
  find_open(open);
  start_walk({});
  for (const int c : conditions) visit(roots_[at(c)]);
  while (!stack_.empty()) {
    const std::int32_t number = stack_.back();
    stack_.pop_back();
    const Node& node = nodes_[at(number)];
    switch (node.kind) {
      case Node::Kind::Plain:
        if (plain != nullptr) plain->push_back(plain_[at(node.a)]);
        break;
      case Node::Kind::Relation: {
        const int border = relations_[at(node.a)].border;
        marked[at(border)] = 1;
        for (const std::int32_t n : borders_[at(border)].corners) visit(n);
        break;
      }
      case Node::Kind::Not: visit(node.a); break;
      case Node::Kind::And:
      case Node::Kind::Or: {
        const Truth deciding = node.kind == Node::Kind::And ? Truth::False : Truth::True;
        const bool left = truths_[at(node.a)] == deciding && !is_open_[at(node.a)];
        const bool right = truths_[at(node.b)] == deciding && !is_open_[at(node.b)];
        const bool prefers_right = right && is_cheap(node.b, cheap) && !is_cheap(node.a, cheap);
        // Where the left operand has no value, or may lose it, the whole has none.
        const bool is_safe = nodes_[at(node.a)].is_total && truths_[at(node.a)] != Truth::Undefined;
        const bool by_right = right && (!left || prefers_right) && is_safe;
        if (!by_right) visit(node.a);
        if (by_right || !left) visit(node.b);
        break;
      }
      case Node::Kind::If: {
        const Truth condition = is_open_[at(node.a)] ? Truth::Undefined : truths_[at(node.a)];
        visit(node.a);
        if (condition != Truth::False) visit(node.b);
        if (condition != Truth::True) visit(node.c);
        break;
      }
    }
  }
}

}  // namespace chi::sim
