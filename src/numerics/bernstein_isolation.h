#pragma once
#include "numerics/polynomial.h"
#include "numerics/root_collector.h"

namespace chi::numerics {

/// Reports the roots of `form`, given on [0, 1], to `collector` as places in [from, to].
///
/// Descartes' rule in the Bernstein basis with halving [1, 2]: no sign variation, no root; one, one
/// simple root; more, halve. Values within ±`error`, the rounding error of the coefficients, count
/// as zero, and what shrinks to nothing but zeros is one root. By the two-circle theorem [2] the
/// depth is about the logarithm of the distance between roots (complex ones included), and at most
/// 100. Stops when the collector is full.
///
/// [1] J. M. Lane and R. F. Riesenfeld, "Bounds on a polynomial", BIT 21, 1981, 112-117.
/// [2] A. Eigenwillig, V. Sharma and C. K. Yap, "Almost tight recursion tree bounds for the
/// Descartes
///     method", ISSAC 2006, 71-78.
void isolate_by_variations(const BernsteinForm& form, double error, double from, double to,
                           RootCollector& collector);

/// Whether double arithmetic suffices to say that p, a polynomial on [0, 1], keeps further than
/// `noise` from zero.
bool clearly_without_roots(const Polynomial& p, double noise);

}  // namespace chi::numerics
