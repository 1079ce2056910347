#include "source/source_file.h"

#include <algorithm>

#include "base/check.h"
#include "base/utf8.h"

namespace chi {

SourceFile::SourceFile(std::string name, std::string text, std::int32_t base)
    : name_(std::move(name)), text_(std::move(text)), base_(base) {
  CHI_CHECK(text_.size() <= kMaxSourceBytes, "the reader of files refuses larger ones");
  line_starts_.push_back(base_);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] != '\n') continue;
    const std::int32_t next = base_ + static_cast<std::int32_t>(i + 1);
    measure_line(line_starts_.back(), next);
    line_starts_.push_back(next);
  }
  measure_line(line_starts_.back(), end());
}

void SourceFile::measure_line(std::int32_t begin, std::int32_t end) {
  constexpr std::int32_t kApart = 1024;
  if (end - begin <= kApart) return;
  std::string_view rest = text({begin, end});
  Milestone at{begin, 1};
  for (std::int32_t next = begin + kApart; next < end; next += kApart) {
    while (at.offset < next) {
      const auto bytes = static_cast<std::int32_t>(decode_utf8(rest).bytes);
      rest.remove_prefix(static_cast<std::size_t>(bytes));
      at.offset += bytes;
      ++at.column;
    }
    milestones_.push_back(at);
  }
}

bool SourceFile::has_room(std::size_t bytes) const {
  const std::int32_t used = file(file_count() - 1).end();
  return bytes < kMaxSourceBytes - std::min(kMaxSourceBytes, static_cast<std::size_t>(used));
}

SourceFile& SourceFile::add(std::string name, std::string text) {
  // One offset between two files belongs to the end of the first: a place there is unambiguous.
  const std::int32_t base = file(file_count() - 1).end() + 1;
  imported_.push_back(std::make_unique<SourceFile>(std::move(name), std::move(text), base));
  return *imported_.back();
}

const SourceFile& SourceFile::file(std::int32_t number) const {
  return number == 0 ? *this : *imported_[static_cast<std::size_t>(number - 1)];
}

const SourceFile& SourceFile::at(std::int32_t offset) const {
  const auto next =
      std::upper_bound(imported_.begin(), imported_.end(), offset,
                       [](std::int32_t o, const auto& file) { return o < file->begin(); });
  return next == imported_.begin() ? *this : **(next - 1);
}

std::string_view SourceFile::text(Span span) const {
  const SourceFile& in = at(span.begin);
  const auto size = static_cast<std::int32_t>(in.text_.size());
  const std::int32_t begin = std::clamp(span.begin - in.base_, 0, size);
  const std::int32_t end = std::clamp(span.end - in.base_, begin, size);
  return std::string_view(in.text_).substr(static_cast<std::size_t>(begin),
                                           static_cast<std::size_t>(end - begin));
}

Position SourceFile::position(std::int32_t offset) const {
  const SourceFile& in = at(offset);
  const auto next = std::upper_bound(in.line_starts_.begin(), in.line_starts_.end(), offset);
  const auto line = std::max(1, static_cast<int>(next - in.line_starts_.begin()));
  Milestone from{in.line_start(line), 1};
  const auto behind =
      std::upper_bound(in.milestones_.begin(), in.milestones_.end(), offset,
                       [](std::int32_t o, const Milestone& m) { return o < m.offset; });
  if (behind != in.milestones_.begin() && (behind - 1)->offset > from.offset) from = *(behind - 1);
  std::string_view before = in.text({from.offset, offset});
  int column = from.column;
  while (!before.empty()) {
    before.remove_prefix(decode_utf8(before).bytes);
    ++column;
  }
  return {line, column};
}

std::string_view SourceFile::line(int number) const {
  const std::int32_t begin = line_start(number);
  const std::int32_t end = number < line_count() ? line_start(number + 1) : this->end();
  std::string_view line = text({begin, end});
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

std::string SourceFile::where(Span span) const {
  const Position p = position(span.begin);
  return at(span.begin).name_ + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
}

}  // namespace chi
