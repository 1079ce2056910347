#pragma once
#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "code/formulas.h"
#include "code/machine.h"
#include "experiment/measure.h"
#include "sim/interface/frames.h"
#include "sim/interface/observer.h"

namespace chi::experiment {

/// Gathers the measures of one run while it goes on.
///
/// What it looks at between two steps is the run itself, at the points of Lobatto's rule with five
/// points: extremes are located on the interpolant through them and then on the run, integrals are
/// exact for polynomials up to degree 7, and where the expression has kinks or a condition changes,
/// the place is found first. Only measures that need more than the last values look between.
///
/// Memory does not grow with the run, but for `settle`, which keeps 56 bytes a step.
class Meter : public sim::Recorder {
 public:
  /// All outlive it. Gathers from the time `warmup` on.
  Meter(const Measures& measures, const flat::FlatModel& model, double warmup);

  /// Before a run, whose memory and frames these are.
  void attach(const code::Machine& machine, const sim::Frames& frames);

  void start(double time) override;
  void constant_until(double from, double to) override;
  void moved(double from, double to, sim::MotionView& view) override;
  void before_event(double time) override;
  void after_event(double time) override;
  void finish(double time, const sim::MotionView* now) override;

  /// The measures, after the run: NaN where one has no value.
  std::vector<double> values();

 private:
  static constexpr int kPoints = 5;
  struct Leaf {
    std::int32_t place = 0;  // in the frame
    std::int64_t memory = 0;
    std::int32_t flat_slot = 0;
    bool is_real = true, is_derivative = false;
  };
  /// The values of one root at the points of a piece.
  using Samples = std::array<double, kPoints>;
  struct Piece {
    double from = 0, to = 0;
    Samples values = {};
  };
  struct State {
    double best = std::numeric_limits<double>::quiet_NaN();
    double sum = 0, compensation = 0;  // of an integral
    double value = std::numeric_limits<double>::quiet_NaN();
    double count = 0;
    bool holds = false, is_known = false;
    double begin = std::numeric_limits<double>::quiet_NaN();  // the first value
    std::vector<Piece> pieces = {};                           // of settle
  };

  void load(const sim::MotionView* view);
  void look(double time, sim::MotionView* view);
  bool sample(double from, double to, sim::MotionView* view);
  double at(std::int32_t root, double time, sim::MotionView* view);
  void see(double time);
  void see_value(const Gathered& g, State& state, double value);
  void see_truth(const Gathered& g, State& state, double time, bool holds);
  void piece(double from, double to, sim::MotionView* view);
  void extreme(const Gathered& g, State& state, double from, double to, sim::MotionView* view);
  void integrate(const Gathered& g, State& state, double from, double to, sim::MotionView* view);
  void changes(const Gathered& g, State& state, double from, double to, sim::MotionView* view);
  std::vector<double> crossings(const Gathered& g, double from, double to, sim::MotionView* view);
  double settled(const Gathered& g, const State& state) const;

  const Measures& measures_;
  const flat::FlatModel& model_;
  double warmup_;
  code::FormulaLeaves leaves_, outer_leaves_;
  std::unique_ptr<code::Formulas> formulas_, outer_;
  std::vector<Leaf> inputs_;
  std::int32_t time_place_ = -1;
  bool looks_between_ = false;
  std::vector<double> frame_, now_;                 // now_: the roots at the last look
  std::array<std::vector<double>, kPoints> nodes_;  // the roots at the points of a piece
  const code::Machine* machine_ = nullptr;
  std::vector<State> states_;
  bool has_begun_ = false, is_at_end_of_piece_ = false;
  double start_ = 0, end_ = 0, last_ = 0;
};

}  // namespace chi::experiment
