#include "syntax/brackets.h"

#include <algorithm>

namespace chi::syntax {
namespace {

using enum TokenKind;

TokenKind opener_of(TokenKind closer) {
  return closer == RightParen ? LeftParen : closer == RightBracket ? LeftBracket : LeftBrace;
}

class Outliner {
 public:
  explicit Outliner(const Tokens& tokens) : tokens_(tokens) {
    outline_.partner.assign(tokens.kinds.size(), -1);
  }

  Outline run() {
    for (std::int32_t i = 0; i < tokens_.size(); ++i) {
      if (begins_definition(i)) outline_.definitions.push_back(i);
    }
    std::int32_t begin = 0;
    for (const std::int32_t next : outline_.definitions) {
      pair_within(begin, next);
      begin = next;
    }
    pair_within(begin, tokens_.size() - 1);
    return std::move(outline_);
  }

 private:
  TokenKind kind(std::int32_t i) const {
    return i < tokens_.size() ? tokens_.kinds[static_cast<std::size_t>(i)] : End;
  }
  Span span(std::int32_t i) const { return tokens_.spans[static_cast<std::size_t>(i)]; }

  bool first_of_line(std::int32_t i) const {
    if (i == 0) return true;
    return tokens_.source->text({span(i - 1).end, span(i).begin}).find('\n') !=
           std::string_view::npos;
  }

  bool begins_definition(std::int32_t i) const {
    const TokenKind k = kind(i);
    if (k == Ident || k == Equal) return lost_keyword(i);
    if (k < Type || k > Xper) return false;
    const TokenKind next = kind(i + 1);
    if (next == Ident) return true;
    if (k == Xper && (next == Equal || next == LeftParen || next == Bar)) return true;
    const bool as_name = next == Colon || next == Comma || next == Becomes || next == Prime ||
                         next == Dot || next == RightParen || next == Bar;
    return !as_name && first_of_line(i);
  }

  // `]| name (...) -> T = |[`, of which only `= |[` is sure.
  bool lost_keyword(std::int32_t i) const {
    const bool after_block = i == 0 || (i > 1 && kind(i - 1) == Bar && kind(i - 2) == RightBracket);
    if (!after_block || !first_of_line(i)) return false;
    std::int32_t equal = i;
    if (kind(equal) == Ident) ++equal;
    if (kind(equal) == Ident) ++equal;  // a keyword misspelt
    if (kind(equal) == LeftParen) equal = after_parentheses(equal);
    if (kind(equal) == Arrow) {
      const std::int32_t last = std::min(tokens_.size(), equal + 100);
      while (equal < last && kind(equal) != Equal) ++equal;
    }
    return kind(equal) == Equal && kind(equal + 1) == Bar && kind(equal + 2) == LeftBracket;
  }

  std::int32_t after_parentheses(std::int32_t i) const {
    const std::int32_t last = std::min(tokens_.size(), i + 1000);
    for (int depth = 0; i < last; ++i) {
      depth += kind(i) == LeftParen ? 1 : kind(i) == RightParen ? -1 : 0;
      if (depth == 0) return i + 1;
    }
    return i;
  }

  // The `[` of the `|[` that opens the block of the definition begin..end, or -1.
  std::int32_t block_opener(std::int32_t begin, std::int32_t end) const {
    for (std::int32_t i = begin; i + 2 < end; ++i) {
      if (kind(i) == Equal && kind(i + 1) == Bar && kind(i + 2) == LeftBracket) return i + 2;
    }
    return -1;
  }

  void pair_within(std::int32_t begin, std::int32_t end) {
    const bool closed = end - begin > 4 && kind(end - 2) == RightBracket && kind(end - 1) == Bar;
    const std::int32_t opener = closed ? block_opener(begin, end) : -1;
    if (opener < 0) {
      pair_flat(begin, end);
      return;
    }
    pair_flat(begin, opener);
    pair_flat(opener + 1, end - 2);
    join(opener, end - 2);
  }

  void join(std::int32_t opener, std::int32_t closer) {
    outline_.partner[static_cast<std::size_t>(opener)] = closer;
    outline_.partner[static_cast<std::size_t>(closer)] = opener;
  }

  // A closer belongs to the nearest open bracket of its kind; what was opened since stays unclosed.
  void pair_flat(std::int32_t begin, std::int32_t end) {
    open_.clear();
    std::int32_t open_of_kind[3] = {0, 0, 0};
    const auto count = [&](std::int32_t opener) -> std::int32_t& {
      const TokenKind k = kind(opener);
      return open_of_kind[k == LeftParen ? 0 : k == LeftBracket ? 1 : 2];
    };
    for (std::int32_t i = begin; i < end; ++i) {
      const TokenKind k = kind(i);
      if (is_opener(k)) {
        open_.push_back(i);
        ++count(i);
      } else if (is_closer(k)) {
        const TokenKind wanted = opener_of(k);
        if (open_of_kind[wanted == LeftParen ? 0 : wanted == LeftBracket ? 1 : 2] == 0) {
          outline_.strays.push_back(i);
          continue;
        }
        while (kind(open_.back()) != wanted) {
          --count(open_.back());
          open_.pop_back();
        }
        --count(open_.back());
        join(open_.back(), i);
        open_.pop_back();
      }
    }
  }

  const Tokens& tokens_;
  Outline outline_;
  std::vector<std::int32_t> open_;
};

}  // namespace

bool is_opener(TokenKind k) { return k == LeftParen || k == LeftBracket || k == LeftBrace; }
bool is_closer(TokenKind k) { return k == RightParen || k == RightBracket || k == RightBrace; }

Outline outline(const Tokens& tokens) { return Outliner(tokens).run(); }

}  // namespace chi::syntax
