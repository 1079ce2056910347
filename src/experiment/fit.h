#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiment/evaluate.h"
#include "experiment/linearize.h"

namespace chi::experiment {

/// Measured values over time, one column a variable; NaN where nothing was measured.
struct Data {
  Samples samples = {};
  std::vector<double> values = {};  ///< all of the first name, then all of the second
};

/// Reads results (CSV, MAT, JSON) as data. Rows in order of time; of several rows with one time the
/// last counts. Empty exactly when it reported.
std::optional<Data> read_data(const std::string& path, Diagnostics& diagnostics);

struct Fitted {
  std::vector<std::string> names;
  std::vector<double> values;
  /// Standard errors; NaN of a parameter that the data do not determine.
  std::vector<double> errors;
  Matrix correlation;
  std::vector<double> noise;  ///< per column of the data: the standard deviation of what is left
  std::vector<char> at_bound;
  /// Directions in which the parameters can move and the model stays as near to the data.
  std::vector<std::vector<std::pair<std::string, double>>> undetermined;
  std::vector<double> model;  ///< beside Data::values
  std::int64_t measured = 0, runs = 0;
  int iterations = 0;
  bool is_converged = false;
  std::string problem;  ///< why nothing was fitted; empty: something was
};

/// Least squares: the parameters, within their bounds, for which the model is nearest to the data,
/// by the method of Levenberg and Marquardt [1] with bounds by projection. Columns of different
/// noise are weighted by what is left of them, in a second pass. The covariance is s² (JᵀJ)⁻¹ with
/// respect to the parameters that the data determine: small singular values of J are directions
/// that they do not.
///
/// `setting.samples` are those of the data. Throws `Cancelled`.
///
/// [1] J. J. Moré, "The Levenberg-Marquardt algorithm: implementation and theory", Lecture Notes in
///     Mathematics 630, 1978, 105-116.
Fitted fit(const Subject& subject, const Setting& setting, const std::vector<Axis>& vary,
           const Data& data, std::uint64_t seed, int jobs);

}  // namespace chi::experiment
