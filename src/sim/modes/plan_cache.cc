#include "sim/modes/plan_cache.h"

namespace chi::sim {

Plan* PlanCache::find(const std::vector<char>& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : found->second;
}

Plan& PlanCache::plan_of(ModeEquations equations, const graph::Matching& hint) {
  std::vector<expr::ExprId> key = equations.system.rows;
  key.insert(key.end(), equations.checks.begin(), equations.checks.end());
  structure::System place{std::move(key), equations.system.declared};
  if (const auto known = plans_.find(place); known != plans_.end()) return *known->second;
  // Made before it is entered: no entry is without a plan if memory ends.
  auto plan = std::make_unique<Plan>(context_, std::move(equations), hint);
  name(*plan);
  rows_ += static_cast<std::int64_t>(plan->equations().system.rows.size());
  return *plans_.emplace(std::move(place), std::move(plan)).first->second;
}

PlanCache::Shared PlanCache::shared(std::vector<char> key) {
  const auto [place, is_new] = shared_.try_emplace(std::move(key), nullptr);
  return {place->second, is_new};
}

Plan& PlanCache::keep_of_values(const Plan& plan, std::vector<double> values,
                                std::unique_ptr<Plan> other) {
  name(*other);
  rows_ += static_cast<std::int64_t>(other->equations().system.rows.size());
  std::vector<OfValues>& mine = by_values_[&plan];
  mine.push_back({std::move(values), std::move(other)});
  return *mine.back().plan;
}

bool PlanCache::was_asked(const Plan& plan, const std::vector<double>& known) {
  const auto [place, is_new] = asked_.try_emplace(&plan, known);
  if (is_new) return false;
  if (place->second == known) return true;
  place->second = known;
  return false;
}

void PlanCache::evict(const Plan& present, const Plan& first) {
  const auto is_kept = [&](const Plan* plan) { return plan == &present || plan == &first; };
  const auto is_lent = [&](const Plan* plan) {
    return present.is_like(*plan) || first.is_like(*plan);
  };
  rows_ = 0;
  const auto keeps = [&](const Plan& plan, bool kept) {
    if (kept) {
      rows_ += static_cast<std::int64_t>(plan.equations().system.rows.size());
    } else {
      given_up_.add(plan);
    }
    return kept;
  };
  for (auto& [plan, others] : by_values_) {
    std::erase_if(others, [&](const OfValues& other) {
      return !keeps(*other.plan, is_kept(other.plan.get()));
    });
  }
  std::erase_if(by_values_, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(with_switches_, [&](const auto& entry) {
    const bool kept = is_kept(entry.second.get());
    if (!kept) given_up_.add(*entry.second);
    return !kept;
  });
  std::erase_if(shared_, [&](const auto& entry) {
    return entry.second != nullptr && !is_lent(entry.second);
  });
  std::erase_if(plans_, [&](const auto& entry) {
    const Plan* const plan = entry.second.get();
    return !keeps(*plan, is_kept(plan) || is_lent(plan) || by_values_.count(plan) != 0);
  });
  by_key_.clear();
  asked_.clear();
  ++generation_;
}

void PlanCache::Counts::add(const Plan& plan) {
  if (plan.has_switches()) {  // what it did is counted where its equations are
    modes += plan.was_met() ? 1 : 0;
    return;
  }
  bool used = false;
  for (const auto& variant : plan.variants()) {
    if (!variant->motion) continue;
    used = true;
    const numerics::IntegratorStats stats = variant->motion->stats();
    integration.steps += stats.steps;
    integration.rejected += stats.rejected;
    integration.evaluations += stats.evaluations;
    integration.jacobians += stats.jacobians;
  }
  modes += (used && !plan.is_lent()) || plan.is_static() ? 1 : 0;
}

PlanCache::Counts PlanCache::counts() const {
  Counts counts = given_up_;
  for (const auto& [rows, plan] : plans_) counts.add(*plan);
  for (const auto& [mode, plan] : with_switches_) counts.add(*plan);
  for (const auto& [plan, others] : by_values_) {
    for (const OfValues& other : others) counts.add(*other.plan);
  }
  return counts;
}

}  // namespace chi::sim
