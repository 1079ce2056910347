#include "syntax/context_words.h"

#include <string_view>

namespace chi::syntax {
namespace {

using K = TokenKind;

bool ends_operand(K kind) {
  switch (kind) {
    case K::Ident:
    case K::Integer:
    case K::Real:
    case K::Unit:
    case K::Inf:
    case K::Time:
    case K::Prime:
    case K::Greater:
    case K::RightParen:
    case K::RightBracket: return true;
    default: return false;
  }
}

bool begins_operand(K kind) {
  switch (kind) {
    case K::Ident:
    case K::Integer:
    case K::Real:
    case K::Inf:
    case K::Time:
    case K::Plus:
    case K::Minus:
    case K::If:
    case K::Less:
    case K::LeftParen:
    case K::LeftBracket: return true;
    default: return false;
  }
}

bool is_relation(K kind) {
  switch (kind) {
    case K::Less:
    case K::LessEqual:
    case K::Greater:
    case K::GreaterEqual: return true;
    default: return false;
  }
}

bool ends_element(K kind) {
  switch (kind) {
    case K::Comma:
    case K::Semicolon:
    case K::Bar:
    case K::Arrow:
    case K::Becomes:
    case K::Equal:
    case K::LeftBrace:
    case K::RightBrace:
    case K::End: return true;
    default: return false;
  }
}

int depth_change(K kind) {
  switch (kind) {
    case K::LeftParen:
    case K::LeftBracket: return 1;
    case K::RightParen:
    case K::RightBracket: return -1;
    default: return 0;
  }
}

/// Whether a relation stands outside brackets in the element around token `from`, on that side.
bool has_relation(const std::vector<K>& kinds, std::int32_t from, int step) {
  int depth = 0;
  for (std::int32_t i = from + step; i >= 0 && i < static_cast<std::int32_t>(kinds.size());
       i += step) {
    const K kind = kinds[static_cast<std::size_t>(i)];
    depth += step * depth_change(kind);
    if (depth < 0) return false;  // the element stands in a bracket, and this is its end
    if (depth > 0) continue;
    if (ends_element(kind)) return false;
    if (is_relation(kind)) return true;
  }
  return false;
}

}  // namespace

void mark_context_words(Tokens& tokens) {
  constexpr std::string_view kComplements = "complements", kRestitution = "restitution";
  for (std::int32_t i = 1; i + 1 < tokens.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Span span = tokens.spans[at];
    if (tokens.kinds[at] != K::Ident ||
        span.end - span.begin != static_cast<std::int32_t>(kComplements.size())) {
      continue;
    }
    const std::string_view word = tokens.source->text(span);
    static_assert(kComplements.size() == kRestitution.size());
    if (word != kComplements && word != kRestitution) continue;
    if (!ends_operand(tokens.kinds[at - 1]) || !begins_operand(tokens.kinds[at + 1])) continue;
    if (!has_relation(tokens.kinds, i, -1) && !has_relation(tokens.kinds, i, 1)) continue;
    tokens.kinds[at] = word == kComplements ? K::Complements : K::Restitution;
  }
}

}  // namespace chi::syntax
