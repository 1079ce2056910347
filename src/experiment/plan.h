#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "experiment/measure.h"
#include "experiment/subject.h"

namespace chi::experiment {

enum class Kind : std::uint8_t { Sweep, Replicate, Fit, Optimize, Sensitivity };
std::string_view name(Kind kind);
std::optional<Kind> kind_named(std::string_view text);

/// A parameter that is varied: over values, or in a range.
struct Axis {
  std::string name = {};
  std::vector<std::string> values = {};  ///< texts, as after `-p`
  bool is_range = false;                 ///< no values, but bounds: of sampling, fit and search
  double low = 0, high = 0;
  bool is_logarithmic = false;
  std::optional<double> start = {};  ///< of fit and search
};

/// A parameter that is drawn.
struct Drawn {
  enum class Law : std::uint8_t { Uniform, LogUniform, Normal, LogNormal, Triangle, Exponential };
  std::string name = {};
  Law law = Law::Uniform;
  std::vector<double> arguments = {};
};

enum class Sampling : std::uint8_t { Random, Latin, Sobol };
std::string_view name(Sampling sampling);

/// A study as a value: what a TOML file says, or the short forms on the command line.
struct Plan {
  std::string model = {};
  Kind kind = Kind::Sweep;
  Setting setting = {};
  std::vector<Axis> vary = {};
  std::vector<Drawn> random = {};
  std::int64_t count = 0;  ///< runs for each combination of values; 0: one, or as many as needed
  std::uint64_t seed = 0;
  Sampling sampling = Sampling::Random;
  double half_width = 0;  ///< until the intervals are so narrow, relative; 0: count
  double confidence = 0.95;
  std::string table = {}, store = {};
  std::string data = {};       ///< of a fit: the measured values
  std::string objective = {};  ///< of an optimisation, or what is to be sensitive
  bool is_maximized = false;
  std::vector<std::string> constraints = {};
  std::vector<std::string> to = {};  ///< parameters of local sensitivities
  std::string method = {};           ///< of sensitivities: local, morris or sobol
};

/// `0:10`, `0:10:0.5` (from, to, step) or `1,2,5`, commas in brackets and quotes being none.
/// Empty if it is none of these but a single value. Reports a range that cannot be.
std::optional<Axis> read_axis(std::string_view name, std::string_view text,
                              Diagnostics& diagnostics);

/// Bounds of fit and search: `k=0:10,c=1e-3:1:log`. Reports what is none.
std::vector<Axis> read_bounds(std::string_view text, Diagnostics& diagnostics);

/// Reads a plan from TOML. Unknown keys are errors, with the near name. Empty exactly when it
/// reported.
std::optional<Plan> read_plan(const std::string& path, Diagnostics& diagnostics);

/// The plan as TOML, which reads back as the same plan, but for options of the numerical method
/// other than tolerances and the longest step.
std::string plan_text(const Plan& plan);

}  // namespace chi::experiment
