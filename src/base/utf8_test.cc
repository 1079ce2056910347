#include "base/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace chi {
namespace {

std::string encode(char32_t c) {
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3F))};
  if (c < 0x10000) {
    return {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3F)),
            static_cast<char>(0x80 | (c & 0x3F))};
  }
  return {static_cast<char>(0xF0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 0x3F)),
          static_cast<char>(0x80 | ((c >> 6) & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
}

TEST(DecodeUtf8, ReadsEveryCodePointBack) {
  for (char32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 97) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::string bytes = encode(c);
    const CodePoint found = decode_utf8(bytes + "x");
    ASSERT_TRUE(found.valid) << static_cast<unsigned>(c);
    ASSERT_EQ(static_cast<unsigned>(found.value), static_cast<unsigned>(c));
    ASSERT_EQ(found.bytes, bytes.size());
  }
}

TEST(DecodeUtf8, RefusesWhatIsNoCharacter) {
  for (const char* bytes :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
        "\xF8\x88\x80\x80", "\xFF", "\xE2\x88", "\xC3", "\xC3x"}) {
    const CodePoint found = decode_utf8(bytes);
    EXPECT_FALSE(found.valid) << bytes;
    EXPECT_EQ(found.bytes, 1u);
    EXPECT_EQ(static_cast<unsigned>(found.value), 0xFFFDu);
  }
}

}  // namespace
}  // namespace chi
