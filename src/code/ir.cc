#include "code/ir.h"

#include <array>

namespace chi::code {
namespace {

struct OpInfo {
  std::string_view text;
  std::string_view kinds;
};

constexpr std::array kOps = {
#define CHI_OP(name, kinds) OpInfo{#name, kinds},
#include "code/ops.def"
#undef CHI_OP
};

}  // namespace

std::string_view op_text(Op op) { return kOps[static_cast<std::size_t>(op)].text; }
std::string_view op_kinds(Op op) { return kOps[static_cast<std::size_t>(op)].kinds; }

}  // namespace chi::code
