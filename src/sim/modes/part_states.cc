#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/modes/part.h"
#include "sim/modes/tolerances.h"

// Which variables are states, and when others should be (Mattsson and Söderlind's dummy
// derivatives, chosen by pivoting; semantics.md §5.3).
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Values of expressions on a frame, for the choice of states.
class FrameValues : public structure::PointValues {
 public:
  FrameValues(const SolverContext& context, Part& part, std::vector<double>& frame)
      : context_(context), part_(part), frame_(frame) {}
  /// From now on variables are measured by their present size, as their tolerances are.
  void use_sizes() { sized_ = true; }
  double nominal(VarRef x) override {
    return sized_
               ? std::max(std::abs(frame_[at(part_.place({x.var, 0}))]), tolerance::kLeastStateSize)
               : 1.0;
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

StateVariant* Part::variant_at(Plan& plan, std::vector<double>& frame) {
  FrameValues point(context_, *this, frame);
  StateVariant* chosen = plan.variant_at(point);
  // Units of measurement can make what the modeller wishes look singular.
  const std::ptrdiff_t met = wishes_met(plan.analysis(), chosen);
  if (chosen == nullptr || met < std::ssize(chosen->choice.states)) {
    point.use_sizes();
    StateVariant* const other = plan.variant_at(point);
    if (wishes_met(plan.analysis(), other) > met) chosen = other;
  }
  fit(frame);
  return chosen;
}

bool Part::choose_states() {
  if (!plan_->has_choice()) {
    StateVariant* const only = plan_->structural_variant();
    fit(frame_);
    return std::exchange(variant_, only) != only;
  }
  StateVariant* chosen = variant_at(*plan_, frame_);
  if (chosen == nullptr) chosen = plan_->structural_variant();
  fit(frame_);
  const bool differs = chosen != variant_;
  variant_ = chosen;
  monitor_of(*plan_).wished = chosen;
  return differs;
}

StateMonitor& Part::monitor_of(Plan& plan) {
  const auto [place, is_new] = monitors_.try_emplace(&plan, context_, plan);
  if (is_new) fit(frame_);
  return place->second;
}

StateVariant* Part::better_variant(std::vector<double>& frame) {
  if (plan_ == nullptr || !plan_->has_choice() || variant_ == nullptr) return nullptr;
  StateMonitor& monitor = monitor_of(*plan_);
  if (!monitor.watches()) return nullptr;
  fit(frame);
  FrameValues point(context_, *this, frame), sizes = point;
  sizes.use_sizes();
  const auto growth = monitor.growth(*variant_, frame, [&](VarRef x) { return sizes.nominal(x); });
  if (!growth) return nullptr;
  if (std::exchange(monitor.seen, variant_) != variant_) monitor.least = growth->plain;
  monitor.least = std::min(monitor.least, growth->plain);
  if (growth->plain <= tolerance::kBetterStates) return nullptr;
  const bool is_wished = variant_ == monitor.wished &&
                         growth->plain <= tolerance::kWorseStates * std::max(1.0, monitor.least);
  if (is_wished && std::min(growth->plain, growth->sized) <= tolerance::kBetterThanWished)
    return nullptr;
  if (is_wished) point.use_sizes();
  auto choice = structure::choose_states(workshop_.pool(), plan_->analysis(), &point, false);
  if (!choice) return nullptr;
  StateVariant* const chosen = plan_->variant_for(std::move(*choice));
  fit(frame);
  fit(frame_);
  return chosen == variant_ ? nullptr : chosen;
}

}  // namespace chi::sim
