#include "base/json_text.h"

#include <cmath>

#include <fmt/format.h>

#include "base/utf8.h"

namespace chi {

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
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
    } else if (c.value < 0x20 || c.value == 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c.value));
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
