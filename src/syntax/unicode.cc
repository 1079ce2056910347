#include "syntax/unicode.h"

#include <array>

#include <fmt/format.h>

namespace chi::syntax {
namespace {

constexpr std::array kTwins = {
    UnicodeTwin{U'∧', TokenKind::And},          UnicodeTwin{U'∨', TokenKind::Or},
    UnicodeTwin{U'¬', TokenKind::Not},          UnicodeTwin{U'≤', TokenKind::LessEqual},
    UnicodeTwin{U'≥', TokenKind::GreaterEqual}, UnicodeTwin{U'≠', TokenKind::NotEqual},
    UnicodeTwin{U'→', TokenKind::Arrow},        UnicodeTwin{U'⟶', TokenKind::Arrow},
    UnicodeTwin{U'←', TokenKind::LeftArrow},    UnicodeTwin{U'⟵', TokenKind::LeftArrow},
    UnicodeTwin{U'∇', TokenKind::Nabla},        UnicodeTwin{U'Δ', TokenKind::Delta},
    UnicodeTwin{U'∆', TokenKind::Delta},        UnicodeTwin{U'∥', TokenKind::Bar, true},
    UnicodeTwin{U'▯', TokenKind::Bar},          UnicodeTwin{U'□', TokenKind::Bar},
    UnicodeTwin{U'⟨', TokenKind::Less},         UnicodeTwin{U'⟩', TokenKind::Greater},
    UnicodeTwin{U'·', TokenKind::Star},         UnicodeTwin{U'⋅', TokenKind::Star},
    UnicodeTwin{U'⟂', TokenKind::Complements},  UnicodeTwin{U'⊥', TokenKind::Complements},
};

struct Substitute {
  char32_t value;
  std::string_view text;
};
constexpr std::array kSubstitutes = {
    Substitute{U'−', "-"},         Substitute{U'–', "-"},       Substitute{U'—', "-"},
    Substitute{U'×', "*"},         Substitute{U'÷', "/"},       Substitute{U'′', "'"},
    Substitute{U'’', "'"},         Substitute{U'‘', "'"},       Substitute{U'“', "\""},
    Substitute{U'”', "\""},        Substitute{U'∈', "in"},      Substitute{U'∞', "inf"},
    Substitute{U'√', "sqrt(...)"}, Substitute{U'²', "^2"},      Substitute{U'³', "^3"},
    Substitute{U'≔', ":="},        Substitute{U'⇒', "->"},      Substitute{U'∂', "'"},
    Substitute{U'α', "alpha"},     Substitute{U'β', "beta"},    Substitute{U'γ', "gamma"},
    Substitute{U'δ', "delta_"},    Substitute{U'ε', "epsilon"}, Substitute{U'ζ', "zeta"},
    Substitute{U'η', "eta"},       Substitute{U'θ', "theta"},   Substitute{U'κ', "kappa"},
    Substitute{U'λ', "lambda"},    Substitute{U'μ', "mu"},      Substitute{U'ν', "nu"},
    Substitute{U'ξ', "xi"},        Substitute{U'π', "pi"},      Substitute{U'ρ', "rho"},
    Substitute{U'σ', "sigma"},     Substitute{U'τ', "tau"},     Substitute{U'φ', "phi"},
    Substitute{U'χ', "chi"},       Substitute{U'ψ', "psi"},     Substitute{U'ω', "omega"},
    Substitute{U'Ω', "Omega"},     Substitute{U'Φ', "Phi"},     Substitute{U'Ψ', "Psi"},
    Substitute{U'Σ', "Sigma"},     Substitute{U'Γ', "Gamma"},   Substitute{U'Λ', "Lambda"},
    Substitute{U'Θ', "Theta"},     Substitute{U'\\', "/="},     Substitute{U'~', "not"},
};

std::string encode(char32_t value) {
  const auto byte = [](char32_t bits) {
    return static_cast<char>(static_cast<unsigned char>(bits));
  };
  if (value < 0x80) return {byte(value)};
  if (value < 0x800) return {byte(0xC0 | (value >> 6)), byte(0x80 | (value & 0x3F))};
  if (value < 0x10000) {
    return {byte(0xE0 | (value >> 12)), byte(0x80 | ((value >> 6) & 0x3F)),
            byte(0x80 | (value & 0x3F))};
  }
  return {byte(0xF0 | (value >> 18)), byte(0x80 | ((value >> 12) & 0x3F)),
          byte(0x80 | ((value >> 6) & 0x3F)), byte(0x80 | (value & 0x3F))};
}

}  // namespace

const UnicodeTwin* find_twin(char32_t value) {
  for (const UnicodeTwin& twin : kTwins) {
    if (twin.value == value) return &twin;
  }
  return nullptr;
}

std::string character_name(char32_t value) {
  const bool invisible = value < 0x20 || (value >= 0x7F && value < 0xA0) ||
                         (value >= 0x2000 && value < 0x2010) ||
                         (value >= 0x2028 && value < 0x2030) || value >= 0xE000;
  if (invisible) return fmt::format("U+{:04X}", static_cast<unsigned>(value));
  return fmt::format("`{}`", encode(value));
}

std::string character_help(char32_t value) {
  for (const Substitute& s : kSubstitutes) {
    if (s.value == value) return fmt::format("write `{}`", s.text);
  }
  return value >= 0x80 ? "names are written with a to z, A to Z, digits and `_`" : "";
}

}  // namespace chi::syntax
