#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "units/dimension.h"

namespace chi::units {

/// A unit as it is written: `bar`, `km/h`, `degC`. A number x of it is x * numerator / denominator
/// + offset coherent units of SI. Two factors, not one, because km/h has no exact reciprocal: so 36
/// km/h are 10 m/s, and these are 36 km/h again.
struct Unit {
  std::string text;
  Dimension dimension;
  double numerator = 1;
  double denominator = 1;
  double offset = 0;

  bool is_coherent() const { return numerator == denominator && offset == 0; }
  bool has_offset() const { return offset != 0; }
  double to_si(double number) const;
  double from_si(double value) const;
};

/// A number per second of what the unit measures: of `bar`, `bar/s`; of `degC`, `K/s`.
Unit per_second(const Unit& unit);

/// The coherent unit of a dimension.
Unit coherent(const Dimension& dimension);

/// Why a text is no unit, and which bytes of it.
struct UnitProblem {
  enum class Kind { Syntax, UnknownName, OffsetInProduct, ExponentTooLarge };
  Kind kind = Kind::Syntax;
  std::size_t begin = 0, end = 0;
  std::string suggestion = {};  ///< a unit with a similar name, or what to write instead
};

/// Reads a unit in the syntax of UDUNITS-2 [1]: names and symbols with prefixes (`kPa`,
/// `millimetre`), products (`.`, `*`, a space), quotients (`/`, `per`), integral powers (`m2`,
/// `m^2`, `m**2`, `m²`, `s-1`), numbers (`100 kPa`), parentheses; `1` is the unit of a pure number.
/// Besides that fractions as powers, `Hz^(1/2)`. Of the units with an offset, such as `degC`, only
/// alone. Linear.
///
/// [1] UCAR/Unidata, UDUNITS-2, https://www.unidata.ucar.edu/software/udunits
std::optional<Unit> read_unit(std::string_view text, UnitProblem& problem);

/// Whether a text in brackets after `real` or a number is meant as a unit: it has characters of
/// units only, and a letter or a sign that names one, or is `1`.
bool looks_like_unit(std::string_view text);

}  // namespace chi::units
