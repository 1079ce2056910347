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

/// A line of expr/elementary.def.
constexpr bool is_elementary(Builtin b) { return b > Builtin::Atan2 && b < Builtin::Hd; }
/// A function of one or two numbers: the elementary ones, `abs`, `min`, `floor`, `atan2`, ...
constexpr bool is_scalar_function(Builtin b) { return b < Builtin::Hd; }

}  // namespace chi::sema
