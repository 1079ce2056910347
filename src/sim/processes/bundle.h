#pragma once
#include <cstdint>

#include "sim/processes/ready_set.h"

namespace chi::sim {

/// Many alternatives of one selection, one behind the other, each on a channel of its own:
/// `[ i: nat <- 0..9999: true; c.i?x -> S ]`.
///
/// The process neither puts out an offer on each of them when it waits, nor takes them back. Who
/// comes to one of the channels asks here whether the process waits; if it does not, he waits
/// himself, and is noted. So an event costs O(log64 n).
///
/// That is the same as offers that are put out if nobody can tell: the process uses the channels
/// here only, and who has their other ends uses them in plain sends and receives only.
struct Bundle {
  std::int32_t process = -1;
  std::int32_t selection = -1;
  std::int32_t first = 0;  ///< alternative of the selection
  std::int32_t count = 0;
  std::int32_t guard = -1;  ///< the register of their guard; -1: it is `true`
  std::int32_t next = -1;   ///< of the same process, behind this one
  ReadySet came;  ///< where somebody came to wait; his end of the channel tells if he does
};

/// So many alternatives are worth it.
constexpr std::int32_t kLeastBundle = 16;

}  // namespace chi::sim
