#include <algorithm>

#include "syntax/parser.h"

namespace chi::syntax::detail {

std::int32_t Parser::find_ahead(std::int32_t i, Kinds kinds, Kinds stops) const {
  while (i < end_) {
    const TokenKind k = kind_at(i);
    if (std::find(kinds.begin(), kinds.end(), k) != kinds.end()) return i;
    if (std::find(stops.begin(), stops.end(), k) != stops.end()) return -1;
    const std::int32_t other = partner(i);
    if (other >= 0 && other < i) return -1;
    i = other >= 0 ? other + 1 : i + 1;
  }
  return -1;
}

// id {',' id} ':' type, not followed by the arrow of an unwinding
bool Parser::declaration_at(std::int32_t i) const {
  const std::int32_t first = i;
  const auto name = [&](std::int32_t n) {
    return kind_at(n) == K::Ident || (is_keyword(kind_at(n)) && kind_at(n) != K::Impulse);
  };
  if (!name(i)) return false;
  for (++i; kind_at(i) == K::Comma && name(i + 1);) i += 2;
  return kind_at(i) == K::Colon && !unwind_at(first);
}

// id ':' type '<-'
bool Parser::unwind_at(std::int32_t i) const {
  if (kind_at(i) != K::Ident || kind_at(i + 1) != K::Colon) return false;
  return find_ahead(i + 2, {K::LeftArrow},
                    {K::Comma, K::Becomes, K::Equal, K::Bar, K::Colon, K::Semicolon, K::In,
                     K::DotDot}) >= 0;
}

Section Parser::classify(std::int32_t i) const {
  if (kind_at(i) == K::Bar) {
    return unknown_declaration_at(i) ? Section::Equations : Section::None;
  }
  if (kind_at(i) == K::RightBracket || kind_at(i) == K::End) return Section::None;
  if (declaration_at(i)) return Section::Declarations;
  return element_kind(i);
}

// Whether equations or statements begin here (language.md §2). `[ b -> ...` is what stands in it.
Section Parser::element_kind(std::int32_t i) const {
  while (true) {
    while (kind_at(i) == K::Comma) ++i;
    switch (kind_at(i)) {
      case K::Skip:
      case K::Terminate:
      case K::Ret:
      case K::Delta:
      case K::Nabla:
      case K::Bang:
      case K::LeftBrace: return Section::Statements;
      case K::Impulse:
      case K::Bar: return Section::Equations;
      case K::Star:
        if (kind_at(i + 1) == K::LeftBracket) return Section::Statements;
        break;
      case K::LeftParen:
        if (unwind_at(i + 1)) return Section::Equations;
        break;
      case K::LeftBracket: {
        const std::int32_t mark = find_ahead(i + 1, {K::Arrow, K::Semicolon}, {K::Bar});
        if (mark >= 0 && kind_at(mark) == K::Semicolon) return Section::Statements;
        if (mark < 0 || !guarded_equations_at(i)) break;
        i = mark + 1;
        continue;
      }
      default:
        if (unwind_at(i)) return Section::Equations;
        break;
    }
    break;
  }
  const std::int32_t sign = find_ahead(
      i, {K::Equal, K::LeftArrow, K::EqualEqual, K::Becomes, K::Bang, K::Question, K::Semicolon},
      {K::Bar});
  if (sign < 0) return Section::None;
  const TokenKind k = kind_at(sign);
  return k == K::Equal || k == K::LeftArrow || k == K::EqualEqual ? Section::Equations
                                                                  : Section::Statements;
}

// Whether a system's block begins with declarations: they are followed by a single bar.
bool Parser::has_system_declarations(std::int32_t i) const {
  if (!declaration_at(i)) return false;
  for (std::int32_t bar = i;; ++bar) {
    bar = find_ahead(bar, {K::Bar, K::Becomes, K::Equal, K::Comma}, {});
    if (bar < 0) return false;
    if (kind_at(bar) != K::Bar) return true;  // no instance list has these outside brackets
    if (kind_at(bar + 1) != K::Bar || !adjacent(bar)) return true;
    ++bar;
  }
}

}  // namespace chi::syntax::detail
