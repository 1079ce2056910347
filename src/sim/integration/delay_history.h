#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "code/formulas.h"
#include "sim/algebra/solver_context.h"

namespace chi::sim {

/// The past of what the `delay`s of one part look back at (P3 = Cellier and Kofman, "Continuous
/// System Simulation", ch. 9, [P9.3]).
///
/// The past of an operand is kept as polynomials, one for each step, exact for operands that are
/// linear in the states. Where the operand or a derivative of it jumped, at the start and at
/// events, the past has a break; a break comes back after tau, as an event, so that no step
/// crosses one. Steps are no longer than tau, so that all values needed are there.
///
/// Sums of delays meet but for rounding: 0.1 + 0.1 + 0.1 is not 0.3. Breaks so close to each other
/// are one, and what is looked back at so close to one is on it.
class DelayHistory : public FrameInputs {
 public:
  explicit DelayHistory(const SolverContext& context) : context_(context) {}

  /// Takes notice of `delay` leaves that were entered since. True if some past is kept.
  bool update();
  bool empty() const { return delays_.empty(); }  ///< no delays among the leaves
  /// Keeps the past that `delay`, which is no leaf, looks back at: for `value`. Before `start`.
  void keep(expr::ExprId delay);
  bool keeps_past() const { return !operands_.empty(); }

  /// A step starts here: what comes back at its begin counts as over.
  void begin_window(double from) { window_from_ = from; }
  /// Writes the delayed values at `time` in the window, as the past is up to it: FrameInputs.
  void set(double time, double* frame) override { write(time, frame, is_same(time, window_from_)); }
  /// The same as it is from now on: right behind a break.
  void set_after(double time, double* frame) { write(time, frame, true); }

  /// The value of `operand` a time `tau` before `time`, right behind a break; `before`, or its
  /// first value, if that is before the start. None if its past is not kept.
  std::optional<double> value(expr::ExprId operand, double time, double tau,
                              std::optional<double> before);

  /// The values before the start, and the first break.
  void start(double time, double* frame);
  /// Appends the past of [from, to]; `values` writes all values at a time into its frame, false if
  /// there are none.
  using Values = std::function<const double*(double time)>;
  void extend(double from, double to, const Values& values);
  /// Operands jump, or their derivatives do.
  void add_break(double time);
  /// The first time after `time` at which a break comes back, or infinity. One that would come back
  /// where the last break is, but for rounding, came back with it.
  double next_break(double time, const double* frame);
  static bool is_same(double time, double other);  ///< but for rounding
  /// The longest step from here.
  double longest_step(const double* frame);
  /// A delay that is not positive, if there is one.
  expr::ExprId wrong(const double* frame);

 private:
  static constexpr int kNodes = 6;
  struct Piece {
    double from = 0, to = 0;
    std::array<double, kNodes> values = {};  ///< at Chebyshev points of the first kind
  };
  struct Operand {
    expr::ExprId expr;
    std::unique_ptr<code::Formulas> formulas;
    std::deque<Piece> pieces;
    double first = 0;
    double after = 0;  ///< the present value: what the past goes on with
  };
  struct Delay {
    expr::ExprId node;
    std::int32_t place = -1;
    std::int32_t operand = -1;
    int derivative = 0;                      ///< of the operand
    std::unique_ptr<code::Formulas> others;  ///< tau and perhaps x0
    bool has_start = false;
    bool is_fixed = false;  ///< tau never changes
  };
  std::int32_t find_operand(expr::ExprId e, int& derivative) const;  ///< -1: not kept
  double at_time(const Operand& operand, int derivative, double then, bool after,
                 std::optional<double> before) const;
  void write(double time, double* frame, bool after);
  void forget(double now);
  double back(double time, double tau) const;
  double past(const Operand& operand, double time, int derivative, bool after) const;
  std::int32_t operand_of(expr::ExprId e, int& derivative);
  Delay made(expr::ExprId node);
  double tau_of(Delay& delay, const double* frame, double* start = nullptr);

  SolverContext context_;
  std::int32_t known_leaves_ = 0;
  std::vector<Delay> delays_;
  std::vector<Delay> kept_;  // those that are no leaves
  std::vector<Operand> operands_;
  std::deque<double> breaks_;
  double started_ = 0;
  double longest_seen_ = 0;  // tau, so far
  double window_from_ = -1;
};

}  // namespace chi::sim
