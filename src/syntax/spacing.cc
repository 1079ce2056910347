#include "syntax/spacing.h"

#include <string_view>

namespace chi::syntax {
namespace {

using K = TokenKind;
using R = TokenRole;

bool is_type_word(K kind) {
  return kind == K::Bool || kind == K::Nat || kind == K::Int || kind == K::RealType ||
         kind == K::StringType || kind == K::Void;
}

/// Whether an operand can end with this token, so that what follows is no prefix.
bool ends_operand(K kind, R role) {
  switch (kind) {
    case K::Ident:
    case K::Integer:
    case K::Real:
    case K::String:
    case K::Unit:
    case K::True:
    case K::False:
    case K::Inf:
    case K::Time:
    case K::Prime: return true;
    default: return is_type_word(kind) || closes(role) || (role == R::Postfix && kind == K::Star);
  }
}

class Roles {
 public:
  explicit Roles(const std::vector<K>& kinds) : kinds_(kinds), roles_(kinds.size(), R::Word) {}

  std::vector<R> run() {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (kinds_[i] == K::End) continue;  // a comment
      roles_[i] = role(i);
      if (opens(roles_[i])) open_.push_back({i, false});
      if (open_.empty() && begins_definition(kinds_[i])) {
        in_system_ = kinds_[i] == K::Sys || kinds_[i] == K::Syst || kinds_[i] == K::Clus ||
                     kinds_[i] == K::Xper;
      }
      last_ = i;
      any_ = true;
    }
    return std::move(roles_);
  }

 private:
  struct OpenBracket {
    std::size_t at = 0;
    bool unknowns = false;  // inside |x, y|
  };

  K before() const { return any_ ? kinds_[last_] : K::End; }
  bool after_operand() const { return any_ && ends_operand(kinds_[last_], roles_[last_]); }
  K next(std::size_t i) const {
    for (++i; i < kinds_.size(); ++i) {
      if (kinds_[i] != K::End) return kinds_[i];
    }
    return K::End;
  }

  R role(std::size_t i) {
    switch (kinds_[i]) {
      case K::LeftParen:
      case K::LeftBracket:
      case K::LeftBrace: return is_wide(i) ? R::OpenWide : R::Open;
      case K::RightParen:
      case K::RightBracket:
      case K::RightBrace: return close();
      case K::Less:
      case K::LeftArrow: return after_operand() ? R::Operator : R::Open;
      case K::Greater: {
        const K open = open_.empty() ? K::End : kinds_[open_.back().at];
        return open == K::Less || open == K::LeftArrow ? close() : R::Operator;
      }
      case K::Comma:
      case K::Semicolon:
      case K::Arrow: return R::Separator;
      case K::Bar: return bar(i);
      case K::Colon:
      case K::Prime: return R::Postfix;
      case K::Dot:
      case K::DotDot:
      case K::Caret:
      case K::At: return R::Tight;
      case K::Bang:
      case K::Question:
        if (!after_operand()) return R::Prefix;
        return ends_statement(next(i)) ? R::Postfix
                                       : R::Tight;  // a! and a? on a void channel, or with a value
      case K::Plus:
      case K::Minus: return after_operand() ? R::Operator : R::Prefix;
      case K::Star: return star(i);
      case K::And:
      case K::Or:
      case K::Becomes:
      case K::Equal:
      case K::NotEqual:
      case K::LessEqual:
      case K::GreaterEqual:
      case K::PlusPlus:
      case K::MinusMinus:
      case K::Slash:
      case K::Hash:
      case K::Div:
      case K::Mod:
      case K::Complements:
      case K::Restitution:
      case K::In: return R::Operator;
      default: return R::Word;
    }
  }

  static bool ends_statement(K kind) {
    return kind == K::Semicolon || kind == K::Arrow || kind == K::Bar || kind == K::RightBracket ||
           kind == K::Comma || kind == K::End;
  }

  R close() {
    if (open_.empty()) return R::Close;
    const R opened = roles_[open_.back().at];
    open_.pop_back();
    return opened == R::OpenWide ? R::CloseWide : R::Close;
  }

  /// A block, repetition, selection, record or set of equations.
  bool is_wide(std::size_t i) const {
    if (kinds_[i] == K::LeftParen) return false;
    if (kinds_[i] == K::LeftBracket && (before() == K::Bar || before() == K::Star) &&
        roles_[last_] == R::Prefix)
      return true;
    if (kinds_[i] == K::LeftBracket && after_operand()) return false;
    const bool brace = kinds_[i] == K::LeftBrace;
    return first_outside(i, [&](K kind) {
             return kind == K::Arrow || (brace && (kind == K::Equal || kind == K::Bar ||
                                                   kind == K::LeftArrow || kind == K::Colon));
           }) != K::End;
  }

  /// The first token behind this one that is outside of brackets and as wanted, or the end where
  /// the bracket around it closes before that, or it is far.
  template <class Wanted>
  K first_outside(std::size_t i, Wanted is_wanted) const {
    constexpr std::size_t kFar = 4000;
    int depth = 0;
    for (std::size_t k = i + 1; k < kinds_.size() && k < i + kFar; ++k) {
      switch (kinds_[k]) {
        case K::LeftParen:
        case K::LeftBracket:
        case K::LeftBrace: ++depth; break;
        case K::RightParen:
        case K::RightBracket:
        case K::RightBrace:
          if (depth-- == 0) return K::End;
          break;
        default:
          if (depth == 0 && is_wanted(kinds_[k])) return kinds_[k];
      }
    }
    return K::End;
  }

  R bar(std::size_t i) {
    if (before() == K::Equal && next(i) == K::LeftBracket) return R::Prefix;  // |[
    if (any_ && closes(roles_[last_]) && kinds_[last_] == K::RightBracket &&
        roles_[last_] == R::CloseWide && open_.empty()) {
      return R::Postfix;  // ]|: blocks do not nest
    }
    if (!open_.empty() && open_.back().unknowns) {
      open_.back().unknowns = false;
      return R::Postfix;
    }
    if (!open_.empty() && !in_system_ && starts_unknowns(i)) {
      open_.back().unknowns = true;
      return R::Prefix;
    }
    if (before() == K::Bar && roles_[last_] == R::Separator && last_ + 1 == i)
      return R::Postfix;  // ||
    return R::Separator;
  }

  /// Whether `| x, y' |` begins here: names, elements and primes up to the next bar.
  bool starts_unknowns(std::size_t i) const {
    const K left = before();
    const bool could_start = left == K::Comma || left == K::Arrow || left == K::LeftBrace ||
                             left == K::LeftBracket || left == K::Impulse || left == K::Colon ||
                             (left == K::Bar && roles_[last_] == R::Separator);
    if (!could_start) return false;
    bool some = false;
    for (std::size_t k = i + 1; k < kinds_.size(); ++k) {
      switch (kinds_[k]) {
        case K::Bar: return some;
        case K::Ident: some = true; break;
        case K::End:
        case K::Integer:
        case K::Dot:
        case K::Prime:
        case K::Comma:
        case K::Plus:
        case K::Minus:
        case K::LeftParen:
        case K::RightParen:
        case K::LeftBracket:
        case K::RightBracket: break;
        default: return false;
      }
    }
    return false;
  }

  /// Multiplication, the star of a list type, or of a repetition.
  R star(std::size_t i) const {
    if (!after_operand()) return R::Prefix;
    switch (next(i)) {
      case K::Comma:
      case K::RightParen:
      case K::RightBracket:
      case K::RightBrace:
      case K::Becomes:
      case K::Equal:
      case K::Bar:
      case K::Star:
      case K::Caret:
      case K::Hash:
      case K::In:
      case K::Arrow:
      case K::Semicolon:
      case K::End: return R::Postfix;
      case K::LeftArrow: return has_range(i) ? R::Postfix : R::Operator;
      default: return R::Operator;
    }
  }

  /// Of a star before `<-`: that of a type, as in `i: nat* <- 0..n:`, or a product with `<-1, 2>`.
  bool has_range(std::size_t i) const {
    return first_outside(i, [](K kind) {
             return kind == K::DotDot || kind == K::Comma || kind == K::Greater;
           }) == K::DotDot;
  }

  const std::vector<K>& kinds_;
  std::vector<R> roles_;
  std::vector<OpenBracket> open_;
  std::size_t last_ = 0;
  bool any_ = false;
  bool in_system_ = false;  // whose bars declare no unknowns
};

bool is_word(K kind) {
  return kind == K::Ident || kind == K::Integer || kind == K::Real || kind == K::String ||
         kind == K::Unit || kind == K::Complements || kind == K::Restitution || is_keyword(kind);
}

/// Whether the two would be read as something else if written together.
bool would_merge(K left, K right) {
  if (is_word(left) && is_word(right)) return true;
  if (left == K::Integer && (right == K::Dot || right == K::DotDot)) return right == K::Dot;
  const std::string_view a = token_text(left);
  const std::string_view b = token_text(right);
  if (is_word(left) || is_word(right) || a.empty() || b.empty()) return false;
  const char x = a.back();
  const char y = b.front();
  switch (x) {
    case '<': return y == '-' || y == '=';
    case '-': return y == '-' || y == '>';
    case '+': return y == '+';
    case ':':
    case '>':
    case '=':
    case '!': return y == '=';
    case '/': return y == '=' || y == '/' || y == '*';
    case '.': return y == '.';
    default: return false;
  }
}

}  // namespace

std::vector<TokenRole> token_roles(const std::vector<TokenKind>& kinds) {
  return Roles(kinds).run();
}

bool needs_space(TokenKind left, TokenRole left_role, TokenKind right, TokenRole right_role) {
  if (would_merge(left, right)) return true;
  if (left_role == R::OpenWide || right_role == R::CloseWide) return true;
  if (left_role == R::Prefix || left_role == R::Tight || left_role == R::Open) return false;
  if (right_role == R::Postfix || right_role == R::Tight || right_role == R::Close) return false;
  if (right == K::Comma || right == K::Semicolon) return false;
  const bool called = left == K::Ident || left == K::Set || left == K::Dict || left == K::Xper ||
                      left == K::Prime || closes(left_role);
  if ((right == K::LeftParen || right == K::LeftBracket) && opens(right_role) && called)
    return false;
  return true;
}

bool begins_definition(TokenKind kind) {
  switch (kind) {
    case K::Type:
    case K::Const:
    case K::Func:
    case K::Proc:
    case K::Sys:
    case K::Syst:
    case K::Clus:
    case K::Xper:
    case K::End: return true;
    default: return false;
  }
}

}  // namespace chi::syntax
