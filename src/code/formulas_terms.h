#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "expr/expr.h"

namespace chi::code {

/// A node of the expressions of a `Formulas`, with the bodies of functions in place of their calls.
/// What `a`, `b` and `c` hold depends on `op`: operands are terms;
/// - a leaf has nothing, `where` is the leaf (`delay` nodes are leaves); a constant has its bits;
/// - IntPower: the operand and the exponent;
/// - Call: the box, the first of its arguments in `Terms::arguments`, their number.
struct Term {
  expr::Op op = expr::Op::Constant;
  expr::ExprId where;  ///< the node, perhaps in a function body
  std::int32_t a = -1;
  std::int32_t b = -1;
  std::int32_t c = -1;
};

/// A function without a body as it is called: `by` names the parameters by which it is
/// differentiated, and the value is then a central difference quotient of the black box.
struct Box {
  expr::FunctionId function;     ///< the black box itself
  std::vector<std::int32_t> by;  ///< in the order of expr::evaluate
  double relative_step = 0;
};

/// Operands come before the terms that use them. A constant's value is `value`.
struct Terms {
  std::vector<Term> terms;
  std::vector<std::int32_t> roots;
  std::vector<std::int32_t> arguments;
  std::vector<Box> boxes;

  const Term& operator[](std::int32_t t) const { return terms[static_cast<std::size_t>(t)]; }
  std::int32_t size() const { return static_cast<std::int32_t>(terms.size()); }
  double value(std::int32_t constant) const;
  /// Constants and what stands in the frame: needs no instruction.
  bool is_given(std::int32_t t) const;
};

/// A truth that is known: plain `if`s that it decides, outside of functions, are what they choose.
struct Decided {
  expr::ExprId leaf;
  bool holds = false;
};

/// Follows the roots through calls of functions with a body. O(size of the result). The nodes
/// `given` count as leaves, also where they are numbers.
Terms collect_terms(const expr::Pool& pool, std::span<const expr::ExprId> roots,
                    std::span<const expr::ExprId> given = {},
                    std::span<const Decided> decided = {});

}  // namespace chi::code
