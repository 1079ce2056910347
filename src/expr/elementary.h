#pragma once
#include <cstdint>

namespace chi::expr {

/// Where an elementary function (expr/elementary.def) has a value.
enum class Domain : std::uint8_t {
  Everywhere,
  NotNegative,  ///< x >= 0
  Positive,     ///< x > 0
  UpToOne,      ///< |x| <= 1
  BelowOne,     ///< |x| < 1
  FromOne,      ///< x >= 1
};

/// What is not a number is in every domain: it passes through.
constexpr bool contains(Domain domain, double x) {
  switch (domain) {
    case Domain::Everywhere: return true;
    case Domain::NotNegative: return !(x < 0);
    case Domain::Positive: return !(x <= 0);
    case Domain::UpToOne: return !(x < -1 || x > 1);
    case Domain::BelowOne: return !(x <= -1 || x >= 1);
    case Domain::FromOne: return !(x < 1);
  }
  return true;
}

}  // namespace chi::expr
