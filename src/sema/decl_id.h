#pragma once
#include <cstdint>
#include <string_view>

#include "base/id.h"

namespace chi::sema {

using DeclId = Id<struct DeclTag>;

enum class Builtin : std::uint8_t {
#define CHI_BUILTIN(name, text) name,
#include "sema/builtins.def"
#undef CHI_BUILTIN
};
std::string_view builtin_text(Builtin builtin);

}  // namespace chi::sema
