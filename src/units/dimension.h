#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace chi::units {

/// A rational number in lowest terms, its denominator positive. Results beyond `kLargestExponent`
/// are `overflown`: who computes with exponents of units asks for that at the end.
class Rational {
 public:
  Rational() = default;
  Rational(std::int64_t numerator, std::int64_t denominator = 1);
  std::int64_t numerator() const { return numerator_; }
  std::int64_t denominator() const { return denominator_; }
  bool is_zero() const { return numerator_ == 0; }
  bool is_integer() const { return denominator_ == 1; }
  bool overflown() const { return overflown_; }
  double value() const {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }
  std::string text() const;  ///< `2`, `-1`, `1/2`
  bool operator==(const Rational&) const = default;
  friend Rational operator+(Rational a, Rational b);
  friend Rational operator-(Rational a, Rational b);
  friend Rational operator*(Rational a, Rational b);
  friend Rational operator/(Rational a, Rational b);  ///< requires b /= 0

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
  bool overflown_ = false;
};

inline constexpr std::int64_t kLargestExponent = 1'000'000;

/// The rational number with a small denominator that a double stands for: 0.5 is 1/2, the double
/// next to one third is 1/3. None if there is none.
std::optional<Rational> as_rational(double value);

/// The base units of SI, in the order in which products of units are written.
enum class Base : std::uint8_t { Kilogram, Metre, Second, Ampere, Kelvin, Mole, Candela };
inline constexpr std::size_t kBases = 7;

/// The dimension of a quantity: exponents of the base units. Angles have dimension 1, as in SI.
struct Dimension {
  std::array<Rational, kBases> exponents = {};
  static Dimension of(Base base, Rational exponent = 1);
  bool is_one() const;
  bool overflown() const;
  bool operator==(const Dimension&) const = default;
};
Dimension operator*(const Dimension& a, const Dimension& b);
Dimension operator/(const Dimension& a, const Dimension& b);
Dimension power(const Dimension& a, Rational exponent);

/// The coherent unit of SI of a dimension as it is written between brackets: `m/s2`, `N`, `V`,
/// `kg.m/s`, `1`. A name of SI where there is one for exactly this dimension.
std::string unit_text(const Dimension& dimension);

}  // namespace chi::units
