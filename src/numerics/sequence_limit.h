#pragma once
#include <span>
#include <vector>

namespace chi::numerics {

/// A value found by extrapolation, and by how much the last extrapolations differ: an estimate of
/// the error, infinite if there were too few values to tell.
struct Extrapolated {
  double value = 0;
  double error = 0;
};

/// The limit of a sequence that converges like a sum of powers, s_n = s + Σ c_i λ_i^n: Wynn's
/// epsilon algorithm [1], of which Aitken's Δ² is the first column. Of all columns the one whose
/// last entries agree best. Needs four values; six for two powers.
///
/// [1] P. Wynn, "On a device for computing the e_m(S_n) transformation", MTAC 10, 1956, 91-96.
Extrapolated geometric_limit(std::span<const double> values);

/// The limit of a sequence that converges like a power of 1/n, or like λ^n times one: Levin's u
/// transform [2]. Only gaps that shrink are taken: a sequence that diverges may have an antilimit,
/// which the caller has to refuse.
///
/// [2] D. Levin, "Development of non-linear transformations for improving convergence of
///     sequences", Int. J. Comput. Math. 3, 1973, 371-388.
Extrapolated algebraic_limit(std::span<const double> values);

/// The value at zero of a smooth function that is known at these places, all of one sign and in the
/// order in which they come near zero: Neville's scheme, as Richardson and Romberg use it.
Extrapolated value_at_zero(std::span<const double> places, std::span<const double> values);

}  // namespace chi::numerics
