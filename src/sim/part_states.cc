#include <algorithm>
#include <cmath>
#include <utility>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "numerics/rank_revealing.h"
#include "sim/part.h"

// Which variables are states, and when others should be (Mattsson and Söderlind's dummy
// derivatives, chosen by pivoting; semantics.md §5.3).
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// The dependent columns may span this share of the volume that the best choice spans,
constexpr double kLeastVolume = 0.1;
/// or this one if the modeller wishes it (as in structure::choose_states), so long as they keep the
/// share above of what they have spanned themselves. Units of measurement make large columns too.
constexpr double kLeastWished = 1e-3;
/// Smaller values are measured by this.
constexpr double kLeastSize = 1e-3;
/// Largest number of differentiated equations whose choice is watched at every step.
constexpr int kMaxWatched = 400;

double volume(int rows, int columns, std::span<const double> matrix) {
  numerics::RankRevealingQr qr;
  qr.factor(rows, columns, matrix, 1e-14);
  if (qr.rank() < rows) return 0;
  double product = 1;
  for (int k = 0; k < rows; ++k) product *= qr.pivot(k);
  return product;
}

}  // namespace

namespace {

/// Values of expressions on a frame, for the choice of states.
class FrameValues : public structure::PointValues {
 public:
  FrameValues(const SolverContext& context, Part& part, std::vector<double>& frame)
      : context_(context), part_(part), frame_(frame) {}
  /// From now on variables are measured by their present size, as their tolerances are.
  void use_sizes() { sized_ = true; }
  double nominal(VarRef x) override {
    return sized_ ? std::max(std::abs(frame_[at(part_.place({x.var, 0}))]), kLeastSize) : 1.0;
  }
  std::vector<double> values(std::span<const ExprId> roots) override {
    code::Formulas formulas(context_.pool, roots, context_.leaves, context_.boxes);
    part_.fit(frame_);
    std::vector<double> result(roots.size());
    formulas.evaluate_each(frame_.data(), result.data());
    return result;
  }

 private:
  const SolverContext& context_;
  Part& part_;
  std::vector<double>& frame_;
  bool sized_ = false;
};

/// How many states are values that the modeller leaves known.
std::ptrdiff_t wishes_met(const structure::Analysis& analysis, const StateVariant* variant) {
  if (variant == nullptr) return -1;
  const std::vector<VarRef> known = structure::known_values(analysis);
  return std::ranges::count_if(variant->choice.states, [&](VarRef x) {
    return std::binary_search(known.begin(), known.end(), x);
  });
}

}  // namespace

bool Part::choose_states() {
  if (!plan_->has_choice()) {
    StateVariant* const only = plan_->structural_variant();
    fit(frame_);
    return std::exchange(variant_, only) != only;
  }
  FrameValues point(context_, *this, frame_);
  StateVariant* chosen = plan_->variant_at(point);
  // Units of measurement can make what the modeller wishes look singular.
  const std::ptrdiff_t met = wishes_met(plan_->analysis(), chosen);
  if (chosen == nullptr || met < std::ssize(chosen->choice.states)) {
    point.use_sizes();
    StateVariant* const other = plan_->variant_at(point);
    if (wishes_met(plan_->analysis(), other) > met) chosen = other;
  }
  if (chosen == nullptr) chosen = plan_->structural_variant();
  fit(frame_);
  const bool differs = chosen != variant_;
  variant_ = chosen;
  monitors_[plan_].wished = chosen;
  return differs;
}

Part::StateMonitor& Part::monitor_of(Plan& plan) {
  StateMonitor& monitor = monitors_[&plan];
  if (monitor.rows > 0) return monitor;
  expr::Pool& pool = workshop_.pool();
  const structure::Analysis& analysis = plan.analysis();
  std::vector<ExprId> rows, leaves;
  for (std::size_t i = 0; i < analysis.c.size(); ++i) {
    if (analysis.c[i] > 0) rows.push_back(analysis.derivatives[i].back());
  }
  for (std::size_t j = 0; j < analysis.unknowns.size(); ++j) {
    leaves.push_back(expr::variable(pool, analysis.unknowns[j], analysis.d[j]));
  }
  monitor.rows = static_cast<int>(rows.size());
  if (monitor.rows > kMaxWatched) return monitor;
  const expr::Jacobian jacobian = expr::jacobian(pool, rows, leaves);
  std::vector<std::int32_t> column_of(leaves.size(), -1);
  for (int i = 0; i < jacobian.rows(); ++i) {
    for (std::int32_t k = jacobian.row_start[at(i)]; k < jacobian.row_start[at(i + 1)]; ++k) {
      std::int32_t& column = column_of[at(jacobian.column[at(k)])];
      if (column < 0) {
        column = static_cast<std::int32_t>(monitor.columns.size());
        monitor.columns.push_back(jacobian.column[at(k)]);
      }
      monitor.entries.emplace_back(i, column);
    }
  }
  monitor.formulas =
      std::make_unique<code::Formulas>(pool, jacobian.entry, leaves_, workshop_.boxes);
  fit(frame_);
  return monitor;
}

StateVariant* Part::better_variant(std::vector<double>& frame) {
  if (plan_ == nullptr || !plan_->has_choice() || variant_ == nullptr) return nullptr;
  StateMonitor& monitor = monitor_of(*plan_);
  if (!monitor.formulas || monitor.rows == static_cast<int>(monitor.columns.size())) {
    return nullptr;
  }
  fit(frame);
  std::vector<double> values(monitor.entries.size());
  if (!monitor.formulas->evaluate_each(frame.data(), values.data())) return nullptr;
  const auto rows = at(monitor.rows);
  std::vector<double> matrix(rows * monitor.columns.size(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    matrix[at(monitor.entries[k].second) * rows + at(monitor.entries[k].first)] = values[k];
  }
  const structure::Analysis& analysis = plan_->analysis();
  const auto& dummies = variant_->choice.dummies;
  const auto volumes = [&] {  // of the dependent columns, and of the best
    std::vector<double> dependent;
    int count = 0;
    for (std::size_t c = 0; c < monitor.columns.size(); ++c) {
      const std::size_t j = at(monitor.columns[c]);
      const VarRef top{analysis.unknowns[j], analysis.d[j]};
      if (!std::binary_search(dummies.begin(), dummies.end(), top)) continue;
      dependent.insert(dependent.end(), matrix.begin() + static_cast<std::ptrdiff_t>(c * rows),
                       matrix.begin() + static_cast<std::ptrdiff_t>((c + 1) * rows));
      ++count;
    }
    return std::pair(count < monitor.rows ? 0 : volume(monitor.rows, count, dependent),
                     volume(monitor.rows, static_cast<int>(monitor.columns.size()), matrix));
  };
  const auto [mine, best] = volumes();
  if (std::exchange(monitor.seen, variant_) != variant_) monitor.largest = 0;
  monitor.largest = std::max(monitor.largest, mine);
  if (mine >= kLeastVolume * best) return nullptr;
  FrameValues point(context_, *this, frame);
  if (variant_ == monitor.wished && mine >= kLeastVolume * monitor.largest) {
    point.use_sizes();
    for (std::size_t c = 0; c < monitor.columns.size(); ++c) {
      const double size = point.nominal({analysis.unknowns[at(monitor.columns[c])], 0});
      for (std::size_t i = 0; i < rows; ++i) matrix[c * rows + i] *= size;
    }
    const auto [my_size, best_size] = volumes();
    if (mine >= kLeastWished * best || my_size >= kLeastWished * best_size) return nullptr;
  }
  auto choice = structure::choose_states(workshop_.pool(), analysis, &point, false);
  if (!choice) return nullptr;
  StateVariant* const chosen = plan_->variant_for(std::move(*choice));
  fit(frame);
  fit(frame_);
  return chosen == variant_ ? nullptr : chosen;
}

}  // namespace chi::sim
