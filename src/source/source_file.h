#pragma once
#include <cstdint>
#include <memory>
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

/// The text of one file with its name, and of the main file of a model those that it imports. Any
/// bytes may be in them.
///
/// All files of a model share one space of offsets: the main one begins at 0, each imported one
/// behind the one before it. So a span says which file it is in, and is as small as that of a
/// single file (docs/decisions/007-one-space-of-offsets.md).
class SourceFile {
 public:
  SourceFile(std::string name, std::string text, std::int32_t base = 0);

  /// Adds a file behind the others. Requires room for it (`has_room`). The reference stays valid.
  SourceFile& add(std::string name, std::string text);
  bool has_room(std::size_t bytes) const;
  /// Number of files, with this one; `file(0)` is this one, the others are in order of `add`.
  std::int32_t file_count() const { return 1 + static_cast<std::int32_t>(imported_.size()); }
  const SourceFile& file(std::int32_t number) const;
  /// The file that an offset is in; O(log files).
  const SourceFile& at(std::int32_t offset) const;

  std::int32_t begin() const { return base_; }
  std::int32_t end() const { return base_ + static_cast<std::int32_t>(text_.size()); }
  std::string_view name() const { return name_; }
  std::string_view text() const { return text_; }
  /// The next three look into the file that the span or offset is in.
  std::string_view text(Span span) const;        ///< clipped to the file
  Position position(std::int32_t offset) const;  ///< O(log size)
  /// "file:line:column", as it stands in event logs.
  std::string where(Span span) const;

  // Lines of this file.
  int line_count() const { return static_cast<int>(line_starts_.size()); }
  std::string_view line(int number) const;  ///< without its line end; number from 1
  std::int32_t line_start(int number) const {
    return line_starts_[static_cast<std::size_t>(number - 1)];
  }

  /// The files that an import at this place in the text brings in (numbers as in `file`), as the
  /// reader of files found them.
  struct Link {
    Span module;  ///< the name of the module, where it stands
    std::int32_t file = 0;
  };
  std::vector<Link> links = {};

 private:
  std::string name_;
  std::string text_;
  std::int32_t base_ = 0;
  std::vector<std::int32_t> line_starts_;
  /// Of lines that are long: columns on the way, so that thousands of reports on one line do not
  /// each count from its start.
  struct Milestone {
    std::int32_t offset = 0;
    int column = 1;
  };
  std::vector<Milestone> milestones_;
  void measure_line(std::int32_t begin, std::int32_t end);
  std::vector<std::unique_ptr<SourceFile>> imported_;
};

/// Largest source text accepted, of a file and of all files of a model together: spans are 32-bit,
/// and nobody writes more by hand.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{512} << 20;

}  // namespace chi
