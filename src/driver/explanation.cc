#include "driver/explanation.h"

#include <cctype>

#include <fmt/format.h>

namespace chi::driver {

std::string_view diagnostics_pages();  // docs/diagnostics, by cmake/EmbedText.cmake

// A page is a row of sections, each under a heading "## E2014: a title".
std::optional<std::string> explanation(std::string_view code) {
  std::string wanted;
  for (const char c : code)
    wanted += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (wanted.size() != 5) return std::nullopt;
  const std::string_view pages = diagnostics_pages();
  const std::string heading = fmt::format("\n## {}: ", wanted);
  const std::size_t begin = pages.find(heading);
  if (begin == std::string_view::npos) return std::nullopt;
  std::size_t end = begin + 1;
  do {
    end = std::min(pages.find("\n#", end), pages.size());
    // A heading, and not a line of a block of code.
  } while (end < pages.size() && !pages.substr(end).starts_with("\n## ") &&
           !pages.substr(end).starts_with("\n# ") && ++end > 0);
  std::string text(pages.substr(begin + 4, end - begin - 4));
  while (text.ends_with('\n')) text.pop_back();
  return text + "\n";
}

}  // namespace chi::driver
