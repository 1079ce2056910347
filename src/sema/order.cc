#include "sema/order.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/uses.h"

namespace chi::sema {
namespace {

class Components {
 public:
  explicit Components(Context& c)
      : c_(c),
        uses_(c.ast.definitions.size()),
        number_(uses_.size(), -1),
        low_(uses_.size(), -1),
        on_stack_(uses_.size(), 0) {}

  std::vector<DefinitionGroup> find() {
    for (std::size_t d = 0; d < uses_.size(); ++d) {
      if (!is_node(d)) continue;
      c_.enter_file(c_.ast.definitions[d].file);
      uses_[d] = uses_of(c_, static_cast<std::int32_t>(d));
    }
    for (std::size_t d = 0; d < uses_.size(); ++d) {
      if (is_node(d) && number_[d] < 0) search(d);
    }
    return std::move(groups_);
  }

 private:
  struct Visit {
    std::size_t definition;
    std::size_t next;
  };

  const auto& node(std::size_t d) const { return c_.ast.definitions[d].node; }
  bool is_func(std::size_t d) const { return std::holds_alternative<syntax::FuncDef>(node(d)); }
  bool is_node(std::size_t d) const {
    return is_func(d) || std::holds_alternative<syntax::TypeDef>(node(d)) ||
           std::holds_alternative<syntax::ConstDef>(node(d));
  }

  void enter(std::size_t d, std::vector<Visit>& path) {
    number_[d] = low_[d] = count_++;
    stack_.push_back(d);
    on_stack_[d] = 1;
    path.push_back({d, 0});
  }

  void search(std::size_t start) {
    std::vector<Visit> path;
    enter(start, path);
    while (!path.empty()) {
      Visit& top = path.back();
      const std::size_t d = top.definition;
      if (top.next < uses_[d].size()) {
        const auto used = static_cast<std::size_t>(uses_[d][top.next++].definition);
        if (!is_node(used)) continue;
        if (number_[used] < 0) {
          enter(used, path);
        } else if (on_stack_[used]) {
          low_[d] = std::min(low_[d], number_[used]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) {
        const std::size_t parent = path.back().definition;
        low_[parent] = std::min(low_[parent], low_[d]);
      }
      if (low_[d] == number_[d]) close(d);
    }
  }

  void close(std::size_t root) {
    DefinitionGroup group;
    while (true) {
      const std::size_t d = stack_.back();
      stack_.pop_back();
      on_stack_[d] = 0;
      group.definitions.push_back(static_cast<std::int32_t>(d));
      if (d == root) break;
    }
    std::sort(group.definitions.begin(), group.definitions.end());
    group.cyclic = is_cyclic(group.definitions);
    if (group.cyclic) report(group.definitions);
    for (std::int32_t member : group.definitions) {
      for (const Use& use : uses_[static_cast<std::size_t>(member)]) {
        if (!std::ranges::binary_search(group.definitions, use.definition)) {
          group.needs.push_back(use.definition);
        }
      }
    }
    std::sort(group.needs.begin(), group.needs.end());
    group.needs.erase(std::unique(group.needs.begin(), group.needs.end()), group.needs.end());
    groups_.push_back(std::move(group));
  }

  bool is_cyclic(const std::vector<std::int32_t>& members) const {
    const auto d = static_cast<std::size_t>(members[0]);
    if (std::ranges::all_of(members,
                            [&](auto m) { return is_func(static_cast<std::size_t>(m)); })) {
      return false;
    }
    if (members.size() > 1) return true;
    return std::ranges::any_of(uses_[d], [&](const Use& u) { return u.definition == members[0]; });
  }

  /// A shortest cycle through the first type or constant of the component.
  void report(const std::vector<std::int32_t>& members) {
    std::size_t start = 0;
    while (is_func(static_cast<std::size_t>(members[start]))) ++start;
    const std::int32_t first = members[start];
    std::unordered_map<std::int32_t, Use> reached_by;  // the use in the definition before it
    std::vector<std::int32_t> queue{first};
    for (std::size_t i = 0; i < queue.size() && !reached_by.contains(first); ++i) {
      for (const Use& use : uses_[static_cast<std::size_t>(queue[i])]) {
        if (!std::ranges::binary_search(members, use.definition)) continue;
        const Use back{queue[i], use.span};
        if (reached_by.emplace(use.definition, back).second) queue.push_back(use.definition);
      }
    }
    const auto self = [&](std::int32_t d) {
      return c_.model.definitions[static_cast<std::size_t>(d)].self;
    };
    const std::string_view name = c_.name_of(self(first));
    Diagnostic d{.code = DiagCode::DependsOnItself,
                 .span = c_.model.decls[self(first)].span,
                 .message = fmt::format("`{}` depends on itself", name)};
    std::int32_t at = first;
    do {
      const Use use = reached_by.at(at);
      d.labels.push_back({use.span, fmt::format("`{}` needs `{}`", c_.name_of(self(use.definition)),
                                                c_.name_of(self(at)))});
      at = use.definition;
    } while (at != first && d.labels.size() < 5);
    std::reverse(d.labels.begin(), d.labels.end());
    c_.report(std::move(d));
  }

  Context& c_;
  std::vector<std::vector<Use>> uses_;
  std::vector<int> number_, low_;
  std::vector<std::uint8_t> on_stack_;
  std::vector<std::size_t> stack_;
  std::vector<DefinitionGroup> groups_;
  int count_ = 0;
};

}  // namespace

std::vector<DefinitionGroup> definition_order(Context& c) { return Components(c).find(); }

}  // namespace chi::sema
