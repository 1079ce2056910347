#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "expr/incidence.h"
#include "numerics/next_mode.h"
#include "sim/consistency/law_model.h"
#include "sim/consistency/mode_search.h"

// The one-step problem proposes modes, the exact orders of their plans decide
// (numerics/next_mode.h).
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Modes that a search verifies at most: each may cost a plan.
constexpr int kMostVerified = 40;
/// Where nothing tells how fast values move: a part of the run.
constexpr double kPartOfRun = 1e-3;
/// Filippov's weights, numbers between 0 and 1, are known to this.
constexpr double kEndOfSliding = 1e-9;

}  // namespace

/// How long it takes what moves to change by its own size: steps of the one-step problem are small
/// beside that.
double ModeSearch::time_scale() const {
  const RunOptions& options = part_.workshop_.options;
  double scale = std::numeric_limits<double>::infinity();
  if (part_.plan_ != nullptr && !initial_) {
    for (const expr::VarRef x : part_.plan_->values()) {
      if (!part_.plan_->has_lower(x)) continue;
      const std::size_t here = at(part_.place(x)), above = at(part_.place({x.var, x.order + 1}));
      if (std::max(here, above) >= loaded_.size()) continue;
      const double rate = std::abs(loaded_[above]);
      const double size = std::max(std::abs(loaded_[here]), options.atol / options.rtol);
      if (rate > 0) scale = std::min(scale, size / rate);
    }
  }
  // A run that only starts (`chi init`, `chi check`) ends at 0 and has no scale of its own.
  const bool has_scale = std::isfinite(options.end) && options.end > 0;
  const double run = kPartOfRun * (has_scale ? options.end : 1);
  return std::isfinite(scale) ? std::min(scale, run) : run;
}

/// Whether the mode is taken; if not, what refuses it.
numerics::Verdict ModeSearch::verify(const LawProblem& laws, const numerics::Mode& mode) {
  numerics::Verdict verdict{.is_singular = true};
  for (const bool jumps : {false, true}) {
    if (jumps && !may_jump()) break;
    jumps_ = jumps;
    Sides sides = laws.sides_of(mode, start_);
    if (!may_slide() && std::ranges::count(sides, Stand(Side::Slide)) > 0) return verdict;
    // Sides that no piece speaks of are what the values say.
    for (int round = 0; round < 2; ++round) {
      Attempt& tried = attempt(sides);
      if (tried.solved && !slides_by_motion(tried, sides)) return verdict;
      if (take_end_of_sliding(sides) || take(sides)) {
        verdict.accepted = true;
        return verdict;
      }
      const Attempt& a = attempt(sides);
      if (!a.solved || round == 1) break;
      const Sides wanted = laws.sides_of(mode, a.right);
      if (wanted == sides) break;
      sides = wanted;
    }
    Attempt& a = attempt(sides);
    if (!a.solved && take_followed(sides, false)) {
      verdict.accepted = true;
      return verdict;
    }
    if (!a.solved) continue;
    if (take_at_equality(sides) || take_closed(laws, mode, a)) {
      verdict.accepted = true;
      return verdict;
    }
    verdict.is_singular = false;
    verdict.refusals.clear();
    for (std::size_t k = 0; k < laws.fixed.size(); ++k) {
      const numerics::Piece& piece = laws.problem.laws[k].pieces[at(mode[k])];
      for (const LawProblem::Fixed& f : laws.fixed[k][at(mode[k])]) {
        const Side right = a.right[at(f.border)];
        if (right == f.side || (right == Side::On && f.side != Side::Slide)) continue;
        const Part::BorderValue g = part_.border_value(f.border, a.frame);
        const int order = a.jumped ? -1 : std::abs(g.value) > g.band ? 0 : 1;
        for (std::size_t c = 0; c < piece.conditions.size(); ++c) {
          const bool is_its =
              f.side == Side::Slide
                  ? std::ranges::any_of(piece.beyond[c],
                                        [&](const numerics::FacetRef& to) {
                                          return std::ranges::any_of(
                                              laws.fixed[k][at(to.piece)], [&](const auto& there) {
                                                return there.border == f.border &&
                                                       there.side == right;
                                              });
                                        })
                  : laws.border_of[at(piece.conditions[c])] == f.border;
          if (!is_its) continue;
          verdict.refusals.push_back({.law = static_cast<int>(k),
                                      .condition = static_cast<int>(c),
                                      .order = order,
                                      .value = g.value,
                                      .error = g.band});
        }
      }
    }
    break;
  }
  jumps_ = false;
  return verdict;
}

/// Whether what keeps the mode on each surface that it slides on is the motion: a weight that a
/// derivative of the difference determines, or one that keeps a velocity at zero, as friction does
/// where there is no mass. In `y = if y > 0 then -1 else 1` a weight would make values up that no
/// alternative has.
bool ModeSearch::slides_by_motion(const Attempt& attempt, const Sides& sides) {
  const ModeEquations& mode = attempt.plan->equations();
  if (mode.sliding.empty()) return true;
  const structure::Analysis& analysis = attempt.plan->analysis();
  const std::span<const expr::ExprId> differences = part_.differences(sides);
  for (std::size_t i = 0; i < analysis.kept.size(); ++i) {
    const std::size_t row = at(analysis.kept[i]);
    if (mode.equations[row] >= 0 || analysis.c[i] > 0) continue;
    const expr::ExprId surface = mode.system.rows[row];
    const bool slides =
        std::ranges::any_of(mode.sliding, [&](int b) { return differences[at(b)] == surface; });
    if (slides && !is_velocity(mode, surface)) return false;
  }
  return true;
}

/// Whether it speaks of x', be it by another name: of v where an equation says v = x'.
bool ModeSearch::is_velocity(const ModeEquations& mode, expr::ExprId e) const {
  const expr::Pool& pool = part_.workshop_.pool();
  for (const expr::ExprId leaf : expr::variables(pool, std::array{e}).node) {
    const expr::VarRef v = pool.variable(leaf);
    if (v.order > 0) return true;
    const bool is_name = std::ranges::any_of(mode.system.rows, [&](expr::ExprId row) {
      const std::vector<expr::ExprId> in = expr::variables(pool, std::array{row}).node;
      return std::ranges::find(in, leaf) != in.end() &&
             std::ranges::all_of(in,
                                 [&](expr::ExprId other) {
                                   return other == leaf || pool.variable(other).order > 0;
                                 }) &&
             in.size() > 1;
    });
    if (is_name) return true;
  }
  return false;
}

/// Sliding whose weight is that of one side is the motion of that side along its own border, which
/// has less to solve.
bool ModeSearch::take_end_of_sliding(const Sides& sides) {
  Attempt& sliding = attempt(sides);
  if (!sliding.consistent()) return false;
  Sides ends = sides;
  for (const int b : part_.mode_borders_) {
    if (sides[at(b)] != Side::Slide) continue;
    const std::size_t place = at(part_.place(part_.weight_of(b)));
    if (place >= sliding.frame.size()) continue;
    const double weight = sliding.frame[place];
    if (std::abs(weight) < kEndOfSliding) ends[at(b)] = Side::Minus;
    if (std::abs(1 - weight) < kEndOfSliding) ends[at(b)] = Side::Plus;
  }
  if (ends == sides) return false;
  if (take(ends)) return true;
  Attempt& a = attempt(ends);
  if (!a.solved || (a.jumped && !jumps_) || !a.after.empty()) return false;
  Sides closed = a.right;
  for (const int b : part_.mode_borders_) {
    if (sides[at(b)] == Side::Slide && closed[at(b)] == Side::On) closed[at(b)] = ends[at(b)];
  }
  show(a);
  if (part_.plan_for(closed).plan != a.plan || is_avoided(a)) return false;
  stay(a, closed);
  return true;
}

/// More surfaces to slide on than there are directions to move in: some may follow the others.
bool ModeSearch::take_followed(const Sides& sides, bool may_rest) {
  std::vector<int> sliding;
  for (const int b : part_.mode_borders_) {
    if (sides[at(b)] == Side::Slide) sliding.push_back(b);
  }
  if (sliding.size() < 2) return false;
  const Sides followed = slide_on(sliding, sides, may_rest);
  return followed != sides && take(followed);
}

/// The same where nothing else was found: some rest with the others, and share what holds them.
bool ModeSearch::take_shared() {
  for (std::size_t i = 0, made = order_.size(); i < made; ++i) {
    if (!order_[i]->solved && take_followed(Sides(assumed_[i]), true)) return true;
  }
  return false;
}

/// Borders that the mode holds on zero though it says otherwise: what their relations say there,
/// with those that follow a sliding one.
bool ModeSearch::take_at_equality(const Sides& sides) {
  const Sides right = attempt(sides).right;
  for (std::size_t b = 0; b < sides.size(); ++b) {
    if (right[b] != sides[b] && right[b] != Side::On) return false;
  }
  return right != sides && take(right);
}

/// A condition that is zero and stays zero holds, whatever its relation says at equality, where the
/// law is continuous: pieces are closed. A diode through which no current flows conducts as well as
/// it blocks. Where the law steps, the relation decides.
bool ModeSearch::take_closed(const LawProblem& laws, const numerics::Mode& mode, Attempt& a) {
  if (a.jumped && !jumps_) return false;
  Sides sides = a.right;
  for (std::size_t k = 0; k < laws.fixed.size(); ++k) {
    for (const LawProblem::Fixed& f : laws.fixed[k][at(mode[k])]) {
      Stand& side = sides[at(f.border)];
      if (side != Side::On || (f.side != Side::Plus && f.side != Side::Minus)) continue;
      if (laws.is_continuous(static_cast<int>(k), mode[k], f.border)) side = f.side;
    }
  }
  // Where the equations are singular, no derivative says that it stays zero.
  if (sides == a.right || !a.plan->is_leading_regular(a.frame)) return false;
  show(a);
  if (part_.plan_for(sides).plan != a.plan || is_avoided(a)) return false;
  if (!a.after.empty()) return take_what_follows(a);
  stay(a, sides);
  return true;
}

/// Where nothing is known of the unknowns: all borders on which the present values lie on one side,
/// or on the other one.
bool ModeSearch::take_one_side() {
  for (const Side side : {Side::Minus, Side::Plus}) {
    Sides all = start_;
    for (const int b : part_.mode_borders_) {
      if (is_reached(loaded_, b) || all[at(b)] == Side::None) all[at(b)] = side;
    }
    if (all != start_ && iterate(all)) return true;
  }
  return false;
}

LawModel& ModeSearch::laws_of(Part& part) {
  if (part.laws_ == nullptr) {
    const auto borders = static_cast<int>(part.conditions_.borders().size());
    part.laws_ = std::make_shared<LawModel>(LawSource{
        .pool = part.workshop_.pool(),
        .set = part.equations_.set,
        .conditions = part.conditions_,
        .guards = part.guard_conditions_,
        .leaves = part.leaves_,
        .boxes = part.workshop_.boxes,
        .first_free = part.weight_of(borders).var.index +
                      static_cast<std::int32_t>(part.in_conditions_.size()) + 1,
    });
  }
  return *part.laws_;
}

/// `searches`: also by branch and bound.
bool ModeSearch::take_one_step(bool searches) {
  if (budget_ <= 0) return false;
  LawModel& model = laws_of(part_);
  show_loaded();
  part_.condition_truths(start_);  // what is no relation in the conditions
  LawProblem laws;
  if (!model.pose(loaded_, start_, laws)) {
    // Some row has no value at the guesses: those of a mode that has a solution, if there is one.
    if (take_one_side()) return true;
    const auto has_values = [&](const Attempt* a) {
      return a->solved && !a->jumped && model.pose(a->frame, start_, laws);
    };
    if (std::ranges::none_of(std::vector<Attempt*>(order_), has_values)) return false;
  }
  laws.problem.time_scale = time_scale();
  const RunOptions& options = part_.workshop_.options;
  for (const double x : laws.problem.before) {
    laws.problem.error.push_back(options.rtol * std::abs(x) + options.atol);
  }
  const auto verify_mode = [&](const numerics::Mode& mode) { return verify(laws, mode); };
  numerics::NextModeLimits limits;
  limits.verifications = kMostVerified;
  if (!searches) limits.nodes = 0;
  const numerics::NextMode next =
      numerics::next_mode(laws.problem, laws.start, verify_mode, limits);
  return std::holds_alternative<numerics::FoundMode>(next);
}

/// The same, with signs that count only where they exceed what the integration leaves. With signs
/// as computed, the modes on both sides of a surface that is reached may refuse each other: what
/// the derivatives beyond it begin with is then the error of the values before.
bool ModeSearch::take_within_errors() {
  if (initial_) return false;
  show_loaded();
  auto attempts = std::exchange(attempts_, {});
  auto order = std::exchange(order_, {});
  auto assumed = std::exchange(assumed_, {});
  part_.weighs_errors_ = true;
  const bool found = take_one_step(true);
  part_.weighs_errors_ = false;
  is_within_errors_ = found;
  if (found) return true;
  show_loaded();
  attempts_ = std::move(attempts);
  order_ = std::move(order);
  assumed_ = std::move(assumed);
  return false;
}

}  // namespace chi::sim
