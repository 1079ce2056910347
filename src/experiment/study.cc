#include "experiment/study.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace chi::experiment {
namespace {

constexpr std::int64_t kMostReplications = 1'000'000;
constexpr std::int64_t kFewestForInterval = 10;

void bad_plan(Diagnostics& diagnostics, std::string message, std::string help = "") {
  diagnostics.report(
      {.code = DiagCode::BadOption, .message = std::move(message), .help = std::move(help)});
}

/// Gathers what comes in.
class Gatherer {
 public:
  Gatherer(const Plan& plan, const Design& design, StudyResult& result)
      : plan_(plan), design_(design), result_(result), measures_(plan.setting.measures.size()) {
    for (std::int64_t c = 0; c < design.combinations(); ++c) {
      const Point point = design.point(c * design.count());
      Variant variant{.values = {}, .measures = std::vector<Moments>(measures_)};
      for (std::size_t i = 0; i < plan.vary.size(); ++i) {
        if (!plan.vary[i].is_range) variant.values.push_back(point.parameters[i]);
      }
      result.variants.push_back(std::move(variant));
    }
    if (!compares()) return;
    for (std::size_t v = 1; v < result.variants.size(); ++v) {
      for (std::size_t m = 0; m < measures_; ++m) result.comparisons.push_back({v, m, {}});
    }
  }

  bool compares() const { return plan_.kind == Kind::Replicate && design_.combinations() > 1; }

  void add(std::int64_t run, std::int64_t variant, const RunResult& one) {
    ++result_.runs;
    Variant& v = result_.variants[static_cast<std::size_t>(variant)];
    if (!one.problem.empty()) {
      ++result_.failed;
      ++v.failed;
    } else {
      for (std::size_t m = 0; m < measures_; ++m) {
        if (!std::isnan(one.measures[m])) v.measures[m].add(one.measures[m]);
      }
    }
    if (!compares()) return;
    if (variant == 0) {
      if (base_.size() <= static_cast<std::size_t>(run))
        base_.resize(static_cast<std::size_t>(run) + 1);
      base_[static_cast<std::size_t>(run)] =
          one.problem.empty() ? one.measures : std::vector<double>();
      return;
    }
    const std::vector<double>& base = base_[static_cast<std::size_t>(run)];
    if (base.empty() || !one.problem.empty()) return;
    for (std::size_t m = 0; m < measures_; ++m) {
      const double difference = one.measures[m] - base[m];
      if (!std::isnan(difference))
        result_.comparisons[static_cast<std::size_t>(variant - 1) * measures_ + m].difference.add(
            difference);
    }
  }

  bool is_narrow() const {
    for (const Variant& variant : result_.variants) {
      for (const Moments& moments : variant.measures) {
        if (moments.count() < kFewestForInterval) return false;
        const double half = moments.half_width(plan_.confidence);
        if (!(half <= plan_.half_width * std::abs(moments.mean()))) return false;
      }
    }
    return true;
  }

 private:
  const Plan& plan_;
  const Design& design_;
  StudyResult& result_;
  std::size_t measures_;
  std::vector<std::vector<double>> base_;  // of the first variant, by run
};

}  // namespace

StudyResult run_study(const Subject& subject, const Plan& plan, int jobs, Spectator& spectator,
                      Store* store) {
  StudyResult result;
  const bool is_sequential = plan.half_width > 0;
  Plan sized = plan;
  if (is_sequential && plan.count == 0) sized.count = kMostReplications;
  const Design design(sized);
  Gatherer gatherer(sized, design, result);
  const std::int64_t variants = design.combinations(), count = design.count();
  // Variants side by side, if it is not known how many runs each gets.
  const auto number = [&](std::int64_t i) {
    return is_sequential ? (i % variants) * count + i / variants : i;
  };
  Work work;
  work.count = design.size();
  work.point = [&](std::int64_t i) { return design.point(number(i)); };
  work.deliver = [&](std::int64_t i, const Point& point, const RunResult& one) {
    if (store != nullptr) store->add(point, one);
    gatherer.add(number(i) % count, number(i) / count, one);
    if (!spectator.row(i, point, one)) return false;
    return !is_sequential || (i + 1) % variants != 0 || !gatherer.is_narrow();
  };
  if (store != nullptr) {
    work.known = [&](std::int64_t i, RunResult& known) {
      return store->find(work.point(i), known);
    };
  }
  const Worked worked = execute(subject, plan.setting, work, jobs);
  result.stopped = worked.stopped;
  result.is_narrow = !is_sequential || gatherer.is_narrow();
  return result;
}

bool check_plan(const Subject& subject, const Plan& plan, Diagnostics& diagnostics) {
  const int before = diagnostics.error_count();
  std::set<std::string> names;
  const auto twice = [&](const std::string& name) {
    if (!names.insert(name).second) bad_plan(diagnostics, fmt::format("`{}` is given twice", name));
  };
  for (const auto& [name, value] : plan.setting.fixed) twice(name);
  for (const Axis& axis : plan.vary) twice(axis.name);
  for (const Drawn& drawn : plan.random) twice(drawn.name);
  const bool draws = plan.kind == Kind::Sweep || plan.kind == Kind::Replicate;
  if (draws && plan.count == 0 && plan.half_width == 0) {
    for (const Axis& axis : plan.vary) {
      if (!axis.is_range) continue;
      bad_plan(diagnostics,
               fmt::format("`{}` is drawn from a range, and how often is not said", axis.name),
               "`--runs N`, or `count` in `[runs]`, says it; `from:to:step` makes a grid");
      break;
    }
    if (!plan.random.empty())
      bad_plan(diagnostics, "parameters are drawn, and how often is not said",
               "`count` in `[runs]` says it");
  }
  if (plan.setting.measures.empty() && draws)
    bad_plan(diagnostics, "there is nothing to measure",
             "`--measure 'max(x)'` measures, or `[measure]` in a plan");
  if (diagnostics.error_count() > before) return false;
  if (!draws) return true;
  Plan first = plan;
  first.count = 1;
  first.sampling = Sampling::Random;
  return Worker(subject, plan.setting).try_out(Design(first).point(0), diagnostics);
}

}  // namespace chi::experiment
