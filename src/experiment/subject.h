#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "experiment/measure.h"
#include "experiment/sampler.h"
#include "sim/interface/outcome.h"
#include "sim/interface/run_options.h"
#include "source/source_file.h"

namespace chi::experiment {

/// The model of a study: found to be right once, then shared by all workers, who do not change it.
class Subject {
 public:
  /// Empty exactly when it reported what is wrong with the model. The text outlives it.
  static std::optional<Subject> check(const SourceFile& source, Diagnostics& diagnostics);

  const SourceFile& source() const { return *source_; }

 private:
  explicit Subject(const SourceFile& source) : source_(&source) {}
  const SourceFile* source_;
};

/// Names of parameters and the texts of their values, as after `-p`.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// What all runs of a study have in common.
struct Setting {
  std::string top = {};
  Parameters fixed = {};
  sim::RunOptions run = {};
  std::vector<Measure> measures = {};
  double warmup = 0;
  Samples samples = {};  ///< looked at besides; their values come behind the measures
};

/// What one run is made with.
struct Point {
  Parameters parameters = {};
  std::uint64_t seed = 0;
};

/// What came of it.
struct RunResult {
  std::vector<double> measures;  ///< NaN where there is no value
  std::string problem;  ///< why the run failed: "E6106 at line:column: ..."; empty: it did not
  bool is_model_wrong = false;          ///< it did not begin: these parameters do not fit the model
  StopCause stopped = StopCause::None;  ///< it was ended from outside, and does not count
};

/// Makes runs of one study, one after the other: each worker has its own.
///
/// A model without equations is compiled once for all runs with equal parameters; one with
/// equations for every run, since the engine adds to it. What a run gives depends on its point
/// only, never on the runs before it.
class Worker {
 public:
  /// Both outlive it.
  Worker(const Subject& subject, const Setting& setting);
  ~Worker();

  /// Instantiates the model at a point and reads the measures there, to tell what is wrong with the
  /// study before it begins. False exactly when it reported.
  bool try_out(const Point& point, Diagnostics& diagnostics);

  RunResult run(const Point& point);

 private:
  struct Ready;
  bool prepare(const Point& point, Diagnostics& diagnostics);
  const Subject& subject_;
  const Setting& setting_;
  std::unique_ptr<Ready> ready_;
};

/// A diagnostic in one line, for a cell of a table.
std::string in_one_line(const Diagnostic& diagnostic, const SourceFile& source);

}  // namespace chi::experiment
