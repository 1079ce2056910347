#include <algorithm>

#include "syntax/parser.h"

namespace chi::syntax::detail {

namespace {

// What can begin a type but not an instance.
bool begins_only_type(TokenKind k) {
  return (k >= K::Bool && k <= K::Dict) || k == K::Minus || k == K::Bang || k == K::Question ||
         k == K::LeftParen || k == K::LeftBrace || k == K::Arrow;
}

// What can follow the type of a declaration, or go on with it.
bool ends_type(TokenKind k) {
  return k == K::Becomes || k == K::Equal || k == K::Comma || k == K::Bar || k == K::Caret ||
         k == K::Star || k == K::Hash || k == K::In || k == K::RightBracket || k == K::Arrow;
}

}  // namespace

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

// `require b` and `assert b`: words only where no name can stand, as neither a name nor a call is
// an equation or a statement by itself.
bool Parser::claim_at(std::int32_t i, std::string_view word) const {
  if (!word_at(i, word)) return false;
  const std::int32_t comma = find_ahead(i + 1, {K::Comma}, {K::Bar, K::Semicolon});
  const bool has_text = comma >= 0 && kind_at(comma + 1) == K::String;
  switch (kind_at(i + 1)) {
    case K::Ident:
    case K::Integer:
    case K::Real:
    case K::String:
    case K::True:
    case K::False:
    case K::Inf:
    case K::Time:
    case K::Not:
    case K::If: return true;
    case K::LeftParen: {
      const std::int32_t sign =
          find_ahead(i + 1, {K::Equal, K::LeftArrow, K::Becomes, K::Bang, K::Question},
                     {K::Comma, K::Bar, K::Semicolon});
      return has_text || sign < 0;
    }
    case K::LeftBracket:
    case K::LeftBrace:
    case K::Less:
    case K::Minus:
    case K::Plus: return has_text;
    default: return false;
  }
}

Section Parser::classify(std::int32_t i, bool declarations) const {
  if (kind_at(i) == K::Bar) return bar_begins_unknowns(i) ? Section::Equations : Section::None;
  if (kind_at(i) == K::RightBracket || kind_at(i) == K::End) return Section::None;
  if (declaration_at(i)) return Section::Declarations;
  if (begins_with_word(i)) return Section::Statements;
  if (declarations && broken_declaration_at(i)) return Section::Declarations;
  const Section section = element_kind(i);
  return section == Section::None ? Section::Equations : section;
}

// A declaration without its name or its colon still has a type, which nothing else here has.
bool Parser::broken_declaration_at(std::int32_t i) const {
  if (unwind_at(i) || kind_at(i) == K::LeftBracket) return false;
  if (claim_at(i, "require")) return false;
  if (kind_at(i) == K::Ident && kind_at(i + 1) == K::Ident) return ends_type(kind_at(i + 2));
  const std::int32_t sign = find_ahead(
      i, {K::Colon, K::Bool, K::Nat, K::Int, K::RealType, K::StringType, K::Void, K::Set, K::Dict},
      {K::Equal, K::LeftArrow, K::Becomes, K::Bang, K::Question, K::Semicolon, K::Bar, K::Arrow});
  return sign >= 0 && find_ahead(sign, {K::LeftArrow}, {K::Comma, K::Bar}) < 0;
}

// The bar that ends a list of unknowns which begins at i; -1 if something else stands there.
std::int32_t Parser::unknowns_end(std::int32_t i) const {
  for (;; ++i) {
    switch (kind_at(i)) {
      case K::Ident:
      case K::Prime:
      case K::Comma:
      case K::Dot:
      case K::Integer: break;
      case K::LeftParen:
      case K::LeftBracket:
        if (partner(i) < 0 || first_of_line(i) || kind_at(i - 1) == K::Comma) return -1;
        i = partner(i);
        break;
      case K::Bar: {
        const bool next = first_of_line(i - 1) || kind_at(i + 1) == K::Ident;
        return kind_at(i - 1) == K::Comma && next ? -1 : i;
      }
      default: return -1;
    }
  }
}

// `|` variables and derivatives `|`. What else lies between two bars is not such a list.
bool Parser::unknown_declaration_at(std::int32_t i) const {
  if (kind_at(i) != K::Bar) return false;
  const std::int32_t end = unknowns_end(i + 1);
  return end > i + 1 || (end > 0 && kind_at(end + 1) == K::Comma);
}

// `x, v'|,` where an equation may start: the unknown declaration has lost its first bar.
bool Parser::lost_bar(std::int32_t i) const {
  if (kind_at(i) != K::Ident) return false;
  const std::int32_t end = unknowns_end(i);
  return end >= 0 && kind_at(end + 1) == K::Comma;
}

// A condition and an arrow.
bool Parser::guard_at(std::int32_t i) const {
  return find_ahead(i, {K::Arrow}, {K::Comma, K::Bar, K::Becomes, K::LeftArrow}) >= 0;
}

// What ends the guard that begins here: its arrow or, before an event, its semicolon. `||` and `=>`
// of other languages are seen through.
std::int32_t Parser::guard_mark(std::int32_t i) const {
  for (std::int32_t from = i; from >= 0;) {
    const std::int32_t mark = find_ahead(from, {K::Arrow, K::Semicolon, K::Bar}, {});
    if (mark < 0) break;
    if (kind_at(mark) != K::Bar) return mark;
    const bool bars = kind_at(mark + 1) == K::Bar && adjacent(mark);
    from = bars ? mark + 2 : -1;
  }
  return find_ahead(i, {K::FatArrow}, {K::Bar});
}

// `f(x)` or `xs.f(y)` and nothing more: no equation, and no statement either.
bool Parser::lone_call_at(std::int32_t i) const {
  if (kind_at(i) != K::Ident) return false;
  for (++i; kind_at(i) == K::Dot && kind_at(i + 1) == K::Ident;) i += 2;
  if (kind_at(i) != K::LeftParen || partner(i) < 0) return false;
  const TokenKind next = kind_at(partner(i) + 1);
  return next == K::RightBracket || next == K::End;
}

// Where an equation may start, whether a bar starts an unknown declaration, complete or not. If it
// does not, it ends the list: what follows are statements or the guard of the next alternative.
bool Parser::bar_begins_unknowns(std::int32_t i) const {
  if (unknown_declaration_at(i)) return true;
  if (kind_at(i + 1) == K::Bar) return false;
  const std::int32_t second =
      find_ahead(i + 1, {K::Bar}, {K::Equal, K::LeftArrow, K::Becomes, K::Arrow, K::Semicolon});
  if (second > 0 && kind_at(second + 1) == K::Comma) return true;
  const TokenKind before = i > 0 ? kind_at(i - 1) : K::End;
  if (before != K::Comma && before != K::Bar) return false;
  if (find_ahead(i + 1, {K::Arrow}, {K::Comma, K::Bar}) >= 0) return false;
  const TokenKind next = kind_at(i + 1);
  return (next == K::Ident || next == K::Comma || next == K::Prime) &&
         element_kind(i + 1) != Section::Statements;
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
        const std::int32_t mark = guard_mark(i + 1);
        if (mark >= 0 && kind_at(mark) == K::Semicolon) return Section::Statements;
        if (!guarded_equations_at(i)) break;
        i = mark < 0 ? i + 1 : mark + 1;
        continue;
      }
      default:
        if (begins_with_word(i)) return Section::Statements;
        if (claim_at(i, "require")) return Section::Equations;
        if (unwind_at(i)) return Section::Equations;
        break;
    }
    break;
  }
  const std::int32_t sign = find_ahead(i,
                                       {K::Equal, K::LeftArrow, K::EqualEqual, K::Complements,
                                        K::Becomes, K::Bang, K::Question, K::Semicolon},
                                       {K::Bar});
  if (sign < 0) return lone_call_at(i) ? Section::Statements : Section::None;
  const TokenKind k = kind_at(sign);
  const TokenKind before = sign > i && adjacent(sign - 1) ? kind_at(sign - 1) : K::End;
  if (k == K::Equal && (before == K::Plus || before == K::Minus || before == K::Star)) {
    return Section::Statements;  // `x += 1`: an assignment of another language
  }
  const bool is_equation =
      k == K::Equal || k == K::LeftArrow || k == K::EqualEqual || k == K::Complements;
  return is_equation ? Section::Equations : Section::Statements;
}

// `A(`, `label: A(`, and the unwinding of an instance, also without its arrow.
bool Parser::instance_at(std::int32_t i) const {
  if (unwind_at(i)) return true;
  if (kind_at(i) == K::Ident && kind_at(i + 1) == K::Colon) i += 2;
  if (kind_at(i + 1) == K::Dot && is_alias_at(i)) i += 2;
  return kind_at(i) == K::Ident && kind_at(i + 1) == K::LeftParen;
}
bool Parser::unwound_instance_at(std::int32_t i) const {
  return unwind_at(i) ||
         (kind_at(i) == K::Ident && kind_at(i + 1) == K::Colon && begins_only_type(kind_at(i + 2)));
}

// Whether a system's block begins with declarations: they are followed by a single bar.
bool Parser::has_system_declarations(std::int32_t i) const {
  if (!declaration_at(i)) return false;
  if (kind_at(i + 1) == K::Colon && begins_only_type(kind_at(i + 2))) return true;
  std::int32_t bar = i;
  while (true) {
    bar = find_ahead(bar, {K::Bar, K::Becomes, K::Equal, K::Comma}, {});
    if (bar < 0) return false;
    if (kind_at(bar) != K::Bar) return true;  // no instance list has these outside brackets
    if (kind_at(bar + 1) != K::Bar || !adjacent(bar)) return true;
    bar += 2;
  }
}

}  // namespace chi::syntax::detail
