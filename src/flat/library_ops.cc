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
#define CHI_ELEMENTARY(name, ...) \
  case name:                      \
    return Op::name;
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
    default: CHI_CHECK(false, "no function of one number"); return Op::Neg;
  }
}

Op binary_op(Builtin builtin) {
  return builtin == Builtin::Min ? Op::Min : builtin == Builtin::Max ? Op::Max : Op::Atan2;
}

}  // namespace chi::flat
