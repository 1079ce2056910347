#include "code/formulas_contexts.h"

#include <algorithm>

namespace chi::code {
namespace {

using expr::Op;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class Assignment {
 public:
  Assignment(const Terms& terms, const expr::Pool& pool) : terms_(terms), pool_(pool) {
    const std::size_t n = at(terms.size());
    result_.of.assign(n, -1);
    result_.branches.resize(n);
    result_.uses.assign(n, 0);
    result_.outlives.assign(n, 0);
    needs_.assign(n, -1);
    result_.contexts.emplace_back();
  }

  // Descending, so that all that need a term are known when it is met.
  Contexts run() {
    for (const std::int32_t root : terms_.roots) {
      use(root, 0);
      result_.outlives[at(root)] = 1;
    }
    for (std::int32_t t = terms_.size() - 1; t >= 0; --t) {
      if (needs_[at(t)] < 0 || terms_.is_given(t)) continue;
      place(t);
      use_operands(t);
    }
    return std::move(result_);
  }

 private:
  struct Need {
    std::int32_t context = -1;
    std::int32_t next = -1;
  };

  void use(std::int32_t t, std::int32_t context) {
    ++result_.uses[at(t)];
    std::int32_t& first = needs_[at(t)];
    if (first >= 0 && need_pool_[at(first)].context == context) return;
    need_pool_.push_back({context, first});
    first = static_cast<std::int32_t>(need_pool_.size()) - 1;
  }

  void use_operands(std::int32_t t) {
    const Term& term = terms_[t];
    const std::int32_t here = result_.of[at(t)];
    if (term.op == Op::NoAlternative) return;
    if (term.op == Op::Call) {
      for (std::int32_t i = 0; i < term.c; ++i) use(terms_.arguments[at(term.b + i)], here);
      return;
    }
    use(term.a, here);
    if (term.op == Op::And || term.op == Op::Or) {
      result_.branches[at(t)].first = use_in_branch(term.b, here);
    } else if (expr::is_if(term.op)) {
      result_.branches[at(t)].first = use_in_branch(term.b, here);
      result_.branches[at(t)].second = use_in_branch(term.c, here);
      const auto [then, otherwise] = result_.branches[at(t)];
      if (then >= 0 && otherwise >= 0) result_.contexts[at(otherwise)].twin = true;
    } else if (expr::is_binary(term.op) || expr::is_relation(term.op)) {
      use(term.b, here);
    }
  }

  std::int32_t use_in_branch(std::int32_t t, std::int32_t here) {
    if (terms_.is_given(t)) {
      use(t, here);
      return -1;
    }
    const std::int32_t branch = add_context(here, false);
    use(t, branch);
    return branch;
  }

  std::int32_t add_context(std::int32_t parent, bool shared) {
    std::vector<Contexts::Context>& all = result_.contexts;
    const auto id = static_cast<std::int32_t>(all.size());
    const Contexts::Context& above = all[at(parent)];
    const Contexts::Context& up = all[at(above.jump)];
    const bool far = above.depth - up.depth == up.depth - all[at(up.jump)].depth;
    all.push_back({.parent = parent,
                   .routine = shared ? id : above.routine,
                   .items = -1,
                   .shared = shared,
                   .twin = false,
                   .depth = above.depth + 1,
                   .jump = far ? up.jump : parent});
    return id;
  }

  // By the skew-binary jump pointers of Myers, "An applicative random-access stack" (1983):
  // O(log depth).
  std::int32_t common_ancestor(std::int32_t a, std::int32_t b) const {
    const std::vector<Contexts::Context>& all = result_.contexts;
    if (all[at(a)].depth < all[at(b)].depth) std::swap(a, b);
    while (all[at(a)].depth > all[at(b)].depth)
      a = all[at(all[at(a)].jump)].depth >= all[at(b)].depth ? all[at(a)].jump : all[at(a)].parent;
    while (a != b) {
      const bool far = all[at(a)].jump != all[at(b)].jump;
      a = far ? all[at(a)].jump : all[at(a)].parent;
      b = far ? all[at(b)].jump : all[at(b)].parent;
    }
    return a;
  }

  void place(std::int32_t t) {
    std::vector<std::int32_t>& needs = scratch_;
    needs.clear();
    for (std::int32_t n = needs_[at(t)]; n >= 0; n = need_pool_[at(n)].next)
      needs.push_back(need_pool_[at(n)].context);
    std::sort(needs.begin(), needs.end());
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    std::int32_t common = needs[0];
    for (const std::int32_t context : needs) common = common_ancestor(common, context);
    std::int32_t& home = result_.of[at(t)];
    if (std::binary_search(needs.begin(), needs.end(), common) || is_cheap(t) ||
        both_branches(needs, common)) {
      home = common;
    } else {
      home = add_context(common, true);
      for (const std::int32_t context : needs) add_item(context, t, home);
    }
    add_item(home, t, -1);
    for (const std::int32_t context : needs) {
      if (result_.contexts[at(context)].routine != result_.contexts[at(home)].routine)
        result_.outlives[at(t)] = 1;
    }
  }

  void add_item(std::int32_t context, std::int32_t t, std::int32_t demand) {
    std::int32_t& first = result_.contexts[at(context)].items;
    result_.items.push_back({t, first, demand});
    first = static_cast<std::int32_t>(result_.items.size()) - 1;
  }

  // What both branches of an `if` need is needed whenever the `if` is.
  bool both_branches(const std::vector<std::int32_t>& needs, std::int32_t common) const {
    for (std::size_t i = 1; i < needs.size(); ++i) {
      const Contexts::Context& context = result_.contexts[at(needs[i])];
      if (needs[i] == needs[i - 1] + 1 && context.twin && context.parent == common) return true;
    }
    return false;
  }

  // One operation on given numbers that always has a value: cheaper than to ask for it.
  bool is_cheap(std::int32_t t) const {
    const Term& term = terms_[t];
    if (!pool_.has(term.where, expr::kTotal)) return false;
    switch (term.op) {
      case Op::Neg:
      case Op::Abs:
      case Op::Not: return terms_.is_given(term.a);
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Less:
      case Op::LessEqual:
      case Op::Greater:
      case Op::GreaterEqual: return terms_.is_given(term.a) && terms_.is_given(term.b);
      default: return false;
    }
  }

  const Terms& terms_;
  const expr::Pool& pool_;
  Contexts result_;
  std::vector<std::int32_t> needs_;  // by term: the first of the contexts that need it
  std::vector<Need> need_pool_;
  std::vector<std::int32_t> scratch_;
};

}  // namespace

Contexts assign_contexts(const Terms& terms, const expr::Pool& pool) {
  return Assignment(terms, pool).run();
}

}  // namespace chi::code
