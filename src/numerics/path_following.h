#pragma once
#include "numerics/semismooth_newton.h"

namespace chi::numerics {

/// Piecewise linear path following [1, 2]: laws that the start mode violates are shifted by a
/// random amount so that it holds, and the shift is taken away along the path, law by law crossing
/// the facets that are met. With all laws shifted it is Lemke's method [3] for complementarity
/// problems.
///
/// For complete laws and a generic shift the path passes no mode twice. It ends at a solution for
/// monotone problems, or on a ray that proves that there is none; for others a ray proves nothing.
/// Modes with dependent rows of deficiency 1 are passed; a larger deficiency can end the path, and
/// another seed may help. One bordered factorisation a pivot.
///
/// [1] J. Katzenelson, "An algorithm for solving nonlinear resistor networks", Bell System
///     Technical Journal 44(8), 1965, 1605-1620.
/// [2] M.-J. Chien and E. S. Kuh, "Solving piecewise-linear equations for resistive networks",
///     Int. J. Circuit Theory Appl. 4, 1976, 3-24.
/// [3] R. W. Cottle, J.-S. Pang and R. E. Stone, "The Linear Complementarity Problem", 1992, ch. 4.
Proposal follow_path(OneStep& step, const Mode& start, unsigned seed);

}  // namespace chi::numerics
