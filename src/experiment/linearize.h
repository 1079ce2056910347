#pragma once
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/inspection.h"

namespace chi::experiment {

/// A matrix by rows.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> entries = {};
  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), entries(r * c) {}
  double& operator()(std::size_t i, std::size_t k) { return entries[i * columns + k]; }
  double operator()(std::size_t i, std::size_t k) const { return entries[i * columns + k]; }
};

/// A model near a point: x' = A x + B u, y = C x + D u, all measured from the point. The states are
/// those that the engine integrates in its present mode, so that the index of the equations does
/// not matter and E is the identity.
struct LinearModel {
  double time = 0;
  std::vector<std::string> states, inputs, outputs;
  std::vector<double> at;  ///< values of the states there
  Matrix a, b, c, d;
  double error = 0;  ///< estimated, of an entry, relative to the largest in its row and matrix
};

/// Linearises the equations of a run as they are in its end. Derivatives are those of the solved
/// equations, by differences extrapolated to the limit [1].
///
/// An input is a real variable that the equations do not determine: of the part that runs a `ref`
/// parameter or a variable that nothing assigns. Empty exactly when it reported: no equations, a
/// name that there is not, an input that is determined, or of which the equations need the
/// derivative.
///
/// [1] C. J. F. Ridders, "Accurate computation of F'(x) and F'(x) F''(x)", Advances in Engineering
///     Software 4(2), 1982, 75-76.
std::optional<LinearModel> linearize(driver::Inspection& inspection,
                                     const std::vector<std::string>& inputs,
                                     const std::vector<std::string>& outputs,
                                     Diagnostics& diagnostics);

}  // namespace chi::experiment
