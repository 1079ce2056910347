#include "graph/sigma.h"

#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "graph/transversal.h"

namespace chi::graph {
namespace {

class OffsetSearch {
 public:
  OffsetSearch(const Signature& sigma, BlockTriangularForm blocks, const Matching& hint)
      : sigma_(sigma),
        pattern_(sigma.pattern),
        blocks_(std::move(blocks)),
        hint_(hint),
        cutter_(pattern_) {
    const int n = pattern_.num_eqs();
    found_ = {{n, 0}, {n, 0}, {{n, VarId{}}, {n, EqId{}}}};
    local_ = found_.c;
    local_d_ = found_.d;
    excess_ = found_.c;
  }

  Offsets run() {
    for (BlockId block{0}; block.index < blocks_.size(); ++block.index) solve_locally(block);
    // A variable also occurs in later blocks, whose differentiation demands derivatives of it.
    for (BlockId block{blocks_.size() - 1}; block; --block.index) lift(block);
    return std::move(found_);
  }

 private:
  void pair(EqId eq, VarId var) {
    found_.transversal.var_of[eq] = var;
    found_.transversal.eq_of[var] = eq;
  }

  int order(EqId eq, VarId var) const { return sigma_.order[pattern_.find_edge(eq, var)]; }

  // Transversal and canonical offsets of one block as if it were alone.
  void solve_locally(BlockId block) {
    const std::span<const EqId> eqs = blocks_.eqs_of(block);
    const std::span<const VarId> vars = blocks_.vars_of(block);
    if (eqs.size() == 1) {
      pair(eqs[0], vars[0]);
      local_d_[vars[0]] = order(eqs[0], vars[0]);
      return;
    }
    Subpattern piece = cutter_.cut(eqs, vars);
    Signature inner{std::move(piece.pattern), {}};
    inner.order.reserve(piece.outer_edge.size());
    for (const EdgeId edge : piece.outer_edge) inner.order.add(sigma_.order[edge]);
    const Transversal best = highest_transversal(inner, inner_hint(piece, vars));
    for (EqId eq{0}; eq.index < best.c.size(); ++eq.index) {
      pair(piece.outer_eq[eq], piece.outer_var[best.matching.var_of[eq]]);
      local_[piece.outer_eq[eq]] = best.c[eq];
    }
    for (VarId var{0}; var.index < best.d.size(); ++var.index) {
      local_d_[piece.outer_var[var]] = best.d[var];
    }
  }

  Matching inner_hint(const Subpattern& piece, std::span<const VarId> vars) {
    Matching hint{{piece.outer_eq.size(), VarId{}}, {}};
    if (hint_.var_of.empty()) return hint;
    // `vars` is in the order of the block; the hint's partner, if in the block, is found through
    // it.
    if (inner_var_.empty()) inner_var_ = {pattern_.num_vars(), VarId{}};
    for (std::size_t k = 0; k < vars.size(); ++k) inner_var_[vars[k]] = {static_cast<int>(k)};
    for (EqId eq{0}; eq.index < piece.outer_eq.size(); ++eq.index) {
      const EqId outer = piece.outer_eq[eq];
      if (outer.index >= hint_.var_of.size()) continue;
      const VarId partner = hint_.var_of[outer];
      if (partner && partner.index < pattern_.num_vars()) hint.var_of[eq] = inner_var_[partner];
    }
    for (const VarId var : vars) inner_var_[var] = {};
    return hint;
  }

  // Smallest offsets of the block that also satisfy the later blocks. Let r = c - local c. Then
  // c_k >= c_i + σ_ij - σ_kj, where k is matched to j, reads r_k >= r_i - slack_ij with the local
  // slack >= 0; so the smallest r comes out of one search in order of falling r. It is not
  // negative, since the local offsets are the smallest of the block alone.
  void lift(BlockId block) {
    const std::span<const EqId> eqs = blocks_.eqs_of(block);
    if (eqs.size() == 1) {
      const VarId var = found_.transversal.var_of[eqs[0]];
      found_.c[eqs[0]] = std::max(0, demand(var, block) - local_d_[var]);
      found_.d[var] = found_.c[eqs[0]] + local_d_[var];
      return;
    }
    std::priority_queue<std::pair<int, int>> queue;  // excess, equation
    for (const EqId eq : eqs) {
      const VarId var = found_.transversal.var_of[eq];
      excess_[eq] = std::max(0, demand(var, block) - local_d_[var]);
      queue.push({excess_[eq], eq.index});
    }
    while (!queue.empty()) {
      const auto [excess, index] = queue.top();
      queue.pop();
      const EqId eq{index};
      if (excess < excess_[eq]) continue;
      EdgeId edge = pattern_.first_edge(eq);
      for (const VarId var : pattern_.vars_of(eq)) {
        const int through = excess + local_[eq] + sigma_.order[edge] - local_d_[var];
        ++edge.index;
        if (blocks_.block_of_var[var] != block) continue;
        const EqId owner = found_.transversal.eq_of[var];
        if (through <= excess_[owner]) continue;
        excess_[owner] = through;
        queue.push({through, owner.index});
      }
    }
    for (const EqId eq : eqs) {
      const VarId var = found_.transversal.var_of[eq];
      found_.c[eq] = local_[eq] + excess_[eq];
      found_.d[var] = local_d_[var] + excess_[eq];
    }
  }

  // The highest derivative of `var` in the equations of other blocks, as often as these are
  // differentiated.
  int demand(VarId var, BlockId block) const {
    int highest = 0;
    const std::span<const EqId> eqs = pattern_.eqs_of(var);
    const std::span<const EdgeId> edges = pattern_.edges_of(var);
    for (std::size_t k = 0; k < eqs.size(); ++k) {
      if (blocks_.block_of[eqs[k]] == block) continue;
      highest = std::max(highest, found_.c[eqs[k]] + sigma_.order[edges[k]]);
    }
    return highest;
  }

  const Signature& sigma_;
  const Bipartite& pattern_;
  const BlockTriangularForm blocks_;
  const Matching& hint_;
  SubpatternCutter cutter_;
  Offsets found_;
  Table<EqId, int> local_;     // canonical c of each block alone
  Table<VarId, int> local_d_;  // canonical d of each block alone
  Table<EqId, int> excess_;    // r: what the later blocks add to `local_`
  Table<VarId, VarId> inner_var_;
};

}  // namespace

int Offsets::degrees_of_freedom() const {
  return std::accumulate(d.begin(), d.end(), 0) - std::accumulate(c.begin(), c.end(), 0);
}

int Offsets::structural_index() const {
  int index = 0;
  for (const int ci : c) index = std::max(index, ci);
  return index + (std::find(d.begin(), d.end(), 0) != d.end() ? 1 : 0);
}

std::optional<Offsets> find_offsets(const Signature& sigma, const Matching& hint) {
  const Matching matching = match_maximum(sigma.pattern, hint);
  if (!matching.is_perfect()) return std::nullopt;
  return OffsetSearch(sigma, block_triangular_form(sigma.pattern, matching), hint).run();
}

Bipartite jacobian_pattern(const Signature& sigma, const Offsets& offsets) {
  BipartiteBuilder tight(sigma.pattern.num_eqs(), sigma.pattern.num_vars());
  EdgeId edge{0};
  for (EqId eq{0}; eq.index < sigma.pattern.num_eqs(); ++eq.index) {
    for (const VarId var : sigma.pattern.vars_of(eq)) {
      if (offsets.d[var] - offsets.c[eq] == sigma.order[edge]) tight.add(eq, var);
      ++edge.index;
    }
  }
  return tight.build();
}

BlockTriangularForm fine_blocks(const Signature& sigma, const Offsets& offsets) {
  return block_triangular_form(jacobian_pattern(sigma, offsets), offsets.transversal);
}

Table<BlockId, int> lead_times(const BlockTriangularForm& blocks, const Offsets& offsets) {
  Table<BlockId, int> lead(blocks.size(), std::numeric_limits<int>::max());
  for (EqId eq{0}; eq.index < offsets.c.size(); ++eq.index) {
    int& least = lead[blocks.block_of[eq]];
    least = std::min(least, offsets.c[eq]);
  }
  return lead;
}

}  // namespace chi::graph
