#include "units/dimension.h"

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>

namespace chi::units {

Rational::Rational(std::int64_t numerator, std::int64_t denominator)
    : numerator_(numerator), denominator_(denominator) {
  if (denominator_ < 0) {
    numerator_ = -numerator_;
    denominator_ = -denominator_;
  }
  const std::int64_t divisor = std::gcd(numerator_, denominator_);
  numerator_ /= divisor;
  denominator_ /= divisor;
  if (std::abs(numerator_) <= kLargestExponent && denominator_ <= kLargestExponent) return;
  numerator_ = 0;
  denominator_ = 1;
  overflown_ = true;
}

namespace {

// Products of two exponents within the limit stay far from 2^63.
Rational marked(Rational result, bool overflown) {
  return overflown ? Rational(kLargestExponent + 1) : result;
}

}  // namespace

Rational operator+(Rational a, Rational b) {
  return marked(Rational(a.numerator_ * b.denominator_ + b.numerator_ * a.denominator_,
                         a.denominator_ * b.denominator_),
                a.overflown_ || b.overflown_);
}

Rational operator-(Rational a, Rational b) {
  return marked(Rational(a.numerator_ * b.denominator_ - b.numerator_ * a.denominator_,
                         a.denominator_ * b.denominator_),
                a.overflown_ || b.overflown_);
}

Rational operator*(Rational a, Rational b) {
  return marked(Rational(a.numerator_ * b.numerator_, a.denominator_ * b.denominator_),
                a.overflown_ || b.overflown_);
}

Rational operator/(Rational a, Rational b) {
  const bool overflown = a.overflown_ || b.overflown_;
  if (overflown || b.is_zero()) return marked(a, true);
  return {a.numerator_ * b.denominator_, a.denominator_ * b.numerator_};
}

std::string Rational::text() const {
  std::string result = std::to_string(numerator_);
  if (denominator_ != 1) result += "/" + std::to_string(denominator_);
  return result;
}

std::optional<Rational> as_rational(double value) {
  constexpr int kLargestDenominator = 100;
  constexpr double kLargest = 1000;
  if (!(std::abs(value) <= kLargest)) return std::nullopt;
  for (int d = 1; d <= kLargestDenominator; ++d) {
    const double n = std::round(value * d);
    if (n / d == value) return Rational(static_cast<std::int64_t>(n), d);
  }
  return std::nullopt;
}

Dimension Dimension::of(Base base, Rational exponent) {
  Dimension result;
  result.exponents[static_cast<std::size_t>(base)] = exponent;
  return result;
}

bool Dimension::is_one() const { return *this == Dimension{}; }

bool Dimension::overflown() const {
  for (const Rational& e : exponents) {
    if (e.overflown()) return true;
  }
  return false;
}

Dimension operator*(const Dimension& a, const Dimension& b) {
  Dimension result;
  for (std::size_t i = 0; i < kBases; ++i) result.exponents[i] = a.exponents[i] + b.exponents[i];
  return result;
}

Dimension operator/(const Dimension& a, const Dimension& b) {
  Dimension result;
  for (std::size_t i = 0; i < kBases; ++i) result.exponents[i] = a.exponents[i] - b.exponents[i];
  return result;
}

Dimension power(const Dimension& a, Rational exponent) {
  Dimension result;
  for (std::size_t i = 0; i < kBases; ++i) result.exponents[i] = a.exponents[i] * exponent;
  return result;
}

namespace {

// A name of a coherent unit: exponents of kg, m, s, A, K. `N.m` is no name: a torque is shown as
// `J`, which has its dimension.
struct Name {
  std::string_view text;
  int kg, m, s, A, K;
};
constexpr Name kNames[] = {
    {"N", 1, 1, -2, 0, 0},     {"Pa", 1, -1, -2, 0, 0},       {"J", 1, 2, -2, 0, 0},
    {"W", 1, 2, -3, 0, 0},     {"C", 0, 0, 1, 1, 0},          {"V", 1, 2, -3, -1, 0},
    {"F", -1, -2, 4, 2, 0},    {"ohm", 1, 2, -3, -2, 0},      {"S", -1, -2, 3, 2, 0},
    {"Wb", 1, 2, -2, -1, 0},   {"T", 1, 0, -2, -1, 0},        {"H", 1, 2, -2, -2, 0},
    {"N/m", 1, 0, -2, 0, 0},   {"N.s/m", 1, 0, -1, 0, 0},     {"Pa.s", 1, -1, -1, 0, 0},
    {"V/s", 1, 2, -4, -1, 0},  {"V/m", 1, 1, -3, -1, 0},      {"J/K", 1, 2, -2, 0, -1},
    {"W/K", 1, 2, -3, 0, -1},  {"W/(m2.K)", 1, 0, -3, 0, -1}, {"W/(m.K)", 1, 1, -3, 0, -1},
    {"W/m2", 1, 0, -3, 0, 0},  {"J/(kg.K)", 0, 2, -2, 0, -1}, {"N.m.s", 1, 2, -1, 0, 0},
    {"Pa/s", 1, -1, -3, 0, 0}, {"N/s", 1, 1, -3, 0, 0},
};

constexpr std::string_view kSymbols[kBases] = {"kg", "m", "s", "A", "K", "mol", "cd"};

std::string factor_text(std::string_view symbol, Rational exponent) {
  std::string text(symbol);
  if (exponent == Rational(1)) return text;
  return text + (exponent.is_integer() ? exponent.text() : "^(" + exponent.text() + ")");
}

/// How long a dimension is as a product of base units.
double length(const Dimension& dimension) {
  double sum = 0;
  for (const Rational& e : dimension.exponents) sum += std::abs(e.value());
  return sum;
}

Dimension of(const Name& n) { return {{n.kg, n.m, n.s, n.A, n.K, 0, 0}}; }

bool is_symbol(std::string_view text) { return text.find_first_of("./") == std::string_view::npos; }

/// A power of a named unit that makes the rest much shorter: J of J/mol.
struct Factored {
  const Name* name = nullptr;
  Rational exponent;
  Dimension rest;
};

Factored factored(const Dimension& dimension) {
  Factored best;
  double least = length(dimension) - 2.5;  // a name is as long as one base unit and a half
  for (const Name& n : kNames) {
    if (!is_symbol(n.text)) continue;
    for (const int e : {1, -1, 2, -2}) {
      const Dimension rest = dimension / power(of(n), e);
      if (length(rest) >= least) continue;
      least = length(rest);
      best = {&n, e, rest};
    }
  }
  return best;
}

}  // namespace

std::string unit_text(const Dimension& dimension) {
  for (const Name& n : kNames) {
    if (dimension == of(n)) return std::string(n.text);
  }
  std::string above, below;
  int divisors = 0;
  const auto put = [&](std::string_view symbol, Rational e) {
    if (e.is_zero()) return;
    std::string& side = e.numerator() > 0 ? above : below;
    if (!side.empty()) side += ".";
    side += factor_text(symbol, e.numerator() > 0 ? e : Rational(0) - e);
    divisors += e.numerator() < 0 ? 1 : 0;
  };
  Dimension rest = dimension;
  if (const Factored named = factored(dimension); named.name != nullptr) {
    put(named.name->text, named.exponent);
    rest = named.rest;
  }
  for (std::size_t i = 0; i < kBases; ++i) put(kSymbols[i], rest.exponents[i]);
  if (above.empty()) above = "1";
  if (below.empty()) return above;
  return above + "/" + (divisors > 1 ? "(" + below + ")" : below);
}

}  // namespace chi::units
