#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "results/read_trace.h"

namespace chi::results {
namespace {

/// A matrix of a level 4 file: what is needed of it to read its elements.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  int format = 0;  ///< third digit of the type: 0 double, 1 float, 2 int32, 3 int16, 4 uint16, 5
                   ///< uint8
  std::string_view bytes;

  double at(std::int64_t row, std::int64_t column) const;
};

constexpr std::int64_t kMostValues = std::int64_t{1} << 28;  // 2 GB
constexpr int kElementBytes[] = {8, 4, 4, 2, 2, 1};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

double Matrix::at(std::int64_t row, std::int64_t column) const {
  const auto size = static_cast<std::size_t>(kElementBytes[format]);
  const std::uint64_t bits =
      little_endian(bytes.substr(static_cast<std::size_t>(column * rows + row) * size, size));
  switch (format) {
    case 0: return std::bit_cast<double>(bits);
    case 1: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case 2: return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
    case 3: return static_cast<std::int16_t>(static_cast<std::uint16_t>(bits));
    default: return static_cast<double>(bits);
  }
}

using Matrices = std::map<std::string, Matrix, std::less<>>;

/// All matrices of the file, as far as they are whole.
bool read_matrices(std::string_view text, Matrices& matrices) {
  constexpr std::size_t kHeader = 20;
  while (!text.empty()) {
    if (text.size() < kHeader) return false;
    std::int64_t head[5];
    for (std::size_t i = 0; i < 5; ++i) {
      head[i] = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(little_endian(text.substr(4 * i, 4))));
    }
    const auto [type, rows, columns, imaginary, name_length] =
        std::tuple(head[0], head[1], head[2], head[3], head[4]);
    const std::int64_t format = type / 10 % 10;
    if (type < 0 || type >= 100 || format > 5 || rows < 0 || columns < 0 || imaginary != 0)
      return false;
    const auto left = static_cast<std::int64_t>(text.size() - kHeader);
    if (name_length < 1 || name_length > left) return false;
    // Both factors are below 2^31: no overflow before the comparison.
    const std::int64_t elements = rows * columns;
    if (elements > (left - name_length) / kElementBytes[format]) return false;
    const auto data = kHeader + static_cast<std::size_t>(name_length);
    const auto size = static_cast<std::size_t>(elements * kElementBytes[format]);
    const std::string name(text.substr(kHeader, static_cast<std::size_t>(name_length) - 1));
    matrices[name] = {rows, columns, static_cast<int>(format), text.substr(data, size)};
    text.remove_prefix(data + size);
  }
  return true;
}

/// A matrix of a trajectory, whichever way round it is stored: item `i`, field `k` of it.
struct Oriented {
  const Matrix* matrix = nullptr;
  bool transposed = true;  ///< items are columns
  std::int64_t items() const { return transposed ? matrix->columns : matrix->rows; }
  std::int64_t fields() const { return transposed ? matrix->rows : matrix->columns; }
  double at(std::int64_t item, std::int64_t field) const {
    return transposed ? matrix->at(field, item) : matrix->at(item, field);
  }
};

/// What is no byte shows as a question mark.
char character(double code) {
  return code >= 0 && code < 256 ? static_cast<char>(static_cast<int>(code)) : '?';
}

std::string text_at(const Oriented& texts, std::int64_t item) {
  std::string text;
  for (std::int64_t k = 0; k < texts.fields(); ++k) text += character(texts.at(item, k));
  while (text.ends_with('\0') || text.ends_with(' ')) text.pop_back();
  return text;
}

/// `[bar]` at the end of a description is the unit of the variable that was named last.
void add_unit(Trace& trace, const std::string& description) {
  const std::size_t at = description.rfind('[');
  const bool has_unit = at != std::string::npos && description.ends_with(']');
  if (!has_unit && trace.units.empty()) return;
  trace.units.resize(trace.names.size());
  if (has_unit) trace.units.back() = description.substr(at + 1, description.size() - at - 2);
}

}  // namespace

std::optional<Trace> read_mat(std::string_view text, std::string& problem) {
  Matrices matrices;
  problem = "it is not a MATLAB level 4 file, little-endian";
  if (!read_matrices(text, matrices)) return std::nullopt;
  for (const std::string_view name : {"Aclass", "name", "dataInfo", "data_1", "data_2"}) {
    if (matrices.contains(name)) continue;
    problem = fmt::format("it is no trajectory: it has no matrix `{}`", name);
    return std::nullopt;
  }
  const std::string way = text_at({&matrices["Aclass"], false}, 3);
  if (way != "binTrans" && way != "binNormal") {
    problem = "`Aclass` says neither binTrans nor binNormal";
    return std::nullopt;
  }
  const bool transposed = way == "binTrans";
  const Oriented names{&matrices["name"], transposed}, info{&matrices["dataInfo"], transposed};
  // Of data, an item is a moment, a field a variable.
  const Oriented data[] = {{&matrices["data_1"], transposed}, {&matrices["data_2"], transposed}};
  problem = "its matrices do not fit each other";
  if (info.items() != names.items() || info.fields() < 2 || data[1].fields() < 1) return {};
  // What never changes is stored once in the file, and for every moment here.
  if (names.items() > kMostValues / std::max<std::int64_t>(data[1].items(), 1)) {
    problem = fmt::format("it has {} variables at {} times: too many values", names.items(),
                          data[1].items());
    return std::nullopt;
  }
  const auto described = matrices.find("description");
  Oriented descriptions{described == matrices.end() ? nullptr : &described->second, transposed};
  if (descriptions.matrix != nullptr && descriptions.items() != names.items()) {
    descriptions.matrix = nullptr;
  }
  Trace trace;
  for (std::int64_t r = 0; r < data[1].items(); ++r) trace.times.push_back(data[1].at(r, 0));
  for (std::int64_t v = 0; v < names.items(); ++v) {
    const double which = info.at(v, 0);
    const double place = info.at(v, 1);  // negative: the values with the other sign
    if (which == 0) continue;            // time
    if (which != 1 && which != 2) return {};
    const Oriented& from = data[which == 1 ? 0 : 1];
    const double number = std::fabs(place);
    if (!(number >= 1 && number <= static_cast<double>(from.fields()))) return {};
    const auto field = static_cast<std::int64_t>(number) - 1;
    if (field >= from.fields() || (which == 1 && from.items() < 1)) return {};
    trace.names.push_back(text_at(names, v));
    if (descriptions.matrix != nullptr) add_unit(trace, text_at(descriptions, v));
    trace.kinds.push_back(Trace::Kind::Real);
    std::vector<double>& column = trace.columns.emplace_back();
    for (std::int64_t r = 0; r < data[1].items(); ++r)
      column.push_back((place < 0 ? -1 : 1) * from.at(which == 1 ? 0 : r, field));
  }
  return trace;
}

}  // namespace chi::results
