#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "syntax/dump.h"

namespace chi::syntax {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kDeepest = 60;  // columns of indentation: trees can be thousands deep

std::string_view kind_name(TokenKind kind) {
  constexpr std::string_view kNames[] = {
#define CHI_TOKEN(name, text) #name,
#define CHI_KEYWORD(name, text) #name,
#include "syntax/tokens.def"
#undef CHI_TOKEN
#undef CHI_KEYWORD
  };
  return kNames[static_cast<std::size_t>(kind)];
}

/// For each opening parenthesis the place behind its element: the closing one and what follows up
/// to a space or the end of the list around it. 0 elsewhere, also inside texts and types.
std::vector<std::size_t> ends_of_lists(std::string_view text) {
  std::vector<std::size_t> end(text.size(), 0), open;
  bool quoted = false;
  int braces = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '}') {
      braces += c == '{' ? 1 : -1;
    } else if (braces == 0 && c == '(') {
      open.push_back(i);
    } else if (braces == 0 && c == ')' && !open.empty()) {
      end[open.back()] = i + 1;
      open.pop_back();
    }
  }
  return end;
}

/// The place behind the text, type or single character at `i`.
std::size_t behind_atom(std::string_view text, std::size_t i) {
  if (text[i] == '"') {
    for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
    return std::min(i + 1, text.size());
  }
  if (text[i] == '{') return std::min(text.find('}', i), text.size() - 1) + 1;
  return i + 1;
}

}  // namespace

std::string dump(const Tokens& tokens, const Wanted& wanted) {
  std::string out;
  const SourceFile& source = *tokens.source;
  const auto line = [&](std::string_view kind, Span span) {
    const std::string_view text = source.text(span);
    if (wanted && !wanted(text)) return;
    const Position at = source.position(span.begin);
    out += fmt::format("{:<8}{:<13}{}", fmt::format("{}:{}", at.line, at.column), kind, text);
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  };
  std::size_t comment = 0;
  for (std::size_t i = 0; i < tokens.kinds.size(); ++i) {
    for (; comment < tokens.comments.size() &&
           tokens.comments[comment].before <= static_cast<std::int32_t>(i);
         ++comment) {
      line("comment", tokens.comments[comment].span);
    }
    line(kind_name(tokens.kinds[i]), tokens.spans[i]);
  }
  return out;
}

std::string indented(std::string_view text) {
  struct Level {
    std::size_t indent = 0;
    bool is_head = true;  // only atoms so far: they stay on the line of the parenthesis
  };
  const std::vector<std::size_t> ends = ends_of_lists(text);
  std::vector<Level> levels;
  std::string out;
  std::size_t column = 0;
  const auto put = [&](std::size_t from, std::size_t to) {
    out += text.substr(from, to - from);
    column += to - from;
  };
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') {
      out += c;
      column = 0;
      ++i;
    } else if (ends[i] > 0) {
      if (column + ends[i] - i <= kWidth) {
        put(i, ends[i]);
        i = ends[i];
        continue;
      }
      const std::size_t outer = levels.empty() ? 0 : levels.back().indent;
      levels.push_back({std::min(outer + 2, kDeepest)});
      put(i, i + 1);
      ++i;
    } else if (c == ')' && !levels.empty()) {
      levels.pop_back();
      put(i, i + 1);
      ++i;
    } else if (c == ' ' && !levels.empty()) {
      Level& level = levels.back();
      level.is_head &= ends[i + 1] == 0 && column < kWidth;
      if (level.is_head) {
        put(i, i + 1);
      } else {
        out += '\n' + std::string(level.indent, ' ');
        column = level.indent;
      }
      ++i;
    } else {
      const std::size_t end = behind_atom(text, i);
      put(i, end);
      i = end;
    }
  }
  return out;
}

}  // namespace chi::syntax
