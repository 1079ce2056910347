#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"

namespace chi {

/// Line and column as people and editors count them: from 1; a column is a code point.
struct Position {
  int line = 1;
  int column = 1;
};

/// The text of one model with its name. Any bytes may be in it.
class SourceFile {
 public:
  SourceFile(std::string name, std::string text);

  std::string_view name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const;        ///< clipped to the file
  Position position(std::int32_t offset) const;  ///< O(log lines + length of the line)
  int line_count() const { return static_cast<int>(line_starts_.size()); }
  std::string_view line(int number) const;  ///< without its line end; number from 1
  std::int32_t line_start(int number) const {
    return line_starts_[static_cast<std::size_t>(number - 1)];
  }
  /// "file:line:column", as it stands in event logs.
  std::string where(Span span) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::int32_t> line_starts_;
};

/// Largest source text accepted: spans are 32-bit, and nobody writes more by hand.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{512} << 20;

}  // namespace chi
