#include "base/visible_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/utf8.h"

namespace chi {
namespace {

bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }

std::string visible(std::string_view text, bool is_line) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_plain);
    out.append(text.begin(), end);
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
    if (text.empty()) break;
    const CodePoint c = decode_utf8(text);
    const bool stays = !is_line && (c.value == '\n' || c.value == '\t');
    if (!c.valid) {
      out += fmt::format("<{:02X}>", static_cast<unsigned char>(text.front()));
    } else if (is_unseen(c.value) && !stays) {
      out += fmt::format("<U+{:04X}>", static_cast<unsigned>(c.value));
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace

bool is_unseen(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kUnseen[] = {
      {0x00, 0x1F},        // controls, escape among them
      {0x7F, 0x9F},        // delete, and the controls of eight bits
      {0xAD, 0xAD},        // a hyphen that is seen only at the end of a line
      {0x61C, 0x61C},      // direction
      {0x180E, 0x180E},    // no width
      {0x200B, 0x200F},    // no width, and direction
      {0x2028, 0x202E},    // lines, paragraphs, direction
      {0x2060, 0x206F},    // no width, and direction
      {0xFEFF, 0xFEFF},    // byte order
      {0xFFF9, 0xFFFB},    // annotations
      {0xE0000, 0xE0FFF},  // tags
  };
  return std::any_of(std::begin(kUnseen), std::end(kUnseen),
                     [c](const Range& r) { return r.first <= c && c <= r.last; });
}

std::string visible_text(std::string_view text) { return visible(text, false); }
std::string visible_line(std::string_view text) { return visible(text, true); }

}  // namespace chi
