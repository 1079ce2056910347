#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "sim/modes/plan.h"

namespace chi::sim {

/// What is kept beside plans, under their addresses or those of their variants: it is given up when
/// plans are, so that no address is taken for that of another plan made there later. There is no
/// way to read it without saying which generation of plans is meant.
template <class Kept>
class OfPlans {
 public:
  /// What is kept of the plans of this generation; empty if others were kept before.
  Kept& at(std::int64_t generation) {
    if (generation != generation_) {
      kept_ = Kept();
      generation_ = generation;
    }
    return kept_;
  }

 private:
  Kept kept_ = {};
  std::int64_t generation_ = 0;
};

/// A plan of a PlanCache, for who keeps it longer than a search lasts.
class PlanRef {
 public:
  PlanRef() = default;
  PlanRef(Plan& plan, std::int64_t generation) : plan_(&plan), generation_(generation) {}
  /// Requires: no plans were given up since.
  Plan& get(std::int64_t generation) const {
    CHI_CHECK(plan_ != nullptr && generation == generation_, "the plan was kept too long");
    return *plan_;
  }

 private:
  Plan* plan_ = nullptr;
  std::int64_t generation_ = 0;
};

/// The plans of a part: made once, found again by the truths of its conditions, and given up when
/// there are too many.
///
/// Plans have numbers that are never used again (Plan::id). Their addresses are good for one
/// generation, which `evict` ends.
class PlanCache {
 public:
  explicit PlanCache(const SolverContext& context) : context_(context) {}
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// The plan under this key; null if there is none.
  Plan* find(const std::vector<char>& key) const;
  void keep(std::vector<char> key, Plan& plan) { by_key_.insert_or_assign(std::move(key), &plan); }

  /// The plan of these equations, made if need be. `hint`: the matching of a similar mode.
  Plan& plan_of(ModeEquations equations, const graph::Matching& hint);

  /// By a key of their own: plans whose switches are data (mode_switches.h). Null: none will do.
  struct Shared {
    Plan*& plan;
    bool is_new;
  };
  Shared shared(std::vector<char> key);
  /// The mode of a shared plan with the `chosen` branches; made if need be, with `values` for its
  /// switches, which take as much memory as `rows` rows.
  template <class MakeValues>
  Plan& with_switches(Plan& shared, std::vector<std::int32_t> chosen,
                      std::span<const std::int32_t> places, std::int64_t rows,
                      MakeValues make_values) {
    auto place = std::pair{const_cast<const Plan*>(&shared), std::move(chosen)};
    if (const auto known = with_switches_.find(place); known != with_switches_.end())
      return *known->second;
    auto mode = std::make_unique<Plan>(shared, places, make_values());
    name(*mode);
    rows_ += rows;
    return *with_switches_.emplace(std::move(place), std::move(mode)).first->second;
  }

  /// Another plan for the same equations, which rests on these values of `leaves`.
  struct OfValues {
    std::vector<double> values;
    std::unique_ptr<Plan> plan;
  };
  /// Null if there is none where `value(leaf)` is as it was.
  template <class Value>
  Plan* at_values(const Plan& plan, Value value) const {
    const auto others = by_values_.find(&plan);
    if (others == by_values_.end()) return nullptr;
    for (const OfValues& other : others->second) {
      const std::vector<expr::ExprId>& leaves = other.plan->analysis().decided_by;
      bool all = true;
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        all = all && value(leaves[i]) == other.values[i];
      }
      if (all) return other.plan.get();
    }
    return nullptr;
  }
  Plan& keep_of_values(const Plan& plan, std::vector<double> values, std::unique_ptr<Plan> other);
  bool has_of_values() const { return !by_values_.empty(); }
  /// Whether numbers were asked in vain with these known values before, the last time; from now on
  /// they were.
  bool was_asked(const Plan& plan, const std::vector<double>& known);

  std::int64_t rows() const { return rows_; }  ///< of all plans: the memory they take
  /// Gives up all plans but these two and those whose equations they have. Nothing is found by its
  /// key after that.
  void evict(const Plan& present, const Plan& first);
  std::int64_t generation() const { return generation_; }

  struct Counts {
    std::int64_t modes = 0;
    numerics::IntegratorStats integration = {};
    void add(const Plan& plan);
  };
  Counts counts() const;  ///< of all plans that there ever were

 private:
  struct RowsLess {
    bool operator()(const structure::System& a, const structure::System& b) const {
      return std::tie(a.rows, a.declared) < std::tie(b.rows, b.declared);
    }
  };
  void name(Plan& plan) { plan.set_id({++last_id_}); }

  const SolverContext& context_;
  std::map<std::vector<char>, Plan*> by_key_;
  std::map<structure::System, std::unique_ptr<Plan>, RowsLess> plans_;
  std::map<std::vector<char>, Plan*> shared_;
  std::map<std::pair<const Plan*, std::vector<std::int32_t>>, std::unique_ptr<Plan>> with_switches_;
  std::map<const Plan*, std::vector<OfValues>> by_values_;
  std::map<const Plan*, std::vector<double>> asked_;  // known values, when numbers were asked last
  std::int64_t rows_ = 0;
  std::int64_t last_id_ = 0;
  std::int64_t generation_ = 0;
  Counts given_up_;
};

}  // namespace chi::sim
