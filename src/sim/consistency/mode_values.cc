#include <algorithm>
#include <cmath>

#include "sim/consistency/mode_search.h"
#include "structure/surplus.h"

// What is continuous stays where it is, where that solves the equations of a mode.
namespace chi::sim {
namespace {

using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

double Part::moved(const Plan& plan, const std::vector<double>& from,
                   const std::vector<double>& to) const {
  double most = 0;
  if (!plan.can_jump()) return most;
  const std::span<const VarRef> values = plan.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t place = at(plan.places()[i]);
    if (place >= from.size() || !(from[place] != to[place])) continue;
    if (!plan.has_lower(values[i]) && !std::ranges::count(plan.overruled(), values[i])) continue;
    const bool is_new = plan_ == nullptr || !plan_->has_lower(values[i]);
    if (values[i].order > 0 && is_new) continue;
    const double before = from[place], after = to[place];
    const double size = std::max(std::abs(before), std::abs(after));
    double step =
        std::abs(after - before) / (workshop_.options.rtol * size + workshop_.options.atol);
    const auto& declared = plan.analysis().is_declared;
    const bool is_known = declared[at(plan.analysis().unknown_index(values[i].var))] == 0;
    if (is_known && std::ranges::find(assigned_, values[i].var) != assigned_.end()) {
      step *= kTolerances;
    }
    most = std::max(most, step);
  }
  return most;
}

/// The unknowns that the modeller declares are the right ones to compute when statements have moved
/// what is known. Where nothing moves, they may be a singular choice at the very point, as the
/// height and speed of a pendulum tell neither its place nor its velocity where it hangs straight
/// down: what they are computed from is rounding then. There is a solution near the present values,
/// found from other ones: that is the one, whatever else the known values lead to. At the start
/// that is the guess, if it is a solution. A jump, however small, conserves more than that:
/// momentum and charge.
bool ModeSearch::keep_values(Attempt& attempt, double allowed) {
  Plan& plan = *attempt.plan;
  if (plan.is_static()) return false;
  std::vector<double> frame = loaded_;
  part_.fit(frame);
  plan.set_switches(frame);
  StateVariant* const variant = part_.variant_at(plan, frame);
  if (variant == nullptr) return false;
  const bool is_known = std::ranges::all_of(variant->choice.states, [&](VarRef x) {
    return x.order == 0 || (part_.plan_ != nullptr && part_.plan_->has_lower(x));
  });
  if (!is_known || !variant->solver->solve(frame.data(), Effort::Near)) return false;
  const double most = attempt.solved ? part_.moved(plan, loaded_, attempt.frame) : allowed;
  const double moved = part_.moved(plan, loaded_, frame);
  if (!(moved < std::min(most, allowed))) return false;
  if (is_exact_ && !attempt.solved && moved > kExact * Part::kTolerances) {
    met_small_jump_ = true;
    return false;
  }
  attempt.frame = std::move(frame);
  attempt.solved = true;
  return true;
}

/// Values that are known contradict constraints of the mode by what the integration left: a current
/// of 1e-11 A where no diode conducts. The equations have a solution within the tolerances, in
/// which the contradiction is spread over the unknowns and has signs. From the states of the mode
/// all values are what the constraints say.
void ModeSearch::snap(Attempt& attempt) {
  Plan& plan = *attempt.plan;
  if (!plan.can_jump() || plan.is_static()) return;
  std::vector<double> frame = attempt.frame;
  StateVariant* const variant = part_.variant_at(plan, frame);
  if (variant == nullptr || !variant->solver->solve(frame.data(), Effort::Near)) return;
  if (part_.moved(plan, loaded_, frame) <= Part::kTolerances) attempt.frame = std::move(frame);
}

/// Where the modeller declares more unknowns than the equations determine, nothing makes the
/// surplus jump: it stays where it is, what is lowest first, since a brake stops what moves, and
/// does not put it elsewhere. What was assigned stays rather than something else; otherwise states
/// do, from which all the rest can be computed at the present values. None at the start, where
/// there is nothing to stay with.
std::vector<VarRef> ModeSearch::values_left_open(Plan& plan) {
  const std::vector<VarRef>& open = plan.ip().under_unknowns;
  if (initial_ || open.empty() || plan.is_static()) return {};
  std::vector<double> frame = loaded_;
  part_.fit(frame);
  plan.set_switches(frame);
  const StateVariant* const variant = part_.variant_at(plan, frame);
  if (variant == nullptr) return {};
  const std::vector<VarRef>& states = variant->choice.states;
  const structure::Analysis& analysis = plan.analysis();
  const auto rank_of = [&](VarRef x) {
    if (!plan.has_lower(x)) return 0;
    if (x.order > 0 && (part_.plan_ == nullptr || !part_.plan_->has_lower(x))) return 0;
    const bool is_assigned =
        x.order == 0 && std::ranges::find(part_.assigned_, x.var) != part_.assigned_.end();
    if (!is_assigned && !std::binary_search(states.begin(), states.end(), x)) return 1;
    const int level = analysis.d[at(analysis.unknown_index(x.var))] - x.order;
    return 2 * level + (is_assigned ? 1 : 0);
  };
  std::vector<int> rank;
  for (const VarRef x : open) rank.push_back(rank_of(x));
  std::vector<VarRef> kept = structure::find_surplus(part_.workshop_.pool(), plan.ip(), rank);
  std::erase_if(kept, [&](VarRef x) { return rank_of(x) == 0; });
  return kept;
}

/// At a single point equations may depend on each other, as `x*y = sin(x)` leaves y open where x
/// passes zero: there the values before will do. Where they do so wherever they hold, one follows
/// from the others, and nothing tells where the motion goes. At the start that is also the better
/// word for equations that could not be solved for it; later they may just be of a mode that is
/// none.
void ModeSearch::refuse_dependent(Attempt& attempt) {
  if (attempt.plan->is_singular() || attempt.plan->is_static()) return;
  if (!attempt.solved && (!initial_ || !attempt.why)) return;
  const auto failure = part_.dependent_equations(*attempt.plan, attempt.frame);
  if (!failure) return;
  attempt.solved = false;
  attempt.why = explain_dependent(*attempt.plan, *failure);
}

}  // namespace chi::sim
