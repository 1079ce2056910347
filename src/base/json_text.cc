#include "base/json_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/utf8.h"
#include "base/visible_text.h"

namespace chi {
namespace {

bool is_plain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

void append_escape(std::string& out, char32_t c) {
  if (c < 0x10000) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    return;
  }
  const auto rest = static_cast<unsigned>(c) - 0x10000;  // a pair of surrogates
  out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

}  // namespace

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  while (true) {
    // Nearly all text is plain, and goes in pieces.
    const auto end = std::find_if_not(text.begin(), text.end(), is_plain);
    out.append(text.begin(), end);
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
    if (text.empty()) break;
    const CodePoint c = decode_utf8(text);
    if (!c.valid) {
      out += "\xEF\xBF\xBD";
    } else if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += static_cast<char>(c.value);
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (is_unseen(c.value)) {
      append_escape(out, c.value);
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  out += '"';
  return out;
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string json_real(double value) {
  if (!std::isinf(value)) return json_number(value);
  return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
}

}  // namespace chi
