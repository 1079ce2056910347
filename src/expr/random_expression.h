#pragma once
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "expr/evaluate.h"
#include "expr/expr.h"

// For the property tests of this folder only.
namespace chi::expr::testing {

/// What random expressions are made of.
struct Mix {
  bool raw = false;     ///< nodes as drawn, without simplification
  bool logic = true;    ///< relations, connectives, both kinds of `if`
  bool steps = true;    ///< abs, sign, floor, ceil, round, min, max
  bool partial = true;  ///< operations that are not defined everywhere
  bool calls = true;    ///< calls of a few small functions
  int variables = 4;    ///< each with its first derivative
};

/// Draws expressions of about `size` operations. The same seed gives the same expressions.
class RandomExpressions {
 public:
  RandomExpressions(Pool& pool, std::uint64_t seed, Mix mix);
  ExprId real(int size);
  ExprId truth(int size);
  ExprId affine(int size);  ///< affine in the variables of even number, of any kind in the others
  /// Values for all leaves: often small whole numbers, so that special cases happen.
  Point point();
  double number();
  std::uint64_t below(std::uint64_t n) { return rng_() % n; }
  /// The leaves of variables 0 to `variables` - 1 and of their first derivatives.
  std::vector<ExprId> variable_leaves();

 private:
  ExprId leaf();
  ExprId make(Op op, ExprId a, ExprId b = {}, ExprId c = {});
  ExprId apply(std::span<const Op> ops, int size);
  ExprId pair(Op op, int left, int right);
  ExprId connect(Op op, int size);
  ExprId call_something(int size);

  Pool& pool_;
  std::mt19937_64 rng_;
  Mix mix_;
  std::vector<FunctionId> functions_;
  bool frozen_ = false;  // only leaves that are no unknowns of an affine expression
};

/// Forward-mode evaluation by its own formulas, as a judge of the symbolic rules: value and
/// derivative of each root when the leaf `e` changes at the rate `rate(e)`.
struct Dual {
  double value = 0;
  double slope = 0;
};
std::vector<Dual> evaluate_dual(const Pool& pool, std::span<const ExprId> roots, const Point& point,
                                const std::function<double(ExprId)>& rate);

/// The root rebuilt bottom-up by the constructors.
ExprId simplified(Pool& pool, ExprId root);

}  // namespace chi::expr::testing
