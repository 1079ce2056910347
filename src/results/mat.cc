#include "results/mat.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

namespace chi::results {
namespace {

// The digits of a level 4 type: byte order (0: little-endian), 0, number format, 0 full or 1 text.
constexpr std::int32_t kDouble = 0, kInt32 = 20, kText = 51;

void append_int32(std::string& out, std::int32_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((bits >> shift) & 0xFF);
}

void append_double(std::string& out, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>((bits >> shift) & 0xFF);
}

void append_header(std::string& out, std::string_view name, std::int32_t type, std::size_t rows,
                   std::size_t columns) {
  append_int32(out, type);
  append_int32(out, static_cast<std::int32_t>(rows));
  append_int32(out, static_cast<std::int32_t>(columns));
  append_int32(out, 0);  // no imaginary part
  append_int32(out, static_cast<std::int32_t>(name.size() + 1));
  out += name;
  out += '\0';
}

/// A matrix whose columns are texts, filled up with zeros to the longest.
void append_texts(std::string& out, std::string_view name, const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  append_header(out, name, kText, longest, texts.size());
  for (const std::string& text : texts) {
    out += text;
    out.append(longest - text.size(), '\0');
  }
}

/// The one matrix that is not transposed: its rows are the texts.
void append_class(std::string& out) {
  constexpr std::string_view kRows[] = {"Atrajectory", "1.1", "", "binTrans"};
  constexpr std::size_t kColumns = kRows[0].size();
  append_header(out, "Aclass", kText, std::size(kRows), kColumns);
  for (std::size_t c = 0; c < kColumns; ++c) {
    for (const std::string_view row : kRows) out += c < row.size() ? row[c] : ' ';
  }
}

bool never_changes(const std::vector<double>& column) {
  return std::all_of(column.begin(), column.end(), [&](double v) {
    return std::bit_cast<std::uint64_t>(v) == std::bit_cast<std::uint64_t>(column.front());
  });
}

}  // namespace

bool write_mat(const Trace& trace, const TextSink& sink) {
  const std::size_t rows = trace.rows();
  std::vector<std::size_t> constant, moving;
  std::vector<std::string> names = {"time"};
  std::vector<std::int32_t> info = {0, 1, 0, -1};
  for (std::size_t v = 0; v < trace.names.size(); ++v) {
    names.push_back(trace.names[v]);
    const bool still = rows > 0 && never_changes(trace.columns[v]);
    std::vector<std::size_t>& kind = still ? constant : moving;
    kind.push_back(v);
    const auto row = static_cast<std::int32_t>(kind.size() + 1);  // behind time
    if (still) {
      info.insert(info.end(), {1, row, 0, 0});
    } else {
      info.insert(info.end(), {2, row, 0, -1});
    }
  }
  TextPieces pieces(sink);
  std::string& out = pieces.text;
  append_class(out);
  append_texts(out, "name", names);
  std::vector<std::string> descriptions(names.size());
  for (std::size_t v = 0; v < trace.names.size(); ++v) {
    if (!trace.unit(v).empty()) descriptions[v + 1] = fmt::format("[{}]", trace.unit(v));
  }
  append_texts(out, "description", descriptions);
  append_header(out, "dataInfo", kInt32, 4, names.size());
  for (const std::int32_t value : info) append_int32(out, value);
  append_header(out, "data_1", kDouble, constant.size() + 1, 2);
  for (const bool last : {false, true}) {
    append_double(out, rows == 0 ? 0 : last ? trace.times.back() : trace.times.front());
    for (const std::size_t v : constant) append_double(out, trace.columns[v].front());
  }
  append_header(out, "data_2", kDouble, moving.size() + 1, rows);
  for (std::size_t r = 0; r < rows; ++r) {
    append_double(out, trace.times[r]);
    for (const std::size_t v : moving) append_double(out, trace.columns[v][r]);
    if (!pieces.pass_on()) return false;
  }
  return pieces.finish();
}

std::string mat_text(const Trace& trace) {
  return text_of([&](const TextSink& sink) { write_mat(trace, sink); });
}

}  // namespace chi::results
