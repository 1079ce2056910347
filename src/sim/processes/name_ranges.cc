#include "sim/processes/name_ranges.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace chi::sim {
namespace {

/// Indices in steps; and maybe the same again, further on, up to one that begins at `repeated`.
struct Range {
  std::int64_t first = 0, last = 0, step = 0;  // step 0: one index
  std::int64_t repeated = 0, shift = 0;        // shift 0: not again
  bool operator==(const Range&) const = default;
};

struct Piece {
  std::string pattern;  // without_indices
  std::vector<Range> ranges;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The length of an index that stands in brackets at the beginning of `text`: "[12]...". 0 if there
/// is none.
std::size_t index_length(std::string_view text) {
  if (text.empty() || text[0] != '[') return 0;
  std::size_t end = 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end > 1 && end < 19 && end < text.size() && text[end] == ']' ? end + 1 : 0;
}

Piece piece_of(std::string_view name) {
  Piece piece{without_indices(name), {}};
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t length = index_length(name.substr(i));
    if (length > 0) {
      std::int64_t index = 0;
      std::from_chars(name.data() + i + 1, name.data() + i + length - 1, index);
      piece.ranges.push_back({.first = index, .last = index});
    }
    i += std::max<std::size_t>(length, 1);
  }
  return piece;
}

/// Adds one more index in the same step. False if it is none.
bool add_index(Range& range, const Range& next) {
  const std::int64_t step = next.first - range.last;
  if (next.step != 0 || step <= 0 || (range.step != 0 && range.step != step)) return false;
  range.last = next.last;
  range.step = step;
  return true;
}

/// Adds the same indices once more. False if they are others.
bool add_repetition(Range& range, const Range& next) {
  const std::int64_t before = range.shift == 0 ? range.first : range.repeated;
  const std::int64_t shift = next.first - before;
  if (next.step != range.step || next.last - next.first != range.last - range.first) return false;
  if (next.shift != 0 || shift <= 0 || (range.shift != 0 && range.shift != shift)) return false;
  range.repeated = next.first;
  range.shift = shift;
  return true;
}

/// Merges what goes on from the one before it in index number `d`.
void merge(std::vector<Piece>& pieces, std::size_t d, bool (*add)(Range&, const Range&)) {
  const auto extends = [&](Piece& before, const Piece& next) {
    if (before.pattern != next.pattern || d >= next.ranges.size()) return false;
    for (std::size_t i = 0; i < next.ranges.size(); ++i) {
      if (i != d && before.ranges[i] != next.ranges[i]) return false;
    }
    return add(before.ranges[d], next.ranges[d]);
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (kept > 0 && extends(pieces[kept - 1], pieces[i])) continue;
    if (kept != i) pieces[kept] = std::move(pieces[i]);
    ++kept;
  }
  pieces.resize(kept);
}

std::string range_text(std::int64_t first, std::int64_t last, std::int64_t step) {
  if (step == 0) return fmt::format("{}", first);
  if (step == 1) return fmt::format("{}..{}", first, last);
  if (first + step == last) return fmt::format("{}, {}", first, last);
  return fmt::format("{}..{} by {}", first, last, step);
}

std::string range_text(const Range& range) {
  const auto from = [&](std::int64_t first) {
    return range_text(first, first + range.last - range.first, range.step);
  };
  if (range.shift == 0) return from(range.first);
  const std::int64_t second = range.first + range.shift;
  if (second == range.repeated) return fmt::format("{}, {}", from(range.first), from(second));
  return fmt::format("{}, {}, ..., {}", from(range.first), from(second), from(range.repeated));
}

std::string piece_text(const Piece& piece) {
  std::string text = "`";
  std::size_t next = 0;
  for (const char c : piece.pattern) {
    if (c == '\0') {
      text += range_text(piece.ranges[next++]);
    } else {
      text += c;
    }
  }
  return text + "`";
}

}  // namespace

std::string without_indices(std::string_view text) {
  std::string pattern;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = index_length(text.substr(i));
    if (length > 0) {
      pattern.append("[\0]", 3);
      i += length;
    } else {
      pattern += text[i++];
    }
  }
  return pattern;
}

std::string name_ranges(std::span<const std::string> names, std::size_t most) {
  std::vector<Piece> pieces;
  std::size_t indices = 0;
  for (const std::string& name : names) {
    Piece piece = piece_of(name);
    indices = std::max(indices, piece.ranges.size());
    pieces.push_back(std::move(piece));
  }
  // The last index changes fastest: rows first, then rows of rows.
  for (std::size_t d = indices; d-- > 0;) {
    merge(pieces, d, add_index);
    merge(pieces, d, add_repetition);
  }
  if (pieces.size() > most) return fmt::format("`{}` to `{}`", names.front(), names.back());
  std::string text;
  for (const Piece& piece : pieces) {
    if (!text.empty()) text += ", ";
    text += piece_text(piece);
  }
  return text;
}

}  // namespace chi::sim
