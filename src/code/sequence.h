#pragma once
#include <cstdint>

#include "code/slot.h"

namespace chi::code {

/// The two slots of a list, set or dictionary. For a list: the elements [begin, begin + length) of
/// the buffer. For a set or dictionary: `length` entries in all, begin is 0 (ordered.h). The buffer
/// may be null when the length is 0, and may be there although the length is 0.
struct Sequence {
  Object* buffer = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
};

inline std::uint32_t sequence_length(const Slot* s) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(s[1].i) >> 32);
}
inline Sequence load_sequence(const Slot* s) {
  return {s[0].o, static_cast<std::uint32_t>(s[1].i), sequence_length(s)};
}
inline void store_sequence(Slot* s, Sequence q) {
  s[0].o = q.buffer;
  s[1].i = static_cast<std::int64_t>(std::uint64_t{q.length} << 32 | q.begin);
}

}  // namespace chi::code
