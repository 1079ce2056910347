#include "experiment/frequency.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <Eigen/Dense>

namespace chi::experiment {
namespace {

using Dense = Eigen::MatrixXd;
using DenseComplex = Eigen::MatrixXcd;

Dense dense(const Matrix& m) {
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      m.entries.data(), static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.columns));
}

std::vector<Complex> sorted_eigenvalues(const Dense& a) {
  if (a.rows() == 0) return {};
  const Eigen::VectorXcd values = Eigen::EigenSolver<Dense>(a, false).eigenvalues();
  std::vector<Complex> all(values.data(), values.data() + values.size());
  std::sort(all.begin(), all.end(), [](Complex x, Complex y) {
    return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
  });
  return all;
}

constexpr double degrees(double radians) { return radians * 180 / std::numbers::pi; }

/// Frequencies that matter, as powers of ten.
std::pair<double, double> decades(const LinearModel& linear) {
  double low = 0, high = 0;
  for (const Complex pole : eigenvalues(linear)) {
    const double size = std::abs(pole);
    if (!(size > 1e-12)) continue;
    low = low == 0 ? size : std::min(low, size);
    high = std::max(high, size);
  }
  if (low == 0) return {-2, 2};
  return {std::floor(std::log10(low)) - 1, std::ceil(std::log10(high)) + 1};
}

/// Eigenvalues λ where [A - λI, M] or its transpose loses rank.
std::vector<Complex> hidden(const Dense& a, const Dense& m) {
  std::vector<Complex> found;
  const Eigen::Index n = a.rows();
  if (m.cols() == 0) return found;
  const double size = std::max(a.cwiseAbs().maxCoeff(), m.cwiseAbs().maxCoeff());
  for (const Complex lambda : sorted_eigenvalues(a)) {
    DenseComplex test(n, n + m.cols());
    test << a.cast<Complex>() - lambda * DenseComplex::Identity(n, n), m.cast<Complex>();
    const auto singular = Eigen::JacobiSVD<DenseComplex>(test).singularValues();
    constexpr double kTiny = 1e-9;
    if (singular(n - 1) <= kTiny * std::max(size, singular(0))) found.push_back(lambda);
  }
  return found;
}

/// The ω between a and b where f is zero, by halving logarithms.
double crossing(const std::function<double(double)>& f, double a, double b) {
  double low = std::log(a), high = std::log(b);
  const bool rises = f(a) < 0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    ((f(std::exp(middle)) < 0) == rises ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

}  // namespace

std::vector<Complex> eigenvalues(const LinearModel& linear) {
  return sorted_eigenvalues(dense(linear.a));
}

Complex transfer(const LinearModel& linear, std::size_t input, std::size_t output, double omega) {
  const auto n = static_cast<Eigen::Index>(linear.states.size());
  Complex result = linear.d(output, input);
  if (n == 0) return result;
  const DenseComplex pencil =
      Complex(0, omega) * DenseComplex::Identity(n, n) - dense(linear.a).cast<Complex>();
  const Eigen::VectorXcd x = pencil.partialPivLu().solve(
      dense(linear.b).col(static_cast<Eigen::Index>(input)).cast<Complex>());
  return result + (dense(linear.c).row(static_cast<Eigen::Index>(output)).cast<Complex>() * x)(0);
}

Response frequency_response(const LinearModel& linear, std::size_t input, std::size_t output,
                            int points) {
  const auto [low, high] = decades(linear);
  Response response;
  for (int i = 0; i < points; ++i) {
    const double omega = std::pow(10, low + (high - low) * i / (points - 1));
    const Complex value = transfer(linear, input, output, omega);
    double phase = degrees(std::arg(value));
    if (!response.phase.empty()) phase += 360 * std::round((response.phase.back() - phase) / 360);
    response.omega.push_back(omega);
    response.value.push_back(value);
    response.phase.push_back(phase);
  }
  return response;
}

// Where G crosses the negative real axis, and where it crosses the unit circle.
Margins margins(const LinearModel& linear, std::size_t input, std::size_t output) {
  constexpr int kPoints = 2000;
  const Response response = frequency_response(linear, input, output, kPoints);
  const auto at = [&](double omega) { return transfer(linear, input, output, omega); };
  Margins found;
  for (std::size_t i = 0; i + 1 < response.omega.size(); ++i) {
    const double a = response.omega[i], b = response.omega[i + 1];
    const Complex ga = response.value[i], gb = response.value[i + 1];
    if ((ga.imag() < 0) != (gb.imag() < 0) && ga.real() < 0 && gb.real() < 0) {
      const double omega = crossing([&](double w) { return at(w).imag(); }, a, b);
      const double gain = 1 / std::abs(at(omega));
      if (!found.gain || std::abs(std::log(gain)) < std::abs(std::log(*found.gain))) {
        found.gain = gain;
        found.phase_crossover = omega;
      }
    }
    if ((std::abs(ga) < 1) != (std::abs(gb) < 1)) {
      const double omega = crossing([&](double w) { return std::abs(at(w)) - 1; }, a, b);
      const double phase = 180 + degrees(std::arg(at(omega)));
      const double margin = phase > 180 ? phase - 360 : phase;
      if (!found.phase || std::abs(margin) < std::abs(*found.phase)) {
        found.phase = margin;
        found.gain_crossover = omega;
      }
    }
  }
  return found;
}

namespace {

/// exp(M), by scaling, a Taylor polynomial and squaring: M is small and used for one step only.
Dense exponential(const Dense& m) {
  const double size = m.cwiseAbs().rowwise().sum().maxCoeff();
  const int squarings = size > 0.25 ? static_cast<int>(std::ceil(std::log2(size / 0.25))) : 0;
  const Dense small = m / std::pow(2.0, squarings);
  Dense sum = Dense::Identity(m.rows(), m.cols()), term = sum;
  for (int k = 1; k <= 14; ++k) {
    term = term * small / k;
    sum += term;
  }
  for (int k = 0; k < squarings; ++k) sum = sum * sum;
  return sum;
}

}  // namespace

StepResponse step_response(const LinearModel& linear, std::size_t input, std::size_t output,
                           double end, int points) {
  const auto n = static_cast<Eigen::Index>(linear.states.size());
  const double h = end / (points - 1);
  // One step of [x; u]' = [A B; 0 0] [x; u] is exact.
  Dense joint = Dense::Zero(n + 1, n + 1);
  if (n > 0) {
    joint.topLeftCorner(n, n) = dense(linear.a) * h;
    joint.topRightCorner(n, 1) = dense(linear.b).col(static_cast<Eigen::Index>(input)) * h;
  }
  const Dense step = exponential(joint);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n + 1);
  x(n) = 1;
  StepResponse response;
  for (int i = 0; i < points; ++i) {
    double y = linear.d(output, input);
    for (Eigen::Index k = 0; k < n; ++k) y += linear.c(output, static_cast<std::size_t>(k)) * x(k);
    response.time.push_back(h * i);
    response.value.push_back(y);
    x = step * x;
  }
  return response;
}

Locus root_locus(const LinearModel& linear, std::size_t input, std::size_t output, int points) {
  Locus locus;
  const auto n = static_cast<Eigen::Index>(linear.states.size());
  if (n == 0) return locus;
  const Dense a = dense(linear.a), b = dense(linear.b).col(static_cast<Eigen::Index>(input)),
              c = dense(linear.c).row(static_cast<Eigen::Index>(output));
  const double loop = (b * c).cwiseAbs().maxCoeff(),
               size = std::max(1e-12, a.cwiseAbs().maxCoeff());
  const double unit = loop > 0 ? size / loop : 1;
  for (int i = 0; i < points; ++i) {
    const double k = i == 0 ? 0 : unit * std::pow(10, -3 + 6.0 * i / (points - 1));
    const double factor = 1 + k * linear.d(output, input);
    if (factor == 0) continue;
    locus.gain.push_back(k);
    locus.poles.push_back(sorted_eigenvalues(a - b * c * (k / factor)));
  }
  return locus;
}

std::vector<Complex> uncontrollable(const LinearModel& linear) {
  if (linear.states.empty()) return {};
  return hidden(dense(linear.a), dense(linear.b));
}

std::vector<Complex> unobservable(const LinearModel& linear) {
  if (linear.states.empty()) return {};
  return hidden(dense(linear.a).transpose(), dense(linear.c).transpose());
}

}  // namespace chi::experiment
