#include "sim/part/surface.h"

#include <algorithm>
#include <cmath>

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::Op;

constexpr int kLongest = 64;  ///< sums and products that are opened

bool near(double a, double b) {
  return std::abs(a - b) <= kSurfaceRounding * std::max(std::abs(a), std::abs(b));
}

}  // namespace

bool Surface::same_as(const Surface& other) const {
  return terms == other.terms && near(constant, other.constant) &&
         std::equal(coefficients.begin(), coefficients.end(), other.coefficients.begin(), near);
}

std::optional<WeightedSum> weighted_sum(const expr::Pool& pool, ExprId e) {
  WeightedSum sum;
  std::vector<WeightedSum::Term> open = {{e, 1}};
  for (int steps = 0; !open.empty(); ++steps) {
    if (steps == kLongest) return std::nullopt;
    const WeightedSum::Term piece = open.back();
    open.pop_back();
    const Op op = pool.op(piece.e);
    const expr::Operands x = pool.operands(piece.e);
    const auto is_constant = [&](int i) { return pool.op(x[i]) == Op::Constant; };
    if (op == Op::Constant) {
      sum.constant += piece.factor * pool.constant(piece.e);
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
      const auto place = std::ranges::lower_bound(sum.terms, piece.e, {}, &WeightedSum::Term::e);
      if (place != sum.terms.end() && place->e == piece.e) {
        place->factor += piece.factor;
      } else {
        sum.terms.insert(place, piece);
      }
    }
  }
  return sum;
}

std::optional<Surface> surface_of(const expr::Pool& pool, ExprId e) {
  const std::optional<WeightedSum> sum = weighted_sum(pool, e);
  if (!sum || sum->terms.empty()) return std::nullopt;
  const double scale = sum->terms.front().factor;
  if (scale == 0 || !std::isfinite(scale)) return std::nullopt;
  Surface surface;
  surface.constant = sum->constant / scale;
  surface.sign = scale > 0 ? 1 : -1;
  for (const WeightedSum::Term& term : sum->terms) {
    surface.terms.push_back(term.e);
    surface.coefficients.push_back(term.factor / scale);
  }
  return surface;
}

}  // namespace chi::sim
