#include "sim/timestepping/time_stepper.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/cancel.h"
#include "numerics/mode_tree_search.h"
#include "numerics/path_following.h"
#include "sim/consistency/mode_search.h"
#include "sim/timestepping/tolerances.h"

namespace chi::sim {
namespace {

using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Steps of implicit Euler after a change: constraints of index three need as many.
constexpr int kStartup = 3;
constexpr int kMostIterations = 40;
constexpr unsigned kSeeds = 3;
constexpr int kMostNodes = 400, kMostSearched = 300;  // of the search for a mode

}  // namespace

bool TimeStepper::can_step(const Part& part) {
  return part.has_equations() && part.equations().steps.empty() && part.added_delays().empty();
}

/// Where columns have their values and rates in the part's frame.
void TimeStepper::enter_columns(std::vector<double>& frame) {
  if (laws_ == nullptr) {
    laws_ = &ModeSearch::laws_of(part_);
    for (int c = 0; c < laws_->columns(); ++c) {
      const VarRef x = laws_->variable_of(c);
      Place place;
      // Lifted variables are the model's own.
      if (x.var.index < workshop_.model.variable_slots) {
        place.value = part_.place(x);
        if (laws_->has_rate_of(c)) place.rate = part_.place({x.var, x.order + 1});
      }
      places_.push_back(place);
    }
  }
  part_.fit(frame);
  is_unknown_.resize(frame.size(), 0);
  for (const Place& p : places_) {
    if (p.value >= 0) is_unknown_[at(p.value)] = 1;
    if (p.rate >= 0) is_unknown_[at(p.rate)] = 1;
  }
  is_unknown_[at(part_.time_place_)] = 1;
}

void TimeStepper::restart() {
  startup_ = kStartup;
  posed_.reset();
  sides_ = part_.sides();
}

bool TimeStepper::step(double from, double until, std::vector<double>& frame) {
  const auto began = std::chrono::steady_clock::now();
  check_cancelled();
  enter_columns(frame);
  // Rounding of multiples must not look like another step.
  const double size = workshop_.options.step_size, exact = until - from;
  const double h = std::abs(exact - size) <= tolerance::kSameStep * size ? size : exact;
  const double theta = startup_ > 0 ? 1 : workshop_.options.theta;
  if (startup_ > 0) --startup_;
  before_.resize(places_.size());
  b_.resize(places_.size());
  for (std::size_t c = 0; c < places_.size(); ++c) {
    const Place p = places_[c];
    before_[c] = p.value < 0 ? 0 : frame[at(p.value)];
    b_[c] = before_[c] + (p.rate < 0 || theta == 1 ? 0 : (1 - theta) * h * frame[at(p.rate)]);
  }
  sides_before_ = sides_;
  const bool solved = solve(until, theta * h, frame);
  if (solved && sides_ != sides_before_) startup_ = kStartup;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  counts_.longest = std::max(counts_.longest, took.count());
  ++counts_.steps;
  return solved;
}

bool TimeStepper::solve(double until, double theta_h, std::vector<double>& frame) {
  frame[at(part_.time_place_)] = until;
  return laws_->is_affine() ? solve_affine(theta_h, frame) : solve_by_newton(theta_h, frame);
}

std::vector<double> TimeStepper::known_values(const std::vector<double>& frame) const {
  std::vector<double> known;
  for (std::size_t i = 0; i < is_unknown_.size(); ++i) {
    if (is_unknown_[i] == 0) known.push_back(frame[i]);
  }
  return known;
}

/// The problem at these values; b in place of the values before.
bool TimeStepper::pose(const std::vector<double>& frame, double theta_h, Posed& out) {
  part_.condition_truths(sides_);  // what is no relation in the conditions
  if (!laws_->pose(frame, sides_, out.laws)) {
    return fail(DiagCode::NoConsistentValues,
                fmt::format("at t = {:.10g} the equations have no value, or not as many hold as "
                            "there are unknowns",
                            frame[at(part_.time_place_)]),
                "a smaller `--step-size` may keep values where they exist");
  }
  for (numerics::Functional& f : out.laws.problem.functionals) f.known.resize(1);
  for (const auto& [f, column] : out.laws.keeps) {
    out.laws.problem.functionals[at(f)].known[0] = -before_[at(column)];
  }
  out.laws.problem.before = b_;
  out.step = std::make_unique<numerics::OneStep>(out.laws.problem, theta_h);
  out.h = theta_h;
  found_.mode = out.laws.start;
  return true;
}

/// The mode of the step, into `found_`: from the last one by Newton's method, by a path, by search.
bool TimeStepper::find_mode(Posed& posed, const std::vector<double>& frame) {
  const double time = frame[at(part_.time_place_)];
  if (!posed.step->is_square()) return fail_without_mode(posed, time);
  const numerics::Mode start = found_.mode;
  using numerics::ProposalStatus;
  found_ = numerics::semismooth_newton(*posed.step, start);
  for (unsigned seed = 1; seed <= kSeeds && found_.status != ProposalStatus::Solved; ++seed) {
    found_ = numerics::follow_path(*posed.step, start, seed);
  }
  if (found_.status == ProposalStatus::Solved) return true;
  if (posed.step->size() <= kMostSearched) {
    const auto result = numerics::search_modes(*posed.step, start, kMostNodes);
    for (const numerics::Mode& mode : result.modes) {
      found_.mode = mode;
      if (posed.step->solve(mode, found_.scaled)) return true;
    }
  }
  return fail_without_mode(posed, time);
}

/// Values and rates of the solution into a frame; the largest change, in tolerances.
double TimeStepper::write(const Posed& posed, double theta_h, std::vector<double>& frame) const {
  const RunOptions& options = workshop_.options;
  double change = 0;
  for (std::size_t c = 0; c < places_.size(); ++c) {
    const Place p = places_[c];
    if (p.value < 0) continue;
    const double w = found_.scaled[c] * posed.step->column_scale(static_cast<int>(c));
    const double size = std::max(std::abs(w), std::abs(before_[c]));
    change =
        std::max(change, std::abs(w - frame[at(p.value)]) / (options.rtol * size + options.atol));
    frame[at(p.value)] = w;
    if (p.rate >= 0) frame[at(p.rate)] = (w - b_[c]) / theta_h;
  }
  return change;
}

bool TimeStepper::solve_affine(double theta_h, std::vector<double>& frame) {
  const bool is_usable = posed_ && posed_->laws.is_refreshable && posed_->h == theta_h &&
                         posed_->known == known_values(frame);
  if (is_usable) {
    laws_->refresh(frame, posed_->laws);
    for (const auto& [f, column] : posed_->laws.keeps) {
      posed_->laws.problem.functionals[at(f)].known[0] = -before_[at(column)];
    }
    posed_->laws.problem.before = b_;
    posed_->step->renew();
  } else {
    posed_.emplace();
    posed_->known = known_values(frame);
    if (!pose(frame, theta_h, *posed_)) return false;
  }
  if (!find_mode(*posed_, frame)) return false;
  write(*posed_, theta_h, frame);
  set_sides(posed_->laws, frame);
  return true;
}

/// Josephy-Newton: laws and rows are linearised at the iterate, and the piecewise affine problem is
/// solved, until values and mode stay.
bool TimeStepper::solve_by_newton(double theta_h, std::vector<double>& frame) {
  double change = 0;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    Posed posed;
    if (!pose(frame, theta_h, posed) || !find_mode(posed, frame)) return false;
    const Sides before = sides_;
    change = write(posed, theta_h, frame);
    set_sides(posed.laws, frame);
    if (!std::isfinite(change)) break;
    if (change <= tolerance::kConverged && (before == sides_ || iteration > 0)) return true;
  }
  return fail(
      DiagCode::IntegrationFailed,
      fmt::format("the time step to t = {:.10g} has no solution that Newton's method finds: "
                  "the last correction was {:.3g} tolerances",
                  frame[at(part_.time_place_)], change),
      "a smaller `--step-size` makes the step's equations nearer to linear");
}

/// The sides that the mode says; those of other borders by their values.
void TimeStepper::set_sides(const LawProblem& laws, const std::vector<double>& frame) {
  Sides by_value = sides_;
  const auto values = part_.border_values(frame);
  by_value.resize(values.size());
  for (std::size_t b = 0; b < values.size(); ++b) {
    const auto [value, band] = values[b];
    by_value[b] = std::isnan(value)         ? Side::None
                  : std::abs(value) <= band ? Side::On
                  : value > 0               ? Side::Plus
                                            : Side::Minus;
  }
  sides_ = laws.sides_of(found_.mode, std::move(by_value));
}

/// The part stands at the end of a step: its sides are known without a look at derivatives, and all
/// unknowns of all modes go to memory.
void TimeStepper::arrive() {
  if (sides_.size() == part_.sides_.size()) part_.sides_ = sides_;
  part_.sides_time_ = part_.frame_[at(part_.time_place_)];
  part_.stored_plan_ = part_.plan_;
  part_.stores_.clear();
  for (int c = 0; c < static_cast<int>(places_.size()); ++c) {
    const VarRef x = laws_->variable_of(c);
    if (x.order > 0 || places_[at(c)].value < 0) continue;
    part_.stores_.emplace_back(places_[at(c)].value,
                               memory_slot(workshop_.model, workshop_.frames, x.var.index));
  }
}

bool TimeStepper::fail(DiagCode code, std::string message, std::string help) {
  part_.fail({.code = code,
              .span = part_.first_span(),
              .message = std::move(message),
              .help = std::move(help)});
  return false;
}

bool TimeStepper::fail_without_mode(const Posed& posed, double time) {
  std::string where;
  const Sides sides = posed.laws.sides_of(posed.laws.start, sides_);
  for (std::size_t k = 0; k < posed.laws.borders.size() && where.size() < 200; ++k) {
    for (const int b : posed.laws.borders[k]) {
      where += fmt::format("{}`{}`", where.empty() ? "" : ", ",
                           part_.text(part_.conditions_.borders()[at(b)].difference));
    }
  }
  part_.fail(
      {.code = DiagCode::NoConsistentMode,
       .span = part_.first_span(),
       .message = fmt::format("no mode has a solution in the time step to t = {:.10g}", time),
       .notes = {where.empty() ? std::string("the equations do not determine their unknowns")
                               : "the mode depends on the signs of " + where,
                 "the mode before: " + part_.mode_text(sides)},
       .help = "the same model without `--solver timestep` tells more of why"});
  return false;
}

}  // namespace chi::sim
