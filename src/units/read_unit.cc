#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "units/unit.h"

namespace chi::units {
namespace {

struct Prefix {
  std::string_view symbol, name;
  int power;  // of ten
};
constexpr Prefix kPrefixes[] = {
    {"Y", "yotta", 24}, {"Z", "zetta", 21},  {"E", "exa", 18},    {"P", "peta", 15},
    {"T", "tera", 12},  {"G", "giga", 9},    {"M", "mega", 6},    {"k", "kilo", 3},
    {"h", "hecto", 2},  {"da", "deka", 1},   {"da", "deca", 1},   {"d", "deci", -1},
    {"c", "centi", -2}, {"m", "milli", -3},  {"u", "micro", -6},  {"µ", "micro", -6},
    {"μ", "micro", -6}, {"n", "nano", -9},   {"p", "pico", -12},  {"f", "femto", -15},
    {"a", "atto", -18}, {"z", "zepto", -21}, {"y", "yocto", -24},
};

/// Common factors of whole numerators and denominators cancel, so that a coherent unit is seen.
void cancel(Unit& unit) {
  constexpr double kWhole = 9007199254740992.0;  // whole numbers up to 2^53 are exact
  double& n = unit.numerator;
  double& d = unit.denominator;
  if (n == d) {
    n = d = 1;
    return;
  }
  if (std::abs(n) > kWhole || std::abs(d) > kWhole || n != std::floor(n) || d != std::floor(d))
    return;
  const auto divisor =
      static_cast<double>(std::gcd(static_cast<std::int64_t>(n), static_cast<std::int64_t>(d)));
  if (divisor > 1) {
    n /= divisor;
    d /= divisor;
  }
}

Unit product(const Unit& a, const Unit& b) {
  Unit result{.text = {},
              .dimension = a.dimension * b.dimension,
              .numerator = a.numerator * b.numerator,
              .denominator = a.denominator * b.denominator};
  cancel(result);
  return result;
}

Unit inverse(const Unit& a) {
  return {.text = {},
          .dimension = Dimension{} / a.dimension,
          .numerator = a.denominator,
          .denominator = a.numerator};
}

Unit raised(const Unit& a, Rational exponent) {
  const double e = std::abs(exponent.value());
  Unit result{.text = {},
              .dimension = power(a.dimension, exponent),
              .numerator = std::pow(exponent.numerator() < 0 ? a.denominator : a.numerator, e),
              .denominator = std::pow(exponent.numerator() < 0 ? a.numerator : a.denominator, e)};
  cancel(result);
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

/// The digits and signs that stand raised, in the order of their values; then the minus.
constexpr std::array<std::string_view, 11> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵",
                                                      "⁶", "⁷", "⁸", "⁹", "⁻"};
int raised_sign(std::string_view text) {
  for (std::size_t i = 0; i < kRaised.size(); ++i) {
    if (text.starts_with(kRaised[i])) return static_cast<int>(i);
  }
  return -1;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// All units by name. Made once, from units.def.
class Names {
 public:
  Names();
  const Unit* find(std::string_view name) const {
    const auto at = units_.find(std::string(name));
    return at == units_.end() ? nullptr : &at->second;
  }
  /// The unit of a name or symbol, with a prefix or without, in the singular or plural.
  std::optional<Unit> read(std::string_view name) const;
  std::string nearest(std::string_view name) const;

 private:
  void add(std::string_view names, const Unit& unit) {
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(' '), names.size());
      const std::string_view name = names.substr(0, end);
      units_.emplace(name, unit);
      order_.emplace_back(name);
      if (name.size() > 3) units_.emplace(lower(name), unit);  // words in any case
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }
  const Unit* word(std::string_view name) const;

  std::unordered_map<std::string, Unit> units_;
  std::vector<std::string> order_;
};

/// Reads one text. Names are looked up in `names`.
class Reader {
 public:
  Reader(const Names& names, std::string_view text, UnitProblem& problem)
      : names_(names), text_(text), problem_(problem) {}

  std::optional<Unit> read() {
    skip_spaces();
    Unit result = expression();
    skip_spaces();
    if (!failed_ && at_ < text_.size()) fail(UnitProblem::Kind::Syntax, at_, text_.size());
    if (!failed_ && factors_ > 1 && offset_end_ > 0) {
      fail(UnitProblem::Kind::OffsetInProduct, offset_begin_, offset_end_);
      problem_.suggestion = "K";
    }
    if (!failed_ &&
        (result.dimension.overflown() || !std::isfinite(result.numerator) ||
         !std::isfinite(result.denominator) || result.numerator == 0 || result.denominator == 0)) {
      fail(UnitProblem::Kind::ExponentTooLarge, 0, text_.size());
    }
    if (failed_) return std::nullopt;
    result.text = std::string(trimmed());
    return result;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  std::string_view trimmed() const {
    const std::size_t begin = text_.find_first_not_of(" \t");
    return text_.substr(begin, text_.find_last_not_of(" \t") + 1 - begin);
  }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  void fail(UnitProblem::Kind kind, std::size_t begin, std::size_t end) {
    if (failed_) return;
    failed_ = true;
    if (begin >= text_.size()) begin = 0, end = text_.size();  // at its end: the whole
    problem_ = {.kind = kind, .begin = begin, .end = std::max(end, begin)};
  }

  // expression ::= power { ['.' | '*' | '·' | '/' | 'per'] power }
  Unit expression() {
    Unit result = factor();
    while (!failed_) {
      skip_spaces();
      if (at_ >= text_.size() || peek() == ')') break;
      const bool per = text_.substr(at_).starts_with("per ");
      if (peek() == '/' || per) {
        at_ += per ? 4 : 1;
        ++factors_;
        result = product(result, inverse(factor()));
        continue;
      }
      if (peek() == '.' || (peek() == '*' && peek(1) != '*')) {
        ++at_;
      } else if (text_.substr(at_).starts_with("·")) {
        at_ += std::string_view("·").size();
      }
      ++factors_;
      const std::size_t before = at_;
      result = product(result, factor());
      if (at_ == before) fail(UnitProblem::Kind::Syntax, at_, at_ + 1);
    }
    return result;
  }

  Unit factor() {
    skip_spaces();
    Unit base = atom();
    if (failed_) return base;
    const auto exponent = this->exponent();
    if (!exponent || failed_) return base;
    if (offset_end_ > 0) ++factors_;
    if (std::abs(exponent->value()) > 100) {
      fail(UnitProblem::Kind::ExponentTooLarge, 0, text_.size());
      return base;
    }
    return raised(base, *exponent);
  }

  Unit atom() {
    const char c = peek();
    if (c == '(') {
      if (++depth_ > kDeepest) fail(UnitProblem::Kind::Syntax, at_, at_ + 1);
      if (failed_) return {};
      ++at_;
      Unit inner = expression();
      --depth_;
      if (peek() != ')') fail(UnitProblem::Kind::Syntax, at_, at_ + 1);
      ++at_;
      return inner;
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    return name();
  }

  Unit number() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    if (peek() == '.' && is_digit(peek(1))) {
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      at_ += 2 + sign;
      while (is_digit(peek())) ++at_;
    }
    Unit result;
    result.numerator = std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr);
    if (result.numerator == 0) fail(UnitProblem::Kind::Syntax, begin, at_);
    return result;
  }

  Unit name() {
    const std::size_t begin = at_;
    if (peek() == '%' || peek() == '\'' || peek() == '"') {
      ++at_;
    } else {
      while (at_ < text_.size()) {
        if (is_letter(peek())) {
          ++at_;
        } else if (is_beyond_ascii(peek()) && raised_sign(text_.substr(at_)) < 0 &&
                   !text_.substr(at_).starts_with("·")) {
          at_ += decode_utf8(text_.substr(at_)).bytes;
        } else {
          break;
        }
      }
    }
    if (at_ == begin) {
      fail(UnitProblem::Kind::Syntax, at_, std::min(at_ + 1, text_.size()));
      return {};
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    const std::optional<Unit> unit = names_.read(word);
    if (!unit) {
      fail(UnitProblem::Kind::UnknownName, begin, at_);
      problem_.suggestion = names_.nearest(word);
      return {};
    }
    if (unit->has_offset()) {
      offset_begin_ = begin;
      offset_end_ = at_;
    }
    return *unit;
  }

  // exponent ::= ['^' | '**'] [sign] digits | '^(' [sign] digits '/' digits ')' | raised digits
  std::optional<Rational> exponent() {
    const bool caret = peek() == '^';
    const bool stars = peek() == '*' && peek(1) == '*';
    if (caret || stars) {
      at_ += caret ? 1 : 2;
      if (peek() != '(') return integer();
      ++at_;
      const Rational n = integer();
      Rational d = 1;
      if (peek() == '/') {
        ++at_;
        d = integer();
      }
      if (peek() != ')' || d.is_zero()) fail(UnitProblem::Kind::Syntax, at_, at_ + 1);
      ++at_;
      return failed_ ? Rational(1) : n / d;
    }
    if (is_digit(peek()) || ((peek() == '-' || peek() == '+') && is_digit(peek(1)))) {
      return integer();
    }
    if (raised_sign(text_.substr(at_)) >= 0) return raised_integer();
    return std::nullopt;
  }

  Rational integer() {
    const std::size_t begin = at_;
    const bool minus = peek() == '-';
    if (minus || peek() == '+') ++at_;
    if (!is_digit(peek())) fail(UnitProblem::Kind::Syntax, begin, at_ + 1);
    std::int64_t value = 0;
    for (; is_digit(peek()); ++at_)
      value = std::min<std::int64_t>(value * 10 + (peek() - '0'), 9999);
    return minus ? -value : value;
  }

  Rational raised_integer() {
    std::int64_t value = 0;
    bool minus = false;
    for (int sign = 0; (sign = raised_sign(text_.substr(at_))) >= 0;) {
      at_ += kRaised[static_cast<std::size_t>(sign)].size();
      if (sign == 10) {
        minus = true;
      } else {
        value = std::min<std::int64_t>(value * 10 + sign, 9999);
      }
    }
    return minus ? -value : value;
  }

  static constexpr int kDeepest = 50;
  const Names& names_;
  std::string_view text_;
  UnitProblem& problem_;
  std::size_t at_ = 0;
  std::size_t offset_begin_ = 0, offset_end_ = 0;  // where a unit with an offset stands
  int factors_ = 1;
  int depth_ = 0;
  bool failed_ = false;
};

Names::Names() {
  const auto unit = [&](std::string_view definition, double offset, std::string_view names) {
    UnitProblem problem;
    Unit result = Reader(*this, definition, problem).read().value_or(Unit{});
    result.offset = offset;
    add(names, result);
  };
#define CHI_BASE(base, names) add(names, {.text = {}, .dimension = Dimension::of(base)});
#define CHI_UNIT(definition, offset, names) unit(definition, offset, names);
#include "units/units.def"
#undef CHI_BASE
#undef CHI_UNIT
}

/// A word, in the plural too.
const Unit* Names::word(std::string_view name) const {
  if (const Unit* unit = find(name)) return unit;
  if (name.size() <= 3) return nullptr;
  const std::string small = lower(name);
  if (const Unit* unit = find(small)) return unit;
  if (small.ends_with("es")) {
    if (const Unit* unit = find(small.substr(0, small.size() - 2)); unit && small.size() > 6)
      return unit;
  }
  if (small.ends_with('s') && small.size() > 4) {
    const Unit* unit = find(small.substr(0, small.size() - 1));
    if (unit != nullptr && small.size() > 5) return unit;
    if (unit != nullptr && (small == "days" || small == "bars" || small == "feet" ||
                            small == "mols" || small == "bits" || small == "tons")) {
      return unit;
    }
  }
  return nullptr;
}

std::optional<Unit> Names::read(std::string_view name) const {
  const auto found = [](const Unit* unit) { return *unit; };
  if (const Unit* unit = word(name)) return found(unit);
  for (const Prefix& prefix : kPrefixes) {
    for (const std::string_view text : {prefix.name, prefix.symbol}) {
      if (!name.starts_with(text) || name.size() == text.size()) continue;
      const std::string_view rest = name.substr(text.size());
      const Unit* unit = text.size() > 3 || rest.size() > 3 ? word(rest) : find(rest);
      if (unit == nullptr || unit->has_offset()) continue;
      Unit result = *unit;
      (prefix.power > 0 ? result.numerator : result.denominator) *=
          std::pow(10.0, std::abs(prefix.power));
      cancel(result);
      return result;
    }
  }
  return std::nullopt;
}

/// The name that differs in the fewest letters, in their case least of all.
std::string Names::nearest(std::string_view name) const {
  const std::string small = lower(name);
  std::string best;
  std::size_t least = name.size() > 3 ? 3 : name.size() > 1 ? 2 : 1;  // edits that are too many
  for (const std::string& candidate : order_) {
    const std::string other = lower(candidate);
    if (other.size() > small.size() + 2 || small.size() > other.size() + 2) continue;
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= small.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j <= other.size(); ++j) {
        const std::size_t replaced = diagonal + (small[i - 1] == other[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row.back() < least) {
      least = row.back();
      best = candidate;
    }
  }
  return best;
}

const Names& all_names() {
  static const Names names;
  return names;
}

}  // namespace

std::optional<Unit> read_unit(std::string_view text, UnitProblem& problem) {
  return Reader(all_names(), text, problem).read();
}

bool looks_like_unit(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return false;
  text = text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
  if (text == "1") return true;
  bool named = false;
  for (const char c : text) {
    const bool names = is_letter(c) || is_beyond_ascii(c) || c == '%' || c == '\'' || c == '"';
    named = named || names;
    if (!names && !is_digit(c) && std::string_view(" \t.*/^-+()").find(c) == std::string_view::npos)
      return false;
  }
  return named;
}

double Unit::to_si(double number) const {
  return is_coherent() ? number : number * numerator / denominator + offset;
}

double Unit::from_si(double value) const {
  if (is_coherent()) return value;
  const double number = (value - offset) * denominator / numerator;
  if (offset == 0 || !(std::abs(number) < 1e6)) return number;
  // Near zero a temperature has digits that the same in kelvin has not: 25.3 degC stay 25.3.
  constexpr double kDigits = 1e11;
  return std::round(number * kDigits) / kDigits;
}

Unit per_second(const Unit& unit) {
  Unit result = unit;
  result.offset = 0;
  result.dimension = unit.dimension / Dimension::of(Base::Second);
  if (unit.is_coherent()) {
    result.text = unit_text(result.dimension);
  } else if (unit.has_offset()) {
    result.text = unit.numerator == unit.denominator ? "K/s" : "degR/s";
  } else {
    const bool quotient = unit.text.find_first_of("/ ") != std::string::npos;
    result.text = quotient ? unit.text + "/s" : unit.text + "/s";
  }
  return result;
}

Unit coherent(const Dimension& dimension) {
  return {.text = unit_text(dimension), .dimension = dimension};
}

}  // namespace chi::units
