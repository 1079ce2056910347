#include "sim/part/sides.h"

namespace chi::sim {

Side side_of(const Sides& sides, int border) {
  const Stand stand = sides[static_cast<std::size_t>(border)];
  if (stand != Side::Follow) return stand;
  const Side first = sides[static_cast<std::size_t>(stand.leader())];
  if (first == Side::Slide) return Side::Follow;
  if (first != Side::Plus && first != Side::Minus) return Side::On;
  return static_cast<Side>(static_cast<int>(first) * stand.orientation());
}

}  // namespace chi::sim
