#pragma once
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"

namespace chi::sim {

/// On which side of a border the part is, just after the present instant.
enum class Side : std::int8_t {
  Minus = -1,
  On = 0,  ///< the difference is zero and stays zero
  Plus = 1,
  Slide = 2,  ///< kept on the border by both sides: Filippov's sliding motion
  None = 3,   ///< the difference has no value
  /// Zero as long as another border, the leader, slides; changes its sign with that one.
  Follow = 4,
  /// Near zero, where nothing steps: the equations look at the value, at any time.
  Kink = 5,
  /// Zero because of all that slides, which leaves open what its own sides contribute: some share.
  Rest = 6,
};

/// Whether the equations have both sides in them.
constexpr bool is_open(Side side) { return side > Side::Plus && side != Side::None; }

/// The side of one border. A border that follows another one names it: without the leader its side
/// would mean nothing, so there is no way to make such a value without one.
class Stand {
 public:
  constexpr Stand() = default;
  /// Requires: `side` is not Side::Follow.
  constexpr Stand(Side side) : code_(static_cast<std::int32_t>(side)) {  // NOLINT: a side stands
    CHI_CHECK(side != Side::Follow, "a border that follows has a leader");
  }
  /// Changes its sign with `leader`, in the same direction (orientation 1) or the other one (-1).
  static constexpr Stand follow(int leader, int orientation) {
    CHI_CHECK(leader >= 0 && (orientation == 1 || orientation == -1), "a leader and a direction");
    Stand result;
    result.code_ = kFirstLeader + 2 * leader + (orientation > 0 ? 1 : 0);
    return result;
  }

  constexpr Side side() const {
    return code_ >= kFirstLeader ? Side::Follow : static_cast<Side>(code_);
  }
  constexpr operator Side() const { return side(); }  // NOLINT: most readers want the side alone
  /// Requires: side() is Side::Follow.
  constexpr int leader() const {
    CHI_CHECK(code_ >= kFirstLeader, "only a border that follows has a leader");
    return (code_ - kFirstLeader) / 2;
  }
  constexpr int orientation() const { return (code_ - kFirstLeader) % 2 != 0 ? 1 : -1; }

  friend constexpr bool operator==(Stand, Stand) = default;
  friend constexpr auto operator<=>(Stand, Stand) = default;
  friend constexpr bool operator==(Stand a, Side b) { return a.side() == b; }

 private:
  static constexpr std::int32_t kFirstLeader = 16;  // behind all sides
  std::int32_t code_ = 0;                           // a side, or the leader and the orientation
};

/// By border: all that names a mode. Two values are equal if they name the same mode; what is kept
/// of a mode is kept under this and nothing less.
using Sides = std::vector<Stand>;

/// The side of a border; of one that follows: by the side of its leader, unless that slides.
Side side_of(const Sides& sides, int border);

}  // namespace chi::sim
