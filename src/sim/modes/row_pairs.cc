#include <algorithm>
#include <array>

#include "expr/incidence.h"
#include "graph/bipartite.h"
#include "graph/matching.h"
#include "sim/modes/part.h"

// Which equation of an alternative takes the place of which in another one. The order in which they
// are written says so where it can: equations that are combined or chosen between must have an
// unknown in common to determine. Where it does not, as in
// `[ c -> a = 1, b = 2 | true -> b = 0, a = 0 ]`, those are paired that do have one.
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

/// What a row can determine: derivatives and declared unknowns. Ascending.
std::vector<VarRef> Part::determined_by(ExprId row, const ModeEquations& mode) const {
  std::vector<VarRef> result;
  for (const ExprId node : expr::variables(workshop_.pool(), std::array{row}).node) {
    const VarRef x = workshop_.pool().variable(node);
    const std::vector<expr::VarId>& declared = mode.system.declared;
    const bool is_declared = std::binary_search(declared.begin(), declared.end(), x.var);
    if (x.order > 0 || is_declared) result.push_back(x);
  }
  std::ranges::sort(result);
  return result;
}

void Part::pair_rows(const ModeEquations& with, ModeEquations& mode) const {
  const flat::EquationSet& set = equations_.set;
  const auto choice_of = [&](std::int32_t e) {
    const flat::BranchId branch = e < 0 ? flat::BranchId{} : set.equations[{e}].branch;
    return branch ? set.branches[branch].choice : flat::ChoiceId{};
  };
  const std::size_t count = std::min(with.equations.size(), mode.equations.size());
  for (std::size_t first = 0, end = 0; first < count; first = std::max(end, first + 1)) {
    const flat::ChoiceId choice = choice_of(with.equations[first]);
    end = first;
    while (end < count && with.equations[end] != mode.equations[end] && choice &&
           choice_of(with.equations[end]) == choice && choice_of(mode.equations[end]) == choice) {
      ++end;
    }
    if (end - first > 1) pair_rows(with, mode, first, end - first);
  }
}

void Part::pair_rows(const ModeEquations& with, ModeEquations& mode, std::size_t first,
                     std::size_t count) const {
  std::vector<std::vector<VarRef>> there, here;
  for (std::size_t i = first; i < first + count; ++i) {
    there.push_back(determined_by(with.system.rows[i], with));
    here.push_back(determined_by(mode.system.rows[i], mode));
  }
  const auto share = [](const std::vector<VarRef>& a, const std::vector<VarRef>& b) {
    return std::ranges::any_of(a, [&](VarRef x) { return std::ranges::binary_search(b, x); });
  };
  graph::BipartiteBuilder builder(static_cast<int>(count), static_cast<int>(count));
  graph::Matching as_written;
  bool all_share = true;
  for (std::int32_t i = 0; at(i) < count; ++i) {
    as_written.var_of.add({i});
    as_written.eq_of.add({i});
    all_share = all_share && share(there[at(i)], here[at(i)]);
    for (std::int32_t j = 0; at(j) < count; ++j) {
      if (share(there[at(i)], here[at(j)])) builder.add({i}, {j});
    }
  }
  if (all_share) return;
  const graph::Matching pairs = graph::match_maximum(builder.build(), as_written);
  if (!pairs.is_perfect()) return;
  const ModeEquations old = mode;
  for (std::int32_t i = 0; at(i) < count; ++i) {
    const std::size_t from = first + at(pairs.var_of[{i}].index);
    mode.system.rows[first + at(i)] = old.system.rows[from];
    mode.equations[first + at(i)] = old.equations[from];
  }
}

}  // namespace chi::sim
