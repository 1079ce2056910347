#include "structure/instant.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "graph/matching.h"
#include "structure/row_matrix.h"

namespace chi::structure {
namespace {

using expr::ExprId;
using expr::VarId;
using expr::VarRef;
using Row = BlockOrder::Row;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr std::size_t kGroupsTried = 8;

bool has(const std::vector<VarId>& ascending, VarId v) {
  return std::binary_search(ascending.begin(), ascending.end(), v);
}

class InstantOrdering {
 public:
  InstantOrdering(expr::Pool& pool, const InstantSystem& instant)
      : pool_(pool),
        system_(instant.system),
        instant_(instant),
        incidence_(expr::incidence(pool, instant.system.rows)) {
    moving_ = unknowns(instant.declared_to_last, rows() - instant.added);
    unknowns_ = unknowns(system_.declared, rows());
  }

  InstantOrder run() {
    const std::size_t groups = instant_.passing.size();
    InstantOrder first = ordered(groups == 0 ? 0 : groups - 1);
    for (std::size_t k = 2; k <= std::min(groups, kGroupsTried); ++k) {
      if (first.order.is_square()) break;
      InstantOrder found = ordered(groups - k);
      if (found.order.is_square()) return found;
    }
    return first;
  }

 private:
  // Of the IVP of the first rows.
  std::vector<VarId> unknowns(std::vector<VarId> found, std::int32_t count) const {
    for (std::int32_t r = 0; r < count; ++r) {
      for (const VarRef x : incidence_.row(r)) {
        if (x.order > 0) found.push_back(x.var);
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  std::int32_t rows() const { return static_cast<std::int32_t>(system_.rows.size()); }

  // With this group as the last of the passing ones.
  InstantOrder ordered(std::size_t last_group) {
    redundant_.assign(system_.rows.size(), 0);
    for (;;) {
      lasting_ = lasting_rows(last_group);
      if (lasting_.size() < moving_.size()) break;  // there is no IVP
      System motion;
      for (const std::int32_t r : lasting_) motion.rows.push_back(system_.rows[at(r)]);
      motion.declared = instant_.declared_to_last;
      Analysis analysis = analyse(pool_, motion);
      if (!analysis.singular) return combined(std::move(analysis));
      if (analysis.singular->kind != Singular::Kind::Under || analysis.redundant.empty()) break;
      // Rows that say nothing stood in the place of others.
      for (const std::int32_t k : analysis.redundant) redundant_[at(lasting_[at(k)])] = 1;
    }
    redundant_.assign(system_.rows.size(), 0);
    lasting_.clear();
    return combined({});
  }

  // A largest set of rows that can be matched to unknowns of the IVP, passing ones only where the
  // others do not reach: what comes later is matched on top of what is matched already.
  std::vector<std::int32_t> lasting_rows(std::size_t last_group) const {
    enum Stage : char { Lasting, Passing, LastPassing, Added, Stages };
    std::vector<Stage> stage(system_.rows.size(), Lasting);
    for (std::size_t g = 0; g < instant_.passing.size(); ++g) {
      for (const std::int32_t r : instant_.passing[g]) {
        stage[at(r)] = g == last_group ? LastPassing : Passing;
      }
    }
    for (std::int32_t r = rows() - instant_.added; r < rows(); ++r) stage[at(r)] = Added;
    graph::Matching matching;
    for (int last = Lasting; last < Stages; ++last) {
      if (last > Lasting && matching.size() == std::ssize(moving_)) break;
      graph::BipartiteBuilder builder(rows(), static_cast<int>(moving_.size()));
      for (std::int32_t r = 0; r < rows(); ++r) {
        if (stage[at(r)] > last || redundant_[at(r)]) continue;
        for (const VarRef x : incidence_.row(r)) add(builder, r, x.var);
      }
      matching = graph::match_maximum(builder.build(), matching);
    }
    std::vector<std::int32_t> result;
    for (std::int32_t r = 0; r < rows(); ++r) {
      if (matching.var_of[{r}]) result.push_back(r);
    }
    return result;
  }

  void add(graph::BipartiteBuilder& builder, std::int32_t row, VarId v) const {
    const auto place = std::lower_bound(moving_.begin(), moving_.end(), v);
    if (place == moving_.end() || *place != v) return;
    builder.add({row}, {static_cast<std::int32_t>(place - moving_.begin())});
  }

  // The rows of the motion with their derivatives, and the others.
  InstantOrder combined(Analysis motion) {
    for (std::size_t j = 0; j < motion.unknowns.size(); ++j) {
      motion.is_declared[j] = has(system_.declared, motion.unknowns[j]) ? 1 : 0;
    }
    raise(motion);
    InstantOrder result;
    Analysis& all = result.analysis;
    std::vector<VarRef> given = known_values(motion);
    all.unknowns = unknowns_;
    all.d.assign(unknowns_.size(), 0);
    for (const VarRef x : incidence_.entry) {
      const int j = all.unknown_index(x.var);
      if (j >= 0) all.d[at(j)] = std::max(all.d[at(j)], x.order);
    }
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      const int moving = motion.unknown_index(unknowns_[j]);
      all.is_declared.push_back(has(system_.declared, unknowns_[j]) ? 1 : 0);
      if (moving >= 0) {
        all.d[j] = motion.d[at(moving)];
      } else if (all.d[j] > 0 && !all.is_declared[j]) {
        given.push_back({unknowns_[j], 0});
      }
    }
    std::sort(given.begin(), given.end());
    all.degrees_of_freedom = motion.degrees_of_freedom;
    graph::SignatureBuilder sigma(rows(), count());
    for (std::int32_t r = 0; r < rows(); ++r) {
      for (const VarRef x : incidence_.row(r)) {
        if (const int j = all.unknown_index(x.var); j >= 0) sigma.add({r}, {j}, x.order);
      }
    }
    all.sigma = sigma.build();
    add_rows(motion, all);
    result.order = order_blocks(pool_, all, given, dependent_rows(all));
    return result;
  }

  int count() const { return static_cast<int>(unknowns_.size()); }

  // Passing rows may have higher derivatives than the motion needs. All rows differentiated m times
  // more determine all x_j^(d_j + m), through the same Jacobian.
  void raise(Analysis& motion) {
    int m = 0;
    for (const std::int32_t r : passing_rows()) {
      for (const VarRef x : incidence_.row(r)) {
        const int j = motion.unknown_index(x.var);
        if (j >= 0) m = std::max(m, x.order - motion.d[at(j)]);
      }
    }
    if (m == 0) return;
    std::vector<ExprId> written;
    for (const auto& derivatives : motion.derivatives) written.push_back(derivatives.front());
    for (int& c : motion.c) c += m;
    for (int& d : motion.d) d += m;
    motion.derivatives =
        expr::time_derivatives(pool_, written, motion.c, [&](expr::Pool& pool, VarRef x) {
          return motion.unknown_index(x.var) < 0 ? expr::constant(pool, 0.0)
                                                 : expr::variable(pool, x.var, x.order + 1);
        });
  }

  std::vector<std::int32_t> passing_rows() const {
    std::vector<std::int32_t> result;
    for (std::int32_t r = 0; r < rows(); ++r) {
      if (!std::binary_search(lasting_.begin(), lasting_.end(), r) && !redundant_[at(r)]) {
        result.push_back(r);
      }
    }
    return result;
  }

  void add_rows(Analysis& motion, Analysis& all) {
    std::vector<std::vector<ExprId>> derivatives(system_.rows.size());
    for (std::size_t i = 0; i < motion.kept.size(); ++i) {
      derivatives[at(lasting_[at(motion.kept[i])])] = std::move(motion.derivatives[i]);
    }
    for (const std::int32_t r : passing_rows()) derivatives[at(r)] = {system_.rows[at(r)]};
    for (std::int32_t r = 0; r < rows(); ++r) {
      if (derivatives[at(r)].empty()) {
        all.redundant.push_back(r);
        continue;
      }
      all.kept.push_back(r);
      all.c.push_back(static_cast<int>(derivatives[at(r)].size()) - 1);
      all.derivatives.push_back(std::move(derivatives[at(r)]));
    }
  }

  // Rows may say the same at the instant: p' = 0 in each of two vessels that are joined. What
  // follows from others exactly determines nothing. Ascending by row and order.
  std::vector<Row> dependent_rows(const Analysis& all) const {
    std::vector<Row> rows;
    std::vector<ExprId> exprs;
    for (std::size_t i = 0; i < all.kept.size(); ++i) {
      for (std::int32_t k = 0; k <= all.c[i]; ++k) {
        rows.push_back({all.kept[i], k, all.derivatives[i][at(k)]});
        exprs.push_back(rows.back().expr);
      }
    }
    const RowMatrix matrix = row_matrix(pool_, exprs, unknowns_);
    std::vector<std::int32_t> numbers;
    for (const Dependency& d : find_dependencies(matrix.entries, matrix.columns_with_unknowns())) {
      if (d.rest.empty()) numbers.push_back(d.row);
    }
    std::sort(numbers.begin(), numbers.end());
    std::vector<Row> dependent;
    for (const std::int32_t n : numbers) dependent.push_back(rows[at(n)]);
    return dependent;
  }

  expr::Pool& pool_;
  const System& system_;
  const InstantSystem& instant_;
  const expr::Incidence incidence_;
  std::vector<VarId> unknowns_;        // of the IVP of all rows
  std::vector<VarId> moving_;          // the same without the added rows
  std::vector<std::int32_t> lasting_;  // rows, ascending
  std::vector<char> redundant_;        // per row
};

}  // namespace

InstantOrder order_instant(expr::Pool& pool, const InstantSystem& instant) {
  return InstantOrdering(pool, instant).run();
}

}  // namespace chi::structure
