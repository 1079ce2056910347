#include <algorithm>
#include <array>
#include <limits>

#include "expr/build.h"
#include "expr/incidence.h"
#include "expr/linearity.h"
#include "expr/substitute.h"
#include "sim/events/part_run.h"
#include "sim/part/surface.h"

// How the difference of a border moves through a window: as a polynomial or as a function.
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

/// What depends on states alone moves in the same way in all modes that have these states: where
/// one of many borders is crossed, the others need not be looked into again.
PartRun::Tracked& PartRun::tracked(ExprId difference) {
  const StateVariant* const variant = part_.variant();
  OfPlans& kept = of_plans();
  if (kept.tracks == nullptr || kept.tracks_of != variant) {
    kept.tracks_of = variant;
    kept.tracks =
        &kept.by_states[variant == nullptr ? std::vector<VarRef>{} : variant->choice.states];
  }
  Tracks& tracks = *kept.tracks;
  if (const auto known = tracks.find(difference); known != tracks.end()) return known->second;
  if (const auto known = kept.tracked.find({variant, difference}); known != kept.tracked.end()) {
    return known->second;
  }
  if (std::optional<Tracked> track = track_constant(difference)) {
    return tracks[difference] = std::move(*track);
  }
  Moving in = moving_in(difference);
  Tracked& result = in.is_of_states ? tracks[difference] : kept.tracked[{variant, difference}];
  if (!track_linear(difference, in, result)) track_function(difference, std::move(in), result);
  return result;
}

std::int32_t PartRun::state_number(VarRef x) const {
  if (part_.variant() == nullptr) return -1;
  const std::vector<VarRef>& states = part_.variant()->choice.states;
  const auto found = std::lower_bound(states.begin(), states.end(), x);
  const bool is_there = found != states.end() && *found == x;
  return is_there ? static_cast<std::int32_t>(found - states.begin()) : -1;
}

/// What a difference consists of: its states, and whether nothing else in it moves but time.
PartRun::Moving PartRun::moving_in(ExprId difference) {
  const expr::Pool& pool = workshop_.pool();
  Moving result;
  result.is_known = result.is_of_states = !pool.has(difference, expr::kHasDelay);
  for (const ExprId leaf : expr::variables(pool, std::array{difference}).node) {
    const VarRef x = pool.variable(leaf);
    if (const std::int32_t state = state_number(x); state >= 0) {
      result.leaves.push_back(leaf);
      result.states.push_back(state);
    } else {
      result.is_of_states = false;
      if (part_.plan() != nullptr && part_.plan()->analysis().unknown_index(x.var) >= 0) {
        result.is_known = false;
      }
    }
  }
  return result;
}

/// States and time with factors that are numbers, as nearly all borders are.
std::optional<PartRun::Tracked> PartRun::track_constant(ExprId difference) const {
  const expr::Pool& pool = workshop_.pool();
  const std::optional<WeightedSum> sum = weighted_sum(pool, difference);
  if (!sum || sum->terms.empty()) return std::nullopt;
  Tracked track;
  track.kind = Tracked::Kind::Linear;
  std::vector<std::pair<std::int32_t, double>> factors;
  double of_time = 0;
  for (const auto& [e, factor] : sum->terms) {
    if (factor == 0) return std::nullopt;
    if (pool.op(e) == expr::Op::Time) {
      track.has_time = true;
      of_time = factor;
      continue;
    }
    if (pool.op(e) != expr::Op::Variable) return std::nullopt;
    const std::int32_t state = state_number(pool.variable(e));
    if (state < 0) return std::nullopt;
    factors.emplace_back(state, factor);
  }
  std::sort(factors.begin(), factors.end());
  if (track.has_time) track.constants.push_back(of_time);
  for (const auto& [state, factor] : factors) {
    track.states.push_back(state);
    track.constants.push_back(factor);
  }
  track.constants.push_back(sum->constant);
  return track;
}

std::span<const double> PartRun::coefficients(const Tracked& track,
                                              const std::vector<double>& frame) {
  if (!track.constants.empty()) return track.constants;
  coefficients_.resize(at(track.formulas->size()));
  if (!track.formulas->evaluate(frame.data(), coefficients_.data())) return {};
  return coefficients_;
}

bool PartRun::track_linear(ExprId difference, const Moving& in, Tracked& result) {
  expr::Pool& pool = workshop_.pool();
  if (!in.is_known) return false;
  result.has_time = pool.has(difference, expr::kHasTime);
  std::vector<ExprId> leaves = in.leaves;
  if (result.has_time) leaves.insert(leaves.begin(), expr::time(pool));
  if (leaves.empty()) return true;
  const expr::LinearForms forms = expr::linear_forms(pool, std::array{difference}, leaves);
  if (forms.kind[0] == expr::Linearity::Nonlinear) return false;
  result.kind = Tracked::Kind::Linear;
  result.states = in.states;
  std::vector<ExprId> roots(leaves.size(), expr::constant(pool, 0));
  for (std::int32_t k = forms.a.row_start[0]; k < forms.a.row_start[1]; ++k) {
    roots[at(forms.a.column[at(k)])] = forms.a.entry[at(k)];
  }
  roots.push_back(forms.b[0]);
  compile(roots, result);
  return true;
}

void PartRun::track_function(ExprId difference, Moving in, Tracked& result) {
  result.kind = Tracked::Kind::Function;
  result.has_time = workshop_.pool().has(difference, expr::kHasTime);
  result.states = std::move(in.states);
  result.needs_solve = !in.is_known;
  result.search = interval_search(difference);
  compile(std::array{difference}, result);
}

void PartRun::compile(std::span<const ExprId> roots, Tracked& result) {
  result.formulas =
      std::make_unique<code::Formulas>(workshop_.pool(), roots, part_.leaves(), workshop_.boxes);
  part_.fit(part_.frame());
  part_.fit(search_frame_);
}

/// Unknowns that are assigned from the states can be put into the difference; those of blocks
/// cannot.
ExprId PartRun::with_assigned(ExprId difference) {
  const StateVariant* const variant = part_.variant();
  if (variant == nullptr || !variant->solver) return difference;
  const ExplicitRun* const run = variant->solver->explicit_run();
  if (run == nullptr) return difference;
  std::vector<expr::Replacement> values;
  for (const ExprId leaf : expr::variables(workshop_.pool(), std::array{difference}).node) {
    const ExprId value = run->value_of(workshop_.pool().variable(leaf));
    if (value) values.push_back({leaf, value});
  }
  return values.empty() ? difference : expr::substitute(workshop_.pool(), difference, values);
}

std::optional<IntervalSearch> PartRun::interval_search(ExprId difference) {
  expr::Pool& pool = workshop_.pool();
  auto formula = expr::IntervalFormula::make(pool, with_assigned(difference));
  if (!formula) return std::nullopt;
  std::vector<IntervalSearch::Leaf> leaves;
  for (const ExprId e : formula->leaves()) {
    IntervalSearch::Leaf leaf;
    if (pool.op(e) == expr::Op::Time) {
      leaf.is_time = true;
    } else {
      leaf.place = part_.leaves().place(e);
      if (pool.op(e) == expr::Op::Variable) {
        const VarRef x = pool.variable(e);
        if (const std::int32_t state = state_number(x); state >= 0) {
          leaf.component = state;
        } else if (part_.plan() != nullptr && part_.plan()->analysis().unknown_index(x.var) >= 0) {
          return std::nullopt;
        }
      }
    }
    leaves.push_back(leaf);
  }
  return IntervalSearch(std::move(*formula), std::move(leaves));
}

/// The equations solved at a time in the window, into `search_frame_`. The borders are looked at in
/// the same points of the window, most of them: what was solved for one serves the others.
bool PartRun::solved_at(double time) {
  constexpr std::size_t kMost = 64;
  const auto place = [&](const Solved& s) { return s.time == time; };
  const auto known = std::ranges::find_if(solved_, place);
  if (known != solved_.end()) {
    if (known->ok) search_frame_ = known->frame;
    part_.fit(search_frame_);
    return known->ok;
  }
  const bool ok = values_at(time, search_frame_);
  if (solved_.size() < kMost) solved_.push_back({time, ok, search_frame_});
  return ok;
}

double PartRun::difference_at(const Tracked& track, double time) {
  if (track.needs_solve) {
    if (!solved_at(time)) return std::numeric_limits<double>::quiet_NaN();
  } else {
    search_frame_[0] = time;
    const auto states = motion_ != nullptr ? motion_->states() : std::span<const VarRef>{};
    for (const std::int32_t i : track.states) {
      search_frame_[at(part_.place(states[at(i)]))] = motion_->dense().value(time, i);
    }
  }
  if (track.kind != Tracked::Kind::Linear) {
    double value = 0;
    track.formulas->evaluate_each(search_frame_.data(), &value);
    return value;
  }
  const std::span<const double> values = coefficients(track, search_frame_);
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = values.back();
  std::size_t k = 0;
  if (track.has_time) sum += values[k++] * time;
  for (const std::int32_t i : track.states) sum += values[k++] * motion_->dense().value(time, i);
  return sum;
}

}  // namespace chi::sim
