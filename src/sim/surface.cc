#include "sim/surface.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::Op;

constexpr int kLongest = 64;  ///< sums and products that are opened

bool near(double a, double b) {
  return std::abs(a - b) <= kSurfaceRounding * std::max(std::abs(a), std::abs(b));
}

struct Piece {
  ExprId e;
  double factor = 1;
};

}  // namespace

bool Surface::same_as(const Surface& other) const {
  return terms == other.terms && near(constant, other.constant) &&
         std::equal(coefficients.begin(), coefficients.end(), other.coefficients.begin(), near);
}

std::optional<Surface> surface_of(const expr::Pool& pool, ExprId e) {
  std::map<ExprId, double> sum;
  double constant = 0;
  std::vector<Piece> open = {{e, 1}};
  for (int steps = 0; !open.empty(); ++steps) {
    if (steps == kLongest) return std::nullopt;
    const Piece piece = open.back();
    open.pop_back();
    const Op op = pool.op(piece.e);
    const expr::Operands x = pool.operands(piece.e);
    const auto is_constant = [&](int i) { return pool.op(x[i]) == Op::Constant; };
    if (op == Op::Constant) {
      constant += piece.factor * pool.constant(piece.e);
    } else if (op == Op::Add || op == Op::Sub) {
      open.push_back({x[1], op == Op::Add ? piece.factor : -piece.factor});
      open.push_back({x[0], piece.factor});
    } else if (op == Op::Neg) {
      open.push_back({x[0], -piece.factor});
    } else if (op == Op::Mul && (is_constant(0) || is_constant(1))) {
      const int other = is_constant(0) ? 1 : 0;
      open.push_back({x[other], piece.factor * pool.constant(x[1 - other])});
    } else if (op == Op::Div && is_constant(1)) {
      open.push_back({x[0], piece.factor / pool.constant(x[1])});
    } else {
      sum[piece.e] += piece.factor;
    }
  }
  if (sum.empty()) return std::nullopt;
  const double scale = sum.begin()->second;
  if (scale == 0 || !std::isfinite(scale)) return std::nullopt;
  Surface surface;
  surface.constant = constant / scale;
  surface.sign = scale > 0 ? 1 : -1;
  for (const auto& [term, coefficient] : sum) {
    surface.terms.push_back(term);
    surface.coefficients.push_back(coefficient / scale);
  }
  return surface;
}

}  // namespace chi::sim
