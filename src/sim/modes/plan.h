#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "code/formulas.h"
#include "expr/differentiate.h"
#include "sim/algebra/system_solver.h"
#include "sim/integration/motion.h"
#include "structure/analyse.h"

namespace chi::sim {

/// The equations of a part in one mode, before any analysis.
struct ModeEquations {
  structure::System system;
  std::vector<std::int32_t>
      equations;  ///< per row: the equation of the part it comes from; -1: none
  /// Rows without any unknown: they hold for the known values, or the mode is not possible. The
  /// equations they come from stand beside them.
  std::vector<expr::ExprId> checks;
  std::vector<std::int32_t> checked_equations;
  /// Rows under a guard that declares a differential variable unknown, by guard: for the motion
  /// they may be too many, as in a steady start, and hold at an instant only (structure/instant.h).
  std::vector<std::vector<std::int32_t>> passing;
  std::vector<expr::VarRef> weights;  ///< of sliding borders: unknown numbers between 0 and 1
  std::vector<int> sliding;           ///< the borders they belong to
  std::vector<expr::VarRef> shares;   ///< weights that are given: of borders that rest
  /// A closed contact with a law of impact: the equation of the part that keeps its gap at zero.
  struct Contact {
    std::int32_t equation = -1;
    expr::ExprId restitution;
  };
  std::vector<Contact> contacts = {};
};

/// The number of a plan, in its part: never that of another plan, also when this one is gone.
struct PlanId {
  std::int64_t number = 0;  ///< 0: none
  friend constexpr bool operator==(PlanId, PlanId) = default;
};
/// The same of a choice of states: the plan that made it, and which of its choices.
struct VariantId {
  PlanId plan = {};
  std::int32_t number = 0;
  friend constexpr bool operator==(VariantId, VariantId) = default;
};

/// A choice of states of a plan and what integrates them.
struct StateVariant {
  VariantId id = {};
  structure::StateChoice choice;
  structure::BlockOrder order;
  std::unique_ptr<SystemSolver> solver;  ///< all other values from the states
  std::unique_ptr<Motion> motion;        ///< made when first needed
};

/// Everything that is known of one mode of one part: its analysis, made once; solvers for the
/// consistent values and for the motion; derivatives of any order.
class Plan {
 public:
  /// With `probe` what only numbers show counts too (structure::analyse).
  Plan(const SolverContext& context, ModeEquations equations, const graph::Matching& hint,
       structure::Probe* probe = nullptr);
  /// A mode with the equations of another plan, in which the values at these places of the frame
  /// decide: truths of conditions, in this mode as given (sim/part/mode_switches.h). Plan and
  /// places outlive it.
  Plan(Plan& like, std::span<const std::int32_t> switch_places, std::vector<char> switches);
  /// Before anything is asked of it.
  void set_id(PlanId id);
  PlanId id() const { return id_; }
  bool has_switches() const { return !switches_.empty(); }
  bool is_lent() const { return is_lent_; }  ///< others have its equations
  /// Whether they have the same equations, but for switches.
  bool is_like(const Plan& other) const { return &work_ == &other.work_; }
  /// Sets these in a frame: it is one of this mode then. Requires that it is long enough.
  void set_switches(std::vector<double>& frame) const;

  const ModeEquations& equations() const { return work_.equations; }
  const structure::Analysis& analysis() const { return work_.analysis; }
  bool is_singular() const { return work_.analysis.singular.has_value(); }
  /// The IVP is singular, but the IP is not: the equations determine values and derivatives at an
  /// instant, as those of a steady state do (P1 §2.5). Time can pass only if nothing moves then.
  bool is_static() const { return work_.is_static; }
  const structure::Singular& why_static() const { return *work_.why_static; }

  /// The analysis saw in numbers what structure does not tell.
  bool rests_on_values() const;

  /// Whether a part was ever in this mode, and did not just try it.
  bool was_met() const { return was_met_; }
  void meet() { was_met_ = true; }

  /// The equations that are differentiated, and have an `if` that statements switch.
  const std::vector<std::size_t>& switched_rows();

  /// The IP: everything but the known values (P1 §4).
  const structure::BlockOrder& ip() const { return work_.ip; }
  SystemSolver& ip_solver();
  /// The same with more of the values known (ascending); kept.
  SystemSolver& ip_solver(const std::vector<expr::VarRef>& known_too);

  /// The states chosen by structure, or at a point; variants are kept.
  StateVariant* structural_variant();
  StateVariant* variant_at(structure::PointValues& point);
  StateVariant* variant_for(structure::StateChoice choice);
  const std::vector<std::unique_ptr<StateVariant>>& variants() const { return work_.variants; }
  /// Whether there is anything to choose: some equation is differentiated.
  bool has_choice() const;
  /// Values that the modeller leaves known though no derivative of them is left: rows that were
  /// combined cancel it, and determine the value. When the mode is entered they jump.
  const std::vector<expr::VarRef>& overruled() const { return work_.overruled; }
  bool can_jump() const { return has_choice() || !work_.overruled.empty(); }

  /// The values x_j^(k), k <= d_j, of all unknowns.
  std::span<const expr::VarRef> values() const { return work_.values; }
  std::span<const std::int32_t> places() const { return work_.places; }  ///< of these, in the frame
  /// Whether the mode has this value, and computes its derivative too: it is continuous.
  bool has_lower(expr::VarRef x) const;

  /// Computes the highest derivatives x_j^(d_j) in the frame from all lower ones. Enters leaves.
  bool solve_leading(std::vector<double>& frame);

  /// Whether these have one solution there.
  bool is_leading_regular(std::vector<double> frame);
  /// Whether they do not, all values being given.
  bool is_leading_singular(std::vector<double>& frame);

  /// Computes x_j^(d_j + 1) ... x_j^(d_j + levels) in the frame. The tower is built when first
  /// needed; false if it cannot be computed. Call `build_tower` and make the frame large enough
  /// before. The first `known` levels are in the frame already.
  void build_tower(int levels);
  bool climb(double* frame, int levels, int known = 0);

  /// Appends what coefficients of combined equations divide by (structure::Analysis::divisors).
  void append_divisors(const double* frame, std::vector<double>& pivots);

  /// The largest of the values in the frame, up to this level of the tower.
  double largest(const std::vector<double>& frame, int levels) const;
  /// Per unknown j: how large x_j^(d_j + level) can be through rounding alone. The equations of a
  /// level hold up to the last bits of their terms; what that makes of the unknowns tells (as in
  /// componentwise backward error analysis). Zeros if the part is too large to tell.
  std::vector<double> rounding(const std::vector<double>& frame, int level);

  /// The derivative of order k of an expression of time in this mode: over x_j^(i), inputs fixed.
  expr::ExprId time_derivative(expr::ExprId e, int k);

 private:
  struct Level {
    structure::BlockOrder order;
    std::unique_ptr<SystemSolver> solver;
  };
  struct WithKnown {
    structure::BlockOrder order;
    std::unique_ptr<SystemSolver> solver;
  };
  /// What modes that differ in switches only have in common: all but the switches.
  struct Work {
    SolverContext context;
    ModeEquations equations;
    PlanId id = {};  // of the plan that made it
    structure::Analysis analysis = {};
    structure::BlockOrder ip = {};
    bool is_static = false;
    std::optional<std::vector<std::size_t>> switched_rows = {};
    std::optional<structure::Singular> why_static = {};
    std::unique_ptr<SystemSolver> ip_solver = {};
    std::map<std::vector<expr::VarRef>, WithKnown> with_known = {};
    std::vector<std::unique_ptr<StateVariant>> variants = {};
    std::vector<expr::VarRef> values = {}, overruled = {};
    std::unique_ptr<code::Formulas> divisors = {};
    std::vector<std::int32_t> places = {};
    std::unique_ptr<Level> leading = {};
    std::deque<Level> tower = {};        // a deque: solvers refer to their order
    std::vector<expr::ExprId> top = {};  // per kept row: the highest derivative made so far
    // Of the equations by the x_j^(d_j), and its entries; once `rounding` needs them.
    std::optional<std::pair<expr::Jacobian, code::Formulas>> leading_jacobian = {};
  };
  void make_static();
  StateVariant* add_variant(std::unique_ptr<StateVariant> variant);
  Level make_level(int m, const std::vector<expr::ExprId>& rows);
  SystemSolver& leading_solver(std::vector<double>& frame);

  std::unique_ptr<Work> own_;  // none: that of another plan
  Work& work_;
  PlanId id_;
  std::span<const std::int32_t> switch_places_;  // in the frame
  std::vector<char> switches_;                   // their truths, in this mode
  bool was_met_ = false, is_lent_ = false;
};

}  // namespace chi::sim
