#include "sim/algebra/explicit_run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/check.h"
#include "expr/substitute.h"
#include "sim/algebra/isolate.h"
#include "sim/algebra/tolerances.h"

namespace chi::sim {
namespace {

using expr::ExprId;

}  // namespace

ExplicitRun::ExplicitRun(const SolverContext& context, std::vector<Assignment> assignments)
    : assignments_(std::move(assignments)) {
  std::vector<expr::Replacement> equations;
  for (const Assignment& a : assignments_) {
    const ExprId leaf = leaf_of(context.pool, a.unknown);
    equations.push_back({leaf, a.value});
    places_.push_back(context.leaves.place(leaf));
  }
  // What a delay looks back at is not computed here: an unknown may be given by its own past.
  const expr::Follow present{.delayed = false};
  const expr::Resolved resolved = expr::resolve_substitutes(context.pool, equations, present);
  CHI_CHECK(resolved.cycle.empty(), "assignments in a wrong order");
  std::vector<ExprId> divisors;
  for (std::size_t k = 0; k < assignments_.size(); ++k) {
    assignments_[k].value = resolved.replacements[k].by;
    by_unknown_.emplace_back(assignments_[k].unknown, assignments_[k].value);
    for (const ExprId d : assignments_[k].divisors) {
      divisors.push_back(d);
      watched_.push_back({k, d, {}, {}});
    }
  }
  std::sort(by_unknown_.begin(), by_unknown_.end());
  divisors = expr::substitute(context.pool, divisors, resolved.replacements, present);
  for (std::size_t k = 0; k < divisors.size(); ++k) {
    watched_[k].divisor = divisors[k];
    watched_[k].size = size_of_terms(context.pool, divisors[k]);
  }
}

ExprId ExplicitRun::value_of(expr::VarRef unknown) const {
  const auto found = std::lower_bound(by_unknown_.begin(), by_unknown_.end(), unknown,
                                      [](const auto& a, expr::VarRef x) { return a.first < x; });
  return found != by_unknown_.end() && found->first == unknown ? found->second : ExprId{};
}

void ExplicitRun::compile(const SolverContext& context) {
  std::vector<ExprId> roots;
  for (const Assignment& a : assignments_) roots.push_back(a.value);
  for (const Watched& w : watched_) {
    roots.push_back(w.divisor);
    roots.push_back(w.size ? w.size : w.divisor);
  }
  formulas_.emplace(context.pool, roots, context.leaves, context.boxes);
  out_.resize(roots.size());
}

ExplicitRun::Divisor ExplicitRun::divisor(std::size_t k) const {
  return {watched_[k].assignment, watched_[k].written, out_[assignments_.size() + 2 * k]};
}

bool ExplicitRun::is_lost(std::size_t k, double rounding) const {
  const double divisor = out_[assignments_.size() + 2 * k];
  const double size = out_[assignments_.size() + 2 * k + 1];
  if (divisor == 0) return true;
  return watched_[k].size && std::abs(divisor) <= rounding * size;
}

bool ExplicitRun::is_singular_at(const SolverContext& context, const double* frame) {
  if (watched_.empty()) return false;
  if (!formulas_) compile(context);
  formulas_->evaluate_each(frame, out_.data());
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    if (!is_lost(k, tolerance::kDoubtfulDivisor)) continue;
    failed_ = watched_[k].assignment;
    singular_ = true;
    return true;
  }
  return false;
}

bool ExplicitRun::solve(const SolverContext& context, double* frame) {
  if (!formulas_) compile(context);
  fault_.reset();
  singular_ = false;
  if (!formulas_->evaluate(frame, out_.data())) {
    fault_ = formulas_->fault();
    formulas_->evaluate_each(frame, out_.data());
  }
  if (!fault_ && judge()) {
    for (std::size_t k = 0; k < places_.size(); ++k) frame[places_[k]] = out_[k];
    return true;
  }
  if (fault_) judge();
  return false;
}

// Whether all values are there; else which is the first that is not, and why. A division by zero
// that we have brought in is a singular equation, not a fault of the model.
bool ExplicitRun::judge() {
  failed_ = assignments_.size();
  for (std::size_t k = 0; k < watched_.size() && !singular_; ++k) {
    if (!is_lost(k, tolerance::kDivisorRounding)) continue;
    failed_ = watched_[k].assignment;
    singular_ = true;
  }
  for (std::size_t k = 0; k < failed_; ++k) {
    if (std::isfinite(out_[k])) continue;
    failed_ = k;
    singular_ = false;
  }
  if (fault_) fault_->root = 0;
  if (singular_) fault_.reset();
  return failed_ == assignments_.size();
}

std::vector<char> ExplicitRun::solve_each(double* frame) {
  std::vector<char> solved(assignments_.size(), 0);
  bool garbled = false;  // something was divided by rounding errors: later values may contain it
  std::size_t w = 0;
  for (std::size_t k = 0; k < assignments_.size(); ++k) {
    bool lost = false;
    for (; w < watched_.size() && watched_[w].assignment == k; ++w) {
      lost = lost || is_lost(w, tolerance::kDivisorRounding);
    }
    garbled = garbled || (lost && std::isfinite(out_[k]));
    solved[k] = !lost && !garbled && std::isfinite(out_[k]);
    if (solved[k]) frame[places_[k]] = out_[k];
  }
  return solved;
}

}  // namespace chi::sim
