#include "flat/vector_terms.h"

#include "base/check.h"
#include "expr/build.h"

namespace chi::flat {
namespace {

using expr::ExprId;
using sema::Builtin;
using syntax::BinaryOp;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

ExprId combine(expr::Pool& pool, BinaryOp op, ExprId a, ExprId b) {
  switch (op) {
    case BinaryOp::Add: return expr::add(pool, a, b);
    case BinaryOp::Sub: return expr::sub(pool, a, b);
    case BinaryOp::Mul: return expr::mul(pool, a, b);
    case BinaryOp::Div: return expr::div(pool, a, b);
    default: CHI_CHECK(false, "no operator of vectors"); return {};
  }
}

}  // namespace

Terms by_elements(expr::Pool& pool, BinaryOp op, TermSpan a, bool a_is_number, TermSpan b,
                  bool b_is_number) {
  Terms result;
  const std::size_t count = a_is_number ? b.size() : a.size();
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(combine(pool, op, a[a_is_number ? 0 : i], b[b_is_number ? 0 : i]));
  }
  return result;
}

Terms matrix_product(expr::Pool& pool, TermSpan a, TermSpan b, std::int64_t rows,
                     std::int64_t inner, std::int64_t columns) {
  Terms result;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < columns; ++k) {
      ExprId total = expr::constant(pool, 0.0);
      for (std::int64_t l = 0; l < inner; ++l) {
        const ExprId product = expr::mul(pool, a[at(i * inner + l)], b[at(l * columns + k)]);
        total = l == 0 ? product : expr::add(pool, total, product);
      }
      result.push_back(total);
    }
  }
  return result;
}

namespace {

Terms cross_product(expr::Pool& pool, TermSpan a, TermSpan b) {
  Terms result;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t k = (i + 1) % 3, l = (i + 2) % 3;
    result.push_back(expr::sub(pool, expr::mul(pool, a[k], b[l]), expr::mul(pool, a[l], b[k])));
  }
  return result;
}

Terms transposed(TermSpan a, std::int64_t rows, std::int64_t columns) {
  Terms result;
  for (std::int64_t k = 0; k < columns; ++k) {
    for (std::int64_t i = 0; i < rows; ++i) result.push_back(a[at(i * columns + k)]);
  }
  return result;
}

Terms diagonal(expr::Pool& pool, TermSpan a) {
  Terms result(a.size() * a.size(), expr::constant(pool, 0.0));
  for (std::size_t i = 0; i < a.size(); ++i) result[i * a.size() + i] = a[i];
  return result;
}

}  // namespace

std::optional<Terms> vector_function(expr::Pool& pool, Builtin builtin, TermSpan a, TermSpan b,
                                     std::int64_t rows, std::int64_t columns) {
  const auto count = static_cast<std::int64_t>(a.size());
  const auto others = static_cast<std::int64_t>(b.size());
  switch (builtin) {
    case Builtin::Outer: return matrix_product(pool, a, b, count, 1, others);
    case Builtin::Diag: return diagonal(pool, a);
    case Builtin::Identity: return diagonal(pool, Terms(at(rows), expr::constant(pool, 1.0)));
    case Builtin::Norm:
      return Terms{
          expr::unary(pool, expr::Op::Sqrt, matrix_product(pool, a, a, 1, count, 1).front())};
    case Builtin::Transpose:
      if (rows * columns != count) return std::nullopt;
      return transposed(a, rows, columns);
    default: break;
  }
  if (count != others) return std::nullopt;
  switch (builtin) {
    case Builtin::Dot: return matrix_product(pool, a, b, 1, count, 1);
    case Builtin::Cross:
      if (count != 3) return std::nullopt;
      return cross_product(pool, a, b);
    case Builtin::Times: return by_elements(pool, BinaryOp::Mul, a, false, b, false);
    case Builtin::Divide: return by_elements(pool, BinaryOp::Div, a, false, b, false);
    default: return std::nullopt;
  }
}

}  // namespace chi::flat
