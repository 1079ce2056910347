#include "syntax/literal.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace chi::syntax {

std::optional<std::int64_t> integer_value(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

namespace {

// About the decimal logarithm of a number: the place of its first digit that is not zero.
std::int64_t decimal_order(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  const std::string_view mantissa = number.substr(0, e);
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const std::size_t first = std::min(mantissa.find_first_not_of("0."), mantissa.size());
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    const bool negative = number[e + 1] == '-';
    const std::size_t start = e + (negative || number[e + 1] == '+' ? 2 : 1);
    constexpr std::int64_t kHuge = std::int64_t{1} << 40;  // beyond any text's length
    exponent = std::min(integer_value(number.substr(start)).value_or(kHuge), kHuge);
    if (negative) exponent = -exponent;
  }
  return point - static_cast<std::int64_t>(first) + exponent;
}

}  // namespace

std::optional<double> real_value(std::string_view number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (end != number.data() + number.size()) return std::nullopt;
  if (error == std::errc{}) return value;
  if (decimal_order(number) > 0) return std::nullopt;
  return 0.0;
}

std::string string_value(std::string_view literal) {
  literal.remove_prefix(1);
  std::string value;
  for (std::size_t i = 0; i < literal.size() && literal[i] != '"'; ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      value += literal[i];
      continue;
    }
    ++i;
    value += literal[i] == 'n' ? '\n' : literal[i] == 't' ? '\t' : literal[i];
  }
  return value;
}

}  // namespace chi::syntax
