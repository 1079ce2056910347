#pragma once
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "experiment/linearize.h"

namespace chi::experiment {

using Complex = std::complex<double>;

/// The eigenvalues of A, by real part, then by imaginary part, ascending.
std::vector<Complex> eigenvalues(const LinearModel& linear);

/// G(jω) from one input to one output: C (jωI - A)⁻¹ B + D.
Complex transfer(const LinearModel& linear, std::size_t input, std::size_t output, double omega);

/// The response at many frequencies.
struct Response {
  std::vector<double> omega;
  std::vector<Complex> value;
  std::vector<double> phase;  ///< in degrees, without jumps
};
/// From a decade below what A's eigenvalues show to a decade above, evenly by logarithms.
Response frequency_response(const LinearModel& linear, std::size_t input, std::size_t output,
                            int points);

/// How far a loop that is closed around G (negative feedback) is from instability.
struct Margins {
  std::optional<double> gain, phase_crossover;  ///< 1/|G| where the phase is -180°; and that ω
  std::optional<double> phase, gain_crossover;  ///< 180° + phase where |G| = 1, in degrees; and ω
};
Margins margins(const LinearModel& linear, std::size_t input, std::size_t output);

/// y(t) after a step of one input by 1, at evenly spaced times, by the matrix exponential.
struct StepResponse {
  std::vector<double> time, value;
};
StepResponse step_response(const LinearModel& linear, std::size_t input, std::size_t output,
                           double end, int points);

/// The poles of the closed loop u = -k y for gains from 0 to large ones.
struct Locus {
  std::vector<double> gain;
  std::vector<std::vector<Complex>> poles;
};
Locus root_locus(const LinearModel& linear, std::size_t input, std::size_t output, int points);

/// Eigenvalues that no input moves, or no output shows (the test of Popov, Belevitch and Hautus).
std::vector<Complex> uncontrollable(const LinearModel& linear);
std::vector<Complex> unobservable(const LinearModel& linear);

}  // namespace chi::experiment
