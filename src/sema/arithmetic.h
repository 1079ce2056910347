#pragma once
#include <cstdint>
#include <optional>

/// Integers as χ has them: 64 bits, checked (language.md §3). Empty means overflow, or division by
/// zero.
namespace chi::sema {

std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> checked_sub(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> floor_div(std::int64_t a, std::int64_t b);  ///< towards minus infinity
std::optional<std::int64_t> floor_mod(std::int64_t a, std::int64_t b);  ///< a - b*(a div b)
/// Requires exponent >= 0. 0^0 is 1.
std::optional<std::int64_t> checked_pow(std::int64_t base, std::int64_t exponent);
/// A whole number as an integer; empty if it does not fit.
std::optional<std::int64_t> to_integer(double value);

}  // namespace chi::sema
