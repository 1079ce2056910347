#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "expr/build.h"
#include "expr/incidence.h"
#include "expr/linearity.h"
#include "expr/substitute.h"
#include "numerics/bernstein_isolation.h"
#include "numerics/root_isolation.h"
#include "numerics/root_location.h"
#include "sim/events/location_rule.h"
#include "sim/events/part_run.h"
#include "sim/events/tolerances.h"
#include "sim/modes/tolerances.h"

// The events in a window: how the difference of each border moves through it, and where it is zero.
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

int direction_of(numerics::RootKind kind) {
  return kind == numerics::RootKind::Rising ? 1 : kind == numerics::RootKind::Falling ? -1 : 0;
}

/// Stands for the border where a piecewise-constant function is searched for its next step.
constexpr int kOfStep = -1;

/// The first term outweighs the others: p is far from zero throughout, and on the right side.
bool stays(const numerics::Polynomial& p, std::optional<Side> side, double band) {
  double others = 0;
  for (const double term : p.terms().subspan(1)) others += std::abs(term);
  const double first = std::abs(p.terms()[0]);
  if (!(first > others + tolerance::kCoefficients * (first + others) + band)) return false;
  return !side || *side == (p.terms()[0] > 0 ? Side::Plus : Side::Minus);
}

/// The first extremum of p behind `start` that is within `band` of zero, or within rounding.
std::optional<double> find_touch(const numerics::Polynomial& p, double start, double band) {
  double size = 0;
  for (const double term : p.terms()) size += std::abs(term);
  if (p.degree < 2 || numerics::clearly_without_roots(p, tolerance::kCoefficients * size + band)) {
    return std::nullopt;
  }
  const numerics::Polynomial slope = numerics::derivative(p);
  const numerics::Isolation extrema = numerics::isolate(slope, {.from = start});
  for (const numerics::IsolatedRoot& root : extrema.roots()) {
    const double x = numerics::locate(slope, root).right;
    double terms = 0, power = 1;
    for (const double term : p.terms()) {
      terms += std::abs(term * power);
      power *= x;
    }
    const double value = std::abs(numerics::evaluate_accurately(p, x));
    if (x > start && value <= tolerance::kCoefficients * terms + band) return x;
  }
  return std::nullopt;
}

/// How far the values of a function are from those of a smooth one: what is left of differences
/// between neighbours.
double roughness(numerics::FunctionRef<double(double)> value, double x, double step) {
  std::array<double, 5> g{};
  for (double& one : g) {
    one = value(x);
    x += step;
  }
  double most = 0;
  for (std::size_t k = 0; k + 2 < g.size(); ++k) {
    most = std::max(most, 0.5 * std::abs(g[k] - 2 * g[k + 1] + g[k + 2]));
  }
  return most;
}

}  // namespace

const std::vector<int>& PartRun::relevant_borders() {
  if (is_relevant_known_) return relevant_;
  is_relevant_known_ = true;
  are_all_relevant_ = part_.follows_all();
  std::vector<int> conditions;
  for (const auto& [condition, count] : watched_) conditions.push_back(condition);
  const bool has_sides = part_.has_sides_of(decided_);
  relevant_steps_ = part_.follow_steps(conditions, !has_sides);
  if (has_sides) {
    part_.mark_deciding(conditions, marked_);
  } else {
    part_.mark_deciding({}, marked_);
    for (const int c : conditions) {
      for (const int b : part_.conditions().borders_of(c)) marked_[at(b)] = 1;
    }
  }
  relevant_.clear();
  for (std::size_t b = 0; b < marked_.size(); ++b) {
    if (marked_[b]) relevant_.push_back(static_cast<int>(b));
  }
  return relevant_;
}

/// Where all borders are followed, no decision changes which.
void PartRun::forget_relevant() {
  if (!are_all_relevant_ || !part_.follows_all()) is_relevant_known_ = false;
}

void PartRun::search(double time) {
  if (leap_) {  // nothing is located: what was found at its end has happened there
    if (time >= reached_) events_.clear();
    return;
  }
  decided_ = time;
  if (part_.has_sides_of(time)) forget_relevant();
  search_window(time);
  note_return();
  if (motion_ == nullptr || !has_window_ || part_.mode_borders().empty()) return;
  // Values were only asked for up to the event. In a mode that goes on, though it ends on the
  // border, there may be none beyond it.
  const double end = events_.empty() ? reached_ : events_.front().time;
  if (!(end > time)) return;
  search_frame_ = part_.frame();
  if (!values_at(end, search_frame_)) restart(time, numerics::Restart::Warm);
}

void PartRun::search_window(double time) {
  events_.clear();
  solved_.clear();
  if (!has_window_ || time >= reached_) return;
  search_frame_ = part_.frame();
  part_.fit(search_frame_);
  bool leaves_kink = false;
  const std::span<const ExprId> differences = part_.differences(part_.sides());
  for (const int border : relevant_borders()) {
    Side side = part_.sides()[at(border)];
    if (side == Side::Slide) continue;
    if (side == Side::Kink) {
      leaves_kink = leaves_kink || is_apart(border);
      continue;
    }
    if (side == Side::Follow || side == Side::Rest) side = Side::On;
    find(border, differences[at(border)], side == Side::None ? std::nullopt : std::optional(side),
         time);
  }
  expr::Pool& pool = workshop_.pool();
  for (std::size_t i = 0; i < relevant_steps_.size(); ++i) {
    if (relevant_steps_[i] == 0) continue;
    const HeldStep& held = part_.equations().steps[i];
    const bool is_missing = std::isnan(search_frame_[at(part_.leaves().place(held.leaf))]);
    if (held.kind == HeldStep::Kind::Call || is_missing) {
      find_change(held, time);
      continue;
    }
    if (held.kind == HeldStep::Kind::Piece) {
      const auto from = [&](expr::FunctionId border) {
        return expr::sub(pool, held.argument, expr::call(pool, border, std::array{held.leaf}));
      };
      find(kOfStep, from(held.borders.lower), Side::Plus, time);
      find(kOfStep, from(held.borders.upper), Side::Minus, time);
      continue;
    }
    const ExprId above = expr::sub(pool, held.argument, held.leaf);
    find(kOfStep, above, Side::Plus, time);
    find(kOfStep, expr::sub(pool, above, expr::constant(pool, 1)), Side::Minus, time);
  }
  if (part_.plan() == nullptr) return;
  // Sliding ends where a weight leaves the range from 0 to 1.
  const ModeEquations& mode = part_.plan()->equations();
  for (std::size_t k = 0; k < mode.sliding.size(); ++k) {
    const ExprId weight = expr::variable(pool, mode.weights[k].var);
    find_end_of_sliding(mode.sliding[k], weight, Side::Plus, time);
    find_end_of_sliding(mode.sliding[k], expr::sub(pool, weight, expr::constant(pool, 1)),
                        Side::Minus, time);
  }
  if (leaves_kink) note(EventKind::CornerLeft, reached_);
  for (Event& event : events_) {
    if (event.border < 0 || part_.sides()[at(event.border)] == Side::Slide) continue;
    Tracked& track = tracked(differences[at(event.border)]);
    if (track.kind == Tracked::Kind::Still) continue;
    event.height = std::abs(difference_at(track, 0.5 * (time + event.time)));
    event.is_close = event.height <= part_.tolerance_at(event.border, search_frame_);
  }
}

/// Whether the window ends where a kink is no longer near: there its side is to be decided, and to
/// be followed from then on.
bool PartRun::is_apart(int border) {
  Tracked& track = tracked(part_.difference(border));
  if (track.kind == Tracked::Kind::Still) return false;
  return !part_.is_near_kink(border, difference_at(track, reached_), search_frame_);
}

void PartRun::note(const Event& event) {
  const double time = std::min(event.time, reached_);
  if (!events_.empty() && time > events_.front().time) return;
  if (!events_.empty() && time < events_.front().time) events_.clear();
  events_.push_back(event);
  events_.back().time = time;
}

void PartRun::note(EventKind kind, double time) { note({.kind = kind, .time = time}); }

void PartRun::note(int border, double time, double value, int direction, bool is_jump) {
  const EventKind kind = border == kOfStep ? EventKind::StepChange
                         : is_jump         ? EventKind::Pole
                         : direction == 0  ? EventKind::Touch
                                           : EventKind::Crossing;
  note({.kind = kind, .time = time, .border = border, .value = value, .direction = direction});
}

void PartRun::find(int border, ExprId difference, std::optional<Side> side, double time) {
  Tracked& track = tracked(difference);
  const bool may_end = !workshop_.pool().has(difference, expr::kTotal);
  if (may_end && time == decided_ && track.kind == Tracked::Kind::Function &&
      find_side(border, track, side, time)) {
    return;
  }
  if (side == Side::On && track.kind != Tracked::Kind::Still) {
    // g = 0 here, and stays so; its changes of sign are rounding, not events.
    const auto value = [&](double t) { return difference_at(track, t); };
    check_side(border, side, time, reached_, value);
    return;
  }
  if (border >= 0 && side && track.kind != Tracked::Kind::Still &&
      departs_within_tolerance(border, track, *side, time)) {
    return;
  }
  switch (track.kind) {
    case Tracked::Kind::Still: return;
    case Tracked::Kind::Linear: return find_linear(border, track, side, time);
    case Tracked::Kind::Function: return find_function(border, track, side, time);
  }
}

/// Sliding begins with a weight that may be 0 or 1 but for rounding, on either side of it, and may
/// end at once: no root shows that, but the weight is out of its range then.
void PartRun::find_end_of_sliding(int border, ExprId weight, Side side, double time) {
  const std::size_t before = events_.size();
  find(border, weight, std::nullopt, time);
  Tracked& track = tracked(weight);
  if (events_.size() != before || track.kind == Tracked::Kind::Still) return;
  check_side(
      border, side, time, reached_, [&](double t) { return difference_at(track, t); }, 1.0);
}

/// Where a value that only statements can compute is another one than the one that is held, or
/// there is one and there was none, or the other way round.
void PartRun::find_change(const HeldStep& held, double time) {
  constexpr int kLooks = 32;
  Tracked& track = tracked(held.argument);
  if (track.kind == Tracked::Kind::Still) return;
  const std::size_t place = at(part_.leaves().place(held.leaf));
  const auto is_other = [&](double t) {
    if (track.needs_solve && !solved_at(t)) return false;
    const double value = difference_at(track, t), last = part_.frame()[place];
    return std::isnan(value) ? !std::isnan(last) : value != last;
  };
  double left = time;
  for (int k = 1; k <= kLooks; ++k) {
    double right = k == kLooks ? reached_ : time + (reached_ - time) * k / kLooks;
    if (!is_other(right)) {
      left = right;
      continue;
    }
    LocationRule{}.narrow(left, right, is_other);
    return note(EventKind::StepChange, right);
  }
}

void PartRun::find_linear(int border, const Tracked& track, std::optional<Side> side, double time) {
  const std::span<const double> factors = coefficients(track, search_frame_);
  if (factors.empty()) return;
  const double rest = factors.back();
  const double h = reached_ - from_;
  if (track.states.empty()) {  // due at a time that can be computed
    const auto known = part_.time_borders().due(border, search_frame_.data());
    const double due = known ? known->time : -rest / factors[0];
    const Side behind = factors[0] > 0 ? Side::Plus : Side::Minus;
    const bool is_passed = side == behind && due - time <= TimeBorders::resolution(due);
    if (due > time && due <= reached_ && !is_passed) {
      note(border, due, 0, static_cast<int>(behind));
    }
    return;
  }
  std::array<double, numerics::kMaxDegree + 1> terms{};
  const numerics::DenseOutput& dense = motion_->dense();
  const int degree = std::max(dense.degree(), 1);
  std::array<double, numerics::kMaxDegree + 1> one{};
  std::size_t k = 0;
  terms[0] = rest;
  if (track.has_time) {
    terms[0] += factors[0] * from_;
    terms[1] += factors[0] * h;
    k = 1;
  }
  for (std::size_t i = 0; i < track.states.size(); ++i, ++k) {
    dense.coefficients(track.states[i], std::span(one.data(), at(dense.degree()) + 1));
    for (int d = 0; d <= dense.degree(); ++d) terms[at(d)] += factors[k] * one[at(d)];
  }
  const numerics::Polynomial p = numerics::make_polynomial(std::span(terms.data(), at(degree) + 1));
  const double start = std::clamp((time - from_) / h, 0.0, 1.0);
  if (start >= 1) return;
  numerics::IsolationOptions options{.method = workshop_.options.root_detection, .from = start};
  options.max_roots = 1;
  const double begin = numerics::evaluate(p, start);
  const bool crossed = has_crossed(side, begin, time);
  const bool at_zero = begins_at_zero(border, side, begin, time);
  if (crossed && !at_zero) return note(border, time, begin, begin > 0 ? 1 : -1);
  if (!at_zero && stays(p, side, tolerance::kBandOfAtol * workshop_.options.atol)) return;
  if (at_zero) {
    // Roots closer than the resolution of time, or than rounding, belong to the event we start
    // from.
    double size = 0, power = 1;
    for (const double term : p.terms()) {
      size += std::abs(term * power);
      power *= start;
    }
    const double slope = std::abs(numerics::evaluate(numerics::derivative(p), start)) / h;
    options.noise = std::max(4 * std::abs(begin),
                             tolerance::kNoise * (size + slope * std::max(std::abs(time), h)));
  }
  const auto value = [&](double t) { return numerics::evaluate(p, (t - from_) / h); };
  const numerics::Isolation found = numerics::isolate(p, options);
  if (found.count > 0) {
    const double until = from_ + 0.5 * (start + found.roots()[0].left) * h;
    if (at_zero && check_side(border, side, time, until, value)) return;
    const numerics::Location location =
        numerics::locate(p, found.roots()[0], {.method = workshop_.options.root_finder});
    note(border, from_ + location.right * h, location.value_right,
         direction_of(found.roots()[0].kind));
    return;
  }
  if (reached_ == deadline_ && !at_zero) {
    const double slope = numerics::evaluate(numerics::derivative(p), 1);
    if (ends_on_border(border, numerics::evaluate(p, 1), slope)) return;
  }
  if (const auto touch =
          at_zero ? std::nullopt
                  : find_touch(p, start, tolerance::kBandOfAtol * workshop_.options.atol)) {
    note(border, from_ + *touch * h, numerics::evaluate(p, *touch), 0);
    return;
  }
  check_side(border, side, time, reached_, value);
}

void PartRun::find_function(int border, Tracked& track, std::optional<Side> side, double time) {
  const double h = reached_ - from_;
  double start = std::clamp((time - from_) / h, 0.0, 1.0);
  if (start >= 1) return;
  double shift = 0;
  const auto value = [&](double theta) {
    return difference_at(track, theta >= 1 ? reached_ : from_ + theta * h) + shift;
  };
  const auto time_of = [&](const numerics::IsolatedRoot& root) { return from_ + root.right * h; };
  double begin = value(start);
  if (std::isnan(begin) && time != decided_) {
    if (side) note(border, time, 0, 0);
    return;
  }
  // Just behind the instant there may be a value.
  const double first = start;
  for (double part = tolerance::kJustBehind; std::isnan(begin) && part < 0.1; part *= 10) {
    start = first + part * (1 - first);
    begin = value(start);
  }
  if (std::isnan(begin)) return;
  numerics::IsolationOptions options{.method = workshop_.options.root_detection, .from = start};
  options.max_roots = 1;
  if (track.needs_solve) {
    // What solving leaves of zero is not smooth, and changes its sign anywhere. From the band about
    // zero the border is crossed where the band is left on the other side.
    const double atol = workshop_.options.atol;
    double rough = tolerance::kBandOfAtol * atol;
    for (const double end : {start, 1.0}) {
      if (std::abs(value(end)) > atol) continue;
      rough = std::max(
          rough,
          8 * roughness(value, end, end < 1 ? tolerance::kRoughness : -tolerance::kRoughness));
    }
    options.resolution = rough;
    const double band = std::max(rough, part_.start_band(border, time));
    if (side && std::abs(begin) <= band) {
      shift = *side == Side::Plus ? 2 * band : *side == Side::Minus ? -2 * band : 0;
      begin += shift;
    }
  }
  const bool crossed = has_crossed(side, begin, time);
  const bool at_zero = begins_at_zero(border, side, begin, time);
  if (crossed && !at_zero) return note(border, time, begin, begin > 0 ? 1 : -1);
  if (at_zero) {
    // Roots closer than the resolution of time, or than rounding, belong to the event we start
    // from.
    double moved = 0;
    for (const double part : {0.01, 0.1, 0.5}) {
      const double g = value(start + part * (1 - start));
      if (std::isfinite(g)) moved = std::max(moved, std::abs(g) / part);
    }
    const double size = border >= 0 ? part_.border_size(border, search_frame_) : 1 + std::abs(time);
    options.noise =
        std::max(4 * std::abs(begin),
                 tolerance::kNoise * (moved * std::max(1.0, std::abs(time) / h) + size));
  }
  const auto of_time = [&](double t) { return difference_at(track, t); };
  const auto take = [&](numerics::IsolatedRoot root) {
    const double until = from_ + 0.5 * (start + root.left) * h;
    if (at_zero && check_side(border, side, time, until, of_time)) return;
    // A motion that left the band on its own side comes back to the border itself.
    for (const double part : {0.25, 0.5, 0.75, 1.0}) {
      const double theta = start + part * (root.left - start);
      if (shift == 0 || !(std::abs(value(theta)) > 1.5 * std::abs(shift))) continue;
      root.left = theta;
      shift = 0;
    }
    if (numerics::is_crossing(root.kind) && root.left < root.right) {
      const numerics::Location location = numerics::locate(
          {.value = value}, root.left, root.right, {.method = workshop_.options.root_finder});
      const double away = away_from(location);
      const ValuesAround around{std::abs(value(std::max(start, location.left - away))),
                                std::abs(value(std::min(1.0, location.right + away)))};
      const SignChange change = classify(location, around, track.needs_solve);
      // The window ends before the solver goes over to another branch; but not again and again.
      constexpr int kMost = 5;
      if (change == SignChange::BranchSwitch && location.left > start && ++went_over_ <= kMost) {
        return note(EventKind::BranchSwitch, from_ + location.left * h);
      }
      note(border, from_ + location.right * h, location.value_right, direction_of(root.kind),
           change == SignChange::Pole);
    } else {
      note(border, from_ + root.right * h, value(root.right), direction_of(root.kind));
    }
    Event& last = events_.back();
    if (shift != 0 && border != kOfStep && last.border == border) last.kind = EventKind::Left;
  };
  std::vector<IntervalSearch::Piece> pieces = {{start, 1, false}};
  // Near a root the values are much smaller than what they are differences of.
  const double rounding = tolerance::kRoundingOfValues * border_size(border);
  // A motion along the border: on which side it is, only rounding says.
  if (std::abs(begin) <= rounding) options.noise = std::max(options.noise, 4 * rounding);
  const bool by_samples = options.method == numerics::RootDetection::Signs ||
                          options.method == numerics::RootDetection::Derivative;
  if (track.search && !by_samples) {
    const numerics::DenseOutput* const dense = motion_ != nullptr ? &motion_->dense() : nullptr;
    pieces = track.search->find({from_, reached_, dense, search_frame_.data(), shift}, start,
                                options.noise, std::max(rounding, options.resolution), value);
  }
  double defined_until = 1;
  const auto is_none = [&](const numerics::IsolatedRoot& root) {
    const bool began_there = at_zero || shift != 0;
    return began_there && side && is_of_interpolation(border, track, *side, time, time_of(root));
  };
  for (const IntervalSearch::Piece& piece : pieces) {
    if (piece.crosses) {
      const bool rises = value(piece.to) > value(piece.from);
      const numerics::IsolatedRoot root{
          piece.from, piece.to, rises ? numerics::RootKind::Rising : numerics::RootKind::Falling};
      if (is_none(root)) continue;
      return take(root);
    }
    options.from = piece.from;
    options.to = piece.to;
    if (piece.to - piece.from < 1) options.noise = std::max(options.noise, rounding);
    numerics::Isolation found = numerics::isolate(value, options);
    while (found.count > 0 && is_none(found.roots()[0])) {
      options.from = found.roots()[0].right;
      if (!(options.from < piece.to)) break;
      found = numerics::isolate(value, options);
    }
    if (found.count > 0 && options.from < piece.to) return take(found.roots()[0]);
    if (found.defined_until < piece.to) {
      defined_until = found.defined_until;
      break;
    }
  }
  if (side && defined_until < 1 && std::isnan(value(1))) {
    // From there on the condition has no value: whoever needs it is to hear of that.
    double left = start, right = defined_until;
    LocationRule{}.narrow(left, right, 1 + std::abs(from_) / h,
                          [&](double part) { return std::isnan(value(part)); });
    return note(border, from_ + right * h, 0, 0);
  }
  if (reached_ == deadline_ && !at_zero && !track.needs_solve) {
    const double end = value(1), before = value(1 - tolerance::kEndOfWindow);
    if (ends_on_border(border, end, end - before)) return;
  }
  check_side(border, side, time, reached_, of_time);
}

/// Only rounding keeps a root behind the end of the window, where there is a deadline: both are at
/// one instant.
bool PartRun::ends_on_border(int border, double value, double slope) {
  if (border < 0 || !(value * slope < 0)) return false;
  if (std::abs(value) > tolerance::kRoundingOfValues * border_size(border)) {
    return false;
  }
  note(border, reached_, value, slope > 0 ? 1 : -1);
  return true;
}

/// From a border that is left along a tangent, as by a body that a force lifts which grows from
/// zero, the polynomial of the step may dip to the other side, by less than the tolerances. The
/// equations know better: with the values that it has there, the motion goes away from the border.
bool PartRun::is_of_interpolation(int border, const Tracked& track, Side side, double begin,
                                  double time) {
  if (border < 0 || (side != Side::Plus && side != Side::Minus)) return false;
  for (const double part : {0.25, 0.5, 0.75}) {
    const double height = difference_at(track, begin + part * (time - begin));
    if (!(std::abs(height) <= part_.tolerance_at(border, search_frame_))) return false;
  }
  return solved_at(time) && part_.direction(border, search_frame_) == static_cast<int>(side);
}

/// At the instant at which sides were decided a difference may have a pole, or just begin to have a
/// value, as 1/x and ln(x) do in `x > 0 and 1/x < 2`: if its side just behind the instant is not
/// the one that was decided, the event is there.
bool PartRun::find_side(int border, const Tracked& track, std::optional<Side> side, double time) {
  if (border < 0) return false;
  const bool is_of_time = part_.time_borders().is_of_time(border);
  const double band = 4 * part_.start_band(border, time) +
                      (is_of_time ? 0 : tolerance::kLeftOfAtol * workshop_.options.atol);
  for (double part = tolerance::kJustBehind; part < 0.1; part *= 10) {
    const double later = time + part * (reached_ - time);
    const double value = difference_at(track, later);
    if (later == time || std::isnan(value)) continue;
    const bool differs = !side                 ? true
                         : *side == Side::Plus ? value < -band
                         : *side == Side::Minus
                             ? value > band
                             : std::abs(value) > band && std::isnan(difference_at(track, time));
    if (differs) note(border, later, value, 0, true);
    return differs;
  }
  return false;
}

/// The window goes on from another, and begins on the other side: rounding hid the root between
/// them.
bool PartRun::has_crossed(std::optional<Side> side, double begin, double time) const {
  if (time == decided_ || !side) return false;
  return (*side == Side::Plus && begin < 0) || (*side == Side::Minus && begin > 0);
}

/// Where the side was decided by derivatives the value is zero up to its rounding, which may well
/// be on the other side: it was crossed then, and is not crossed again.
bool PartRun::begins_at_zero(int border, std::optional<Side> side, double begin,
                             double time) const {
  const bool may_be = time == decided_ || has_crossed(side, begin, time);
  if (may_be && std::abs(begin) <= part_.start_band(border, time)) return true;
  if (time != decided_ || border < 0) return false;
  if (!(side == Side::Plus && begin < 0) && !(side == Side::Minus && begin > 0)) return false;
  return std::abs(begin) <= part_.border_value(border, part_.frame()).band;
}

double PartRun::border_size(int border) {
  return border >= 0 ? part_.border_size(border, search_frame_) : 1;
}

/// Up to `until` there is no root, and yet the motion is on the other side there than it began, or
/// off a border it was on: the decision at the begin was one of rounding. The event is where that
/// shows. Whether there is one.
bool PartRun::check_side(int border, std::optional<Side> side, double time, double until,
                         numerics::FunctionRef<double(double)> value,
                         std::optional<double> known_size) {
  if (!side) return false;
  double end = value(until);
  if (std::isnan(end)) return false;
  double last = until;
  if (*side == Side::On) {  // it may leave and come back
    for (const double part : {0.25, 0.5, 0.75}) {
      const double g = value(time + part * (until - time));
      if (!(std::abs(g) > std::abs(end))) continue;
      end = g;
      last = time + part * (until - time);
    }
  }
  if ((*side == Side::Plus && end >= 0) || (*side == Side::Minus && end <= 0)) return false;
  const double size = known_size ? *known_size : border_size(border);
  const bool is_of_time = part_.time_borders().is_of_time(border);
  double band = 4 * std::max(part_.start_band(border, until), part_.start_band(border, time)) +
                (is_of_time ? 0 : tolerance::kLeftOfAtol * workshop_.options.atol) +
                tolerance::kDifferenceRounding * size;
  // Hysteresis: the band for leaving the border is wider than the band for being on it.
  if (*side == Side::On) band = std::max(band, 2 * Part::kRelativeBand * size);
  const bool wrong = *side == Side::On     ? std::abs(end) > band
                     : *side == Side::Plus ? end < -band
                                           : end > band;
  if (!wrong) return false;
  const double sign = end > 0 ? 1 : -1;
  double left = time, right = last;
  constexpr int kHalvings = 60;
  LocationRule{}.narrow(
      left, right, [&](double t) { return sign * value(t) > band; }, kHalvings);
  const double found = value(right);
  note(border, right, found, end > 0 ? 1 : -1, std::abs(found) > 4 * band);
  return true;
}

}  // namespace chi::sim
