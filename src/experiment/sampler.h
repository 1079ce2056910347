#pragma once
#include <string>
#include <vector>

#include "code/machine.h"
#include "diag/diagnostic.h"
#include "flat/flat_model.h"
#include "sim/interface/frames.h"
#include "sim/interface/observer.h"

namespace chi::experiment {

/// Which variables are looked at, and when: ascending times.
struct Samples {
  std::vector<std::string> names = {};
  std::vector<double> times = {};
  bool empty() const { return names.empty() || times.empty(); }
};

/// Reads variables at given times of a run, from the dense output; where something happens at such
/// a time, after it. Hands everything on to another recorder.
class Sampler : public sim::Recorder {
 public:
  /// All outlive it. Reports names that the model has not; then it must not be attached.
  Sampler(const Samples& samples, const flat::FlatModel& model, Diagnostics& diagnostics);
  void attach(const code::Machine& machine, const sim::Frames& frames, sim::Recorder* next);

  void start(double time) override;
  void constant_until(double from, double to) override;
  void moved(double from, double to, sim::MotionView& view) override;
  void before_event(double time) override;
  void after_event(double time) override;
  void finish(double time, const sim::MotionView* now) override;

  /// All of the first name, then all of the second; NaN where the run was over.
  const std::vector<double>& values() const { return values_; }

 private:
  struct Place {
    std::int32_t flat_slot = 0;
    std::int64_t memory = 0;
    bool is_real = true;
  };
  void read(std::size_t time);
  const Samples& samples_;
  const flat::FlatModel& model_;
  std::vector<Place> places_;
  const code::Machine* machine_ = nullptr;
  sim::Recorder* next_ = nullptr;
  std::vector<double> values_;
  std::size_t due_ = 0;
};

}  // namespace chi::experiment
