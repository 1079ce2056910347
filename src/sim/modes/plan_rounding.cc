#include <algorithm>
#include <cmath>
#include <limits>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "numerics/rank_revealing.h"
#include "sim/modes/plan.h"
#include "sim/modes/tolerances.h"

// What rounding makes of derivatives that vanish.
namespace chi::sim {
namespace {

using expr::ExprId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr int kMostUnknowns = 200;
constexpr int kDraws = 3;

}  // namespace

double Plan::largest(const std::vector<double>& frame, int levels) const {
  double result = 0;
  for (const expr::VarRef x : work_.values) {
    for (int k = 0; k <= levels; ++k) {
      const ExprId leaf = expr::variable(work_.context.pool, x.var, x.order + k);
      const std::size_t place = at(work_.context.leaves.place(leaf));
      if (place < frame.size()) result = std::max(result, std::abs(frame[place]));
    }
  }
  return result;
}

std::vector<double> Plan::rounding(const std::vector<double>& frame, int level) {
  const auto n = static_cast<int>(work_.analysis.unknowns.size());
  std::vector<double> result(at(n), 0.0);
  if (n > kMostUnknowns || static_cast<int>(work_.analysis.kept.size()) != n) return result;
  if (!work_.leading_jacobian) {
    std::vector<ExprId> rows, leaves;
    for (const auto& derivatives : work_.analysis.derivatives) rows.push_back(derivatives.back());
    for (int j = 0; j < n; ++j) {
      leaves.push_back(expr::variable(work_.context.pool, work_.analysis.unknowns[at(j)],
                                      work_.analysis.d[at(j)]));
    }
    expr::Jacobian jacobian = expr::jacobian(work_.context.pool, rows, leaves);
    code::Formulas formulas(work_.context.pool, jacobian.entry, work_.context.leaves,
                            work_.context.boxes);
    work_.leading_jacobian.emplace(std::move(jacobian), std::move(formulas));
  }
  auto& [jacobian, formulas] = *work_.leading_jacobian;
  std::vector<double> top(at(n));
  for (int j = 0; j < n; ++j) {
    const ExprId leaf = expr::variable(work_.context.pool, work_.analysis.unknowns[at(j)],
                                       work_.analysis.d[at(j)] + level);
    top[at(j)] = frame[at(work_.context.leaves.place(leaf))];
  }
  std::vector<double> point = frame, entries(jacobian.entry.size());
  point.resize(std::max(point.size(), at(work_.context.leaves.size())), 0.0);
  formulas.evaluate_each(point.data(), entries.data());
  std::vector<double> matrix(at(n * n), 0.0), sizes(at(n), 0.0);
  for (int i = 0; i < n; ++i) {
    for (std::int32_t k = jacobian.row_start[at(i)]; k < jacobian.row_start[at(i + 1)]; ++k) {
      const int j = jacobian.column[at(k)];
      matrix[at(j * n + i)] = entries[at(k)];
      sizes[at(i)] += std::abs(entries[at(k)] * top[at(j)]);
    }
  }
  numerics::RankRevealingQr qr;
  qr.factor(n, n, matrix);
  std::vector<double> residual(at(n)), change(at(n));
  for (int draw = 0; draw < kDraws; ++draw) {
    for (int i = 0; i < n; ++i) {
      const bool plus = (static_cast<unsigned>(i * 5 + draw * 3) * 2654435761u & 0x10000u) != 0;
      residual[at(i)] =
          (plus ? tolerance::kResidualRounding : -tolerance::kResidualRounding) * sizes[at(i)];
    }
    qr.solve(residual, change);
    for (int j = 0; j < n; ++j) {
      result[at(j)] = std::max(result[at(j)], std::abs(change[at(j)]));
    }
  }
  return result;
}

}  // namespace chi::sim
