#include "sema/distribution_law.h"

#include <array>
#include <cmath>

#include "base/check.h"

namespace chi::sema {
namespace {

struct Law {
  std::string_view name;
  int arity = 0;
  unsigned integer_arguments = 0;  // bit i: argument i
  bool discrete = false;
};

constexpr std::array<Law, 15> kLaws = {{
    {"constant", 1, 0, false},
    {"bernoulli", 1, 0, true},
    {"binomial", 2, 1, true},
    {"geometric", 1, 0, true},
    {"poisson", 1, 0, true},
    {"uniform", 2, 3, true},
    {"uniform", 2, 0, false},
    {"exponential", 1, 0, false},
    {"erlang", 2, 2, false},
    {"gamma", 2, 0, false},
    {"normal", 2, 0, false},
    {"lognormal", 2, 0, false},
    {"beta", 2, 0, false},
    {"triangle", 3, 0, false},
    {"weibull", 2, 0, false},
}};

const Law& law_of(DistributionKind kind) { return kLaws[static_cast<std::size_t>(kind)]; }

bool is_positive(double x) { return x > 0 && std::isfinite(x); }
bool is_probability(double p) { return p >= 0 && p <= 1; }

constexpr double kLargestPoisson = 0x1p62;  // its samples fit in 64 bits

}  // namespace

bool makes_distribution(Builtin function) {
  return function >= Builtin::Constant && function <= Builtin::Weibull;
}

DistributionKind distribution_kind(Builtin function, bool integer) {
  switch (function) {
    case Builtin::Constant: return DistributionKind::Constant;
    case Builtin::Bernoulli: return DistributionKind::Bernoulli;
    case Builtin::Binomial: return DistributionKind::Binomial;
    case Builtin::Geometric: return DistributionKind::Geometric;
    case Builtin::Poisson: return DistributionKind::Poisson;
    case Builtin::Uniform:
      return integer ? DistributionKind::UniformInt : DistributionKind::UniformReal;
    case Builtin::Exponential: return DistributionKind::Exponential;
    case Builtin::Erlang: return DistributionKind::Erlang;
    case Builtin::Gamma: return DistributionKind::Gamma;
    case Builtin::Normal: return DistributionKind::Normal;
    case Builtin::Lognormal: return DistributionKind::Lognormal;
    case Builtin::Beta: return DistributionKind::Beta;
    case Builtin::Triangle: return DistributionKind::Triangle;
    case Builtin::Weibull: return DistributionKind::Weibull;
    default: CHI_CHECK(false, "not a distribution function"); return DistributionKind::Constant;
  }
}

std::string_view distribution_name(DistributionKind kind) { return law_of(kind).name; }
int distribution_arity(DistributionKind kind) { return law_of(kind).arity; }
bool distribution_argument_is_integer(DistributionKind kind, int index) {
  return (law_of(kind).integer_arguments >> index & 1) != 0;
}
bool distribution_is_discrete(DistributionKind kind) { return law_of(kind).discrete; }

bool distribution_samples(const Types& types, DistributionKind kind, TypeId sampled) {
  const bool truth = types.is(sampled, BasicType::Bool);
  if (kind == DistributionKind::Constant) return truth || types.is_numeric(sampled);
  if (kind == DistributionKind::Bernoulli) return truth;
  return law_of(kind).discrete ? types.is_integer(sampled) : types.is(sampled, BasicType::Real);
}

TypeId distribution_argument_type(const Types& types, DistributionKind kind, int index,
                                  TypeId sampled) {
  if (kind == DistributionKind::Constant || kind == DistributionKind::UniformInt) return sampled;
  const bool integer = distribution_argument_is_integer(kind, index);
  return types.basic(integer ? BasicType::Int : BasicType::Real);
}

std::string_view distribution_problem(DistributionKind kind, const LawArgument* a) {
  const auto unless = [](bool valid, std::string_view text) {
    return valid ? std::string_view{} : text;
  };
  switch (kind) {
    case DistributionKind::Constant: return {};
    case DistributionKind::Bernoulli:
      return unless(is_probability(a[0].r), "the probability of `bernoulli` must be from 0 to 1");
    case DistributionKind::Binomial:
      if (a[0].i < 0) return "the number of trials of `binomial` cannot be negative";
      return unless(is_probability(a[1].r), "the probability of `binomial` must be from 0 to 1");
    case DistributionKind::Geometric:
      return unless(is_probability(a[0].r) && a[0].r > 0,
                    "the probability of `geometric` must be above 0 and at most 1");
    case DistributionKind::Poisson:
      return unless(a[0].r >= 0 && a[0].r <= kLargestPoisson,
                    "the mean of `poisson` must be from 0 to 2^62");
    case DistributionKind::UniformInt:
      return unless(a[0].i < a[1].i, "the bounds of `uniform` must be increasing");
    case DistributionKind::UniformReal:
      return unless(a[0].r < a[1].r && std::isfinite(a[1].r - a[0].r),
                    "the bounds of `uniform` must be finite and increasing");
    case DistributionKind::Exponential:
      return unless(is_positive(a[0].r), "the mean of `exponential` must be positive and finite");
    case DistributionKind::Erlang:
      if (a[1].i < 1) return "the number of phases of `erlang` must be at least 1";
      return unless(is_positive(a[0].r), "the mean of `erlang` must be positive and finite");
    case DistributionKind::Gamma:
      return unless(is_positive(a[0].r) && is_positive(a[1].r),
                    "shape and scale of `gamma` must be positive and finite");
    case DistributionKind::Normal:
      return unless(std::isfinite(a[0].r) && std::isfinite(a[1].r) && a[1].r >= 0,
                    "`normal` needs a finite mean and a finite variance that is not negative");
    case DistributionKind::Lognormal:
      return unless(std::isfinite(a[0].r) && std::isfinite(a[1].r) && a[1].r >= 0,
                    "`lognormal` needs a finite mean and a finite variance that is not negative");
    case DistributionKind::Beta:
      return unless(is_positive(a[0].r) && is_positive(a[1].r),
                    "both shapes of `beta` must be positive and finite");
    case DistributionKind::Triangle:
      return unless(
          a[0].r < a[2].r && a[0].r <= a[1].r && a[1].r <= a[2].r && std::isfinite(a[2].r - a[0].r),
          "`triangle` needs finite bounds in increasing order with the mode between them");
    case DistributionKind::Weibull:
      return unless(is_positive(a[0].r) && is_positive(a[1].r),
                    "shape and scale of `weibull` must be positive and finite");
  }
  return {};
}

}  // namespace chi::sema
