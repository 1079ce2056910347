#pragma once
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "numerics/mode_verdict.h"
#include "sim/modes/part.h"

namespace chi::sim {

struct LawProblem;

/// Finds a mode that is consistent with itself: its equations have a solution at this instant, and
/// with that solution the conditions, just after the instant, are those of the mode
/// (semantics.md §4).
///
///     iterate mode → IP → conditions, all changes at once; where the mode would take an impulse,
///       the conditions are those that the impulse asks for
///     at the start, all of what follows first with variables as they are set
///     the one-step problem of the part's laws proposes modes, by Newton's method, by following a
///       path, by search; the orders of their plans decide (numerics/next_mode.h, law_model.h)
///     the same, where what the integration leaves decides no sign
///     where the modes on both sides of reached borders have the same values, either
///     where laws meet on reached borders, the equations with their `if`s as they stand; and these,
///       solved wherever they are, as a guess (mode_kinks.cc)
///     all changes at once, but that borders to be crossed slide first [1]
///     all of this again with jumps of differential variables
///     sliding on some borders while others rest with them, sharing what holds them
///     a mode that its own values, if not their derivatives, agree with
///
/// In all of this a mode in which time cannot pass comes last: where everything is still zero, a
/// network in which a current source has no path has a solution, but not a moment later.
///
/// Modes without a solution are passed over: the one with all diodes blocking often has none.
///
/// [1] M. Hintermüller, K. Ito and K. Kunisch, "The primal-dual active set strategy as a semismooth
///     Newton method", SIAM J. Optim. 13(3), 2002, 865-888.
class ModeSearch {
 public:
  /// `initial`: nothing was solved before, so variables without a start value may be moved, and
  /// nothing jumps.
  ModeSearch(Part& part, bool initial) : part_(part), initial_(initial) {}

  /// On success the part is in the mode found; otherwise `part.failure()` says why there is none.
  bool run();

  /// The rows and laws of a part, made when they are asked for first.
  static LawModel& laws_of(Part& part);

 private:
  struct Attempt {
    Plan* plan = nullptr;
    bool solved = false;
    bool jumped = false;
    std::vector<double> frame = {};
    Sides right = {};      ///< just after the instant; where there is an impulse, on its side
    Sides after = {};      ///< when the impulse is over; empty if that is the same
    bool goes_on = true;   ///< `after` asks for the same plan
    Plan* next = nullptr;  ///< the plan that `right` asks for
    std::vector<Change> changes = {};  ///< what jumped; or moved within the tolerances
    std::vector<ConservedSum> conserved = {};
    /// Of the jump, taken or refused: where it takes borders along which the mode slides.
    std::vector<std::pair<int, Side>> swept = {};
    std::vector<Change> forbidden = {};  ///< the jump it takes, but must not
    std::vector<Change> refused = {};    ///< the same, while modes without jumps are looked for
    std::optional<Diagnostic> why = {};
    bool is_undefined = false;  ///< an equation has no value there
    bool consistent() const { return solved && next == plan; }
  };

  bool search();
  bool find();
  /// One way to look for the mode; the table is in mode_search.cc.
  struct Way {
    Strategy strategy;
    bool (*run)(ModeSearch&);
  };
  bool try_ways(std::span<const Way> ways);
  bool note(Strategy strategy);  ///< it found the mode; true
  bool is_avoided(const Attempt& attempt);
  Sides start_sides();
  Sides with_reached_open(Sides sides);
  bool take_again(const Part::Taken& before);
  void forget_attempts();
  void load(Attempt& attempt);
  void show(const Attempt& attempt);
  void show_loaded();
  Attempt& attempt(const Sides& sides);
  void solve(Attempt& attempt, const Sides& sides);
  bool solve_plan(Attempt& attempt, const Sides& sides);
  SystemSolver& solve_ip(Attempt& attempt, const Sides& sides);
  bool passes_checks(Attempt& attempt);
  bool within_bounds(Attempt& attempt);
  // mode_borders.cc
  struct Reached {
    int side = 0;  ///< of the mode that is tried
    double size = 0;
    std::vector<std::int32_t> places;  ///< of what is known in the difference
    code::Formulas formulas;           ///< the difference, and its slopes by these
    bool put(std::vector<double>& frame, double wanted);
  };
  std::vector<Reached> reached_by_known(const Attempt& attempt, const SystemSolver& solver,
                                        const Sides& sides, const std::vector<int>& kinks = {});
  bool solve_on_borders(Attempt& attempt, SystemSolver& solver, const Sides& sides);
  void leave_surfaces(Sides& start);
  bool start_as_set(Sides start);
  bool solve_start(Attempt& attempt);
  // mode_values.cc
  bool keep_values(Attempt& attempt, double allowed);
  void snap(Attempt& attempt);
  std::vector<expr::VarRef> values_left_open(Plan& plan);
  void refuse_dependent(Attempt& attempt);
  void solve_with_jump(Attempt& attempt);
  bool steps(Attempt& attempt);
  bool steps(Attempt& attempt, std::size_t row);
  Diagnostic explain_open(Plan& plan) const;
  bool take(const Sides& sides);
  std::vector<char> held_borders(const Sides& sides);
  // mode_sliding.cc
  bool can_slide(const Attempt& here, int border);
  void choose_shares(Attempt& attempt);
  Sides slide_on(const std::vector<int>& borders, Sides sides, bool may_rest);
  void refuse_weights(Attempt& attempt);
  bool has_weights(const Attempt& attempt, const Sides& sides);
  Sides with_switched(Sides sides);
  bool find_back(std::vector<char>& sides, std::size_t& looked_at);
  bool iterate_sliding(Sides sides, bool may_rest = false);
  // mode_kinks.cc
  /// Where equations are solved by hand, or anywhere.
  enum class Kinks { Assigned, Any };
  bool find_kinks(Sides& start, Kinks which);
  bool find_any_kinks(Sides& start);
  void rest_on_kinks(Attempt& attempt, const Sides& sides);
  bool decides_alone(int border) const;
  std::vector<int> kinks_to_solve_for(const Sides& sides);
  bool is_kink(const Sides& start, int border, bool may_be_far);
  bool is_in_the_way(Kinks which, int border);
  bool is_singular_corner();
  bool is_kink_of_laws(const Sides& start, int border, bool may_be_far);
  bool take_whole(const Sides& start);
  // mode_one_step.cc
  bool take_one_step(bool searches);
  bool take_within_errors();
  bool take_one_side();
  bool is_velocity(const ModeEquations& mode, expr::ExprId e) const;
  bool slides_by_motion(const Attempt& attempt, const Sides& sides);
  bool take_end_of_sliding(const Sides& sides);
  bool take_at_equality(const Sides& sides);
  bool take_followed(const Sides& sides, bool may_rest);
  bool take_shared();
  bool take_closed(const LawProblem& laws, const numerics::Mode& mode, Attempt& a);
  numerics::Verdict verify(const LawProblem& laws, const numerics::Mode& mode);
  double time_scale() const;
  // mode_followers.cc
  std::optional<Sides> with_followers(const Sides& sides);
  void leave_out_held(const Sides& sides, std::vector<int>& still);
  bool is_indifferent(const Sides& sides, const Sides& followers);
  // mode_impacts.cc
  bool may_jump() const;
  bool may_slide() const;
  Sides pushed_sides(const std::vector<Change>& changes, Sides sides);
  Sides impact_sides(const Attempt& attempt, const Sides& sides);
  struct ImpactRates {
    double before = 0, after = 0, restitution = 0, allowed = 0;
  };
  ImpactRates impact_rates(const Attempt& attempt, const Part::Contact& contact);
  void apply_restitution(const Attempt& attempt, Sides& during, Sides& after);
  void let_impulses_decide(Attempt& attempt);
  bool take_touch();
  void tell_jump(const Attempt& attempt);
  bool take_what_follows(Attempt& impact);
  void stay(const Attempt& attempt, const Sides& sides);
  bool is_beside(const Attempt& a, int border, Side side);
  bool take_resting();
  bool have_same_values(const Attempt& a, const Attempt& b);
  bool take_indifferent();
  bool take_by_value();
  bool has_not_ended(Attempt& a, const Sides& assumed, int border);
  bool iterate(Sides sides);
  bool iterate_exactly(const Sides& start);
  bool keeps_start_ = false, met_start_ = false;  // met: what `keeps_start_` forbids
  std::optional<Diagnostic> why_not_as_set_;      // with all variables as they are set: no value
  bool is_exact_ = false, met_small_jump_ = false;
  Sides stayed_;  // those that the values of the mode taken told, if it took other ones
  bool is_within_errors_ = false;  // signs counted beyond the errors of the states only
  /// Of what counts as left by the integration: so much may change where nothing has to.
  static constexpr double kExact = 1e-2;
  static constexpr double kStill = 1;  ///< tolerances within which a value has not moved
  std::vector<int> reached();
  bool is_reached(const std::vector<double>& frame, int border);
  bool is_reached_now(int border);
  double time() const { return loaded_[static_cast<std::size_t>(part_.time_place_)]; }

  // mode_failures.cc
  void explain();
  Diagnostic explain(const Attempt& attempt) const;
  std::string verdict(const Sides& assumed) const;
  const Attempt& last_of_chain(Sides& sides);
  Diagnostic explain_unsolved(Plan& plan, const SolveFailure& failure) const;
  Diagnostic explain_dependent(const Plan& plan, const SolveFailure& failure) const;
  Diagnostic explain_violated(const Plan& plan, const JumpResult& jump) const;

  Part& part_;
  bool initial_;
  bool jumps_ = false;
  bool avoids_stuck_ = true;  // modes in which time cannot pass are not taken,
  bool met_stuck_ = false;    // and there was one
  int budget_when_met_ = 0;
  bool is_over_ = false;  // an impulse was at this instant; nothing jumps again
  std::vector<double> loaded_;
  std::vector<double>
      assigned_;         // the same with what the equations make of assigned values; once asked for
  Sides start_;          // the sides that the search begins with,
  Sides without_kinks_;  // and those before switches were opened in them
  const Attempt* shown_ = nullptr;  // its values are the part's; none: `loaded_`
  std::map<std::pair<Sides, bool>, Attempt> attempts_;
  std::vector<Attempt*> order_;           // as they were made
  std::vector<Sides> assumed_;            // in the same order
  int budget_ = 4000;                     // attempts
  static constexpr int kForRest = 200;    // of which so many are left for bodies at rest
  static constexpr int kForUnset = 400;   // so many to move what is not set where it gives no value
  static constexpr int kForOthers = 200;  // and so many to find another mode than one that is stuck
};

}  // namespace chi::sim
