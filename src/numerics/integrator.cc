#include "numerics/integrator.h"

namespace chi::numerics {

bool prefers_dense(const SparsePattern& pattern, MatrixKind kind) {
  if (kind != MatrixKind::Auto) return kind == MatrixKind::Dense;
  const double n = pattern.cols;
  if (n <= 12) return true;
  return n <= 500 && pattern.nonzeros() > 0.25 * n * n;
}

}  // namespace chi::numerics
