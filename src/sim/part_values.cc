#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "sim/part.h"

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
    std::vector<double> point = frame_;
    point.resize(at(context_.leaves.size()), 0.0);
    for (std::int32_t i = 0; i < context_.leaves.size(); ++i) {
      double& value = point[at(i)];
      if (!is_drawn(context_.leaves.leaf(i), draw_known)) continue;
      // Near the present value, so that roots and logarithms keep theirs.
      value += 0.3 * (std::abs(value) + 0.1) *
               drawn(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(draw));
    }
    std::vector<double> result(roots.size());
    formulas.evaluate_each(point.data(), result.data());
    return result;
  }

 private:
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
  if (const auto before = looked_at_.find(&plan);
      before != looked_at_.end() && before->second == known) {
    return nullptr;
  }
  looked_at_[&plan] = known;
  DrawnValues probe(context_, plan.analysis(), frame);
  auto other = std::make_unique<Plan>(context_, plan.equations(), graph::Matching{}, &probe);
  fit(frame_);
  if (!other->rests_on_values()) return nullptr;
  const std::vector<ExprId>& leaves = other->analysis().decided_by;
  std::vector<double> values;
  for (const ExprId leaf : leaves) values.push_back(frame[at(leaves_.place(leaf))]);
  kept_rows_ += static_cast<std::int64_t>(other->equations().system.rows.size());
  by_values_[&plan].push_back({std::move(values), std::move(other)});
  return by_values_[&plan].back().plan.get();
}

Plan* Part::plan_at(Plan* plan, const std::vector<double>& frame) {
  const auto others = by_values_.find(plan);
  if (others == by_values_.end()) return plan;
  for (const ValuePlan& other : others->second) {
    const std::vector<ExprId>& leaves = other.plan->analysis().decided_by;
    const auto holds = [&](std::size_t i) {
      return frame[at(leaves_.place(leaves[i]))] == other.values[i];
    };
    bool all = true;
    for (std::size_t i = 0; i < leaves.size(); ++i) all = all && holds(i);
    if (all) return other.plan.get();
  }
  return plan;
}

}  // namespace chi::sim
