#pragma once
#include <cstdint>
#include <string_view>

#include "sema/decl_id.h"
#include "sema/types.h"

/// The laws of the library's distributions: what they sample, and which arguments make one. Used
/// for those made before the run and by it alike. For users: docs/language/distributions.md.
namespace chi::sema {

enum class DistributionKind : std::uint8_t {
  Constant,  ///< its argument: a number or boolean
  Bernoulli,
  Binomial,
  Geometric,
  Poisson,
  UniformInt,
  UniformReal,
  Exponential,
  Erlang,
  Gamma,
  Normal,
  Lognormal,
  Beta,
  Triangle,
  Weibull,
};
inline constexpr int kMostLawArguments = 3;

/// An argument as its law reads it; which member, `distribution_argument_is_integer` tells.
union LawArgument {
  std::int64_t i;
  double r;
};

/// Whether a library function makes a distribution.
bool makes_distribution(Builtin function);
/// The kind that a library function makes. `integer` tells uniform(0, 6) from uniform(0.0, 6.0).
/// Requires makes_distribution.
DistributionKind distribution_kind(Builtin function, bool integer);
std::string_view distribution_name(DistributionKind kind);
int distribution_arity(DistributionKind kind);
/// Whether argument `index` is an integer: n of binomial, k of erlang, both of UniformInt. (That of
/// Constant is whatever the result's type says.)
bool distribution_argument_is_integer(DistributionKind kind, int index);
/// Whether a sample is a bool, nat or int, not a real. Not for Constant.
bool distribution_is_discrete(DistributionKind kind);

/// Whether the kind can be of type `-> sampled`.
bool distribution_samples(const Types& types, DistributionKind kind, TypeId sampled);
/// The type to which argument `index` of a `-> sampled` is converted. That of an integer which is
/// itself a sample is `sampled`, so that no negative number comes out of a `-> nat`.
TypeId distribution_argument_type(const Types& types, DistributionKind kind, int index,
                                  TypeId sampled);

/// What is wrong with the arguments, as "the mean of `exponential` must be positive and finite";
/// empty when they make a distribution.
std::string_view distribution_problem(DistributionKind kind, const LawArgument* arguments);

}  // namespace chi::sema
