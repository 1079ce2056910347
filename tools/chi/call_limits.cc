#include "call_limits.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "process.h"
#include "run_settings.h"

namespace chi::cli {
namespace {

/// A positive number and what follows it.
std::optional<double> positive(const std::string& text, std::string_view& rest) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value > 0) || !std::isfinite(value)) return std::nullopt;
  rest = std::string_view(text).substr(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<double> bytes_of(const std::string& text) {
  std::string_view unit;
  const std::optional<double> number = positive(text, unit);
  if (!number) return std::nullopt;
  if (unit == "K") return *number * 0x1p10;
  if (unit.empty() || unit == "M") return *number * 0x1p20;
  if (unit == "G") return *number * 0x1p30;
  return std::nullopt;
}

}  // namespace

void set_limits(const Common& common, Diagnostics& diagnostics) {
  if (common.max_time) {
    std::string_view rest;
    const std::optional<double> seconds = positive(*common.max_time, rest);
    if (seconds && rest.empty()) {
      Process::set_time_limit(*seconds);
    } else {
      bad_option(diagnostics, fmt::format("`--max-time {}` is not a positive number of seconds",
                                          *common.max_time));
    }
  }
  if (!common.max_memory) return;
  constexpr double kMost = 0x1p60;
  const std::optional<double> bytes = bytes_of(*common.max_memory);
  if (!bytes || *bytes > kMost) {
    bad_option(diagnostics, fmt::format("`--max-memory {}` is not a size, as in 500, 500M or 2G",
                                        *common.max_memory));
  } else if (!Process::set_memory_limit(static_cast<std::uint64_t>(*bytes))) {
    bad_option(diagnostics, "`--max-memory`: this system sets no limit on memory");
  }
}

}  // namespace chi::cli
