#include <cmath>

#include "code/distributions.h"

namespace chi::code {
namespace {

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments weibull_moments(double shape, double scale) {
  const double first = std::tgamma(1 + 1 / shape);
  return {scale * first, scale * scale * (std::tgamma(1 + 2 / shape) - first * first)};
}

Moments triangle_moments(double a, double mode, double b) {
  return {(a + mode + b) / 3,
          ((mode - a) * (mode - a) + (b - a) * (b - a) - (mode - a) * (b - a)) / 18};
}

Moments moments(const Slot* distribution) {
  const Slot* s = distribution + 1;
  const double a = s[0].r;
  const double b = s[1].r;
  switch (static_cast<DistributionKind>(distribution->i)) {
    case DistributionKind::Constant: return {a, 0};
    case DistributionKind::Bernoulli: return {a, a * (1 - a)};
    case DistributionKind::Binomial: {
      const auto n = static_cast<double>(s[0].i);
      return {n * b, n * b * (1 - b)};
    }
    case DistributionKind::Geometric: return {(1 - a) / a, (1 - a) / (a * a)};
    case DistributionKind::Poisson: return {a, a};
    case DistributionKind::UniformInt: {
      const auto low = static_cast<double>(s[0].i);
      const double width = static_cast<double>(s[1].i) - low;
      return {low + (width - 1) / 2, (width * width - 1) / 12};
    }
    case DistributionKind::UniformReal: return {(a + b) / 2, (b - a) * (b - a) / 12};
    case DistributionKind::Exponential: return {a, a * a};
    case DistributionKind::Erlang: return {a, a * a / static_cast<double>(s[1].i)};
    case DistributionKind::Gamma: return {a * b, a * b * b};
    case DistributionKind::Normal: return {a, b};
    case DistributionKind::Lognormal:
      return {std::exp(a + b / 2), std::expm1(b) * std::exp(2 * a + b)};
    case DistributionKind::Beta: return {a / (a + b), a * b / ((a + b) * (a + b) * (a + b + 1))};
    case DistributionKind::Triangle: return triangle_moments(a, b, s[2].r);
    case DistributionKind::Weibull: return weibull_moments(a, b);
  }
  return {};
}

}  // namespace

double distribution_mean(const Slot* distribution) { return moments(distribution).mean; }
double distribution_variance(const Slot* distribution) { return moments(distribution).variance; }

}  // namespace chi::code
