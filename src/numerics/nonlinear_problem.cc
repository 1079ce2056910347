#include "numerics/nonlinear_problem.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace chi::numerics {
namespace {

EvalStatus checked(EvalStatus status, std::span<const double> values) {
  if (status != EvalStatus::Ok) return status;
  const bool finite = std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
  return finite ? EvalStatus::Ok : EvalStatus::Domain;
}

}  // namespace

std::string_view name(SolveStatus status) {
  switch (status) {
    case SolveStatus::Converged: return "converged";
    case SolveStatus::Singular: return "the equations are singular";
    case SolveStatus::NoProgress: return "no step improves the equations";
    case SolveStatus::TooSlow: return "too many iterations";
    case SolveStatus::Undefined: return "the equations are undefined near the guess";
    case SolveStatus::OutOfBounds: return "the solution would be out of bounds";
    case SolveStatus::Inconsistent: return "the equations contradict each other";
    case SolveStatus::Stopped: return "stopped";
  }
  return "";
}

int equation_count(const NonlinearProblem& problem) { return problem.pattern->rows; }
int unknown_count(const NonlinearProblem& problem) { return problem.pattern->cols; }

EvalStatus evaluate_residual(const NonlinearProblem& problem, std::span<const double> x,
                             std::span<double> out) {
  return checked(problem.residual(x, out), out);
}

EvalStatus evaluate_jacobian(const NonlinearProblem& problem, std::span<const double> x,
                             std::span<double> values) {
  return checked(problem.jacobian(x, values), values);
}

bool clip_to_bounds(const NonlinearProblem& problem, std::span<double> x) {
  bool moved = false;
  for (std::size_t j = 0; j < problem.lower.size(); ++j) {
    moved = moved || x[j] < problem.lower[j];
    x[j] = std::max(x[j], problem.lower[j]);
  }
  for (std::size_t j = 0; j < problem.upper.size(); ++j) {
    moved = moved || x[j] > problem.upper[j];
    x[j] = std::min(x[j], problem.upper[j]);
  }
  return moved;
}

double fraction_to_border(const NonlinearProblem& problem, std::span<const double> x,
                          std::span<const double> step) {
  double fraction = 1.0;
  for (std::size_t j = 0; j < problem.lower.size(); ++j) {
    if (step[j] < 0) fraction = std::min(fraction, (problem.lower[j] - x[j]) / step[j]);
  }
  for (std::size_t j = 0; j < problem.upper.size(); ++j) {
    if (step[j] > 0) fraction = std::min(fraction, (problem.upper[j] - x[j]) / step[j]);
  }
  return std::max(fraction, 0.0);
}

void size_unknowns(const NonlinearProblem& problem, std::span<const double> x,
                   std::span<double> weights) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    weights[j] = std::max(std::abs(x[j]), problem.nominal.empty() ? 1.0 : problem.nominal[j]);
  }
}

void size_equations(const SparsePattern& pattern, std::span<const double> jacobian,
                    std::span<const double> weights, std::span<double> scale) {
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const auto last = static_cast<std::size_t>(pattern.column_starts[j + 1]);
    for (auto k = static_cast<std::size_t>(pattern.column_starts[j]); k < last; ++k) {
      double& s = scale[static_cast<std::size_t>(pattern.row_indices[k])];
      s = std::max(s, std::abs(jacobian[k]) * weights[j]);
    }
  }
}

namespace {

constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();

// Per equation: how far it is off for the rounding of all terms, its own and those of others that
// tell its unknowns.
std::vector<double> rounding_of(const SparsePattern& pattern, std::span<const double> jacobian,
                                std::span<const double> terms) {
  std::vector<double> off(terms.size(), 0.0);
  for (int j = 0; j < pattern.cols; ++j) {
    const auto begin = static_cast<std::size_t>(pattern.column_starts[static_cast<std::size_t>(j)]);
    const auto end =
        static_cast<std::size_t>(pattern.column_starts[static_cast<std::size_t>(j) + 1]);
    double noise = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const double size = terms[static_cast<std::size_t>(pattern.row_indices[k])];
      if (jacobian[k] != 0) noise = std::max(noise, kRounding * size / std::abs(jacobian[k]));
    }
    for (std::size_t k = begin; k < end; ++k) {
      off[static_cast<std::size_t>(pattern.row_indices[k])] += noise * std::abs(jacobian[k]);
    }
  }
  return off;
}

}  // namespace

bool is_balanced(const SparsePattern& pattern, std::span<const double> jacobian,
                 std::span<const double> residual, std::span<const double> terms) {
  constexpr double kLittle = 1e-8;
  const std::vector<double> rounding = rounding_of(pattern, jacobian, terms);
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const double allowed = kLittle * terms[i] + rounding[i] + kRounding;
    if (std::abs(residual[i]) > allowed) return false;  // not where that is NaN
  }
  return true;
}

bool is_rounding(const SparsePattern& pattern, std::span<const double> jacobian,
                 std::span<const double> residual, std::span<const double> terms) {
  const std::vector<double> rounding = rounding_of(pattern, jacobian, terms);
  for (std::size_t i = 0; i < residual.size(); ++i) {
    if (!(std::abs(residual[i]) <= kRounding * terms[i] + rounding[i])) return false;
  }
  return true;
}

double root_mean_square(std::span<const double> v, std::span<const double> weights) {
  double sum = 0.0;
  for (std::size_t j = 0; j < v.size(); ++j) sum += (v[j] / weights[j]) * (v[j] / weights[j]);
  return v.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(v.size()));
}

double largest(std::span<const double> v, std::span<const double> weights) {
  double most = 0.0;
  for (std::size_t j = 0; j < v.size(); ++j) most = std::max(most, std::abs(v[j]) / weights[j]);
  return most;
}

double scatter(int round, int index) {
  // The finalizer of SplitMix64: every bit of the arguments reaches every bit of the result.
  std::uint64_t z = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(round)) << 32 |
                     static_cast<std::uint32_t>(index)) +
                    0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1.0;
}

}  // namespace chi::numerics
