#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Numbers as text with a given number of digits: `str(x, 3)` and `format("{:8.3f}", x)`. The same
/// code before the run and in it.
namespace chi::sema {

/// What stands behind the colon of a field, `{:>+08.3f}`: alignment, sign, zeros, width, digits,
/// kind. All may be missing.
struct FieldFormat {
  char align = 0;     ///< `<`, `>` or `^`; 0: numbers right, all else left
  bool plus = false;  ///< a sign before positive numbers too
  bool zeros = false;
  int width = 0;
  int digits = -1;
  char kind = 0;  ///< `f`, `e`, `g`, `d`, `x`; 0: as printed

  bool is_for_numbers() const { return plus || zeros || digits >= 0 || kind != 0; }
  bool is_for_integers() const { return kind == 'd' || kind == 'x'; }
};
inline constexpr int kMostWidth = 1000;
/// No double has more digits behind the point.
inline constexpr int kMostDigits = 1074;

/// Reads what stands behind the colon. None if it is no format.
std::optional<FieldFormat> read_field(std::string_view text);

/// A stretch of a format: text as it stands, or a field with what stands behind its colon.
struct FormatPiece {
  bool is_field = false;
  std::string text;
};
/// The pieces of a format; `{{` and `}}` stand for braces. If it is none, `problem` says why.
std::vector<FormatPiece> read_format(std::string_view text, std::string& problem);

std::string format_integer(const FieldFormat& field, std::int64_t value);
std::string format_real(const FieldFormat& field, double value);
/// `text`: the value as printed. Requires that the field is not for numbers.
std::string format_text(const FieldFormat& field, std::string_view text);
/// `str(x, digits)`.
std::string fixed_text(double value, std::int64_t digits);

}  // namespace chi::sema
