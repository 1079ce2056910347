#include "source/source_file.h"

#include <algorithm>

#include "base/check.h"
#include "base/utf8.h"

namespace chi {

SourceFile::SourceFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  CHI_CHECK(text_.size() <= kMaxSourceBytes, "the reader of files refuses larger ones");
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::int32_t>(i + 1));
  }
}

std::string_view SourceFile::text(Span span) const {
  const auto size = static_cast<std::int32_t>(text_.size());
  const std::int32_t begin = std::clamp(span.begin, 0, size);
  const std::int32_t end = std::clamp(span.end, begin, size);
  return std::string_view(text_).substr(static_cast<std::size_t>(begin),
                                        static_cast<std::size_t>(end - begin));
}

Position SourceFile::position(std::int32_t offset) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<int>(next - line_starts_.begin());
  std::string_view before = text({line_start(line), offset});
  int column = 1;
  while (!before.empty()) {
    before.remove_prefix(decode_utf8(before).bytes);
    ++column;
  }
  return {line, column};
}

std::string_view SourceFile::line(int number) const {
  const std::int32_t begin = line_start(number);
  const std::int32_t end =
      number < line_count() ? line_start(number + 1) : static_cast<std::int32_t>(text_.size());
  std::string_view line = text({begin, end});
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

std::string SourceFile::where(Span span) const {
  const Position p = position(span.begin);
  return name_ + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
}

}  // namespace chi
