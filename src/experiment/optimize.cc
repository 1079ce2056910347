#include "experiment/optimize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "experiment/statistics.h"

#ifndef CHI_WITHOUT_NLOPT
#include <nlopt.h>
#endif

namespace chi::experiment {

std::string constraint_measure(const std::string& constraint) {
  int open = 0;
  for (std::size_t i = 0; i < constraint.size(); ++i) {
    const char c = constraint[i];
    open += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (open != 0 || (c != '<' && c != '>')) continue;
    const std::size_t width = i + 1 < constraint.size() && constraint[i + 1] == '=' ? 2 : 1;
    const std::string left = constraint.substr(0, i), right = constraint.substr(i + width);
    return c == '<' ? fmt::format("({}) - ({})", left, right)
                    : fmt::format("({}) - ({})", right, left);
  }
  return "";
}

#ifdef CHI_WITHOUT_NLOPT

Optimum optimize(Evaluator&, const std::vector<Axis>&, bool, std::int64_t) {
  Optimum none;
  none.problem = "this chi was built without NLopt";
  return none;
}

#else

namespace {

/// How bad a run that failed is: worse than any that did not.
constexpr double kFailed = 1e30;
constexpr double kFeasible = 1e-6;

class Search {
 public:
  Search(Evaluator& evaluate, const std::vector<Axis>& vary, bool maximizes,
         std::int64_t most_points)
      : evaluate_(evaluate), vary_(vary), sign_(maximizes ? -1 : 1), left_(most_points) {}

  Optimum operator()() {
    spread();
    if (!has_best_) {
      Optimum none;
      none.problem = fmt::format("no run succeeded: {}", evaluate_.last_problem());
      none.runs = evaluate_.runs();
      none.failed = evaluate_.failed();
      return none;
    }
    bool converged = false;
    for (const double step : {0.1, 0.01}) converged = descend(step);
    Optimum best;
    best.is_converged = converged;
    best.values = parameters(best_share_);
    best.objective = sign_ * best_[0];
    best.constraints.assign(best_.begin() + 1, best_.end());
    best.is_feasible = violation(best_) <= kFeasible;
    best.runs = evaluate_.runs();
    best.failed = evaluate_.failed();
    return best;
  }

 private:
  std::vector<double> parameters(const std::vector<double>& share) const {
    std::vector<double> values(vary_.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Axis& axis = vary_[i];
      const double s = std::clamp(share[i], 0.0, 1.0);
      values[i] = axis.is_logarithmic ? axis.low * std::pow(axis.high / axis.low, s)
                                      : axis.low + s * (axis.high - axis.low);
    }
    return values;
  }

  static double violation(const std::vector<double>& values) {
    double most = 0;
    for (std::size_t i = 1; i < values.size(); ++i) most = std::max(most, values[i]);
    return most;
  }

  /// The objective, to be made small, and the constraints; remembers the best.
  std::vector<double> judge(const std::vector<double>& share, std::vector<double> values) {
    const bool failed =
        std::any_of(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
    if (failed) {
      std::fill(values.begin(), values.end(), kFailed);
      return values;
    }
    values[0] *= sign_;
    const double v = violation(values), w = has_best_ ? violation(best_) : 0;
    const bool is_better =
        !has_best_ || (v <= kFeasible && w <= kFeasible ? values[0] < best_[0] : v < w);
    if (is_better) {
      has_best_ = true;
      best_ = values;
      best_share_ = share;
    }
    return values;
  }

  void spread() {
    const auto n = static_cast<std::int32_t>(vary_.size());
    std::vector<std::vector<double> > shares, points;
    std::vector<double> start(vary_.size(), 0.5);
    for (std::size_t i = 0; i < vary_.size(); ++i) {
      const Axis& axis = vary_[i];
      if (!axis.start) continue;
      start[i] = axis.is_logarithmic
                     ? std::log(*axis.start / axis.low) / std::log(axis.high / axis.low)
                     : (*axis.start - axis.low) / (axis.high - axis.low);
    }
    shares.push_back(start);
    const std::int64_t count = std::min<std::int64_t>(10 * n, left_ / 4);
    const auto points_of = sobol_points(n, count);
    for (std::int64_t k = 0; k < count; ++k) {
      shares.emplace_back();
      for (const std::vector<double>& column : points_of)
        shares.back().push_back(column[static_cast<std::size_t>(k)]);
    }
    for (const std::vector<double>& share : shares) points.push_back(parameters(share));
    const auto values = evaluate_(points);
    for (std::size_t k = 0; k < values.size(); ++k) judge(shares[k], values[k]);
    left_ -= static_cast<std::int64_t>(values.size());
  }

  /// Values at a point: NLopt asks for objective and constraints one after the other.
  const std::vector<double>& at(const double* x) {
    const std::vector<double> share(x, x + vary_.size());
    if (share != last_share_) {
      last_ = judge(share, evaluate_(parameters(share)));
      last_share_ = share;
    }
    return last_;
  }

  struct Which {
    Search* search = nullptr;
    std::size_t value = 0;
  };
  /// C code must not see exceptions pass.
  static double value_of(unsigned, const double* x, double*, void* data) {
    const Which& which = *static_cast<Which*>(data);
    Search& search = *which.search;
    if (search.cancelled_) return kFailed;
    try {
      return search.at(x)[which.value];
    } catch (const Cancelled& cancelled) {
      search.cancelled_ = cancelled;
      nlopt_force_stop(search.optimizer_);
      return kFailed;
    }
  }

  bool descend(double step) {
    const auto n = static_cast<unsigned>(vary_.size());
    const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> owner(nlopt_create(NLOPT_LN_COBYLA, n),
                                                                  nlopt_destroy);
    optimizer_ = owner.get();
    nlopt_set_lower_bounds1(optimizer_, 0);
    nlopt_set_upper_bounds1(optimizer_, 1);
    nlopt_set_initial_step1(optimizer_, step);
    nlopt_set_xtol_abs1(optimizer_, 1e-7);
    nlopt_set_maxeval(optimizer_, static_cast<int>(std::max<std::int64_t>(1, left_ / 2)));
    std::vector<Which> which(best_.size());
    for (std::size_t i = 0; i < which.size(); ++i) which[i] = {this, i};
    nlopt_set_min_objective(optimizer_, value_of, which.data());
    for (std::size_t i = 1; i < which.size(); ++i)
      nlopt_add_inequality_constraint(optimizer_, value_of, &which[i], 0.1 * kFeasible);
    std::vector<double> x = best_share_;
    for (double& v : x) v = std::clamp(v, 0.0, 1.0);
    double value = 0;
    const nlopt_result why = nlopt_optimize(optimizer_, x.data(), &value);
    left_ -= nlopt_get_numevals(optimizer_);
    if (cancelled_) throw *cancelled_;
    return why == NLOPT_XTOL_REACHED || why == NLOPT_FTOL_REACHED || why == NLOPT_SUCCESS ||
           why == NLOPT_ROUNDOFF_LIMITED;
  }

  Evaluator& evaluate_;
  const std::vector<Axis>& vary_;
  double sign_;
  std::int64_t left_;  // points
  bool has_best_ = false;
  std::vector<double> best_, best_share_, last_, last_share_;
  nlopt_opt optimizer_ = nullptr;
  std::optional<Cancelled> cancelled_;
};

}  // namespace

Optimum optimize(Evaluator& evaluate, const std::vector<Axis>& vary, bool maximizes,
                 std::int64_t most_points) {
  return Search(evaluate, vary, maximizes, most_points)();
}

#endif

}  // namespace chi::experiment
