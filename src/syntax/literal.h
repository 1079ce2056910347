#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chi::syntax {

/// The value of decimal digits; none beyond 64 bits signed.
std::optional<std::int64_t> integer_value(std::string_view digits);

/// The value of a χ number; none beyond the range of a double. Rounds to nearest; what is too small
/// becomes zero.
std::optional<double> real_value(std::string_view number);

/// The text between the quotes of a string literal, escapes replaced. A missing closing quote and
/// wrong escapes, which the lexer has reported, are taken as they stand.
std::string string_value(std::string_view literal);

}  // namespace chi::syntax
