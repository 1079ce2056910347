#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "expr/expr.h"
#include "structure/rational.h"

namespace chi::structure {

/// An expression as Σ coefficient * term + constant in whole numbers, exactly.
///
/// A term is a variable, a derivative, a discrete value, `time`, or any node that is not seen to be
/// a sum: `sin(x)`, `x * y`, `pi * x`. Equal nodes are equal ids, so what cancels is gone: `x' + y
/// - x'` has the one term y.
struct LinearForm {
  struct Term {
    expr::ExprId node;
    std::int64_t coefficient = 0;
  };
  std::vector<Term> terms;  ///< ascending by node, no zero coefficients
  std::int64_t constant = 0;
  std::int64_t factor = 1;  ///< the form is the expression times this, a positive number
  bool cancelled = false;   ///< some node of the expression is in no term
  bool is_exact = true;     ///< false: numbers got too large, and the terms are the nodes given
};

/// The forms of the bodies of functions, over their parameters; each is looked at once.
class BodyForms {
 public:
  /// Null unless all terms of the body are parameters.
  const LinearForm* find(const expr::Pool& pool, expr::FunctionId f);

 private:
  struct Entry {
    bool is_linear = false;
    LinearForm form;
  };
  std::unordered_map<expr::FunctionId, Entry> known_;
};

struct Weighted {
  expr::ExprId node;
  Rational weight;
};

/// The form of Σ weight * node. Numbers are taken apart if they are small fractions, as those of
/// `expr::integer_form`, or short decimals such as 0.1; others stay parts of terms. O(n log n) in
/// the nodes of the sums, of which very long ones (10^5) are left together. A call of a function
/// that is linear in all its parameters is a sum, too.
LinearForm linear_form(const expr::Pool& pool, std::span<const Weighted> parts);
LinearForm linear_form(const expr::Pool& pool, expr::ExprId e);
LinearForm linear_form(const expr::Pool& pool, expr::ExprId e, BodyForms& bodies);

/// The form as an expression.
expr::ExprId build(expr::Pool& pool, const LinearForm& form);

}  // namespace chi::structure
