#include <algorithm>
#include <array>
#include <cmath>

#include "sim/consistency/mode_search.h"

// Jumps in the search for a mode. While the impulse lasts it outweighs every finite value, so the
// mode that takes it is the one that its own impulses keep. When it is over, the values that it
// leaves say which mode comes then: a plastic impact into a contact that bears no load has the
// contact closed for the impulse, and then any of its two branches, since both hold in the corner.
// That is J. J. Moreau's law of plastic impacts ("Unilateral contact and dry friction in finite
// freedom dynamics", 1988): impulses and the velocities after them are complementary.
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// An impulse smaller than this beside the largest is rounding.
constexpr double kNoImpulse = 1e-9;

}  // namespace

bool ModeSearch::may_jump() const {
  return !initial_ && !is_over_ && part_.workshop_.options.jumps != Jumps::Error;
}

/// The borders in which an impulse occurs are on the side where it is. A valve that blocks a
/// current which cannot jump meets an impulse of voltage that opens it.
Sides ModeSearch::pushed_sides(const std::vector<Change>& changes, Sides sides) {
  std::vector<std::pair<std::size_t, double>> impulses;
  double largest = 0;
  for (const Change& change : changes) {
    // What jumps has a derivative with an impulse.
    const expr::VarRef x = change.variable;
    const int order = change.is_impulse ? x.order : x.order + 1;
    impulses.emplace_back(at(part_.place({x.var, order})), change.after - change.before);
    largest = std::max(largest, std::abs(impulses.back().second));
  }
  std::vector<double> frame = loaded_;
  part_.fit(frame);
  for (const auto& [place, weight] : impulses) frame[place] = 0;
  const std::span<const Part::BorderValue> computed = part_.border_values(frame);
  const std::vector<Part::BorderValue> finite(computed.begin(), computed.end());
  for (const auto& [place, weight] : impulses) frame[place] = weight;
  const std::span<const Part::BorderValue> impulsive = part_.border_values(frame);
  for (const int b : part_.mode_borders_) {
    const double step = impulsive[at(b)].value - finite[at(b)].value;
    if (!(std::abs(step) > kNoImpulse * largest)) continue;
    sides[at(b)] = step > 0 ? Side::Plus : Side::Minus;
  }
  return sides;
}

/// The sides during the impulse of an attempt that jumps, or was refused for it: those of the
/// impulse, and of the friction that it brings about.
Sides ModeSearch::impact_sides(const Attempt& attempt, const Sides& sides) {
  Sides result = pushed_sides(attempt.refused.empty() ? attempt.changes : attempt.refused, sides);
  for (const auto& [border, side] : attempt.swept) result[at(border)] = side;
  return result;
}

/// The rate of a contact's gap before and after the jump of an attempt, its restitution, and what
/// counts as no rate.
ModeSearch::ImpactRates ModeSearch::impact_rates(const Attempt& attempt,
                                                 const Part::Contact& contact) {
  code::Formulas formulas(part_.workshop_.pool(), std::array{contact.rate, contact.restitution},
                          part_.leaves_, part_.workshop_.boxes);
  std::vector<double> past = loaded_, now = attempt.frame;
  part_.fit(past);
  part_.fit(now);
  std::array<double, 2> before{}, after{};
  formulas.evaluate_each(past.data(), before.data());
  formulas.evaluate_each(now.data(), after.data());
  const RunOptions& options = part_.workshop_.options;
  return {.before = before[0],
          .after = after[0],
          .restitution = before[1],
          .allowed = Part::kTolerances * (options.rtol * std::abs(before[0]) + options.atol)};
}

/// What the laws of impact say of an attempt that jumps. Impulses and what contacts are short of
/// their law are complementary: one that stays open separates with at least e times the speed at
/// which it closed, or it has to close. One that took its impulse and separates is open `after`.
void ModeSearch::apply_restitution(const Attempt& attempt, Sides& during, Sides& after) {
  const std::vector<ModeEquations::Contact>& closed = attempt.plan->equations().contacts;
  for (const Part::Contact& contact : part_.contacts_) {
    if (contact.border < 0 || contact.force < 0) continue;
    const bool is_closed = std::ranges::any_of(closed, [&](const ModeEquations::Contact& c) {
      return c.equation == contact.closed.index;
    });
    if (!is_closed && !is_reached(loaded_, contact.border)) continue;
    const ImpactRates rates = impact_rates(attempt, contact);
    if (is_closed && rates.after > rates.allowed) {
      after[at(contact.border)] = contact.closing == Side::Plus ? Side::Minus : Side::Plus;
      after[at(contact.force)] = contact.pulling;
    } else if (!is_closed && rates.before < 0 &&
               rates.after + rates.restitution * rates.before < -rates.allowed) {
      during[at(contact.border)] = contact.closing;
    }
  }
}

/// A mode that jumps must be on the side of its impulses; what the values after it say comes then.
void ModeSearch::let_impulses_decide(Attempt& attempt) {
  Sides during = impact_sides(attempt, attempt.right), after = attempt.right;
  apply_restitution(attempt, during, after);
  if (during == after) return;
  attempt.after = std::move(after);
  attempt.right = std::move(during);
  attempt.goes_on = part_.plan_for(attempt.after).plan == attempt.plan;
}

/// A body that comes to a stop just where it touches: what is left of its velocity, within the
/// tolerances, asks for contact, and the force of that contact for none. The impulse that takes it
/// is not worth telling.
bool ModeSearch::take_touch() {
  if (jumps_ || initial_ || is_over_) return false;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    Attempt& a = *order_[i];
    if (!a.solved || !a.plan->has_choice()) continue;
    const auto back = attempts_.find({a.right, false});
    if (back == attempts_.end() || !back->second.solved || back->second.next != a.plan) continue;
    Attempt touch{.plan = a.plan, .next = a.plan};
    load(touch);
    solve_with_jump(touch);
    if (!touch.solved || touch.jumped) continue;
    part_.right_sides(*touch.plan, touch.frame, assumed_[i], touch.after);
    show(touch);
    const Sides during = impact_sides(touch, touch.after);
    if (part_.plan_for(during).plan == touch.plan && take_what_follows(touch)) return true;
    show_loaded();
  }
  return false;
}

void ModeSearch::tell_jump(const Attempt& attempt) {
  part_.jumps_ = attempt.jumped ? attempt.changes : std::vector<Change>{};
  part_.conserved_ = attempt.jumped ? attempt.conserved : std::vector<ConservedSum>{};
}

/// The mode after an impact that leaves its own mode: one in which nothing jumps any more. If there
/// is none, it was not the right impact.
bool ModeSearch::take_what_follows(Attempt& impact) {
  if (impact.next == nullptr) return false;  // tried before
  const Sides sides = part_.sides_;
  Plan* const plan = part_.plan_;
  show(impact);
  part_.plan_ = impact.plan;
  part_.sides_ = impact.after;
  ModeSearch following(part_, false);
  following.is_over_ = true;
  following.budget_ = budget_;
  const bool found = following.search();
  budget_ = following.budget_;
  if (found) {
    tell_jump(impact);
    return true;
  }
  show_loaded();
  part_.sides_ = sides;
  part_.plan_ = plan;
  impact.next = nullptr;
  return false;
}

}  // namespace chi::sim
