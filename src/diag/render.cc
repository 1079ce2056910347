#include "diag/render.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/utf8.h"
#include "base/visible_text.h"
#include "source/source_file.h"

namespace chi {
namespace {

constexpr int kTab = 4;        // columns to which a tab is widened
constexpr int kContext = 110;  // a longer line is clipped around the span

struct Palette {
  const char *error = "", *warning = "", *note = "", *frame = "", *bold = "", *off = "";
};
constexpr Palette kPlain{};
constexpr Palette kColors{"\033[1;31m", "\033[1;33m", "\033[1;36m",
                          "\033[34m",   "\033[1m",    "\033[0m"};

const char* color_of(Severity severity, const Palette& colors) {
  switch (severity) {
    case Severity::Error: return colors.error;
    case Severity::Warning: return colors.warning;
    case Severity::Note: break;
  }
  return colors.note;
}

/// Columns of a terminal that a character takes: combining marks and invisible ones none, those of
/// East Asian scripts and pictures two. The blocks of Unicode, not each character.
int columns_of(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kNone[] = {{0x300, 0x36F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
  constexpr Range kTwo[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                            {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                            {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
  const auto in = [c](const Range& r) { return r.first <= c && c <= r.last; };
  if (std::any_of(std::begin(kNone), std::end(kNone), in)) return 0;
  return std::any_of(std::begin(kTwo), std::end(kTwo), in) ? 2 : 1;
}

/// A source line made printable: tabs widened, unseen characters and broken UTF-8 as
/// `visible_line` has them.
/// `column[i]` is where byte i of the line starts.
struct Shown {
  std::string text;  // as UTF-8
  std::vector<int> column;
  std::vector<std::size_t> byte;  // where in `text` each column starts
  int width = 0;
};

Shown show(std::string_view line) {
  Shown shown;
  std::size_t at = 0;
  const auto put = [&](std::string_view character) {
    shown.byte.push_back(shown.text.size());
    shown.text += character;
    ++shown.width;
  };
  while (at < line.size()) {
    const CodePoint c = decode_utf8(line.substr(at));
    for (std::size_t i = 0; i < c.bytes; ++i) shown.column.push_back(shown.width);
    if (c.value == '\t') {
      do put(" ");
      while (shown.width % kTab != 0);
    } else if (!c.valid || is_unseen(c.value)) {
      for (const char shown_as : visible_line(line.substr(at, c.bytes)))
        put(std::string_view(&shown_as, 1));
    } else {
      const int width = columns_of(c.value);
      if (width == 0) shown.text += line.substr(at, c.bytes);
      if (width > 0) put(line.substr(at, c.bytes));
      if (width == 2) put("");
    }
    at += c.bytes;
  }
  shown.column.push_back(shown.width);
  shown.byte.push_back(shown.text.size());
  return shown;
}

/// What is underlined in one line, as bytes of the text.
struct Mark {
  Span span;
  bool primary = false;
  std::string text;
};
using Marks = std::map<int, std::vector<Mark>>;  // by line number

/// `source` is the file that the span is in.
void add_mark(Marks& marks, const SourceFile& source, Span span, bool primary, std::string text) {
  span.begin = std::clamp(span.begin, source.begin(), source.end());
  span.end = std::clamp(span.end, span.begin, source.end());
  marks[source.position(span.begin).line].push_back({span, primary, std::move(text)});
}

/// The bytes of a line that can be shown at all: all of it, or of a very long one what is near
/// `offset`.
Span visible(const SourceFile& source, int number, std::int32_t offset) {
  constexpr std::int32_t kBefore = 1000, kAfter = 2000;
  const std::int32_t start = source.line_start(number);
  Span part{start, start + static_cast<std::int32_t>(source.line(number).size())};
  part.end = std::min(part.end, offset + kAfter);
  part.begin = std::max(part.begin, offset - kBefore);
  return part;
}

/// The part [from, to) of the line's columns.
std::string columns(const Shown& shown, int from, int to) {
  const std::size_t begin = shown.byte[static_cast<std::size_t>(std::min(from, shown.width))];
  const std::size_t end = shown.byte[static_cast<std::size_t>(std::min(to, shown.width))];
  return shown.text.substr(begin, end - begin);
}

void render_line(std::string& out, const SourceFile& source, int number,
                 const std::vector<Mark>& marks, int gutter, const char* accent,
                 const Palette& colors) {
  const Span part = visible(source, number, marks.front().span.begin);
  const Shown shown = show(source.text(part));
  const auto column = [&](std::int32_t offset) {
    const auto i = std::clamp<std::int32_t>(offset - part.begin, 0,
                                            static_cast<std::int32_t>(shown.column.size()) - 1);
    return shown.column[static_cast<std::size_t>(i)];
  };
  const bool cut_before = part.begin > source.line_start(number);
  int from = 0;
  int to = shown.width;
  if (shown.width > kContext) {
    from = std::max(
        0, std::min(column(marks.front().span.begin) - kContext / 3, shown.width - kContext));
    to = from + kContext;
  }
  const bool dots = from > 0 || cut_before;
  const bool more =
      to < shown.width || source.text({part.end, part.end + 1}).find_first_not_of("\r\n") == 0;
  out += fmt::format("{}{:>{}} |{} {}{}{}\n", colors.frame, number, gutter, colors.off,
                     dots ? "..." : "", columns(shown, from, to), more ? "..." : "");
  const int shift = (dots ? 3 : 0) - from;
  for (const Mark& mark : marks) {
    const int begin = std::clamp(column(mark.span.begin), from, to) + shift;
    const int end = std::max(begin + 1, std::clamp(column(mark.span.end), from, to) + shift);
    const char* color = mark.primary ? accent : colors.frame;
    out += fmt::format("{}{:>{}} |{} {}{}{}{}{}{}\n", colors.frame, "", gutter, colors.off,
                       std::string(static_cast<std::size_t>(begin), ' '), color,
                       std::string(static_cast<std::size_t>(end - begin), mark.primary ? '^' : '-'),
                       mark.text.empty() ? "" : " ", visible_line(mark.text), colors.off);
  }
}

/// A fact or a help, further lines under the first.
void render_footer(std::string& out, std::string_view kind, std::string_view text, int gutter,
                   const Palette& colors) {
  std::string lines = visible_text(text);
  const std::string indent =
      "\n" + std::string(static_cast<std::size_t>(gutter) + 5 + kind.size(), ' ');
  for (std::size_t at = lines.find('\n'); at != std::string::npos;
       at = lines.find('\n', at + indent.size())) {
    lines.replace(at, 1, indent);
  }
  out += fmt::format("{}{:>{}} ={} {}{}:{} {}\n", colors.frame, "", gutter, colors.off, colors.bold,
                     kind, colors.off, lines);
}

/// The marked lines of one file under a line that names it and the place.
void render_file(std::string& out, const SourceFile& file, const Marks& lines,
                 std::string_view arrow, const std::string& where, int gutter, const char* accent,
                 const Palette& colors) {
  out += fmt::format("{}{:>{}}{}{} {}\n", colors.frame, "", gutter, arrow, colors.off,
                     visible_line(where));
  int last = 0;
  for (const auto& [number, marks] : lines) {
    if (last != 0 && number > last + 1) {
      out += fmt::format("{}{:>{}}{}\n", colors.frame, "...", gutter + 2, colors.off);
    }
    render_line(out, file, number, marks, gutter, accent, colors);
    last = number;
  }
}

std::string position_json(const SourceFile& source, std::int32_t offset) {
  const Position p = source.position(offset);
  return fmt::format("{{\"line\":{},\"column\":{},\"offset\":{}}}", p.line, p.column,
                     offset - source.at(offset).begin());
}

}  // namespace

std::string render_text(const Diagnostic& diagnostic, const SourceFile& source, bool color) {
  const Palette& colors = color ? kColors : kPlain;
  const Severity severity = severity_of(diagnostic.code);
  const char* accent = color_of(severity, colors);
  std::string out = fmt::format("{}{}[{}]{}{}: {}{}\n", accent, severity_text(severity),
                                code_text(diagnostic.code), colors.off, colors.bold,
                                visible_text(diagnostic.message), colors.off);
  int gutter = 1;
  if (diagnostic.span) {
    // By file: that of the span first, then the others as labels name them.
    std::vector<std::pair<const SourceFile*, Marks>> files{
        {&source.at(diagnostic.span->begin), {}}};
    std::vector<std::string> where{source.where(*diagnostic.span)};
    // A label on the very span says more about it: it stands behind the underline.
    std::string own;
    for (const Label& label : diagnostic.labels) {
      if (label.span == *diagnostic.span) own = label.text;
    }
    add_mark(files.front().second, *files.front().first, *diagnostic.span, true, own);
    for (const Label& label : diagnostic.labels) {
      if (label.span == *diagnostic.span) continue;
      const SourceFile* file = &source.at(label.span.begin);
      auto at =
          std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.first == file; });
      if (at == files.end()) {
        at = files.insert(files.end(), {file, {}});
        where.push_back(source.where(label.span));
      }
      add_mark(at->second, *file, label.span, false, label.text);
    }
    int last = 0;
    for (const auto& [file, lines] : files) last = std::max(last, lines.rbegin()->first);
    gutter = static_cast<int>(std::to_string(last).size()) + 1;
    for (std::size_t f = 0; f < files.size(); ++f) {
      render_file(out, *files[f].first, files[f].second, f == 0 ? "-->" : ":::", where[f], gutter,
                  accent, colors);
    }
  }
  for (const std::string& note : diagnostic.notes) render_footer(out, "note", note, gutter, colors);
  if (!diagnostic.help.empty()) render_footer(out, "help", diagnostic.help, gutter, colors);
  return out;
}

std::string render_json(const Diagnostic& diagnostic, const SourceFile& source) {
  std::string labels;
  for (const Label& label : diagnostic.labels) {
    if (!labels.empty()) labels += ',';
    const SourceFile& file = source.at(label.span.begin);
    const bool elsewhere = !diagnostic.span || &file != &source.at(diagnostic.span->begin);
    labels +=
        fmt::format("{{\"start\":{},\"end\":{},{}\"text\":{}}}",
                    position_json(source, label.span.begin), position_json(source, label.span.end),
                    elsewhere ? fmt::format("\"file\":{},", json_quote(file.name())) : "",
                    json_quote(label.text));
  }
  std::string notes;
  for (const std::string& note : diagnostic.notes) {
    if (!notes.empty()) notes += ',';
    notes += json_quote(note);
  }
  const std::string start =
      diagnostic.span ? position_json(source, diagnostic.span->begin) : "null";
  const std::string end = diagnostic.span ? position_json(source, diagnostic.span->end) : "null";
  return fmt::format(
      "{{\"code\":\"{}\",\"severity\":\"{}\",\"file\":{},\"start\":{},\"end\":{},\"message\":{},"
      "\"labels\":[{}],"
      "\"notes\":[{}],\"help\":{}}}",
      code_text(diagnostic.code), severity_text(severity_of(diagnostic.code)),
      json_quote(diagnostic.span ? source.at(diagnostic.span->begin).name() : source.name()), start,
      end, json_quote(diagnostic.message), labels, notes, json_quote(diagnostic.help));
}

}  // namespace chi
