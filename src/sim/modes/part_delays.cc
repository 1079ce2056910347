#include <algorithm>
#include <array>
#include <cmath>

#include "expr/incidence.h"
#include "expr/substitute.h"
#include "sim/modes/part.h"
#include "sim/modes/tolerances.h"

// The delays of a part: which past it keeps, and the values that come back.
namespace chi::sim {
namespace {

using expr::ExprId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void Part::add_delay(ExprId delay, bool of_statement) {
  added_delays_.push_back(delay);
  const ExprId operand = workshop_.pool().operand(delay, 0);
  enter_inputs(std::span(of_statement ? &operand : &delay, 1));
  if (of_statement) delays_.keep(delay);
  watch_kinks(delay);
}

/// Where a condition in what a delay looks back at changes there is an event, though the mode stays
/// the same: no piece of the past goes over a kink or a jump, and it comes back.
void Part::watch_kinks(ExprId delay) {
  expr::Pool& pool = workshop_.pool();
  const std::array looked_at{pool.operand(delay, 0)};
  const expr::Occurrences kinks = expr::conditions(pool, expr::evented_kinks(pool, looked_at));
  const expr::Occurrences ifs = expr::occurrences(
      pool, looked_at, {.delayed = false},
      [&](ExprId e) { return pool.op(e) == expr::Op::PlainIf ? pool.operand(e, 0) : ExprId{}; });
  const auto insert = [](std::vector<int>& ascending, int number) {
    const auto place = std::lower_bound(ascending.begin(), ascending.end(), number);
    if (place == ascending.end() || *place != number) ascending.insert(place, number);
  };
  for (const auto* found : {&kinks, &ifs}) {
    for (const ExprId condition : found->node) {
      const int number = conditions_.add(condition);
      enter_inputs(std::span(&condition, 1));
      insert(mode_conditions_, number);
      uses_.reset();
      insert(delay_conditions_, number);
      for (const int b : conditions_.borders_of(number)) {
        insert(mode_borders_, b);
        insert(delay_borders_, b);
      }
    }
  }
}

bool Part::has_break(const Sides& before) const {
  return std::any_of(delay_borders_.begin(), delay_borders_.end(),
                     [&](int b) { return sides_[at(b)] != before[at(b)]; });
}

void Part::fill_delays(std::vector<double>& frame) {
  if (!delays_.update()) return;
  fit(frame);
  fit(frame_);
  if (!has_started_) delays_.start(frame[at(time_place_)], frame.data());
  delays_.set_after(frame[at(time_place_)], frame.data());
}

/// Without a value before the start the first one is meant, which is known when the equations are
/// solved. Whether it is another than they were solved with.
bool Part::start_delays() {
  if (has_started_ || !delays_.keeps_past()) return false;
  fit(frame_);
  loaded_ = frame_;
  fill_delays(frame_);
  for (std::size_t i = 0; i < loaded_.size(); ++i) {
    const double same = tolerance::kSameStart * (std::abs(frame_[i]) + workshop_.options.atol);
    if (std::abs(frame_[i] - loaded_[i]) > same) return true;
  }
  return false;
}

}  // namespace chi::sim
