#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "numerics/polynomial.h"
#include "sim/events/event.h"
#include "sim/events/interval_search.h"
#include "sim/modes/part.h"

namespace chi::sim {

/// Advances a part by steps of a given size, in place of an integrator (sim/timestepping).
class FixedSteps {
 public:
  virtual ~FixedSteps() = default;
  /// The part has new values: what the last steps left is not right any more.
  virtual void restart() = 0;
  /// From the values of the frame at `from` to those at `until`. False: the part's `failure()`.
  virtual bool step(double from, double until, std::vector<double>& frame) = 0;
  /// The part's frame has the values at the end of the last step: its sides, too.
  virtual void arrive() = 0;
  struct Counts {
    std::int64_t steps = 0;
    double longest = 0;  ///< step, in seconds of the clock
  };
  virtual Counts counts() const = 0;
};

/// One part in motion. Its *window* is the last step of its integrator; the present time of the run
/// lies in it, so that values at any time that still matters can be had from it.
class PartRun {
 public:
  PartRun(Workshop& workshop, Part& part) : workshop_(workshop), part_(part) {}

  Part& part() { return part_; }
  /// No event is located from now on, nor anything integrated.
  void use_fixed_steps(std::unique_ptr<FixedSteps> steps) { steps_ = std::move(steps); }
  const FixedSteps* fixed_steps() const { return steps_.get(); }
  /// The present time is that of the part's frame.
  void arrive();
  /// Starts at the values of the part's frame, which are consistent at `time`.
  void restart(double time, numerics::Restart kind);
  double reached() const { return reached_; }  ///< the end of the window
  double from() const { return from_; }        ///< its begin
  /// Makes the next window, not past `limit`, and looks for events in it. False if that failed:
  /// `part().failure()`.
  bool step(double limit);
  /// What lies behind becomes the past that delays look back at.
  void keep_past(double until);
  /// Values at a time in the window into the part's frame.
  bool values_at(double time);
  /// The same into a frame of the caller's.
  bool values_at(double time, std::vector<double>& frame);
  /// The same for who records: what is looked at has no influence on the run.
  bool values_for_output(double time, std::vector<double>& frame);
  /// Why there are no values at a time in the window.
  Diagnostic explain_values(double time);
  /// Anything in it moves: it has states, or depends on time.
  bool moves() const;
  bool would_move() const;  ///< the same of a motion that starts at the present values

  /// Events accumulate at `until`, where these are the values of the frame. What happens between
  /// `from`, which is now, and then is not followed: the next window ends there, and between its
  /// ends are straight lines.
  void leap(double from, double until, std::vector<double> limit);

  /// Looks for the earliest event in the window after `time`.
  void search(double time);
  const std::vector<Event>& events() const { return events_; }  ///< simultaneous ones
  double event_time() const;                                    ///< infinity if there is none

  /// Moves the one state that a border depends on such that its difference is zero: it was within
  /// tolerance. Whether there is one such state.
  bool put_on_border(int border);

  /// Where functions that only statements can compute are looked at in a window, in parts of it: so
  /// unevenly that steps cannot look like a slope.
  static constexpr std::array<double, 7> kLookPlaces = {0, 0.06, 0.22, 0.47, 0.71, 0.93, 1};

  /// A process waits for a condition.
  void watch(int condition) {
    ++watched_[condition];
    is_relevant_known_ = false;
  }
  void unwatch(int condition) {
    if (--watched_[condition] > 0) return;
    watched_.erase(condition);
    if (!part_.follows_all()) is_relevant_known_ = false;
  }

 private:
  /// How a border's difference is followed through a window of one choice of states.
  struct Tracked {
    enum class Kind { Still, Linear, Function };
    Kind kind = Kind::Still;
    std::vector<std::int32_t> states;          ///< Linear: components;
    bool has_time = false;                     ///< then its coefficient comes first
    std::vector<double> constants;             ///< Linear: coefficients, then the rest, or
    std::unique_ptr<code::Formulas> formulas;  ///< Linear: the same, if they change; Function: g
    bool needs_solve = false;                  ///< Function: depends on more than states and time
    std::optional<IntervalSearch> search;      ///< Function: where it can be zero, if that is known
  };
  Tracked& tracked(expr::ExprId difference);
  struct Moving {
    std::vector<std::int32_t> states;  ///< components
    std::vector<expr::ExprId> leaves;  ///< of the states
    bool is_known = true;              ///< there are no other unknowns
    bool is_of_states = true;          ///< there are no other variables at all
  };
  std::int32_t state_number(expr::VarRef x) const;  ///< among those of the variant; -1: none
  Moving moving_in(expr::ExprId difference);
  std::optional<Tracked> track_constant(expr::ExprId difference) const;
  bool track_linear(expr::ExprId difference, const Moving& in, Tracked& result);
  /// Of what is linear, at a frame. Empty if they have no value; valid up to the next call.
  std::span<const double> coefficients(const Tracked& track, const std::vector<double>& frame);
  void track_function(expr::ExprId difference, Moving in, Tracked& result);
  void compile(std::span<const expr::ExprId> roots, Tracked& result);
  expr::ExprId with_assigned(expr::ExprId difference);
  std::optional<IntervalSearch> interval_search(expr::ExprId difference);
  const std::vector<int>& relevant_borders();
  void forget_relevant();
  /// `side`: where the difference is to be just after `time`; none: it does not matter.
  void search_window(double time);
  bool has_crossed(std::optional<Side> side, double begin, double time) const;
  bool begins_at_zero(int border, std::optional<Side> side, double begin, double time) const;
  bool departs_within_tolerance(int border, const Tracked& track, Side side, double time);
  bool is_of_interpolation(int border, const Tracked& track, Side side, double begin, double time);
  bool find_side(int border, const Tracked& track, std::optional<Side> side, double time);
  void find(int border, expr::ExprId difference, std::optional<Side> side, double time);
  void find_change(const HeldStep& held, double time);
  void find_linear(int border, const Tracked& tracked, std::optional<Side> side, double time);
  void find_function(int border, Tracked& tracked, std::optional<Side> side, double time);
  void find_end_of_sliding(int border, expr::ExprId weight, Side side, double time);
  double border_size(int border);
  bool ends_on_border(int border, double value, double slope);
  bool check_side(int border, std::optional<Side> side, double time, double until,
                  numerics::FunctionRef<double(double)> value,
                  std::optional<double> known_size = {});
  /// Keeps the event if none was found before it. `border` -1: a piecewise-constant function steps.
  void note(int border, double time, double value, int direction, bool is_jump = false);
  void note(EventKind kind, double time);  ///< the same of a kind without a border
  void note(const Event& event);
  bool solved_at(double time);
  double difference_at(const Tracked& tracked, double time);
  Diagnostic explain(numerics::StepStatus status);

  Workshop& workshop_;
  Part& part_;
  bool shorten_to_values();
  void notice_singular_points(double end);
  bool read_pivots(double time, std::vector<double>& frame, std::vector<double>& pivots);
  double singular_time(std::size_t pivot, double first, double begin, double end);
  std::vector<double> pivots_;  // of this motion at `pivots_time_`; empty: none yet
  std::vector<double> next_pivots_;
  double pivots_time_ = 0;
  using Looks = std::array<double, kLookPlaces.size()>;
  std::optional<Looks> look(const Tracked& track);
  /// A jump of a function that only statements can compute: between these times.
  struct Break {
    double before = 0, behind = 0;
  };
  const std::vector<expr::ExprId>& box_calls();
  std::optional<Break> find_break();
  std::optional<Break> find_break(const Tracked& track, const Looks& looks);
  std::optional<Break> locate_break(const Tracked& track, Break between, double at_left,
                                    double at_right);
  std::optional<double> find_corner(const Tracked& track, const Looks& looks);
  bool matters(double corner);
  numerics::StepStatus stop_before_break();
  std::optional<double> corner_;  // of such a function, in the window
  bool is_before_break_ = false;  // the window ended there
  double break_at_ = -1;          // in the window, right at its begin
  double last_break_ = -1;
  int windows_since_break_ = 0;
  int pause_ = 0;  // windows in which none is looked for
  bool stop_at_border();
  bool is_retreating();
  bool goes_to_and_fro();
  int turns_ = 0;      // steps in a row that ended against where they began
  int went_over_ = 0;  // windows in a row that ended where values went over to another solution
  void note_return();
  double next_due(double time);
  void set_without_motion(double time, std::vector<double>& frame);
  bool is_apart(int border);
  std::int64_t taken_again_ = 0;  // windows without values at their ends
  std::int64_t retreats_ = 0;     // of these and of the integrator, when looked at last
  int retreating_ = 0;            // grows if more than a fifth of the steps were tried in vain
  static constexpr int kPatience = 50;
  int patience_ = kPatience;  // that is too much
  int kinks_found_ = 0;
  bool follows(double end);
  struct Followed {
    std::int32_t place = -1;
    bool is_watched = false;  ///< derivatives need it: it is in the error that integrators estimate
    double largest = 0;       ///< of its sizes so far
  };
  std::span<Followed> followed();
  void note_followed(double time, const std::vector<double>& frame);
  std::vector<double> followed_values_;  // theirs, where the window before was found even,
  double followed_until_ = 0;            // at its end
  std::array<std::vector<double>, 3> check_frames_;
  std::vector<double> recent_ranges_;  // of nonlinear unknowns in the windows tried, fading
  double stopped_at_ = -1, retreated_at_ = -1;
  bool has_motion() const;
  void use_variant(StateVariant& variant, double time, std::vector<double>& frame,
                   numerics::Restart kind);
  struct Leap {
    double from = 0, until = 0;
    std::vector<double> before, limit;  // frames at these times
  };
  std::optional<Leap> leap_;
  std::unique_ptr<FixedSteps> steps_;
  bool take_fixed_step(double limit);
  void note_passed(const std::vector<double>& before, const std::vector<double>& after);
  void leap_to(double time, std::vector<double>& frame) const;
  Motion* motion_ = nullptr;
  double kept_until_ = 0;  // the past of delays is known up to here
  std::vector<double> past_frame_;
  StateVariant* next_variant_ = nullptr;  // the states to go on with from the end of the window
  std::vector<double> next_frame_;
  double decided_ = 0;  // when the sides of the borders were found last
  double from_ = 0, reached_ = 0;
  double deadline_ = -1;   // up to which steps were asked for
  double break_time_ = 0;  // when something that jumped comes back in a delay, next
  double horizon_ = 0;     // of parts without states: length of the next window
  bool has_window_ = false;
  using Tracks = std::unordered_map<expr::ExprId, Tracked>;
  /// What is known of plans and their variants, by their addresses.
  struct OfPlans {
    std::map<std::vector<expr::VarRef>, Tracks> by_states = {};  // of nothing but states
    Tracks* tracks = nullptr;                                    // of the states of this variant:
    const StateVariant* tracks_of = nullptr;
    std::map<std::pair<const StateVariant*, expr::ExprId>, Tracked> tracked = {};  // the others
    std::map<const StateVariant*, std::vector<Followed>> followed = {};
    std::map<const ModeEquations*, std::vector<expr::ExprId>> box_calls = {};
  };
  OfPlans& of_plans() { return of_plans_.at(part_.generation()); }
  sim::OfPlans<OfPlans> of_plans_;
  std::map<int, int> watched_;  // by condition: for how many processes
  bool is_relevant_known_ = false, are_all_relevant_ = false;
  std::vector<int> relevant_;  // the borders that decide the mode and what processes wait for
  std::vector<char> relevant_steps_;  // the same of what is held
  std::vector<char> marked_;
  std::vector<double> coefficients_;
  std::vector<Event> events_;
  std::vector<double> search_frame_;
  struct Solved {
    double time = 0;
    bool ok = false;
    std::vector<double> frame;
  };
  std::vector<Solved> solved_;  // in this search
};

}  // namespace chi::sim
