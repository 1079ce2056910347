#pragma once
#include <string>
#include <string_view>

#include "base/visible_text.h"

namespace chi::results {

/// Text for people as it stands between the tags of SVG and HTML.
inline std::string in_markup(std::string_view text) {
  std::string out;
  for (const char c : visible_line(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace chi::results
