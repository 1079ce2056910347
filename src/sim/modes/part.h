#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diag/diagnostic.h"
#include "expr/evaluate.h"
#include "sim/integration/delay_history.h"
#include "sim/interface/search_counts.h"
#include "sim/jumps/jump.h"
#include "sim/modes/arrival.h"
#include "sim/modes/plan_cache.h"
#include "sim/modes/state_monitor.h"
#include "sim/modes/workshop.h"
#include "sim/part/border_uses.h"
#include "sim/part/conditions.h"
#include "sim/part/mode_switches.h"
#include "sim/part/parts.h"
#include "sim/part/sides.h"
#include "sim/part/time_borders.h"

namespace chi::flat {
struct Activity;
}

namespace chi::sim {

class LawModel;
class TimeStepper;

/// One part of the model at one instant: which mode it is in and what its values are
/// (semantics.md §2, §4-6).
///
/// The frame holds the values of everything the part's formulas mention. Memory is the truth for
/// what is known; `load` reads it, `store` writes the unknowns back.
class Part {
 public:
  Part(Workshop& workshop, PartEquations equations, std::int32_t number);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// Conditions of statements. After the last one, `prepare`.
  int add_condition(expr::ExprId condition, Span span, std::span<const HeldStep> steps);
  void prepare();

  /// Finds mode and values at `time`, from what memory holds. False if there are none: `failure`.
  bool settle(double time);

  /// A mode that the part was in, with what was known when it came to it first.
  struct Met {
    Plan* plan = nullptr;
    StateVariant* variant = nullptr;
    Sides sides = {};
    double time = 0;
    std::string text = {};  ///< mode_text() there, if no border decides it
  };
  const std::vector<Met>& met() const { return met_; }
  /// The mode in which the last `settle` failed, if it was a certain one and has a plan.
  const std::optional<Met>& failed_mode() const { return failed_; }
  /// "x - 1 > 0, y < 0": the sides of the borders that decide the mode; those that differ from
  /// `except`, if given.
  std::string mode_text(const Sides& sides, const Sides* except = nullptr) const;
  std::int64_t iterations() const { return iterations_; }  ///< of Newton's method, in `settle`
  const SearchCounts& searches() const { return searches_; }
  /// How the present mode was found; none if it is the only one.
  std::optional<Strategy> found_by() const { return found_by_; }

  Plan* plan() const { return plan_; }
  StateVariant* variant() const { return variant_; }
  /// Chooses the states anew at the present values; whether that made a difference.
  bool choose_states();
  /// Another choice of states, if the present one is becoming singular at these values; else null.
  StateVariant* better_variant(std::vector<double>& frame);
  void set_variant(StateVariant* variant) { variant_ = variant; }
  /// The choice of states for this plan at these values.
  StateVariant* variant_at(Plan& plan, std::vector<double>& frame);
  bool has_equations() const { return equations_.set.equations.size() > 0; }
  std::vector<double>& frame() { return frame_; }
  const Sides& sides() const { return sides_; }
  /// Whether the part slides on a border, or is held on it by both sides.
  bool slides_on(int border) const {
    const auto b = static_cast<std::size_t>(border);
    return sides_[b] == Side::Slide || sides_[b] == Side::Follow || sides_[b] == Side::Rest ||
           (b < held_.size() && held_[b] != 0);
  }
  Conditions& conditions() { return conditions_; }
  TimeBorders& time_borders() { return time_borders_; }
  const SolverContext& context() const { return context_; }
  DelayHistory& delays() { return delays_; }
  /// A `delay` of a substitute, which is looked at between events, or of a statement, which is
  /// asked for when the statement runs: the past is kept from the start. Before `prepare`.
  void add_delay(expr::ExprId delay, bool of_statement);
  const std::vector<expr::ExprId>& added_delays() const { return added_delays_; }
  /// Whether what delays look back at jumps, or has a kink, where these sides became the present.
  bool has_break(const Sides& before) const;
  code::FormulaLeaves& leaves() { return leaves_; }
  const std::optional<Diagnostic>& failure() const { return failure_; }
  void fail(Diagnostic diagnostic) { failure_ = std::move(diagnostic); }
  void warn_of_singular_point(const SystemSolver::PivotOwner& where, double time) const;
  PlanCache::Counts counts() const { return plans_.counts(); }
  /// Of its plans: what is kept under their addresses is kept for one generation (OfPlans).
  std::int64_t generation() const { return plans_.generation(); }
  /// Evicts plans once they have more rows than RunOptions::kept_rows, except the present one and
  /// the first, which is for reports: networks of many valves have modes without end.
  void forget_modes();
  const std::vector<Change>& jumps() const { return jumps_; }  ///< of the last `settle`
  const std::vector<ConservedSum>& conserved() const { return conserved_; }  ///< by them
  std::int32_t number() const { return number_; }
  const PartEquations& equations() const { return equations_; }
  /// Where a row of a mode stands in the text; none if it comes from no equation.
  std::optional<Span> row_span(const ModeEquations& mode, std::int32_t row) const;

  /// The equations that are active by the values of the frame as they are, solved or not.
  const ModeEquations* present_equations(std::optional<Diagnostic>& why);
  /// The sides by the values of the frame; borders that they lie on as in `on`.
  Sides sides_here(const Sides& on);
  const ModeEquations* equations_on(const Sides& sides, std::optional<Diagnostic>& why);

  /// Memory to frame: known values, guesses, discrete inputs, time.
  void load(double time);
  /// The same for what is known in the present mode: variables that occur in no equation, only in a
  /// condition, change without notice.
  bool reload();  ///< whether anything changed
  /// Frame to memory: the unknowns of the present mode.
  void store() { store(frame_); }
  void store(const std::vector<double>& frame);
  void set_time(double time);
  /// Makes room for leaves that were entered since.
  void fit(std::vector<double>& frame) const;
  std::int32_t place(expr::VarRef x);

  /// The truth of a condition at this instant, by the values of the frame: inside the band `a < b`
  /// is false and `a <= b` is true.
  struct TruthNow {
    Truth truth = Truth::Undefined;
    bool is_reached = false;  ///< a border of the condition is reached
  };
  bool is_on_border() const;  ///< of any of its conditions, when `look` was called last
  TruthNow truth_now(int condition) const;  ///< when `look` was called last
  void look();
  /// The truth just after this instant, by `sides`.
  Truth truth_after(int condition);
  /// Of all conditions, by these sides. Valid up to the next question about truths.
  const std::vector<Truth>& truths_by(const Sides& sides) { return condition_truths(sides); }
  bool depends_on_time() const;
  Span border_span(int border) const;
  Span first_span() const;  ///< of its first equation
  Span variable_span(expr::VarRef x) const;
  /// The half width in which a difference that starts there counts as zero.
  double start_band(int border, double time) const;

  /// Values of border differences on a frame; NaN where undefined. The band is the half width in
  /// which a difference counts as zero.
  struct BorderValue {
    double value = 0, band = 0;
  };
  /// |a - b| within this of zero, relative, counts as equal at an event (semantics.md §4).
  static constexpr double kRelativeBand = 1e-10;
  /// The differences of all borders, as they move while these are on the given sides.
  std::span<const expr::ExprId> differences(const Sides& sides);
  expr::ExprId difference(int border) {
    return differences(sides_)[static_cast<std::size_t>(border)];
  }
  /// The size of what a border's difference is the sum of: by that its rounding is measured.
  double border_size(int border, const std::vector<double>& frame);
  /// Valid up to the next call.
  std::span<const BorderValue> border_values(const std::vector<double>& frame);
  /// The same of one border, without a look at the others.
  BorderValue border_value(int border, const std::vector<double>& frame);
  /// The border was crossed or touched at the present instant: values there are zero within the
  /// accuracy of the location.
  void touch(int border, double time, double value, bool grazes, bool is_close) {
    arrival_.touch(border, time, value, grazes, is_close);
  }
  /// What the integration may leave of a border's difference: nothing where time alone moves it.
  double tolerance_at(int border, const std::vector<double>& frame);
  /// Where its difference goes by the equations of the present mode: 1 up, -1 down, 0 nowhere.
  int direction(int border, std::vector<double>& frame);
  /// Whether events crowd at the present instant (arrival.h).
  bool is_crowded() const;
  void crowd(double time) { arrival_.crowd(time); }
  bool departs(int border) const { return arrival_.departs(border); }
  void set_departs(int border, bool departs) { arrival_.set_departs(border, departs); }
  /// How far a difference may be off, in the present mode, where the states are off by their
  /// tolerances (part_departures.cc).
  double uncertainty(int border, const std::vector<double>& frame);
  bool is_near_kink(int border, double distance, const std::vector<double>& frame);
  /// Whether a kink of the present mode is none any more: friction is one while nothing presses.
  bool has_kinks_apart(std::vector<double>& frame);
  int kinks_found() const { return kinks_found_; }  ///< since, at whatever time

  /// The borders that decide the mode: of guards and conditions in equations, and of sliding.
  const std::vector<int>& mode_borders() const { return mode_borders_; }
  /// The borders to follow: those that decide the mode now, and the conditions of statements; while
  /// nothing crosses these, nothing changes, whatever happens on the others. Of the others those
  /// that cost little are followed all the same, and seen in the log of events. The sides must be
  /// right.
  void mark_deciding(std::span<const int> conditions, std::vector<char>& marked);
  /// Whether none costs more than a little, and nothing is held.
  bool follows_all() { return equations_.steps.empty() && cheap_borders().are_all; }
  /// The same for what is held: what the equations of the mode have, what decides the mode, and
  /// what is in it. The others are out of date from then on. Whether all that is in the conditions
  /// counts: if the sides are not right.
  const std::vector<char>& follow_steps(std::span<const int> conditions, bool all);
  /// Brings what is held and was not followed up to date; whether any of it changed.
  bool renew_steps();
  /// Whether the sides are those of this time.
  bool has_sides_of(double time) const { return sides_time_ == time; }
  /// Recomputes `sides` of borders that do not decide the mode.
  void update_sides();
  bool refresh_sides();  ///< unless they are those of this instant; whether they were not
  std::string text(expr::ExprId e) const;
  // part_laws.cc
  /// Complementarities whose alternative is another one on the sides `now`, by name and with what
  /// holds: "D1 conducts". Their borders go without saying.
  struct NamedChange {
    std::string text;
    Span span;
  };
  std::vector<NamedChange> law_changes(const Sides& before, const Sides& now);
  bool is_of_law(int border) const;
  std::string name() const;  ///< the instance its first equation belongs to
  /// The guards that are open and the conditions of `if`s, as they are in the present mode.
  std::string mode_text();
  bool has_modes() const;  ///< there are guards or conditions
  /// As the modeller wrote it; unknowns of our own, as the shares of both sides in sliding, by what
  /// they stand for.
  std::string variable_name(expr::VarRef x) const;
  structure::NameOf names() const;  ///< the same for explanations
  /// Adds what is known of equations without a solution: where they stand, residuals, values.
  void describe(const SolveFailure& failure, Diagnostic& diagnostic) const {
    describe(*plan_, failure, diagnostic);
  }
  void describe(const Plan& plan, const SolveFailure& failure, Diagnostic& diagnostic) const;
  expr::Point point_here();
  /// Why the equations have no value, if that is for a black box that failed.
  std::optional<Diagnostic> explain_box(const Plan& plan, const SolveFailure& failure);
  std::optional<Diagnostic> explain_box(const Plan& plan, std::int32_t row, expr::ExprId e);
  /// The same, where equations have a solution only because a comparison took it for a number.
  std::optional<Diagnostic> explain_missing_input();
  /// What of equations that could not be solved has no value: "division by zero in `1 / x`".
  bool is_of_model(expr::ExprId e) const;
  std::string what_is_undefined(const Plan& plan, const SolveFailure& failure) const;
  /// Whether that is so whatever the unknowns are.
  bool is_undefined_for_all(const Plan& plan, const SolveFailure& failure) const;
  /// Why the plan's equations are singular; `analysis` says so.
  Diagnostic explain_singular(const Plan& plan, const structure::Analysis& analysis) const;
  /// That `what` in the text at `span` has no value at the present one of the frame.
  Diagnostic explain_undefined(std::string_view what, expr::ExprId e, Span span);
  /// Why time cannot pass in a static mode, if it cannot.
  std::optional<Diagnostic> explain_static();
  /// Whether time could not pass with equations that determine an instant only: something moves.
  bool is_stuck(const Plan& plan, const std::vector<double>& frame) const;

 private:
  friend class ModeSearch;
  friend class TimeStepper;
  BorderValue between(int border, double left, double right, const std::vector<double>& frame);
  struct PlanResult {
    Plan* plan = nullptr;
    std::optional<Diagnostic> why;  ///< if there is no plan
  };
  /// The plan of the mode with these sides; made if need be. `written_out`: with the mode written
  /// into the equations, from now on, though it could be data.
  PlanResult plan_for(const Sides& sides, bool written_out = false);
  /// The plan of a mode that is data, if it can be; else null.
  Plan* switched_plan(const std::vector<Truth>& truths);
  ModeSwitches switches_;
  std::vector<std::int32_t> switch_places_;
  bool may_switch() const;
  /// `kinks`: conditions of `if`s that depend on a border that is a kink there are not decided.
  /// `switched`: nor are switches, which the equations read.
  std::optional<ModeEquations> mode_equations(const std::vector<Truth>& truths,
                                              std::optional<Diagnostic>& why,
                                              const Sides* kinks = nullptr, bool switched = false);
  /// Whether the border decides nothing but formulas: `q = if d > 0 then ... else ...`, where the
  /// unknown is the same on both sides, unlike in `0 = if closed then v else i`; or all of them
  /// are, as in `h = q*abs(q)`.
  bool is_of_laws(int border);
  enum class Answer : char { Open, Yes, No };
  std::vector<Answer> of_laws_;  // per border
  struct Mentions {
    std::unordered_set<expr::VarId> declared;               // somewhere
    std::unordered_map<expr::ExprId, std::ptrdiff_t> rows;  // how many equations a leaf occurs in
  };
  const Mentions& mentions();
  std::optional<Mentions> mentions_;  // made when it is asked for
  /// Borders of one group that are open at once: equations are taken from 2^n corners.
  static constexpr std::size_t kMostInGroup = 4;
  struct BorderGroups {
    std::vector<std::vector<int>> borders;
    std::vector<int> of_equation;  // -1: none
  };
  BorderGroups border_groups(const Sides& sides, const std::vector<int>& among) const;
  std::optional<ModeEquations> mixed_equations(const Sides& sides, std::optional<Diagnostic>& why);
  std::optional<ModeEquations> kinked_equations(const Sides& sides, std::optional<Diagnostic>& why);
  /// Puts the rows of a mode in an order in which each stands where the row of the other mode is
  /// whose place it takes.
  void pair_rows(const ModeEquations& with, ModeEquations& mode) const;
  void pair_rows(const ModeEquations& with, ModeEquations& mode, std::size_t first,
                 std::size_t count) const;
  std::vector<expr::VarRef> determined_by(expr::ExprId row, const ModeEquations& mode) const;
  Plan* plan_of(ModeEquations equations);
  Plan* plan_with_derivatives(ModeEquations equations);
  /// The plan that holds at the known values of the frame, if the equations were seen to be
  /// singular there; else the plan itself.
  Plan* plan_at(Plan* plan, const std::vector<double>& frame);
  const code::Failure* failed_box(const Plan& plan, const SolveFailure& failure) const;
  /// Another plan for equations that turned out singular at these values, if numbers show why; else
  /// null.
  Plan* plan_by_values(Plan& plan, const std::vector<double>& frame);
  /// The equations that leave the highest derivatives open at these values, and at all others near
  /// them that the equations allow; none if they do so at a single point, or not at all.
  std::optional<SolveFailure> dependent_equations(Plan& plan, std::vector<double> frame);
  void set_checks_apart(ModeEquations& mode) const;
  using Passing = std::vector<std::vector<std::int32_t>>;
  Passing passing_rows(const flat::Activity& activity, const ModeEquations& mode) const;
  /// Valid up to the next call.
  const std::vector<Truth>& condition_truths(const Sides& sides);
  Truth relation_truth(const Relation& relation, const Sides& sides) const;
  /// Of one condition; discrete values in it as when all were asked for last.
  Truth condition_truth(int condition, const Sides& sides);
  bool is_active(flat::BranchId branch, const Sides& sides);
  expr::ExprId row_on(int equation, const Sides& sides);
  const BorderUses& uses();
  /// The side on which each border is just after this instant, by values and, where they are zero,
  /// by the first derivative that is not.
  void right_sides(Plan& plan, std::vector<double>& frame, const Sides& assumed, Sides& out);
  /// What is known of the derivatives in a frame: the levels of the tower that it has, and of each
  /// the largest value and what rounding makes of all, once they were needed.
  struct Climbed {
    struct Level {
      double largest = -1;
      std::vector<double> rounding;
    };
    int levels = 0;
    std::array<Level, 8> known;  // by number; derivatives of order 4 need less
    struct Moved {
      std::vector<double> frame;
      int levels = 0;
    };
    std::optional<std::vector<Moved>> moved;  // with other states, within their errors
  };
  Side side_after(Plan& plan, std::vector<double>& frame, int border, BorderValue value,
                  const Sides& sides, Climbed& climbed);
  /// Relative to the size of its terms, a derivative of a border that counts as zero.
  double vanishing_slope(const std::vector<double>& frame, int border) const;
  Side side_of_weight(Plan& plan, std::vector<double>& frame, int border, Climbed& climbed);
  /// -1, 0 or 1: the sign of the first derivative that does not vanish.
  int derivative_sign(Plan& plan, std::vector<double>& frame, expr::ExprId difference,
                      double relative_zero, Climbed& climbed);
  struct DerivativeFormula {
    std::unique_ptr<code::Formulas> formulas;  // the derivative, the size of its terms, and
    std::vector<int> unknowns;  // its slopes by the highest derivatives of these unknowns
    int levels = 0;             // of the tower
    bool vanishes = false;
  };
  /// How far a derivative may be off, where the states are off by what the integration leaves.
  double derivative_error(Plan& plan, std::vector<double>& frame, DerivativeFormula& formula,
                          double value, Climbed& climbed);
  /// Whether signs of derivatives count only beyond that error: while the search for a mode found
  /// none without it.
  bool weighs_errors_ = false;
  /// The equations on both sides of a border where they differ: formulas of its difference, of the
  /// slope of that by the variable at `place`, and of pairs of rows. None: they are other ones.
  struct Meeting {
    std::unique_ptr<code::Formulas> formulas;
    std::size_t place = 0;
  };
  Meeting meeting(const Sides& sides, int border);
  bool pair_modes(const Sides& sides, int border, std::vector<expr::ExprId>& pairs);
  bool pair_branches(const Sides& sides, int border, std::vector<expr::ExprId>& pairs);
  /// Of these pairs, on the border: the variable is moved there.
  struct Gap {
    double from = 0, moved_by = 0;
    Truth meets = Truth::Undefined;  ///< all are the same; undefined: some have no value
  };
  static void put_on_border(code::Formulas& formulas, std::size_t place, std::vector<double>& frame,
                            std::vector<double>& values);
  /// `rounding`: what may be left of the difference; how far that takes the rows is no gap.
  Gap gap_at(Meeting& meeting, std::vector<double>& frame, double relative, double absolute,
             double rounding = 0);
  /// Whether the equations on both sides of a kink of this mode still meet.
  bool is_still_kink(Plan* plan, const Sides& sides, int border, std::vector<double>& frame);
  std::map<std::pair<const Plan*, int>, Meeting> meetings_;  // of kinks
  std::vector<double> gap_values_, gap_moved_, gap_beside_;
  bool settle_only_mode();
  bool jump_at_start();
  bool bounds_hold();
  /// How far the values that are continuous were moved, in the tolerances of the integration.
  double moved(const Plan& plan, const std::vector<double>& from,
               const std::vector<double>& to) const;
  /// A change up to so many tolerances is what integration left; of what statements assigned: one.
  static constexpr double kTolerances = 1e3;
  void enter_steps();
  bool hold_steps(const std::vector<char>* needed, const std::vector<char>* right = nullptr);
  void hold_others();
  double held_piece(const HeldStep& step, double argument);
  double held_value(const HeldStep& step, double argument);
  double step_behind(std::size_t step);
  void fill_missing_steps();
  bool needs_missing_step();
  Diagnostic explain_missing_step(const expr::Value& value, expr::ExprId row,
                                  std::optional<Span> span);
  std::string values_in(const expr::Value& value, expr::ExprId e);
  const std::vector<int>& steps_in(expr::ExprId e);
  void mark_needed_steps(std::span<const int> conditions, bool all, std::vector<char>& marked);
  const std::vector<int>& active_conditions();
  void add_active(expr::ExprId row, const std::vector<Truth>& truths, std::vector<char>& active);
  /// Whether a condition may be true and false at once: the motion is on one of its borders.
  bool is_split(int condition) const;
  /// The value of an expression at the frame; if it has none, for which node of what is held.
  expr::Value value_here(expr::ExprId e);
  void fill_delays(std::vector<double>& frame);
  bool start_delays();
  void enter_inputs(std::span<const expr::ExprId> roots);
  void watch_kinks(expr::ExprId delay);
  expr::VarRef weight_of(int border) const;
  expr::VarId derivative_in_conditions(std::size_t k) const;
  std::vector<expr::VarRef> in_conditions_;  // derivatives that conditions speak of
  const std::vector<char>& deciding_borders();
  std::vector<char> open_borders() const;
  /// The borders that can be followed without solving equations.
  struct CheapBorders {
    std::vector<char> is_cheap;
    bool are_all = false;
  };
  const CheapBorders& cheap_borders();

  /// Of a complementarity with a law of impact: the equation that keeps the gap at zero, the rate
  /// of the gap, and the borders of gap and force; -1: not there. `closing` is the side of the gap
  /// beyond zero, `pulling` that of the force.
  struct Contact {
    flat::EquationId closed;
    expr::ExprId restitution, rate;
    int border = -1, force = -1;
    Side closing = Side::Minus, pulling = Side::Minus;
  };
  void enter_contacts();
  void enter_ranges();
  /// Of a range whose bounds can move: upper - lower.
  struct Width {
    flat::BranchId low, high;
    expr::ExprId width;
  };
  std::vector<Width> widths_;
  std::unique_ptr<code::Formulas> width_formulas_;
  std::vector<double> width_values_;
  std::vector<Contact> contacts_;
  std::string law_name(const flat::Choice& choice) const;
  std::string alternative_name(flat::BranchId branch) const;
  const flat::Equation& equation_of(flat::BranchId branch) const;
  const flat::Equation& as_written(flat::BranchId branch) const;

  Workshop& workshop_;
  PartEquations equations_;
  std::int32_t number_;
  code::FormulaLeaves leaves_;
  SolverContext context_;
  Conditions conditions_;
  TimeBorders time_borders_;
  DelayHistory delays_;
  std::vector<expr::ExprId> added_delays_;
  std::vector<int> delay_borders_;                 // of conditions in what delays look back at
  std::unique_ptr<code::Formulas> step_formulas_;  // what is held, as it is now
  std::vector<double> step_values_;
  std::vector<double> last_held_;  // by step: in the frame too, unless it has no value there
  std::vector<char> followed_steps_, needed_steps_;
  double steps_time_ = std::numeric_limits<double>::quiet_NaN();  // when all of them were held
  std::unordered_map<expr::ExprId, std::vector<int>> steps_in_;
  std::map<const ModeEquations*, std::vector<int>> steps_of_plan_;
  std::map<std::vector<char>, std::vector<int>> active_;  // conditions, by the truths of all
  std::vector<char> active_key_;
  std::vector<int> delay_conditions_;                  // of kinks in what delays look back at
  std::vector<char> is_linear_;                        // by border
  std::vector<int> guard_conditions_;                  // per branch
  std::vector<std::vector<int>> equation_conditions_;  // per equation, inner ones first
  std::vector<int> mode_conditions_;  // all of these, ascending; the others are of statements
  std::vector<int> mode_borders_;
  std::optional<BorderUses> uses_;          // made when it is asked for
  std::vector<std::int32_t> input_slots_;   // per leaf: flat slot to load from, -1: none
  std::vector<std::int64_t> input_memory_;  // per leaf: the same in the machine's memory
  const Plan* stored_plan_ = nullptr;
  std::vector<std::pair<std::int32_t, std::int64_t>> stores_;  // of its unknowns: frame to memory
  bool has_missing_input_ = false;          // a black box among them failed when they were loaded
  std::vector<expr::DiscreteId> discrete_;  // per leaf: none if it is no discrete value
  std::int32_t time_place_ = -1;
  std::int32_t known_leaves_ = 0;  // leaves that input_slots_ and discrete_ know

  std::map<int, Span> statement_spans_;  // of borders in conditions of statements

  std::vector<double> frame_;
  Plan* plan_ = nullptr;
  StateVariant* variant_ = nullptr;
  Sides sides_;                                                   // per border
  double sides_time_ = std::numeric_limits<double>::quiet_NaN();  // when all of them were right
  Arrival arrival_;                                               // of the last events
  int kinks_found_ = 0;
  std::vector<char> held_;  // per border: both sides push back, the equations have a value on it
  std::set<Sides> follow_nothing_;  // modes in which no border follows one that slides
  std::vector<char> deciding_;      // per border: it decides the mode; empty: to be found anew
  std::map<const StateVariant*, CheapBorders> cheap_;
  std::vector<Change> jumps_;
  std::vector<ConservedSum> conserved_;
  bool has_started_ = false;
  std::vector<expr::VarId> assigned_;  // unknowns that memory has changed since the last `settle`
  std::vector<Met> met_;
  std::optional<Met> failed_;
  std::int64_t iterations_ = 0;
  SearchCounts searches_;
  std::optional<Strategy> found_by_;
  std::optional<Diagnostic> failure_;

  std::shared_ptr<LawModel> laws_;  ///< of its equations; made when the search asks for them
  PlanCache plans_{context_};
  /// What a search found: the sides, tried first next time.
  struct Taken {
    Sides sides;
    Sides right;                 ///< those that its values told, if other ones were taken
    bool within_errors = false;  ///< signs counted beyond the errors of the states only
  };
  std::map<std::pair<Sides, const Plan*>, Taken> taken_;  // by the sides and plan it began with
  std::unique_ptr<code::Formulas> border_formulas_;       // left and right of each border
  std::vector<double> border_ends_;
  // Of one border each, once asked for.
  std::vector<std::unique_ptr<code::Formulas>> border_alone_, border_sizes_;
  // Kept, so that an event takes no memory.
  std::vector<double> loaded_;
  Sides right_;
  std::vector<BorderValue> border_values_;
  std::vector<Truth> relation_truths_, truths_, seen_truths_;
  std::vector<char> seen_reached_;  // per border
  std::vector<char> key_;
  std::vector<double> derivative_values_;
  std::map<std::tuple<const ModeEquations*, expr::ExprId, int>, DerivativeFormula> derivatives_;
  StateMonitor& monitor_of(Plan& plan);
  std::map<const Plan*, StateMonitor> monitors_;
};

}  // namespace chi::sim
