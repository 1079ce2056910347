#include "experiment/fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "driver/read_source.h"
#include "experiment/statistics.h"
#include "results/read_trace.h"

namespace chi::experiment {
namespace {

using Vector = Eigen::VectorXd;
using Dense = Eigen::MatrixXd;

constexpr int kMostIterations = 100;
/// Shorter steps, relative to the bounds, and smaller gains end the search.
constexpr double kStep = 1e-9, kGain = 1e-12;
/// Half the distance of the differences that J is made of, relative to the bounds.
constexpr double kDistance = 1e-5;
/// Singular values below this share of the largest are zero, as far as differences can tell.
constexpr double kSingular = 1e-6;

class Fitting {
 public:
  Fitting(const Subject& subject, const Setting& setting, const std::vector<Axis>& vary,
          const Data& data, std::uint64_t seed, int jobs)
      : vary_(vary),
        data_(data),
        evaluate_(subject, setting, names_of(vary), seed, 1, jobs),
        times_(data.samples.times.size()) {
    for (std::size_t i = 0; i < data.values.size(); ++i) {
      if (!std::isnan(data.values[i])) rows_.push_back(i);
    }
    weights_.assign(data.samples.names.size(), 1.0);
    for (std::size_t c = 0; c < weights_.size(); ++c) {
      double low = INFINITY, high = -INFINITY;
      for (std::size_t k = 0; k < times_; ++k) {
        const double v = data.values[c * times_ + k];
        if (std::isnan(v)) continue;
        low = std::min(low, v);
        high = std::max(high, v);
      }
      if (high > low) weights_[c] = 1 / (high - low);
    }
  }

  Fitted operator()() {
    Fitted result;
    result.names = names_of(vary_);
    result.measured = static_cast<std::int64_t>(rows_.size());
    z_ = start();
    if (!first_point()) {
      result.problem = fmt::format("no run succeeded: {}", evaluate_.last_problem());
      result.runs = evaluate_.runs();
      return result;
    }
    bool converged = search(result.iterations);
    if (weights_.size() > 1) {  // second pass: each column by its own noise
      reweight();
      residual_ = residuals(model_);
      converged = search(result.iterations);
    }
    result.is_converged = converged;
    finish(result);
    return result;
  }

 private:
  static std::vector<std::string> names_of(const std::vector<Axis>& vary) {
    std::vector<std::string> names;
    for (const Axis& axis : vary) names.push_back(axis.name);
    return names;
  }

  // The search is in shares of the way from bound to bound.
  double parameter(std::size_t i, double share) const {
    const Axis& axis = vary_[i];
    return axis.is_logarithmic ? axis.low * std::pow(axis.high / axis.low, share)
                               : axis.low + share * (axis.high - axis.low);
  }
  double slope(std::size_t i, double share) const {  // d parameter / d share
    const Axis& axis = vary_[i];
    return axis.is_logarithmic ? parameter(i, share) * std::log(axis.high / axis.low)
                               : axis.high - axis.low;
  }
  std::vector<double> parameters(const Vector& z) const {
    std::vector<double> p(vary_.size());
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = parameter(i, z(static_cast<Eigen::Index>(i)));
    return p;
  }
  Vector start() const {
    Vector z(static_cast<Eigen::Index>(vary_.size()));
    for (std::size_t i = 0; i < vary_.size(); ++i) {
      const Axis& axis = vary_[i];
      double share = 0.5;
      if (axis.start)
        share = axis.is_logarithmic
                    ? std::log(*axis.start / axis.low) / std::log(axis.high / axis.low)
                    : (*axis.start - axis.low) / (axis.high - axis.low);
      z(static_cast<Eigen::Index>(i)) = std::clamp(share, 0.0, 1.0);
    }
    return z;
  }

  std::size_t column(std::size_t row) const { return rows_[row] / times_; }

  Vector residuals(const std::vector<double>& model) const {
    Vector r(static_cast<Eigen::Index>(rows_.size()));
    for (std::size_t i = 0; i < rows_.size(); ++i)
      r(static_cast<Eigen::Index>(i)) =
          (model[rows_[i]] - data_.values[rows_[i]]) * weights_[column(i)];
    return r;
  }

  /// The best of some points spread over the bounds, with the start among them: least squares may
  /// have several valleys.
  bool first_point() {
    std::vector<std::vector<double>> points{parameters(z_)};
    std::vector<Vector> shares{z_};
    const auto n = static_cast<std::int32_t>(vary_.size());
    const auto spread = sobol_points(n, 8 * n);
    for (std::size_t k = 0; k < static_cast<std::size_t>(8 * n); ++k) {
      Vector z(n);
      for (std::int32_t i = 0; i < n; ++i) z(i) = spread[static_cast<std::size_t>(i)][k];
      shares.push_back(z);
      points.push_back(parameters(z));
    }
    const auto values = evaluate_(points);
    double best = INFINITY;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Vector r = residuals(values[k]);
      const double sum = r.squaredNorm();
      if (!(sum < best)) continue;
      best = sum;
      z_ = shares[k];
      model_ = values[k];
      residual_ = r;
    }
    return std::isfinite(best);
  }

  bool differentiate() {
    const Eigen::Index n = z_.size();
    std::vector<std::vector<double>> points;
    std::vector<double> widths;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double above = std::min(1.0, z_(i) + kDistance),
                   below = std::max(0.0, z_(i) - kDistance);
      widths.push_back(above - below);
      for (const double share : {above, below}) {
        Vector z = z_;
        z(i) = share;
        points.push_back(parameters(z));
      }
    }
    const auto values = evaluate_(points);
    jacobian_.resize(residual_.size(), n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(2 * i);
      jacobian_.col(i) =
          (residuals(values[k]) - residuals(values[k + 1])) / widths[static_cast<std::size_t>(i)];
    }
    return jacobian_.allFinite();
  }

  /// Whether it ended because nothing gets better any more.
  bool search(int& iterations) {
    double damping = 1e-3, grow = 2;
    if (!differentiate()) return false;
    for (int i = 0; i < kMostIterations; ++i) {
      ++iterations;
      const Dense normal = jacobian_.transpose() * jacobian_;
      const Vector gradient = jacobian_.transpose() * residual_;
      Dense damped = normal;
      const double floor = 1e-12 * normal.diagonal().maxCoeff();
      for (Eigen::Index k = 0; k < z_.size(); ++k)
        damped(k, k) += damping * std::max(normal(k, k), floor);
      // What pushes against a bound stays there.
      Vector step = Vector::Zero(z_.size());
      std::vector<Eigen::Index> free;
      for (Eigen::Index k = 0; k < z_.size(); ++k) {
        if ((z_(k) <= 0 && gradient(k) > 0) || (z_(k) >= 1 && gradient(k) < 0)) continue;
        free.push_back(k);
      }
      if (free.empty()) return true;
      const Vector inner = damped(free, free).ldlt().solve(-gradient(free));
      if (!inner.allFinite()) return false;
      for (std::size_t k = 0; k < free.size(); ++k)
        step(free[k]) = inner(static_cast<Eigen::Index>(k));
      const Vector z = (z_ + step).cwiseMax(0.0).cwiseMin(1.0);
      const double moved = (z - z_).cwiseAbs().maxCoeff();
      if (moved <= kStep) return true;
      const std::vector<double> model = evaluate_(parameters(z));
      const Vector r = residuals(model);
      const double before = residual_.squaredNorm(), after = r.squaredNorm();
      if (after < before) {
        z_ = z;
        model_ = model;
        residual_ = r;
        damping = std::max(1e-12, damping / 5);
        grow = 2;
        if (before - after <= kGain * before) return true;
        if (!differentiate()) return false;
      } else {
        damping *= grow;
        grow *= 2;
        if (damping > 1e14) return true;
      }
    }
    return false;
  }

  std::vector<double> noise() const {
    std::vector<double> sum(weights_.size(), 0), count(weights_.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double left = model_[rows_[i]] - data_.values[rows_[i]];
      sum[column(i)] += left * left;
      count[column(i)] += 1;
    }
    // Each column has its share of the parameters.
    const double all = static_cast<double>(rows_.size());
    const double share = std::max(0.0, 1 - static_cast<double>(vary_.size()) / all);
    for (std::size_t c = 0; c < sum.size(); ++c)
      sum[c] = count[c] > 0 && share > 0 ? std::sqrt(sum[c] / (count[c] * share)) : std::nan("");
    return sum;
  }

  void reweight() {
    const std::vector<double> left = noise();
    double largest = 0;
    for (std::size_t c = 0; c < left.size(); ++c)
      largest = std::max(largest, left[c] * weights_[c]);
    for (std::size_t c = 0; c < left.size(); ++c) {
      if (left[c] > 1e-9 * largest / weights_[c]) weights_[c] = 1 / left[c];
    }
  }

  void finish(Fitted& result) {
    const Eigen::Index n = z_.size();
    const auto size = static_cast<std::size_t>(n);
    result.values = parameters(z_);
    result.model = model_;
    result.noise = noise();
    result.errors.assign(size, std::nan(""));
    result.correlation = Matrix(size, size);
    result.at_bound.assign(size, 0);
    for (Eigen::Index i = 0; i < n; ++i)
      result.at_bound[static_cast<std::size_t>(i)] = z_(i) <= 0 || z_(i) >= 1 ? 1 : 0;
    const bool good = differentiate();
    result.runs = evaluate_.runs();
    if (!good) {
      result.is_converged = false;
      return;
    }
    // Columns of J in units of its parameters' bounds: what is small there, the data do not see.
    const Eigen::JacobiSVD<Dense> svd(jacobian_, Eigen::ComputeThinV);
    const Vector& singular = svd.singularValues();
    const Dense& v = svd.matrixV();
    const double freedom = static_cast<double>(residual_.size()) - static_cast<double>(n);
    const double variance = freedom > 0 ? residual_.squaredNorm() / freedom : std::nan("");
    Dense covariance = Dense::Zero(n, n);
    std::vector<char> is_open(size, 0);
    for (Eigen::Index k = 0; k < n; ++k) {
      const bool determined =
          k < singular.size() && singular(k) > kSingular * singular(0) && singular(0) > 0;
      if (determined) {
        covariance += variance / (singular(k) * singular(k)) * v.col(k) * v.col(k).transpose();
        continue;
      }
      std::vector<std::pair<std::string, double>> direction;
      for (Eigen::Index i = 0; i < n; ++i) {
        if (std::abs(v(i, k)) < 0.05) continue;
        const auto p = static_cast<std::size_t>(i);
        is_open[p] = 1;
        direction.emplace_back(result.names[p], v(i, k) * slope(p, z_(i)));
      }
      result.undetermined.push_back(std::move(direction));
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto p = static_cast<std::size_t>(i);
      if (is_open[p] == 0)
        result.errors[p] = std::sqrt(covariance(i, i)) * std::abs(slope(p, z_(i)));
      for (Eigen::Index k = 0; k < n; ++k)
        result.correlation(p, static_cast<std::size_t>(k)) =
            covariance(i, k) / std::sqrt(covariance(i, i) * covariance(k, k));
    }
  }

  const std::vector<Axis>& vary_;
  const Data& data_;
  Evaluator evaluate_;
  std::size_t times_;
  std::vector<std::size_t> rows_;  // of the data: what was measured
  std::vector<double> weights_;    // per column
  Vector z_, residual_;
  std::vector<double> model_;
  Dense jacobian_;
};

}  // namespace

std::optional<Data> read_data(const std::string& path, Diagnostics& diagnostics) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
  const auto wrong = [&](std::string message) -> std::optional<Data> {
    diagnostics.report({.code = DiagCode::BadOption, .message = std::move(message)});
    return std::nullopt;
  };
  const std::optional<results::ResultFormat> format = results::result_format(path);
  if (!format) return wrong(fmt::format("`{}`: data are read from .csv, .mat or .json", path));
  const std::optional<std::string> text = driver::read_file(path, kMostBytes, diagnostics);
  if (!text) return std::nullopt;
  std::string problem;
  const std::optional<results::Trace> trace = results::read_trace(*text, *format, problem);
  if (!trace) return wrong(fmt::format("`{}` holds no data: {}", path, problem));
  if (trace->rows() == 0 || trace->names.empty())
    return wrong(fmt::format("`{}` has no data", path));
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < trace->rows(); ++k) {
    const double t = trace->times[k];
    if (!(t >= 0) || !std::isfinite(t) || (k > 0 && t < trace->times[k - 1]))
      return wrong(
          fmt::format("`{}`: row {} is not behind the one before it in time", path, k + 1));
    if (!rows.empty() && trace->times[rows.back()] == t) rows.pop_back();
    rows.push_back(k);
  }
  Data data;
  data.samples.names = trace->names;
  for (const std::size_t row : rows) data.samples.times.push_back(trace->times[row]);
  for (const std::vector<double>& column : trace->columns) {
    for (const std::size_t row : rows) data.values.push_back(column[row]);
  }
  return data;
}

Fitted fit(const Subject& subject, const Setting& setting, const std::vector<Axis>& vary,
           const Data& data, std::uint64_t seed, int jobs) {
  return Fitting(subject, setting, vary, data, seed, jobs)();
}

}  // namespace chi::experiment
