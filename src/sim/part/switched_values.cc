#include "sim/part/switched_values.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "expr/build.h"
#include "expr/incidence.h"
#include "expr/substitute.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::Op;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// A row with more conditions, or so many rows with several, that trying all their values would
/// take long: left as they are.
constexpr std::size_t kMostConditions = 4;
constexpr std::int64_t kMostWork = 200'000'000;

class Switches {
 public:
  Switches(expr::Pool& pool, std::vector<ExprId> rows, std::span<const char> can_be_unknown)
      : pool_(pool), rows_(std::move(rows)), can_be_unknown_(can_be_unknown) {}

  std::vector<ExprId> run() {
    found_ = expr::occurrences(
        pool_, rows_, {},
        [&](ExprId e) {
          return pool_.op(e) == Op::If && !pool_.has(e, expr::kBoolean) ? e : ExprId{};
        },
        expr::kHasEvented);
    find_plain();
    if (plain_.empty()) return std::move(rows_);
    std::vector<std::size_t> chosen;
    std::vector<ExprId> roots;
    const std::vector<char> even = find_even();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!even[i]) continue;
      chosen.push_back(i);
      roots.push_back(rows_[i]);
    }
    std::vector<expr::Replacement> replacements;
    for (const auto& [evented, plain] : plain_) replacements.push_back({evented, plain});
    roots = expr::substitute(pool_, roots, replacements);
    for (std::size_t k = 0; k < chosen.size(); ++k) rows_[chosen[k]] = roots[k];
    return std::move(rows_);
  }

 private:
  bool is_unknown(ExprId leaf) const {
    return can_be_unknown_[at(pool_.variable(leaf).var.index)] != 0;
  }

  /// The `if`s that may become plain, with their plain forms; inner ones first.
  void find_plain() {
    std::vector<ExprId> nodes = found_.node;
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::vector<ExprId> parts;
    for (const ExprId e : nodes) {
      for (int i = 0; i < 3; ++i) parts.push_back(pool_.operand(e, i));
    }
    const expr::Occurrences known = expr::occurrences(pool_, parts, {}, [&](ExprId e) {
      const Op op = pool_.op(e);
      const bool moves = (op == Op::Variable && is_unknown(e)) || op == Op::Delay;
      return moves || op == Op::If || op == Op::NoAlternative ? e : ExprId{};
    });
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const auto part = [&](int i) { return known.row(static_cast<int>(3 * k) + i); };
      const bool is_still =
          part(0).empty() && !pool_.has(pool_.operand(nodes[k], 0), expr::kHasTime);
      const auto is_plain = [&](ExprId inner) { return plain_.count(inner) != 0; };
      if (!is_still || !std::ranges::all_of(part(1), is_plain) ||
          !std::ranges::all_of(part(2), is_plain)) {
        continue;
      }
      const auto inside = [&](int i) {
        std::vector<expr::Replacement> inner;
        for (const ExprId e : part(i)) inner.push_back({e, plain_.at(e)});
        const ExprId operand = pool_.operand(nodes[k], i);
        return inner.empty() ? operand : expr::substitute(pool_, operand, inner);
      };
      plain_.emplace(nodes[k], expr::if_else(pool_, expr::IfKind::Plain, pool_.operand(nodes[k], 0),
                                             inside(1), inside(2)));
    }
  }

  /// The conditions of its plain `if`s, each once.
  std::vector<ExprId> conditions_of(std::size_t row) const {
    std::vector<ExprId> result;
    for (const ExprId e : found_.row(static_cast<int>(row))) {
      if (plain_.count(e) != 0) result.push_back(pool_.operand(e, 0));
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  std::vector<std::vector<ExprId>> unknowns_of(std::span<const ExprId> rows) const {
    const expr::Occurrences leaves = expr::variables(pool_, rows);
    std::vector<std::vector<ExprId>> result(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const ExprId leaf : leaves.row(static_cast<int>(i))) {
        if (is_unknown(leaf)) result[i].push_back(leaf);
      }
    }
    return result;
  }

  /// Per row: it has plain `if`s, and the same unknowns whatever they choose.
  std::vector<char> find_even() {
    std::vector<char> even(rows_.size(), 0);
    std::vector<expr::Truth> all;
    std::vector<std::size_t> single, several;
    std::vector<ExprId> single_rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::vector<ExprId> mine = conditions_of(i);
      if (mine.empty() || mine.size() > kMostConditions) continue;
      (mine.size() == 1 ? single : several).push_back(i);
      if (mine.size() != 1) continue;
      single_rows.push_back(rows_[i]);
      all.push_back({mine[0], true});
    }
    const auto here = unknowns_of(single_rows);
    for (std::size_t k = 0; k < single.size(); ++k) even[single[k]] = 1;
    for (const bool holds : {true, false}) {
      for (expr::Truth& t : all) t.holds = holds;
      const auto then = unknowns_of(expr::select_branches(pool_, single_rows, all));
      for (std::size_t k = 0; k < single.size(); ++k) {
        if (then[k] != here[k]) even[single[k]] = 0;
      }
    }
    std::int64_t work = 0;
    for (const std::size_t i : several) {
      work += pool_.size() << conditions_of(i).size();
      if (work > kMostWork) break;
      even[i] = is_even(i) ? 1 : 0;
    }
    return even;
  }

  bool is_even(std::size_t row) {
    const std::vector<ExprId> mine = conditions_of(row);
    const std::vector<ExprId> root = {rows_[row]};
    const auto here = unknowns_of(root);
    for (std::size_t choice = 0; choice < (std::size_t{1} << mine.size()); ++choice) {
      std::vector<expr::Truth> truths;
      for (std::size_t k = 0; k < mine.size(); ++k) {
        truths.push_back({mine[k], ((choice >> k) & 1) != 0});
      }
      if (unknowns_of(expr::select_branches(pool_, root, truths)) != here) return false;
    }
    return true;
  }

  expr::Pool& pool_;
  std::vector<ExprId> rows_;
  std::span<const char> can_be_unknown_;
  expr::Occurrences found_;  // the evented `if`s of each row
  std::unordered_map<ExprId, ExprId> plain_;
};

}  // namespace

std::vector<ExprId> plain_switches(expr::Pool& pool, std::vector<ExprId> rows,
                                   std::span<const char> can_be_unknown) {
  return Switches(pool, std::move(rows), can_be_unknown).run();
}

}  // namespace chi::sim
