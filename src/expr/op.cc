#include "expr/op.h"

#include <array>

namespace chi::expr {
namespace {

constexpr std::array<std::string_view, kOpCount> kNames = {
    "constant",  "boolean", "variable", "time", "discrete", "discrete", "parameter", "parameter",
    "undefined", "-",       "abs",      "sign", "floor",    "ceil",     "round",     "sqrt",
    "cbrt",      "exp",     "ln",       "log",  "sin",      "cos",      "tan",       "asin",
    "acos",      "atan",    "sinh",     "cosh", "tanh",     "asinh",    "acosh",     "atanh",
    "^",         "+",       "-",        "*",    "/",        "^",        "min",       "max",
    "atan2",     "<",       "<=",       ">",    ">=",       "=",        "/=",        "not",
    "and",       "or",      "if",       "if",   "call",     "delay"};

}  // namespace

std::string_view op_name(Op op) { return kNames[static_cast<std::size_t>(op)]; }

}  // namespace chi::expr
