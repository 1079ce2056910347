#include "sema/text_format.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sema/value.h"

namespace chi::sema {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a number of at most `most` from the start of `text`; -1 if there is none, or it is larger.
int take_number(std::string_view& text, int most) {
  int number = -1;
  while (!text.empty() && is_digit(text.front())) {
    number = std::max(number, 0) * 10 + (text.front() - '0');
    if (number > most) return -1;
    text.remove_prefix(1);
  }
  return number;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string padded(const FieldFormat& field, std::string_view text, char align) {
  const std::size_t length = characters(text);
  const auto width = static_cast<std::size_t>(field.width);
  if (length >= width) return std::string(text);
  const std::size_t room = width - length;
  const std::size_t before = align == '>' ? room : align == '^' ? room / 2 : 0;
  return std::string(before, ' ') + std::string(text) + std::string(room - before, ' ');
}

/// `text` has a sign if the number is negative.
std::string number(const FieldFormat& field, std::string text, bool finite) {
  const bool negative = !text.empty() && text.front() == '-';
  if (field.plus && !negative) text.insert(0, 1, '+');
  const auto width = static_cast<std::size_t>(field.width);
  if (field.zeros && finite && field.align == 0 && text.size() < width)
    text.insert(negative || field.plus ? 1 : 0, width - text.size(), '0');
  return padded(field, text, field.align == 0 ? '>' : field.align);
}

}  // namespace

std::optional<FieldFormat> read_field(std::string_view text) {
  FieldFormat field;
  if (!text.empty() && std::string_view("<>^").find(text.front()) != std::string_view::npos) {
    field.align = text.front();
    text.remove_prefix(1);
  }
  field.plus = take(text, '+');
  field.zeros = take(text, '0');
  if (!text.empty() && is_digit(text.front())) {
    field.width = take_number(text, kMostWidth);
    if (field.width < 0) return std::nullopt;
  }
  if (take(text, '.')) {
    field.digits = take_number(text, kMostDigits);
    if (field.digits < 0) return std::nullopt;
  }
  if (!text.empty() && std::string_view("fegdx").find(text.front()) != std::string_view::npos) {
    field.kind = text.front();
    text.remove_prefix(1);
  }
  const bool digits_fit = field.digits < 0 || !field.is_for_integers();
  return text.empty() && digits_fit ? std::optional(field) : std::nullopt;
}

std::vector<FormatPiece> read_format(std::string_view text, std::string& problem) {
  std::vector<FormatPiece> pieces;
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const bool doubled = i + 1 < text.size() && text[i + 1] == c;
    if (c == '}' && !doubled) {
      problem = "a `}` that closes nothing; `}}` stands for one";
      return {};
    }
    if ((c != '{' && c != '}') || doubled) {
      plain += c;
      i += c == '{' || c == '}' ? 2 : 1;
      continue;
    }
    const std::size_t end = text.find('}', i);
    if (end == std::string_view::npos) {
      problem = "a `{` without its `}`; `{{` stands for a brace";
      return {};
    }
    std::string_view field = text.substr(i + 1, end - i - 1);
    if (!field.empty() && !take(field, ':')) {
      problem = fmt::format("`{{{}}}` is no field; one is `{{}}` or `{{:8.3f}}`", field);
      return {};
    }
    if (!read_field(field)) {
      problem = fmt::format("`{}` is no format of a value", field);
      return {};
    }
    if (!plain.empty()) pieces.push_back({false, std::move(plain)});
    plain.clear();
    pieces.push_back({true, std::string(field)});
    i = end + 1;
  }
  if (!plain.empty()) pieces.push_back({false, std::move(plain)});
  return pieces;
}

std::string format_integer(const FieldFormat& field, std::int64_t value) {
  if (field.digits >= 0 || (field.kind != 0 && !field.is_for_integers()))
    return format_real(field, static_cast<double>(value));
  return number(field, field.kind == 'x' ? fmt::format("{:x}", value) : fmt::format("{}", value),
                true);
}

std::string format_real(const FieldFormat& field, double value) {
  std::string text;
  if (std::isnan(value)) value = std::fabs(value);  // its sign depends on the machine
  if (field.digits < 0 && field.kind == 0) {
    text = real_text(value);
  } else {
    const int digits = field.digits < 0 ? 6 : field.digits;
    text = field.kind == 'f'   ? fmt::format("{:.{}f}", value, digits)
           : field.kind == 'e' ? fmt::format("{:.{}e}", value, digits)
                               : fmt::format("{:.{}g}", value, digits);
  }
  return number(field, std::move(text), std::isfinite(value));
}

std::string format_text(const FieldFormat& field, std::string_view text) {
  return padded(field, text, field.align == 0 ? '<' : field.align);
}

std::string fixed_text(double value, std::int64_t digits) {
  FieldFormat field;
  field.kind = 'f';
  field.digits = static_cast<int>(std::clamp<std::int64_t>(digits, 0, kMostDigits));
  return format_real(field, value);
}

}  // namespace chi::sema
