#include "numerics/root_proposal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace chi::numerics {
namespace {

constexpr double kGolden = 0.6180339887498949;  // x of Cellier & Kofman (9.8)

double middle(const Bracket& b) { return b.left + (b.right - b.left) / 2; }

double secant(double left, double right, double value_left, double value_right) {
  return left + (right - left) * (value_left / (value_left - value_right));
}

// A root of `value` in [left, right] by Newton with halving; for polynomials, which are cheap.
template <class Value, class Slope>
double solve_inside(Value value, Slope slope, double left, double right) {
  const bool rises = value(left) < 0;
  if ((value(right) < 0) == rises) return std::numeric_limits<double>::quiet_NaN();
  double x = left + (right - left) / 2;
  for (int i = 0; i < 60; ++i) {
    const double v = value(x);
    if (v == 0.0) return x;
    ((v < 0) == rises ? left : right) = x;
    const double newton = x - v / slope(x);
    const double next = newton > left && newton < right ? newton : left + (right - left) / 2;
    if (std::abs(next - x) <= 1e-16 * std::abs(x) || next <= left || next >= right) return next;
    x = next;
  }
  return x;
}

double cubic_hermite(const Bracket& b, double slope_left, double slope_right) {
  const double h = b.right - b.left;
  const double c0 = b.value_left, c1 = h * slope_left;
  const double c2 = 3 * (b.value_right - b.value_left) - h * (2 * slope_left + slope_right);
  const double c3 = 2 * (b.value_left - b.value_right) + h * (slope_left + slope_right);
  const auto value = [&](double s) { return c0 + s * (c1 + s * (c2 + s * c3)); };
  const auto slope = [&](double s) { return c1 + s * (2 * c2 + s * 3 * c3); };
  return b.left + h * solve_inside(value, slope, 0.0, 1.0);
}

// Cellier & Kofman (9.18)-(9.25), with t measured from the left end.
double inverse_hermite(const Bracket& b, double slope_left, double slope_right) {
  const double rise = b.value_right - b.value_left;
  const double phi = -b.value_left / rise;
  const double p2 = phi * phi * (3 - 2 * phi);
  const double p3 = phi * (1 - phi) * (1 - phi);
  const double p4 = phi * phi * (phi - 1);
  return b.left + (b.right - b.left) * p2 + rise / slope_left * p3 + rise / slope_right * p4;
}

// The dense-output polynomial, shifted to agree with the function where that is smallest.
double on_polynomial(const Bracket& b, const Polynomial& p) {
  const bool left_is_smaller = std::abs(b.value_left) < std::abs(b.value_right);
  const double anchor = left_is_smaller ? b.left : b.right;
  const double shift = (left_is_smaller ? b.value_left : b.value_right) - evaluate(p, anchor);
  const Polynomial slope = derivative(p);
  const double x = solve_inside([&](double t) { return evaluate(p, t) + shift; },
                                [&](double t) { return evaluate(slope, t); }, b.left, b.right);
  return std::isnan(x) ? secant(b.left, b.right, b.value_left, b.value_right) : x;
}

}  // namespace

bool RootProposal::wants_slopes() const {
  return method == RootFinder::CubicHermite || method == RootFinder::InverseHermite;
}

double RootProposal::next(const Bracket& b, double tolerance, const Polynomial* polynomial) {
  if (rounds_ == 0) first_width_ = b.right - b.left;
  switch (method) {
    case RootFinder::Toms748: return toms748(b);
    case RootFinder::Itp: return itp(b, tolerance);
    case RootFinder::RegulaFalsi:
      return secant(b.left, b.right, b.value_left * weight_left_, b.value_right * weight_right_);
    case RootFinder::GoldenSection: return b.left + (1 - kGolden) * (b.right - b.left);
    case RootFinder::Bisection: return middle(b);
    case RootFinder::CubicHermite: return cubic_hermite(b, slope_left, slope_right);
    case RootFinder::InverseHermite: return inverse_hermite(b, slope_left, slope_right);
    case RootFinder::Polynomial: return on_polynomial(b, *polynomial);
  }
  return middle(b);
}

void RootProposal::observe(const Bracket& before, bool moved_right, bool halved) {
  dropped_before_ = dropped_;
  dropped_ =
      moved_right ? Point{before.right, before.value_right} : Point{before.left, before.value_left};
  (moved_right ? slope_right : slope_left) = std::numeric_limits<double>::quiet_NaN();
  const int side = moved_right ? 1 : -1;
  double& moved_weight = moved_right ? weight_right_ : weight_left_;
  double& other_weight = moved_right ? weight_left_ : weight_right_;
  moved_weight = 1.0;
  if (side == last_side_) other_weight *= 0.5;  // Illinois: an end that stays loses weight
  last_side_ = side;
  phase_ = halved || phase_ == 3 ? 1 : phase_ + 1;
  ++rounds_;
}

// Algorithm 4.2 of [Alefeld, Potra & Shi]; its final bisection is the search's own.
double RootProposal::toms748(const Bracket& b) const {
  const double slope = (b.value_right - b.value_left) / (b.right - b.left);
  if (phase_ == 0) return secant(b.left, b.right, b.value_left, b.value_right);
  if (phase_ == 3) {  // the double-length secant step
    const bool left_is_smaller = std::abs(b.value_left) < std::abs(b.value_right);
    const double u = left_is_smaller ? b.left : b.right;
    const double c = u - 2 * (left_is_smaller ? b.value_left : b.value_right) / slope;
    return std::abs(c - u) > (b.right - b.left) / 2 ? middle(b) : c;
  }
  const std::array<Point, 4> points = {
      {{b.left, b.value_left}, {b.right, b.value_right}, dropped_, dropped_before_}};
  bool distinct = true;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      distinct = distinct && std::abs(points[i].value - points[j].value) > 1e-300;
    }
  }
  if (distinct) {  // inverse cubic interpolation at zero, by Neville's scheme relative to the left
                   // end
    std::array<double, 4> q = {};
    for (std::size_t i = 0; i < 4; ++i) q[i] = points[i].x - b.left;
    for (std::size_t round = 1; round < 4; ++round) {
      for (std::size_t i = 0; i + round < 4; ++i) {
        const double fi = points[i].value, fj = points[i + round].value;
        q[i] = (fj * q[i] - fi * q[i + 1]) / (fj - fi);
      }
    }
    if (q[0] > 0 && q[0] < b.right - b.left) return b.left + q[0];
  }
  if (std::isnan(dropped_.value)) return secant(b.left, b.right, b.value_left, b.value_right);
  // Newton steps on the quadratic through the ends and the point dropped last.
  const double next_slope = (dropped_.value - b.value_right) / (dropped_.x - b.right);
  const double curvature = (next_slope - slope) / (dropped_.x - b.left);
  double r = curvature * b.value_left > 0 ? b.left : b.right;
  for (int i = 0; i <= phase_; ++i) {
    const double value = b.value_left + (slope + curvature * (r - b.right)) * (r - b.left);
    r -= value / (slope + curvature * (2 * r - b.left - b.right));
  }
  return r;
}

// [Oliveira & Takahashi], with κ1 = 0.2 / (b0 - a0), κ2 = 2, n0 = 1.
double RootProposal::itp(const Bracket& b, double tolerance) {
  const double width = b.right - b.left, half = middle(b), epsilon = tolerance / 2;
  const double rounds = std::ceil(std::log2(std::max(first_width_ / tolerance, 1.0))) + 1;
  const double reach = std::max(0.0, epsilon * std::exp2(rounds - rounds_) - width / 2);
  const double delta = 0.2 / first_width_ * width * width;
  const double falsi = secant(b.left, b.right, b.value_left, b.value_right);
  const double toward = half > falsi ? 1.0 : -1.0;
  const double truncated = std::abs(half - falsi) >= delta ? falsi + toward * delta : half;
  return std::abs(truncated - half) <= reach ? truncated : half - toward * reach;
}

}  // namespace chi::numerics
