#include "expr/alternatives.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "expr/build.h"
#include "expr/cone.h"
#include "expr/rewrite.h"
#include "expr/substitute.h"

namespace chi::expr {
namespace {

constexpr std::size_t kMostPieces = 16;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool is_param(Op op) { return op == Op::ParamReal || op == Op::ParamBool; }

/// A condition over parameters, to be written again over arguments: its nodes, operands first, and
/// where the operands of each are among them.
class Recipe {
 public:
  Recipe(const Pool& pool, ExprId root) {
    const Cone cone(pool, std::array{root});
    for (const ExprId e : cone.nodes()) {
      nodes_.push_back(e);
      if (is_param(pool.op(e))) params_.push_back(pool.param(e));
      const Operands operands = pool.operands(e);
      for (int i = 0; i < operands.size(); ++i) places_.push_back(cone.position(operands[i]));
      ends_.push_back(places_.size());
    }
  }

  std::span<const int> params() const { return params_; }

  ExprId with(Pool& pool, std::span<const ExprId> arguments) {
    made_.clear();
    std::size_t next = 0;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const ExprId e = nodes_[k];
      operands_.clear();
      for (; next < ends_[k]; ++next) operands_.push_back(made_[at(places_[next])]);
      made_.push_back(is_param(pool.op(e)) ? arguments[at(pool.param(e))]
                                           : rebuild(pool, e, operands_));
    }
    return made_.back();
  }

 private:
  std::vector<ExprId> nodes_;
  std::vector<std::int32_t> places_;
  std::vector<std::size_t> ends_;  // of the places of each node
  std::vector<int> params_;
  std::vector<ExprId> made_, operands_;
};

/// The smooth functions that alternatives are made of, by body: alternatives that say the same are
/// the same, and to change from one to the other is no change of the mode.
using Pieces = std::map<std::pair<ExprId, std::size_t>, FunctionId>;

/// A function as a tree of conditions with smooth pieces at its ends.
class Tree {
 public:
  /// None if it has steps, conditions in conditions, or too many pieces.
  static std::optional<Tree> of(Pool& pool, FunctionId f, Pieces& pieces) {
    const ExprId body = evented_ifs(pool, inline_calls(pool, pool.function(f).body));
    Tree tree;
    return tree.grow(pool, evented_kinks(pool, std::array{body}, kHasParam)[0], pieces)
               ? std::optional(std::move(tree))
               : std::nullopt;
  }

  /// None if a condition stands still.
  template <class Moves>
  ExprId with(Pool& pool, std::span<const ExprId> arguments, const Moves& moves) {
    made_.assign(nodes_.size(), {});
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      Node& node = nodes_[k];
      if (!node.condition) {
        made_[k] = piece(pool, node, arguments);
        continue;
      }
      const ExprId condition = node.condition->with(pool, arguments);
      const auto is_moving = [&](int param) { return moves(arguments[at(param)]); };
      if (pool.op(condition) != Op::Boolean &&
          std::ranges::none_of(node.condition->params(), is_moving)) {
        return {};
      }
      made_[k] = if_else(pool, IfKind::Evented, condition, made_[node.yes], made_[node.no]);
    }
    return made_.front();
  }

 private:
  struct Node {
    ExprId formula = {};              // over the parameters of the whole
    std::optional<Recipe> condition;  // none: a piece
    std::size_t yes = 0, no = 0;
    FunctionId function = {};  // of a piece that is no leaf, with the parameters that it has
    std::vector<int> params = {};
  };

  // A condition outside of all others is split first: what is inside of a branch is asked for only
  // where the branch counts.
  bool grow(Pool& pool, ExprId root, Pieces& pieces) {
    nodes_.push_back({.formula = root, .condition = {}});
    std::size_t ends = 1;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const ExprId formula = nodes_[k].formula;
      if (!pool.has(formula, kHasEvented)) {
        if (!finish(pool, nodes_[k], pieces)) return false;
        continue;
      }
      const ExprId condition = outermost(pool, formula);
      if (pool.has(condition, kHasEvented) || ++ends > kMostPieces) return false;
      nodes_[k].condition.emplace(pool, condition);
      nodes_[k].yes = nodes_.size();
      nodes_[k].no = nodes_.size() + 1;
      for (const bool holds : {true, false}) {
        const std::array<Truth, 1> mode{Truth{condition, holds}};
        const ExprId branch = select_branches(pool, std::array{formula}, mode)[0];
        nodes_.push_back({.formula = branch, .condition = {}});
      }
    }
    return true;
  }

  static ExprId outermost(const Pool& pool, ExprId e) {
    while (pool.op(e) != Op::If) {
      const Operands operands = pool.operands(e);
      int i = 0;
      while (!pool.has(operands[i], kHasEvented)) ++i;
      e = operands[i];
    }
    return pool.operand(e, 0);
  }

  bool finish(Pool& pool, Node& node, Pieces& pieces) {
    if (is_leaf(pool.op(node.formula))) return true;
    if (has_kinks(pool, node.formula)) return false;
    if (!pool.has(node.formula, kHasParam)) return true;
    const Cone cone(pool, std::array{node.formula});
    std::vector<Replacement> renamed;
    for (const ExprId e : cone.nodes()) {
      if (!is_param(pool.op(e))) continue;
      if (pool.op(e) != Op::ParamReal) return false;
      renamed.push_back({e, param_real(pool, static_cast<int>(node.params.size()))});
      node.params.push_back(pool.param(e));
    }
    const ExprId body = substitute(pool, node.formula, renamed);
    FunctionId& known = pieces[{body, node.params.size()}];
    if (!known) known = pool.add_function(static_cast<int>(node.params.size()), body);
    node.function = known;
    return true;
  }

  ExprId piece(Pool& pool, const Node& node, std::span<const ExprId> arguments) {
    if (!node.function) {
      const bool passed_on = pool.has(node.formula, kHasParam);
      return passed_on ? arguments[at(pool.param(node.formula))] : node.formula;
    }
    given_.clear();
    for (const int param : node.params) given_.push_back(arguments[at(param)]);
    return call(pool, node.function, given_);
  }

  std::vector<Node> nodes_;  // those that a condition chooses between behind it
  std::vector<ExprId> made_, given_;
};

}  // namespace

std::vector<ExprId> alternatives_of_calls(Pool& pool, std::span<const ExprId> roots,
                                          const std::function<bool(VarRef)>& moves) {
  KinkedFunctions is_kinked(pool);
  bool has_some = false;  // nearly all models have none
  for (FunctionId f{0}; f.index < pool.function_count() && !has_some; ++f.index) {
    has_some = is_kinked(f);
  }
  if (!has_some) return {roots.begin(), roots.end()};
  const auto leaf_moves = [&](ExprId e) {
    return pool.op(e) == Op::Time || (pool.op(e) == Op::Variable && moves(pool.variable(e)));
  };
  Pieces pieces;
  std::unordered_map<FunctionId, std::optional<Tree>> trees;
  const auto tree_of = [&](FunctionId f) -> Tree* {
    const auto [found, is_new] = trees.try_emplace(f);
    const ExprId body = pool.function(f).body;
    if (is_new && body && !pool.function(f).boolean && is_kinked(f)) {
      found->second = Tree::of(pool, f, pieces);
    }
    return found->second ? &*found->second : nullptr;
  };
  const auto special = [&](ExprId e, std::span<const ExprId> arguments) {
    if (pool.op(e) != Op::Call) return ExprId{};
    const auto is_simple = [&](ExprId a) { return is_leaf(pool.op(a)); };
    Tree* const tree =
        std::ranges::all_of(arguments, is_simple) ? tree_of(pool.called(e)) : nullptr;
    return tree == nullptr ? ExprId{} : tree->with(pool, arguments, leaf_moves);
  };
  return Rewrite(pool, special)
      .run(roots, nullptr, {.delayed = false, .evented_conditions = false});
}

}  // namespace chi::expr
