#include "expr/op.h"

#include <array>

namespace chi::expr {
namespace {

constexpr std::array<std::string_view, kOpCount> kNames = {
    "constant", "boolean", "variable", "time", "discrete", "discrete", "parameter", "parameter",
    "undefined",
    // one real operand
    "-", "abs", "sign", "floor", "ceil", "round",
#define CHI_ELEMENTARY(name, text, ...) text,
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
    "^",
    // two
    "+", "-", "*", "/", "^", "min", "max", "atan2", "<", "<=", ">", ">=", "=", "/=",
    // the rest
    "not", "and", "or", "if", "if", "call", "delay"};
static_assert(!kNames.back().empty());

}  // namespace

std::string_view op_name(Op op) { return kNames[static_cast<std::size_t>(op)]; }

Domain domain_of(Op op) {
  switch (op) {
#define CHI_ELEMENTARY(name, text, value, domain, ...) \
  case Op::name:                                       \
    return Domain::domain;
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
    default: return Domain::Everywhere;
  }
}

}  // namespace chi::expr
