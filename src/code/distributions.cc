#include "code/distributions.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "code/sampling.h"

namespace chi::code {
namespace {

RunError store_count(double count, Slot* value) {
  if (!(count < 0x1p63)) return RunError::Overflow;
  value->i = static_cast<std::int64_t>(count);
  return RunError::None;
}

double sample_uniform(SampleWords& words, double a, double b) {
  while (true) {
    const double x = a + (b - a) * words.uniform01();
    if (x < b) return x;  // rounding may give b, which does not belong
  }
}

double sample_triangle(double u, double a, double mode, double b) {
  const double width = b - a;
  if (u * width < mode - a) return a + std::sqrt(u * width) * std::sqrt(mode - a);
  return b - std::sqrt((1 - u) * width) * std::sqrt(b - mode);
}

/// The rarer of success and failure is counted, and the other is the rest.
std::int64_t sample_successes(SampleWords& words, std::int64_t trials, double p) {
  const bool rare = p <= 0.5;
  const double count = sample_binomial(words, static_cast<double>(trials), rare ? p : 1 - p);
  // Above 2^53 the number of trials was rounded, maybe up.
  const std::int64_t whole = count < 0x1p63 ? static_cast<std::int64_t>(count) : trials;
  return rare ? std::min(whole, trials) : trials - std::min(whole, trials);
}

/// Failures before the first success.
double sample_geometric(SampleWords& words, double p) {
  return p == 1 ? 0.0 : std::floor(std::log(words.positive01()) / std::log1p(-p));
}

}  // namespace

std::string_view distribution_problem(DistributionKind kind, const Slot* arguments) {
  sema::LawArgument read[sema::kMostLawArguments] = {};
  for (int i = 0; i < distribution_arity(kind); ++i)
    read[i] = std::bit_cast<sema::LawArgument>(arguments[i]);
  return sema::distribution_problem(kind, read);
}

RunError distribution_make(DistributionKind kind, const Slot* arguments, Slot* distribution) {
  if (!distribution_problem(kind, arguments).empty()) return RunError::BadDistribution;
  Slot law[4] = {int_slot(static_cast<std::int64_t>(kind)), int_slot(0), int_slot(0), int_slot(0)};
  for (int i = 0; i < distribution_arity(kind); ++i) law[1 + i] = arguments[i];
  for (int i = 0; i < 4; ++i) distribution[i] = law[i];
  return RunError::None;
}

void distribution_start(std::uint64_t key, Slot* distribution) {
  distribution[4].i = static_cast<std::int64_t>(key);
  distribution[5].i = 0;
}

namespace {

[[gnu::noinline]] RunError sample_any(SampleBlocks& blocks, Slot* distribution, Slot* value) {
  const auto key = static_cast<std::uint64_t>(distribution[4].i);
  const auto sample = static_cast<std::uint64_t>(distribution[5].i);
  const Slot* a = distribution + 1;
  const auto kind = static_cast<DistributionKind>(distribution->i);
  if (kind == DistributionKind::Constant) {
    distribution[5].i = static_cast<std::int64_t>(sample + 1);
    *value = a[0];
    return RunError::None;
  }
  if (kind == DistributionKind::Exponential) {
    distribution[5].i = static_cast<std::int64_t>(sample + 1);
    value->r = a[0].r * blocks.exponential(key, sample);
    return RunError::None;
  }
  RunError error = RunError::None;
  SampleWords words(key, sample, blocks.first(key, sample));
  switch (kind) {
    case DistributionKind::Constant:
    case DistributionKind::Exponential: break;
    case DistributionKind::Bernoulli: value->i = words.uniform01() < a[0].r; break;
    case DistributionKind::Binomial: value->i = sample_successes(words, a[0].i, a[1].r); break;
    case DistributionKind::Geometric:
      error = store_count(sample_geometric(words, a[0].r), value);
      break;
    case DistributionKind::Poisson:
      error = store_count(sample_poisson(words, a[0].r), value);
      break;
    case DistributionKind::UniformInt: {
      const auto low = static_cast<std::uint64_t>(a[0].i);
      const std::uint64_t width = static_cast<std::uint64_t>(a[1].i) - low;
      value->i = static_cast<std::int64_t>(low + words.below(width));
      break;
    }
    case DistributionKind::UniformReal: value->r = sample_uniform(words, a[0].r, a[1].r); break;
    case DistributionKind::Erlang:
      value->r = a[0].r / static_cast<double>(a[1].i) * sample_erlang(words, a[1].i);
      break;
    case DistributionKind::Gamma: value->r = a[1].r * sample_gamma(words, a[0].r); break;
    case DistributionKind::Normal:
      value->r = a[0].r + std::sqrt(a[1].r) * sample_standard_normal(words);
      break;
    case DistributionKind::Lognormal:
      value->r = std::exp(a[0].r + std::sqrt(a[1].r) * sample_standard_normal(words));
      break;
    case DistributionKind::Beta: value->r = sample_beta(words, a[0].r, a[1].r); break;
    case DistributionKind::Triangle:
      value->r = sample_triangle(words.uniform01(), a[0].r, a[1].r, a[2].r);
      break;
    case DistributionKind::Weibull:
      value->r = a[1].r * std::pow(-std::log(words.positive01()), 1 / a[0].r);
      break;
  }
  if (error == RunError::None) distribution[5].i = static_cast<std::int64_t>(sample + 1);
  return error;
}

}  // namespace

/// The exponential samples that are made already come first, without a call: they are the most.
RunError distribution_sample(SampleBlocks& blocks, Slot* distribution, Slot* value) {
  if (distribution->i == static_cast<std::int64_t>(DistributionKind::Exponential)) {
    const auto sample = static_cast<std::uint64_t>(distribution[5].i);
    const double* const ready =
        blocks.ready_exponential(static_cast<std::uint64_t>(distribution[4].i), sample);
    if (ready != nullptr) [[likely]] {
      distribution[5].i = static_cast<std::int64_t>(sample + 1);
      value->r = distribution[1].r * *ready;
      return RunError::None;
    }
  }
  return sample_any(blocks, distribution, value);
}

}  // namespace chi::code
