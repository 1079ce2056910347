#include "flat/library_ops.h"

#include "base/check.h"

namespace chi::flat {

using expr::Op;
using sema::Builtin;

Op unary_op(Builtin builtin) {
  using enum Builtin;
  switch (builtin) {
    case Abs: return Op::Abs;
    case Sign: return Op::Sign;
    case Floor: return Op::Floor;
    case Ceil: return Op::Ceil;
    case Round: return Op::Round;
    case Sqrt: return Op::Sqrt;
    case Cbrt: return Op::Cbrt;
    case Exp: return Op::Exp;
    case Ln: return Op::Ln;
    case Log: return Op::Log10;
    case Sin: return Op::Sin;
    case Cos: return Op::Cos;
    case Tan: return Op::Tan;
    case Asin: return Op::Asin;
    case Acos: return Op::Acos;
    case Atan: return Op::Atan;
    case Sinh: return Op::Sinh;
    case Cosh: return Op::Cosh;
    case Tanh: return Op::Tanh;
    case Asinh: return Op::Asinh;
    case Acosh: return Op::Acosh;
    case Atanh: return Op::Atanh;
    default: CHI_CHECK(false, "no function of one number"); return Op::Neg;
  }
}

Op binary_op(Builtin builtin) {
  return builtin == Builtin::Min ? Op::Min : builtin == Builtin::Max ? Op::Max : Op::Atan2;
}

}  // namespace chi::flat
