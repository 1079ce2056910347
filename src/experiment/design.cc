#include "experiment/design.h"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "code/random.h"
#include "experiment/statistics.h"

namespace chi::experiment {
namespace {

double uniform(std::uint64_t key, std::uint64_t sample) {
  return (static_cast<double>(code::random_block(key, sample, 0)[0] >> 11) + 0.5) * 0x1p-53;
}

}  // namespace

double quantile(const Drawn& drawn, double p) {
  const std::vector<double>& a = drawn.arguments;
  switch (drawn.law) {
    case Drawn::Law::Uniform: return a[0] + p * (a[1] - a[0]);
    case Drawn::Law::LogUniform: return a[0] * std::pow(a[1] / a[0], p);
    case Drawn::Law::Normal: return a[0] + std::sqrt(a[1]) * normal_quantile(p);
    case Drawn::Law::LogNormal:  // mean and variance of the logarithm, as in χ
      return std::exp(a[0] + std::sqrt(a[1]) * normal_quantile(p));
    case Drawn::Law::Triangle: {
      const double width = a[2] - a[0], left = a[1] - a[0];
      return p * width <= left ? a[0] + std::sqrt(p * width * left)
                               : a[2] - std::sqrt((1 - p) * width * (a[2] - a[1]));
    }
    case Drawn::Law::Exponential: return -a[0] * std::log1p(-p);
  }
  return 0;
}

Design::Design(const Plan& plan) : plan_(plan) {
  count_ = plan.count > 0 ? plan.count : 1;
  for (const Axis& axis : plan.vary) {
    names_.push_back(axis.name);
    columns_.push_back({.axis = &axis, .dimension = axis.is_range ? dimensions_++ : -1});
    if (!axis.is_range) combinations_ *= static_cast<std::int64_t>(axis.values.size());
  }
  for (const Drawn& drawn : plan.random) {
    names_.push_back(drawn.name);
    columns_.push_back({.drawn = &drawn, .dimension = dimensions_++});
  }
  if (plan.sampling == Sampling::Sobol) {
    sobol_ = sobol_points(dimensions_, count_);
  } else if (plan.sampling == Sampling::Latin) {
    // Each dimension is a permutation of the strata (M. D. McKay, R. J. Beckman and W. J. Conover,
    // Technometrics 21, 1979, 239), by the shuffle of R. Durstenfeld.
    latin_.resize(static_cast<std::size_t>(dimensions_));
    for (std::size_t d = 0; d < latin_.size(); ++d) {
      latin_[d].resize(static_cast<std::size_t>(count_));
      std::iota(latin_[d].begin(), latin_[d].end(), 0);
      const std::uint64_t key = code::stream_key(plan.seed, fmt::format("latin.{}", d));
      for (std::size_t i = latin_[d].size(); i-- > 1;) {
        const auto k = static_cast<std::size_t>(uniform(key, i) * static_cast<double>(i + 1));
        std::swap(latin_[d][i], latin_[d][k]);
      }
    }
  }
}

double Design::share(std::int64_t run, std::int32_t dimension) const {
  const auto d = static_cast<std::size_t>(dimension);
  const auto k = static_cast<std::size_t>(run);
  if (!sobol_.empty()) return sobol_[d][k];
  const double u = uniform(code::stream_key(plan_.seed, fmt::format("sample.{}", d)), k);
  if (latin_.empty()) return u;
  return (latin_[d][k] + u) / static_cast<double>(count_);
}

Point Design::point(std::int64_t i) const {
  const std::int64_t run = i % count_;
  std::int64_t combination = i / count_;
  Point point{.parameters = {}, .seed = plan_.seed + static_cast<std::uint64_t>(run)};
  point.parameters.resize(columns_.size());
  for (std::size_t c = columns_.size(); c-- > 0;) {
    const Column& column = columns_[c];
    point.parameters[c].first = names_[c];
    std::string& text = point.parameters[c].second;
    if (column.dimension < 0) {
      const auto n = static_cast<std::int64_t>(column.axis->values.size());
      text = column.axis->values[static_cast<std::size_t>(combination % n)];
      combination /= n;
      continue;
    }
    const double u = share(run, column.dimension);
    if (column.drawn != nullptr) {
      text = fmt::format("{}", quantile(*column.drawn, u));
    } else if (column.axis->is_logarithmic) {
      text =
          fmt::format("{}", column.axis->low * std::pow(column.axis->high / column.axis->low, u));
    } else {
      text = fmt::format("{}", column.axis->low + u * (column.axis->high - column.axis->low));
    }
  }
  return point;
}

}  // namespace chi::experiment
