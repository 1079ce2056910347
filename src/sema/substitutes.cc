#include "sema/substitutes.h"

#include <map>

#include <fmt/format.h>

#include "sema/paths.h"
#include "syntax/children.h"

namespace chi::sema {
namespace {

using Steps = std::vector<std::int64_t>;

/// A graph of the substituted paths. A node is either a substitute equation or a path above some:
/// reading `x` reads `x.0`, if that is substituted.
class SubstituteGraph {
 public:
  SubstituteGraph(Context& c, std::span<const syntax::Substitute> substitutes)
      : c_(c), substitutes_(substitutes) {}

  void check() {
    for (const syntax::Substitute& s : substitutes_) add_target(s);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].equation >= 0) add_reads(static_cast<int>(i));
    }
    find_cycles();
  }

 private:
  struct Node {
    int equation = -1;  // none for a path above equations
    std::vector<int> reads;
    enum { New, Active, Done } state = New;
  };

  int add_node(int equation) {
    nodes_.push_back({equation, {}, Node::New});
    return static_cast<int>(nodes_.size()) - 1;
  }

  const syntax::Substitute& equation_of(int node) const {
    return substitutes_[static_cast<std::size_t>(nodes_[static_cast<std::size_t>(node)].equation)];
  }

  /// The first equation at or below a node.
  int some_equation(int node) const {
    while (nodes_[static_cast<std::size_t>(node)].equation < 0) {
      node = nodes_[static_cast<std::size_t>(node)].reads[0];
    }
    return node;
  }

  void add_target(const syntax::Substitute& s) {
    const PathKey key = path_key(c_, s.target);
    if (key.steps.empty() || !key.exact) return;
    Steps prefix = key.steps;
    for (; prefix.size() >= 2; prefix.pop_back()) {
      if (const auto found = targets_.find(prefix); found != targets_.end()) {
        return report_duplicate(s, found->second);
      }
    }
    if (const auto found = above_.find(key.steps); found != above_.end()) {
      return report_duplicate(s, some_equation(found->second));
    }
    const int node = add_node(static_cast<int>(&s - substitutes_.data()));
    targets_.emplace(key.steps, node);
    add_above(key.steps, node);
  }

  void add_above(Steps prefix, int below) {
    for (prefix.pop_back(); prefix.size() >= 2; prefix.pop_back()) {
      const auto found = above_.find(prefix);
      if (found != above_.end()) {
        nodes_[static_cast<std::size_t>(found->second)].reads.push_back(below);
        return;
      }
      const int node = add_node(-1);
      nodes_[static_cast<std::size_t>(node)].reads.push_back(below);
      above_.emplace(prefix, node);
      below = node;
    }
  }

  void report_duplicate(const syntax::Substitute& s, int first) {
    c_.report({.code = DiagCode::DuplicateSubstitute,
               .span = c_.span(s.target),
               .message = fmt::format("`{}` is substituted twice", path_text(c_, s.target)),
               .labels = {{c_.span(equation_of(first).target), "first substituted here"}}});
  }

  /// The paths that the value of an equation reads, and the indices on them.
  void add_reads(int node) {
    std::vector<ExprId> pending{equation_of(node).value};
    while (!pending.empty()) {
      ExprId expr = pending.back();
      pending.pop_back();
      if (!expr) continue;
      if (looks_back(expr)) continue;
      const bool is_path = whole_of(c_.ast, expr) || c_.node<syntax::Name>(expr);
      if (!is_path || !root_of(c_, expr)) {
        syntax::append_children(c_.ast, expr, pending);
        continue;
      }
      add_read(node, path_key(c_, expr));
      for (; expr; expr = whole_of(c_.ast, expr)) {
        if (const auto* n = c_.node<syntax::Index>(expr)) pending.push_back(n->index);
      }
    }
  }

  /// `pre(v)` reads what v was: a cycle through it is memory.
  bool looks_back(ExprId expr) const {
    const auto* call = c_.node<syntax::Call>(expr);
    if (call == nullptr) return false;
    const auto* builtin = std::get_if<Builtin>(&c_.model.resolution[call->callee]);
    return builtin != nullptr && *builtin == Builtin::Pre;
  }

  void add_read(int node, PathKey key) {
    std::vector<int>& reads = nodes_[static_cast<std::size_t>(node)].reads;
    if (key.exact) {
      const auto found = above_.find(key.steps);
      if (found != above_.end()) reads.push_back(found->second);
    }
    for (; key.steps.size() >= 2; key.steps.pop_back()) {
      const auto found = targets_.find(key.steps);
      if (found != targets_.end()) reads.push_back(found->second);
    }
  }

  void find_cycles() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].state == Node::New) search(static_cast<int>(i));
    }
  }

  void search(int start) {
    struct Visit {
      int node;
      std::size_t next;
    };
    std::vector<Visit> path{{start, 0}};
    nodes_[static_cast<std::size_t>(start)].state = Node::Active;
    while (!path.empty()) {
      Visit& top = path.back();
      Node& node = nodes_[static_cast<std::size_t>(top.node)];
      if (top.next == node.reads.size()) {
        node.state = Node::Done;
        path.pop_back();
        continue;
      }
      const int read = node.reads[top.next++];
      Node& other = nodes_[static_cast<std::size_t>(read)];
      if (other.state == Node::Active) {
        std::vector<int> cycle;
        for (auto v = path.rbegin(); cycle.empty() || cycle.back() != read; ++v) {
          cycle.push_back(v->node);
        }
        report_cycle({cycle.rbegin(), cycle.rend()});
      } else if (other.state == Node::New) {
        other.state = Node::Active;
        path.push_back({read, 0});
      }
    }
  }

  void report_cycle(const std::vector<int>& cycle) {
    constexpr std::size_t kMostShown = 10;
    Diagnostic d{.code = DiagCode::SubstituteCycle};
    std::string text;
    std::string first;
    for (int node : cycle) {
      if (d.labels.size() == kMostShown) {
        text += "... <- ";
        break;
      }
      if (nodes_[static_cast<std::size_t>(node)].equation < 0) continue;
      const ExprId target = equation_of(node).target;
      const std::string name = path_text(c_, target);
      if (first.empty()) {
        first = name;
        d.span = c_.span(target);
      } else {
        d.labels.push_back({c_.span(target), "and this one"});
      }
      text += fmt::format("`{}` <- ", name);
    }
    d.message = fmt::format("substitute equations form a cycle: {}`{}`", text, first);
    c_.report(std::move(d));
  }

  Context& c_;
  std::span<const syntax::Substitute> substitutes_;
  std::vector<Node> nodes_;
  std::map<Steps, int> targets_;
  std::map<Steps, int> above_;
};

}  // namespace

void check_substitutes(Context& c, std::span<const syntax::Substitute> substitutes) {
  SubstituteGraph(c, substitutes).check();
}

}  // namespace chi::sema
