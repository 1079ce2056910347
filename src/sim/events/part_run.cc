#include "sim/events/part_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/cancel.h"
#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "sim/algebra/block_graph.h"
#include "sim/events/tolerances.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whether an unknown that is not determined has its own value as a factor, as q in q*abs(q).
bool is_flat(expr::Pool& pool, const SolveFailure& failure) {
  return std::ranges::any_of(failure.singular_rows, [&](int row) {
    return std::ranges::any_of(failure.singular_unknowns, [&](int unknown) {
      const ExprId leaf = leaf_of(pool, failure.unknowns[at(unknown)].var);
      const ExprId side = failure.rows[at(row)].row.expr;
      if (!side || !leaf) return false;  // a row that was combined of others has no expression
      const ExprId slope = expr::partial(pool, side, leaf);
      const std::vector<ExprId> in = expr::variables(pool, std::array{slope}).node;
      return std::ranges::find(in, leaf) != in.end();
    });
  });
}

}  // namespace

void PartRun::keep_past(double until) {
  DelayHistory& delays = part_.delays();
  if (!delays.keeps_past() || !has_window_ || !(until > kept_until_)) return;
  past_frame_ = part_.frame();
  delays.extend(kept_until_, until, [this](double time) -> const double* {
    return values_at(time, past_frame_) ? past_frame_.data() : nullptr;
  });
  kept_until_ = until;
}

void PartRun::restart(double time, numerics::Restart kind) {
  keep_past(time);
  kept_until_ = time;
  part_.delays().add_break(time);
  part_.delays().begin_window(time);
  from_ = reached_ = decided_ = time;
  followed_values_.clear();
  forget_relevant();
  has_window_ = false;
  leap_.reset();
  events_.clear();
  motion_ = nullptr;
  next_variant_ = nullptr;
  pivots_.clear();
  part_.forget_modes();
  if (steps_ != nullptr) {
    steps_->restart();
  } else if (has_motion()) {
    use_variant(*part_.variant(), time, part_.frame(), kind);
  }
}

/// Whether the present mode is one in which time passes.
bool PartRun::has_motion() const {
  return part_.variant() != nullptr && part_.has_equations() && !part_.plan()->is_static();
}

void PartRun::use_variant(StateVariant& variant, double time, std::vector<double>& frame,
                          numerics::Restart kind) {
  if (!variant.motion) {
    const RunOptions& options = workshop_.options;
    const MotionOptions motion{options.rtol, options.atol, options.solver, options.max_step};
    variant.motion =
        std::make_unique<Motion>(part_.context(), variant.order, variant.choice.states, motion,
                                 part_.delays().empty() ? nullptr : &part_.delays());
    kind = numerics::Restart::Cold;
  }
  part_.fit(part_.frame());
  part_.fit(frame);
  motion_ = variant.motion.get();
  motion_->restart(time, frame, kind);
}

void PartRun::leap(double from, double until, std::vector<double> limit) {
  part_.fit(part_.frame());
  part_.fit(limit);
  leap_ = Leap{.from = from, .until = until, .before = part_.frame(), .limit = std::move(limit)};
  from_ = reached_ = from;
  events_.clear();
}

void PartRun::leap_to(double time, std::vector<double>& frame) const {
  const double whole = leap_->until - leap_->from;
  const double part = whole > 0 ? (time - leap_->from) / whole : 1;
  for (std::size_t i = 0; i < leap_->limit.size() && i < frame.size(); ++i) {
    const double a = leap_->before[i], b = leap_->limit[i];
    frame[i] = time >= leap_->until ? b : a + part * (b - a);
  }
  frame[0] = time;  // the place of `time` is the first
}

bool PartRun::moves() const {
  if (leap_ || steps_ != nullptr) return true;
  if (motion_ != nullptr && !motion_->states().empty()) return true;
  return part_.depends_on_time();
}

bool PartRun::would_move() const {
  return (has_motion() && !part_.variant()->choice.states.empty()) || part_.depends_on_time();
}

bool PartRun::step(double limit) {
  keep_past(reached_);
  deadline_ = limit;
  from_ = reached_;
  if (steps_ != nullptr) return take_fixed_step(limit);
  if (leap_) {
    has_window_ = true;
    reached_ = leap_->until;
    events_.assign(1, {.kind = EventKind::Limit, .time = reached_});
    return true;
  }
  part_.delays().begin_window(from_);
  events_.clear();
  break_time_ = kInfinity;
  if (!part_.delays().empty()) {
    next_frame_ = part_.frame();
    if (has_window_) values_at(from_, next_frame_);
    if (const ExprId node = part_.delays().wrong(next_frame_.data())) {
      part_.fail({.code = DiagCode::IntegrationFailed,
                  .span = part_.first_span(),
                  .message = fmt::format("the time of `{}` is not positive at t = {}",
                                         part_.text(node), from_)});
      return false;
    }
    break_time_ = part_.delays().next_break(from_, next_frame_.data());
    limit = std::min(limit, from_ + part_.delays().longest_step(next_frame_.data()));
    if (DelayHistory::is_same(break_time_, limit)) break_time_ = limit;
    limit = std::min(limit, break_time_);
  }
  const bool integrates = motion_ != nullptr && !motion_->states().empty();
  if (!integrates) limit = std::min(limit, from_ + workshop_.options.max_step);
  if (motion_ == nullptr) {
    // Nothing is integrated: a window is as long as we like; longer ones when nothing happens.
    if (horizon_ <= 0) horizon_ = std::isfinite(limit) ? (limit - from_) / 16 : 1;
    reached_ = std::min(limit, from_ + horizon_);
    if (reached_ <= from_) reached_ = std::nextafter(from_, kInfinity);
    horizon_ *= 2;
    has_window_ = true;
    search_window(from_);
    note_return();
    return true;
  }
  if (next_variant_ != nullptr) {
    part_.set_variant(next_variant_);
    use_variant(*next_variant_, reached_, next_frame_, numerics::Restart::Warm);
    followed_values_.clear();
    pivots_.clear();
    next_variant_ = nullptr;
  }
  // Time events are hit exactly, and no equation is looked at behind one that may end it.
  limit = std::min(limit, next_due(from_));
  deadline_ = std::min(deadline_, limit);
  if (std::exchange(is_before_break_, false)) {
    limit = std::min(
        limit, from_ + tolerance::kBeforeBreak * std::max(std::abs(from_), tolerance::kLeastTime));
  }
  numerics::StepStatus status = motion_->step(limit);
  if (status == numerics::StepStatus::Stepped) {
    from_ = motion_->t_old();
    reached_ = motion_->t();
    has_window_ = true;
    status = stop_before_break();
  }
  if (status != numerics::StepStatus::Stepped) {
    if (stop_at_border()) return true;
    part_.fail(explain(status));
    return false;
  }
  search_window(from_);
  if (events_.empty()) went_over_ = 0;
  if (break_at_ > from_) note(EventKind::StepChange, break_at_);
  if (!shorten_to_values()) return false;
  note_return();
  if (events_.empty() && goes_to_and_fro() && stop_at_border()) return true;
  if (is_retreating()) note(EventKind::Retreat, reached_);
  if (events_.empty() && part_.has_kinks_apart(next_frame_)) note(EventKind::CornerLeft, reached_);
  if (events_.empty() && part_.plan()->has_choice()) {
    next_variant_ = part_.better_variant(next_frame_);
  }
  return true;
}

/// When the next border of time is reached; infinity if none is.
double PartRun::next_due(double time) {
  double next = kInfinity;
  for (const int border : relevant_borders()) {
    const auto due = part_.time_borders().due(border, part_.frame().data());
    if (due && due->time - time > TimeBorders::resolution(due->time)) {
      next = std::min(next, due->time);
    }
  }
  return next;
}

/// What jumped comes back.
void PartRun::note_return() {
  if (reached_ != break_time_ || (!events_.empty() && events_.front().time != reached_)) return;
  events_.push_back({.kind = EventKind::DelayBreak, .time = reached_});
}

/// Whether the motion is so near to where equations end, as a square root does, or turn with
/// boundless slopes, that step after step is tried in vain. If nothing comes of telling so, it is
/// told less often.
bool PartRun::is_retreating() {
  if (part_.mode_borders().empty()) return false;
  const numerics::IntegratorStats stats = motion_->stats();
  const std::int64_t retreats = stats.domain_retreats + stats.newton_failures + taken_again_;
  retreating_ = std::max(0, retreating_ + (retreats > retreats_ ? 4 : -1));
  retreats_ = retreats;
  const bool has_helped = std::exchange(kinks_found_, part_.kinks_found()) != kinks_found_;
  if (has_helped) patience_ = kPatience;
  if (retreating_ < patience_) return false;
  retreating_ = 0;
  patience_ *= 2;
  return true;
}

/// Whether step after step ends in the opposite direction: no motion that is followed does.
/// Friction in the plane, say, takes a body to the point where all its speed is gone, past it, and
/// back, by less than the tolerances; the border that is reached there is never crossed.
bool PartRun::goes_to_and_fro() {
  constexpr int kMost = 30;
  turns_ = !part_.mode_borders().empty() && motion_->turned() ? turns_ + 1 : 0;
  if (turns_ < kMost) return false;
  turns_ = 0;
  return true;
}

/// The steps shrink to nothing where a function leaves its domain, as a square root does when a
/// tank runs empty. If a border is reached there, but for the accuracy of the solution, that is the
/// event which the model provides for. If the same happens again behind it, the equations of this
/// mode end where it begins, and a method that looks to both sides needs those of both. So it does
/// where q|q| passes zero while q is still more than rounding away from it.
bool PartRun::stop_at_border() {
  const double now = reached_;
  const bool again = now == stopped_at_;
  if (again && retreated_at_ == now) return false;
  part_.fit(part_.frame());
  next_frame_ = part_.frame();
  if (has_window_ && !values_at(now, next_frame_)) return false;
  const std::span<const Part::BorderValue> values = part_.border_values(next_frame_);
  bool found = false, is_near = false;
  for (const int border : relevant_borders()) {
    if (part_.time_borders().is_of_time(border)) continue;  // time does not stop before it
    const double g = values[at(border)].value;
    is_near = is_near || part_.is_near_kink(border, g, next_frame_);
    if (!(std::abs(g) <= 10 * workshop_.options.atol + 100 * values[at(border)].band)) continue;
    // If the equations have both sides already, the obstruction is elsewhere.
    if (part_.sides()[at(border)] == Side::Kink) continue;
    if (!found) events_.clear();
    found = true;
    events_.push_back({.kind = EventKind::Collapsed,
                       .time = now,
                       .border = border,
                       .value = g,
                       .direction = g > 0 ? -1 : 1});
  }
  if (!found && !is_near) return false;
  if (!found) events_.clear();
  stopped_at_ = now;
  if (again || !found) {
    events_.push_back({.kind = EventKind::Stuck, .time = now});
    retreated_at_ = now;
  }
  return true;
}

bool PartRun::put_on_border(int border) {
  const Tracked& track = tracked(part_.difference(border));
  if (track.kind != Tracked::Kind::Linear || track.states.size() != 1) return false;
  std::vector<double>& frame = part_.frame();
  const std::span<const double> factors = coefficients(track, frame);
  if (factors.empty()) return false;
  const double slope = factors[track.has_time ? 1 : 0];
  if (slope == 0) return false;
  double rest = factors.back();
  if (track.has_time) rest += factors[0] * frame[0];
  frame[at(part_.place(motion_->states()[at(track.states[0])]))] = 0.0 - rest / slope;
  part_.store();
  return true;
}

/// Nonlinear unknowns. Those that no derivative needs the integrator does not see; the others only
/// at the few points it looks at.
std::span<PartRun::Followed> PartRun::followed() {
  StateVariant* const variant = part_.variant();
  const auto [place, is_new] = of_plans().followed.try_emplace(variant);
  if (!is_new) return place->second;
  const std::span<const std::int32_t> guessed = variant->solver->guessed();
  if (guessed.empty()) return place->second;
  expr::Pool& pool = workshop_.pool();
  const BlockGraph graph(pool, variant->order, variant->choice.states);
  std::vector<VarRef> derivatives;
  for (const VarRef x : variant->choice.states) derivatives.push_back({x.var, x.order + 1});
  const std::vector<char> needed = graph.needed_for(derivatives);
  for (const std::int32_t p : guessed) {
    const int block = graph.block_of(pool.variable(part_.leaves().leaf(p)));
    if (block >= 0) place->second.push_back({p, needed[at(block)] != 0});
  }
  return place->second;
}

/// Whether the window is short enough for the nonlinear equations: the middle is where a cubic
/// through four other values puts it. The states do not tell: an unknown that no derivative needs
/// may turn sharply or, at a fold, change to another solution while they move evenly; and while a
/// rectifier blocks they hardly move at all, whatever the voltages do meanwhile.
bool PartRun::follows(double end) {
  if (!motion_->is_smooth()) return false;
  const std::span<const Followed> places = followed();
  if (places.empty() || !(end > from_)) return true;
  if (followed_until_ != from_ || followed_values_.size() != places.size()) {
    check_frames_[0] = part_.frame();
    if (!values_at(from_, check_frames_[0])) return false;
    note_followed(from_, check_frames_[0]);
  }
  const std::vector<double>& first = followed_values_;
  bool moves_much = false;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double a = first[i], b = next_frame_[at(places[i].place)];
    const double part = places[i].is_watched
                            ? tolerance::kMovesWatched * places[i].largest
                            : tolerance::kMovesLittle * (std::abs(a) + std::abs(b));
    moves_much = moves_much || std::abs(b - a) > part + workshop_.options.atol;
  }
  if (!moves_much) {
    note_followed(end, next_frame_);
    return true;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    check_frames_[k] = part_.frame();
    const double t = from_ + 0.25 * static_cast<double>(k + 1) * (end - from_);
    if (!values_at(t, check_frames_[k])) return false;
  }
  recent_ranges_.resize(places.size(), 0.0);
  bool even = true;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int32_t p = places[i].place;
    const std::array<double, 5> y{first[i], check_frames_[0][at(p)], check_frames_[1][at(p)],
                                  check_frames_[2][at(p)], next_frame_[at(p)]};
    const auto [low, high] = std::minmax_element(y.begin(), y.end());
    const double expected = (4 * (y[1] + y[3]) - (y[0] + y[4])) / 6;
    const double size = std::max(std::abs(*low), std::abs(*high));
    const double allowed = tolerance::kUneven * (*high - *low) + tolerance::kUnevenOfSize * size +
                           workshop_.options.atol;
    // A sharp turn gets smaller with the window, a change to another solution does not.
    const bool is_gone = *high - *low <= tolerance::kGone * recent_ranges_[i];
    recent_ranges_[i] = std::max(tolerance::kFading * recent_ranges_[i], *high - *low);
    even = even && (is_gone || std::abs(y[2] - expected) <= allowed);
  }
  if (even) note_followed(end, next_frame_);
  return even;
}

void PartRun::note_followed(double time, const std::vector<double>& frame) {
  followed_until_ = time;
  followed_values_.clear();
  for (Followed& x : followed()) {
    followed_values_.push_back(frame[at(x.place)]);
    x.largest = std::max(x.largest, std::abs(frame[at(x.place)]));
  }
}

Diagnostic PartRun::explain_values(double time) {
  Diagnostic failure{.code = DiagCode::IntegrationFailed,
                     .message = fmt::format("integration stops before t = {}: an equation has no "
                                            "value there",
                                            time)};
  part_.describe(motion_->values_failure(), failure);
  return failure;
}

/// A step may carry the motion past a point where the equations are singular: there they leave
/// their unknowns open, and what comes after may be one continuation of many. The run goes on, as
/// smoothly as before, but not without a word.
void PartRun::notice_singular_points(double end) {
  const bool comparable = pivots_.size() == next_pivots_.size();
  for (std::size_t k = 0; comparable && k < pivots_.size(); ++k) {
    if (!(pivots_[k] * next_pivots_[k] < 0)) continue;
    const std::vector<structure::Analysis::Divisor>& combined = part_.plan()->analysis().divisors;
    const std::size_t solved = pivots_.size() - combined.size();
    const double time = singular_time(k, pivots_[k], pivots_time_, end);
    if (time == end && !events_.empty()) {  // not yet passed: the mode may end at this event
      next_pivots_[k] = pivots_[k];
      continue;
    }
    if (k < solved) {
      part_.warn_of_singular_point(motion_->owner_of_pivot(k), time);
    } else {
      const auto [row, divisor] = combined[k - solved];
      part_.warn_of_singular_point({{{row, 0, {}}}, {}, divisor}, time);
    }
  }
  pivots_.swap(next_pivots_);
  pivots_time_ = end;
}

bool PartRun::read_pivots(double time, std::vector<double>& frame, std::vector<double>& pivots) {
  if (!values_at(time, frame)) return false;
  motion_->read_pivots(pivots);
  part_.plan()->append_divisors(frame.data(), pivots);
  return true;
}

/// Where a pivot changes its sign, to a few digits.
double PartRun::singular_time(std::size_t pivot, double first, double begin, double end) {
  constexpr int kHalvings = 20;
  std::vector<double> pivots;
  search_frame_ = part_.frame();
  for (int k = 0; k < kHalvings && begin >= motion_->t_old(); ++k) {
    const double middle = 0.5 * (begin + end);
    if (!read_pivots(middle, search_frame_, pivots)) return middle;
    (pivots[pivot] * first > 0 ? begin : end) = middle;
  }
  return end;
}

/// Not all equations are looked at during a step. Where one has no value at the end of the window,
/// or at the event in it, the step is taken again, shorter.
bool PartRun::shorten_to_values() {
  const double least = tolerance::kShortestWindow *
                       std::max(std::abs(from_), tolerance::kOfWindow * std::abs(reached_ - from_));
  while (true) {
    check_cancelled();
    const double end = events_.empty() ? reached_ : events_.front().time;
    next_frame_ = part_.frame();
    const bool has_values = read_pivots(end, next_frame_, next_pivots_);
    if (has_values && follows(end)) {
      notice_singular_points(end);
      return true;
    }
    if (!has_values) ++taken_again_;
    const double shorter = from_ + 0.5 * (end - from_);
    if (!(shorter - from_ > least)) {
      reached_ = from_;
      if (stop_at_border()) return true;
      Diagnostic failure = explain(numerics::StepStatus::DomainError);
      part_.describe(motion_->values_failure(), failure);
      reached_ = from_;
      failure.message = fmt::format(
          "integration stops at t = {}: an equation has no value just "
          "ahead",
          from_);
      part_.fail(std::move(failure));
      return false;
    }
    const numerics::StepStatus status = motion_->retake(shorter);
    if (status != numerics::StepStatus::Stepped) {
      reached_ = from_;
      if (stop_at_border()) return true;
      part_.fail(explain(status));
      return false;
    }
    reached_ = motion_->t();
    search_window(from_);
  }
}

bool PartRun::values_at(double time) {
  std::vector<double>& frame = part_.frame();
  part_.fit(frame);
  if (values_at(time, frame)) return true;
  return motion_ != nullptr && motion_->values_at(time, frame.data(), Effort::Full);
}

bool PartRun::values_at(double time, std::vector<double>& frame) {
  part_.fit(frame);
  if (leap_) {
    leap_to(time, frame);
    return true;
  }
  if (has_window_ && motion_ != nullptr) return motion_->values_at(time, frame.data());
  set_without_motion(time, frame);
  return true;
}

void PartRun::set_without_motion(double time, std::vector<double>& frame) {
  frame[0] = time;  // the place of `time` is the first
  if (has_window_) part_.delays().set(time, frame.data());
}

bool PartRun::values_for_output(double time, std::vector<double>& frame) {
  part_.fit(frame);
  if (leap_) {
    leap_to(time, frame);
    return true;
  }
  if (has_window_ && motion_ != nullptr) {
    return motion_->values_at(time, frame.data(), Effort::Near, Purpose::Output) ||
           motion_->values_at(time, frame.data(), Effort::Full, Purpose::Output);
  }
  set_without_motion(time, frame);
  return true;
}

double PartRun::event_time() const { return events_.empty() ? kInfinity : events_.front().time; }

Diagnostic PartRun::explain(numerics::StepStatus status) {
  const MotionFailure failure = motion_->failure();
  const bool is_open =
      failure.equations && failure.equations->status == numerics::SolveStatus::Singular;
  const char* const what =
      is_open ? "just ahead the equations do not determine their unknowns"
      : status == numerics::StepStatus::NewtonFailed
          ? "its equations could not be solved, however small the step"
      : status == numerics::StepStatus::SingularMatrix ? "the matrix of the step is singular"
      : status == numerics::StepStatus::StepTooSmall ? "the error test asks for ever smaller steps"
      : status == numerics::StepStatus::DomainError  ? "an expression has no value just ahead"
                                                     : "the integrator gave up";
  Diagnostic diagnostic{
      .code = DiagCode::IntegrationFailed,
      .message = fmt::format("integration stops at t = {:.10g}: {}", reached_, what)};
  if (failure.equations) part_.describe(*failure.equations, diagnostic);
  if (is_open && is_flat(workshop_.pool(), *failure.equations)) {
    diagnostic.help =
        "unknowns make no difference here, as flows of `d = q*abs(q)` side by side where they are "
        "zero: a small linear term tells them apart, as in `d = q*abs(q) + 1e-6*q`";
    return diagnostic;
  }
  if (is_open) {
    diagnostic.help =
        "an unknown has lost its factor, as `T` in `q*T = p` where q and p become zero: give "
        "the mode in which that is so an equation of its own, as in "
        "`[ q > 0 -> |T|, q*T = p | q <= 0 -> T' = 0 ]`";
    return diagnostic;
  }
  if (failure.fastest) {
    const auto states = motion_->states();
    const auto state = std::find(states.begin(), states.end(), *failure.fastest);
    const double value = motion_->y()[at(static_cast<std::int32_t>(state - states.begin()))];
    diagnostic.notes.push_back(fmt::format("`{0}` changes fastest: {0} = {1:.6g}",
                                           part_.variable_name(*failure.fastest), value));
    if (!diagnostic.span) diagnostic.span = part_.variable_span(*failure.fastest);
  }
  diagnostic.help =
      "look at the variables just before this time; a solution that grows without "
      "bound, a square root that reaches zero or a missing event are the usual causes";
  return diagnostic;
}

}  // namespace chi::sim
