#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chi::results {

/// The rows of one run: time and the recorded variables, in time order. At an event there are two
/// rows with the same time, before and after.
struct Trace {
  enum class Kind : std::uint8_t { Real, Integer, Boolean };
  std::vector<std::string> names;
  std::vector<Kind> kinds;
  /// Per variable the unit that its numbers are in, "" if it has none. Empty if no variable has
  /// one.
  std::vector<std::string> units;
  std::vector<double> times;
  std::vector<std::vector<double>>
      columns;  ///< per variable; integers beyond 2^53 lose their last digits
  std::size_t rows() const { return times.size(); }
  std::string_view unit(std::size_t variable) const {
    return units.empty() ? std::string_view() : units[variable];
  }
  /// Name and unit as people read them: `p [bar]`.
  std::string label(std::size_t variable) const {
    const std::string_view u = unit(variable);
    return u.empty() ? names[variable] : names[variable] + " [" + std::string(u) + "]";
  }
};

/// Whether `name` matches one of the patterns, in which `*` stands for any text and `?` for any
/// character. No patterns: everything matches.
bool matches(const std::vector<std::string>& patterns, std::string_view name);

/// The number of the first pattern that `name` matches; their count if it matches none. What is
/// asked for comes in the order in which it is asked for: of this number, then as in the model.
std::size_t first_match(const std::vector<std::string>& patterns, std::string_view name);

}  // namespace chi::results
