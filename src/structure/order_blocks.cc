#include <algorithm>
#include <utility>

#include "base/check.h"
#include "expr/cone.h"
#include "expr/incidence.h"
#include "graph/block_triangular.h"
#include "graph/dulmage_mendelsohn.h"
#include "structure/analyse.h"

namespace chi::structure {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool precedes(const BlockOrder::Row& a, const BlockOrder::Row& b) {
  return std::pair(a.row, a.order) < std::pair(b.row, b.order);
}

// The rows f_i^(k) and the values x_j^(k) that are not given, numbered.
class Ordering {
 public:
  Ordering(const expr::Pool& pool, const Analysis& analysis, std::span<const VarRef> given,
           std::span<const BlockOrder::Row> without)
      : pool_(pool), analysis_(analysis) {
    for (std::size_t i = 0; i < analysis.kept.size(); ++i) {
      for (std::int32_t k = 0; k <= analysis.c[i]; ++k) {
        const BlockOrder::Row row{analysis.kept[i], k, analysis.derivatives[i][at(k)]};
        if (!std::binary_search(without.begin(), without.end(), row, precedes))
          rows_.push_back(row);
      }
    }
    auto next = given.begin();
    for (std::size_t j = 0; j < analysis.unknowns.size(); ++j) {
      first_.push_back(static_cast<std::int32_t>(number_.size()));
      for (std::int32_t k = 0; k <= analysis.d[j]; ++k) {
        const VarRef x{analysis.unknowns[j], k};
        while (next != given.end() && *next < x) ++next;
        const bool is_given = next != given.end() && *next == x;
        number_.push_back(is_given ? -1 : static_cast<std::int32_t>(values_.size()));
        if (!is_given) values_.push_back(x);
      }
    }
    first_.push_back(static_cast<std::int32_t>(number_.size()));
  }

  BlockOrder run() {
    const graph::Bipartite pattern = find_pattern();
    const graph::Matching matching = graph::match_maximum(pattern);
    BlockOrder order;
    if (matching.is_perfect()) {
      write_blocks(graph::block_triangular_form(pattern, matching), order);
      return order;
    }
    const graph::DulmageMendelsohn parts = graph::dulmage_mendelsohn(pattern, matching);
    graph::Matching well = matching;
    for (graph::EqId eq{0}; eq.index < pattern.num_eqs(); ++eq.index) {
      if (parts.eq_part[eq] == graph::Part::Well) continue;
      well.var_of[eq] = {};
      auto& to = parts.eq_part[eq] == graph::Part::Over ? order.over_rows : order.under_rows;
      to.push_back(rows_[at(eq.index)]);
    }
    for (graph::VarId var{0}; var.index < pattern.num_vars(); ++var.index) {
      if (parts.var_part[var] == graph::Part::Well) continue;
      well.eq_of[var] = {};
      auto& to =
          parts.var_part[var] == graph::Part::Over ? order.over_unknowns : order.under_unknowns;
      to.push_back(values_[at(var.index)]);
    }
    write_blocks(graph::block_triangular_form(pattern, well), order);
    return order;
  }

 private:
  graph::Bipartite find_pattern() const {
    std::vector<ExprId> roots;
    for (const BlockOrder::Row& row : rows_) roots.push_back(row.expr);
    const expr::Occurrences occurrences = expr::variables(pool_, roots);
    graph::BipartiteBuilder builder(static_cast<int>(rows_.size()),
                                    static_cast<int>(values_.size()));
    builder.reserve(static_cast<int>(occurrences.node.size()));
    expr::NodeIndex seen(pool_.size());  // number + 1, 0 for what is known
    for (std::int32_t i = 0; i < occurrences.rows(); ++i) {
      for (const ExprId node : occurrences.row(i)) {
        std::int32_t number = seen.find(node);
        if (number < 0) {
          number = number_of(pool_.variable(node)) + 1;
          seen.set(node, number);
        }
        if (number > 0) builder.add({i}, {number - 1});
      }
    }
    return builder.build();
  }

  std::int32_t number_of(VarRef x) const {
    const int j = analysis_.unknown_index(x.var);
    if (j < 0) return -1;
    CHI_CHECK(x.order <= analysis_.d[at(j)], "a derivative beyond the offsets");
    return number_[at(first_[at(j)] + x.order)];
  }

  void write_blocks(const graph::BlockTriangularForm& form, BlockOrder& order) const {
    for (const graph::EqId eq : form.eqs) order.rows.push_back(rows_[at(eq.index)]);
    for (const graph::VarId var : form.vars) order.unknowns.push_back(values_[at(var.index)]);
    for (graph::BlockId b{0}; b.index < form.size(); ++b.index) {
      const int start = form.start[b];
      order.blocks.push_back({start, form.start[{b.index + 1}] - start});
    }
  }

  const expr::Pool& pool_;
  const Analysis& analysis_;
  std::vector<BlockOrder::Row> rows_;
  std::vector<VarRef> values_;
  std::vector<std::int32_t> first_;   // per unknown, into `number_`
  std::vector<std::int32_t> number_;  // per x_j^(k), into `values_`; -1 if given
};

}  // namespace

BlockOrder order_blocks(const expr::Pool& pool, const Analysis& analysis,
                        std::span<const VarRef> given, std::span<const BlockOrder::Row> without) {
  return Ordering(pool, analysis, given, without).run();
}

}  // namespace chi::structure
