#pragma once
#include <algorithm>
#include <cstdint>

namespace chi {

/// Half-open range of bytes in one source file.
struct Span {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  bool operator==(const Span&) const = default;
};

/// The smallest span that covers both.
inline Span join(Span a, Span b) { return {std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

}  // namespace chi
