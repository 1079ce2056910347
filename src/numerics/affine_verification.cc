#include "numerics/affine_verification.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>

namespace chi::numerics {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;

std::size_t at(int i) { return static_cast<std::size_t>(i); }
std::size_t at(Index i) { return static_cast<std::size_t>(i); }

constexpr int kPoints = 64;
constexpr int kLowest = -4, kHighest = 6;
constexpr double kRoundOff = 1e-8;     // of the terms of a coefficient
constexpr double kSingular = 1e-11;    // smallest over largest singular value
constexpr double kOffset = 0.6180339;  // where the pencil is factored: no special point

struct Series {
  std::array<double, kHighest - kLowest + 1> c = {};
  double& operator[](int k) { return c[at(k - kLowest)]; }
  double operator[](int k) const { return c[at(k - kLowest)]; }
};

/// Solutions on a circle of radius `radius` in h, of the problem and of errors of each state.
class Circle {
 public:
  Circle(const ModeProblem& problem, const Mode& mode) : p_(problem) {
    n_ = problem.variables();
    std::vector<int> rows = problem.plain;
    for (std::size_t k = 0; k < mode.size(); ++k) {
      const auto& more = problem.laws[k].pieces[at(mode[k])].rows;
      rows.insert(rows.end(), more.begin(), more.end());
    }
    if (static_cast<int>(rows.size()) != n_) return;
    e_ = Eigen::MatrixXd::Zero(n_, n_);
    a_ = Eigen::MatrixXd::Zero(n_, n_);
    for (Index i = 0; i < n_; ++i) {
      const Functional& f = problem.functionals[at(rows[at(i)])];
      double size = 1e-300;
      for (const auto& [j, x] : f.rate) size = std::max(size, std::abs(x) / problem.time_scale);
      for (const auto& [j, x] : f.value) size = std::max(size, std::abs(x));
      for (const auto& [j, x] : f.rate) e_(i, j) += x / size;
      for (const auto& [j, x] : f.value) a_(i, j) += x / size;
      std::vector<double> known = f.known;
      for (double& x : known) x /= size;
      known_.push_back(std::move(known));
    }
    choose_radius();
    if (is_regular_) solve();
  }

  bool is_regular() const { return is_regular_; }
  int states() const { return static_cast<int>(states_.size()); }

  /// The coefficients of column 0 of the solution, or of what an error of a state makes of it.
  Series variable(int j, int column) const {
    return coefficients([&](int q) { return w_[at(q)](j, column); });
  }
  Series functional(const Functional& f, int column) const {
    return coefficients([&](int q) { return value(f, q, column); });
  }
  double size(const Functional& f) const {
    double most = 0;
    for (int q = 0; q < kPoints; ++q) {
      const double h = std::abs(h_[at(q)]);
      double sum = 0, power = 1;
      for (const auto& [j, x] : f.rate) {
        sum += std::abs(x) * std::abs(w_[at(q)](j, 0) - p_.before[at(j)]) / h;
      }
      for (const auto& [j, x] : f.value) sum += std::abs(x) * std::abs(w_[at(q)](j, 0));
      for (const double c : f.known) {
        sum += std::abs(c) * power;
        power *= h;
      }
      most = std::max(most, sum);
    }
    return most;
  }
  double size(int j) const {
    double most = 0;
    for (const auto& w : w_) most = std::max(most, std::abs(w(j, 0)));
    return most;
  }
  double radius() const { return radius_; }
  double noise(int j) const { return noise_(j); }
  double noise(const Functional& f) const {
    double sum = 0;
    for (const auto& [j, x] : f.rate) sum += std::abs(x) * noise_(j) / radius_;
    for (const auto& [j, x] : f.value) sum += std::abs(x) * noise_(j);
    return sum;
  }

 private:
  void choose_radius() {
    const double t0 = p_.time_scale;
    const Eigen::MatrixXd k = e_ + t0 * kOffset * a_;
    const Eigen::VectorXd s = k.jacobiSvd().singularValues();
    if (n_ > 0 && s(n_ - 1) < kSingular * s(0)) return;
    is_regular_ = true;
    double nearest = 1;
    if (n_ > 0) {
      const Eigen::MatrixXd m = k.partialPivLu().solve(t0 * a_);
      const Eigen::VectorXcd ev = m.eigenvalues();
      for (Index i = 0; i < n_; ++i) {
        if (std::abs(ev(i)) < 1e-300) continue;
        const double pole = std::abs(kOffset - 1.0 / ev(i));
        if (std::isfinite(pole) && pole > 2e-3) nearest = std::min(nearest, pole);
      }
    }
    radius_ = 0.35 * nearest * t0;
  }

  void solve() {
    for (int j = 0; j < n_; ++j) {
      if (!p_.error.empty() && p_.error[at(j)] > 0 && !e_.col(j).isZero(0)) states_.push_back(j);
    }
    const Eigen::VectorXd before = Eigen::Map<const Eigen::VectorXd>(p_.before.data(), n_);
    for (int q = 0; q < kPoints; ++q) {
      const double angle = 2 * std::numbers::pi * q / kPoints;
      const Complex h = std::polar(radius_, angle);
      h_.push_back(h);
      Eigen::MatrixXcd rhs(n_, 1 + static_cast<Index>(states_.size()));
      rhs.col(0) = (e_ * before).cast<Complex>();
      for (Index i = 0; i < n_; ++i) {
        Complex sum = 0, power = 1;
        for (const double c : known_[at(i)]) {
          sum += c * power;
          power *= h;
        }
        rhs(i, 0) -= h * sum;
      }
      for (std::size_t c = 0; c < states_.size(); ++c) {
        rhs.col(1 + static_cast<Index>(c)) =
            (e_.col(states_[c]) * p_.error[at(states_[c])]).cast<Complex>();
      }
      const Eigen::MatrixXcd k = e_.cast<Complex>() + h * a_.cast<Complex>();
      w_.push_back(k.partialPivLu().solve(rhs));
    }
    find_noise();
  }

  /// What round-off can make of a value: |K⁻¹| times the largest term of any row.
  void find_noise() {
    const double h = radius_;
    const Eigen::MatrixXd inverse = (e_ + h * a_).inverse();
    Eigen::VectorXd most = Eigen::VectorXd::Zero(n_);
    for (const auto& w : w_) most = most.cwiseMax(w.col(0).cwiseAbs());
    const Eigen::VectorXd before = Eigen::Map<const Eigen::VectorXd>(p_.before.data(), n_);
    Eigen::VectorXd size =
        (e_.cwiseAbs() + h * a_.cwiseAbs()) * most + e_.cwiseAbs() * before.cwiseAbs();
    for (Index i = 0; i < n_; ++i) {
      double power = h;
      for (const double c : known_[at(i)]) {
        size(i) += std::abs(c) * power;
        power *= h;
      }
    }
    noise_ = inverse.cwiseAbs().rowwise().sum() * (n_ > 0 ? size.maxCoeff() : 0.0);
  }

  Complex value(const Functional& f, int q, int column) const {
    const Complex h = h_[at(q)];
    Complex sum = 0;
    for (const auto& [j, x] : f.rate) {
      Complex before = 0;
      if (column == 0) {
        before = p_.before[at(j)];
      } else if (states_[at(column - 1)] == j) {
        before = p_.error[at(j)];
      }
      sum += x * (w_[at(q)](j, column) - before) / h;
    }
    for (const auto& [j, x] : f.value) sum += x * w_[at(q)](j, column);
    if (column == 0) {
      Complex power = 1;
      for (const double c : f.known) {
        sum += c * power;
        power *= h;
      }
    }
    return sum;
  }

  /// Scaled by radius^k: in units of the value.
  template <class Value>
  Series coefficients(const Value& value) const {
    Series result;
    for (int q = 0; q < kPoints; ++q) {
      const Complex v = value(q);
      for (int k = kLowest; k <= kHighest; ++k) {
        result[k] +=
            (v * std::polar(1.0, -2 * std::numbers::pi * q * k / kPoints)).real() / kPoints;
      }
    }
    return result;
  }

  const ModeProblem& p_;
  int n_ = 0;
  bool is_regular_ = false;
  double radius_ = 0;
  Eigen::MatrixXd e_, a_;
  std::vector<std::vector<double>> known_;
  std::vector<Complex> h_;
  std::vector<Eigen::MatrixXcd> w_;
  std::vector<int> states_;
  Eigen::VectorXd noise_;
};

}  // namespace

AffineVerdict verify_affine(const ModeProblem& problem, const Mode& mode) {
  AffineVerdict verdict;
  const Circle circle(problem, mode);
  verdict.is_singular = !circle.is_regular();
  if (verdict.is_singular) return verdict;
  const auto blur = [&](auto of) {
    Series sum;
    for (int c = 1; c <= circle.states(); ++c) {
      const Series one = of(c);
      for (int k = kLowest; k <= kHighest; ++k) sum[k] += std::abs(one[k]);
    }
    return sum;
  };
  for (std::size_t l = 0; l < mode.size(); ++l) {
    const std::vector<int>& conditions = problem.laws[l].pieces[at(mode[l])].conditions;
    for (std::size_t j = 0; j < conditions.size(); ++j) {
      const Functional& f = problem.functionals[at(conditions[j])];
      const Series g = circle.functional(f, 0);
      const Series error = blur([&](int c) { return circle.functional(f, c); });
      const double small = kRoundOff * circle.size(f) + 1e-13 * circle.noise(f) + 1e-300;
      for (int k = kLowest; k <= kHighest; ++k) {
        if (std::abs(g[k]) <= small + error[k]) continue;
        const double unit = std::pow(circle.radius(), k);
        if (g[k] < 0) {
          verdict.refusals.push_back({.law = static_cast<int>(l),
                                      .condition = static_cast<int>(j),
                                      .order = k,
                                      .value = g[k] / unit,
                                      .error = (small + error[k]) / unit});
        }
        break;
      }
    }
  }
  const int n = problem.variables();
  for (int j = 0; j < n; ++j) {
    const Series w = circle.variable(j, 0);
    const Series error = blur([&](int c) { return circle.variable(j, c); });
    const double small = kRoundOff * circle.size(j) + 1e-13 * circle.noise(j) + 1e-300;
    verdict.after.push_back(w[0]);
    verdict.rate.push_back(w[1] / circle.radius());
    verdict.impulses.push_back(std::abs(w[-1]) > small + error[-1] ? w[-1] * circle.radius() : 0);
    for (int k = kLowest; k < -1; ++k) {
      verdict.is_deep = verdict.is_deep || std::abs(w[k]) > small + error[k];
    }
  }
  verdict.accepted = verdict.refusals.empty() && !verdict.is_deep;
  return verdict;
}

AffineMotion settle_affine(ModeProblem problem, Mode start,
                           FunctionRef<bool(const ModeProblem&, Mode&)> next) {
  constexpr int kMostRounds = 8;
  AffineMotion result{.mode = std::move(start)};
  const int n = problem.variables();
  result.impulses.assign(at(n), 0.0);
  std::vector<char> is_state(at(n), 0);
  for (const Functional& f : problem.functionals) {
    for (const auto& [j, e] : f.rate) is_state[at(j)] = 1;
  }
  while (result.rounds < kMostRounds) {
    ++result.rounds;
    if (!next(problem, result.mode)) return result;
    const AffineVerdict verdict = verify_affine(problem, result.mode);
    result.after = verdict.after;
    bool jumps = false;
    for (int j = 0; j < n; ++j) {
      result.impulses[at(j)] += verdict.impulses[at(j)];
      jumps = jumps || verdict.impulses[at(j)] != 0;
      if (is_state[at(j)] == 0) continue;
      const double old = problem.before[at(j)], now = verdict.after[at(j)];
      const double slack = problem.error.empty() ? 0 : 10 * problem.error[at(j)];
      jumps = jumps || std::abs(now - old) > 1e-8 * (1 + std::abs(old) + std::abs(now)) + slack;
      problem.before[at(j)] = now;
    }
    if (!jumps) {
      result.found = true;
      return result;
    }
  }
  return result;
}

}  // namespace chi::numerics
