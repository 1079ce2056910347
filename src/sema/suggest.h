#pragma once
#include <span>
#include <string>
#include <string_view>

#include "sema/context.h"

namespace chi::sema {

/// What kind of name is missing.
enum class Wanted { Value, Type, Part };

/// The candidate nearest to `name`, if it is near enough to be a slip of the pen; else empty.
/// Adjacent letters swapped count as one slip. Of equally near ones the first.
std::string nearest(std::string_view name, std::span<const std::string_view> candidates);

/// "did you mean `...`?" for a name that is not declared, from what is visible here and of the
/// wanted kind; else empty. Only the first hundred missing names of a model are searched for.
std::string suggest(Context& c, Symbol name, Wanted wanted);

}  // namespace chi::sema
