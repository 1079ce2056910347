#pragma once
#include <cstddef>
#include <string_view>

namespace chi {

/// The code point at the start of `text` and how many bytes it takes. Malformed, overlong and
/// surrogate sequences give {U+FFFD, 1}, with `valid` false. Requires a non-empty text.
struct CodePoint {
  char32_t value = 0xFFFD;
  std::size_t bytes = 1;
  bool valid = false;
};
CodePoint decode_utf8(std::string_view text);

}  // namespace chi
