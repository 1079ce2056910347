#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace chi::sim {

/// The strategies by which a consistent mode is looked for, in the order in which they are tried
/// first (mode_search.h).
enum class Strategy : std::uint8_t {
  Remembered,       ///< the mode that was found from the same sides before
  StartAsSet,       ///< at the start: all variables keep their start values
  ExactIteration,   ///< mode → values → sides, where next to nothing changes
  Iteration,        ///< mode → values → sides, all changes at once
  OneStep,          ///< the one-step problem proposes, exact orders decide
  Kinks,            ///< continuous switches stay in equations that are solved by hand
  EqualValues,      ///< the modes on both sides have the same values
  ActiveSet,        ///< all changes at once, surfaces slide before they are crossed
  AllKinks,         ///< continuous switches stay in all equations
  WholeLaws,        ///< equations solved with their `if`s, wherever they are
  Resting,          ///< a reached surface keeps the side it has
  Touch,            ///< an impulse of a surface that is touched
  SharedRest,       ///< sliding on some surfaces while others rest with them
  ByValue,          ///< a mode that its values, if not their derivatives, agree with
};
inline constexpr std::size_t kStrategies = static_cast<std::size_t>(Strategy::ByValue) + 1;

/// What `--stats` and the event log call it.
std::string_view name(Strategy strategy);

/// How the consistent modes of a run were found.
struct SearchCounts {
  std::array<std::int64_t, kStrategies> found = {};  ///< searches that ended with the strategy
  std::int64_t failed = 0;                           ///< searches that found no mode
  std::int64_t tried = 0;                            ///< modes solved for on the way

  void note(Strategy strategy) { ++found[static_cast<std::size_t>(strategy)]; }
  void add(const SearchCounts& other);
  std::int64_t searches() const;  ///< all of them
};

}  // namespace chi::sim
