#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "sim/algebra/independent_rows.h"
#include "sim/modes/part.h"

// Plans for equations whose structure lies: regular by their pattern, singular in their numbers
// (semantics.md §5.6, P4 §2).
namespace chi::sim {
namespace {

using expr::ExprId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// A number between -1 and 1 for a leaf at a point; the same in every run.
double drawn(std::uint64_t leaf, std::uint64_t draw) {
  std::uint64_t x = (leaf + 1) * 0x9e3779b97f4a7c15u + (draw + 1) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

class DrawnValues : public structure::Probe {
 public:
  DrawnValues(const SolverContext& context, const structure::Analysis& analysis,
              const std::vector<double>& frame)
      : context_(context), analysis_(analysis), frame_(frame) {}

  std::vector<double> values(std::span<const ExprId> roots, int draw, bool draw_known) override {
    code::Formulas formulas(context_.pool, roots, context_.leaves, context_.boxes);
    // Near the present values, so that roots and logarithms keep theirs.
    std::vector<double>& drawn = points_[{draw, draw_known}];
    extend(drawn, draw, draw_known, 0.3);
    std::vector<double> result(roots.size());
    formulas.evaluate_each(drawn.data(), result.data());
    return result;
  }

  std::vector<double> point(int draw, bool draw_known, double distance) const {
    std::vector<double> point;
    extend(point, draw, draw_known, distance);
    return point;
  }

 private:
  /// By the leaves that are new.
  void extend(std::vector<double>& point, int draw, bool draw_known, double distance) const {
    for (auto i = static_cast<std::int32_t>(point.size()); i < context_.leaves.size(); ++i) {
      double value = at(i) < frame_.size() ? frame_[at(i)] : 0.0;
      if (is_drawn(context_.leaves.leaf(i), draw_known)) {
        value += distance * (std::abs(value) + 0.1) *
                 drawn(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(draw));
      }
      point.push_back(value);
    }
  }

  bool is_drawn(ExprId leaf, bool draw_known) const {
    switch (context_.pool.op(leaf)) {
      case expr::Op::Variable: {
        const expr::VarRef x = context_.pool.variable(leaf);
        return draw_known || x.order > 0 || analysis_.unknown_index(x.var) >= 0;
      }
      case expr::Op::DiscreteBool: return false;
      case expr::Op::DiscreteReal: return draw_known;
      default: return true;  // time, and what was before
    }
  }

  const SolverContext& context_;
  const structure::Analysis& analysis_;
  const std::vector<double>& frame_;
  std::map<std::pair<int, bool>, std::vector<double>> points_;  // drawn for `values`
};

}  // namespace

Plan* Part::plan_by_values(Plan& plan, const std::vector<double>& frame) {
  if (plan.rests_on_values() || plan.is_static()) return nullptr;
  std::vector<double> known;
  for (std::int32_t i = 0; i < std::min(leaves_.size(), known_leaves_); ++i) {
    const bool is_unknown =
        input_slots_[at(i)] >= 0 && plan.analysis().unknown_index({input_slots_[at(i)]}) >= 0;
    if (i != time_place_ && !is_unknown) known.push_back(frame[at(i)]);
  }
  if (plans_.was_asked(plan, known)) return nullptr;
  DrawnValues probe(context_, plan.analysis(), frame);
  auto other = std::make_unique<Plan>(context_, plan.equations(), graph::Matching{}, &probe);
  fit(frame_);
  if (!other->rests_on_values()) return nullptr;
  const std::vector<ExprId>& leaves = other->analysis().decided_by;
  std::vector<double> values;
  for (const ExprId leaf : leaves) values.push_back(frame[at(leaves_.place(leaf))]);
  return &plans_.keep_of_values(plan, std::move(values), std::move(other));
}

std::optional<SolveFailure> Part::dependent_equations(Plan& plan, std::vector<double> frame) {
  constexpr int kPoints = 3, kMostDraws = 12;
  constexpr double kNear = 0.03;  // so that the equations lead back to where the values are
  if (!plan.is_leading_singular(frame)) return std::nullopt;
  // First the constraints on what is below the highest derivatives, then these: what passes a point
  // at which its equations say nothing must not be held there by them.
  const structure::Analysis& analysis = plan.analysis();
  std::vector<structure::BlockOrder::Row> lower_rows, leading_rows;
  std::vector<expr::VarRef> lower, leading;
  for (std::size_t i = 0; i < analysis.kept.size(); ++i) {
    for (int k = 0; k <= analysis.c[i]; ++k) {
      auto& rows = k < analysis.c[i] ? lower_rows : leading_rows;
      rows.push_back({analysis.kept[i], k, analysis.derivatives[i][at(k)]});
    }
  }
  for (const expr::VarRef x : plan.values()) (plan.has_lower(x) ? lower : leading).push_back(x);
  const auto constraints = IndependentRows::make(context_, lower_rows, lower, frame);
  const auto top = IndependentRows::make(context_, leading_rows, leading, frame);
  fit(frame);
  if (!constraints || !top || top->dependencies().rows.empty()) return std::nullopt;
  const DrawnValues probe(context_, analysis, frame);
  int points = 0;
  for (int draw = 0; draw < kMostDraws && points < kPoints; ++draw) {
    std::vector<double> point = probe.point(draw, false, kNear);
    using Result = IndependentRows::Result;
    Result result = constraints->solve(point);
    if (result == Result::Holds) result = top->solve(point);
    if (result == Result::Unsolved) continue;
    if (result == Result::RestIsOff || !plan.is_leading_singular(point)) return std::nullopt;
    ++points;
  }
  if (points == 0) return std::nullopt;
  SolveFailure failure;
  failure.status = numerics::SolveStatus::Singular;
  for (const auto& row : leading_rows) failure.rows.push_back({row, 0});
  for (const expr::VarRef x : leading) failure.unknowns.push_back({x, frame[at(place(x))]});
  failure.singular_rows = top->dependencies().rows;
  failure.singular_unknowns = top->dependencies().cols;
  return failure;
}

Plan* Part::plan_at(Plan* plan, const std::vector<double>& frame) {
  Plan* const other =
      plans_.at_values(*plan, [&](ExprId leaf) { return frame[at(leaves_.place(leaf))]; });
  return other == nullptr ? plan : other;
}

}  // namespace chi::sim
