#include "syntax/format.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"
#include "syntax/spacing.h"

namespace chi::syntax {
namespace {

constexpr int kMaxColumns = 100;

/// A token or comment as it is written, and what stood before it in the text.
struct Piece {
  std::string_view text;
  TokenKind kind = TokenKind::End;
  bool comment = false;
  bool own_lines = false;  // a comment of several lines, or one that ends its line
  int newlines = 0;        // line ends before it, two at most
  bool space = false;      // white space or a comment before it in the text
};

/// A bracket that is open: where its text begins and where items inside it begin.
struct Open {
  int column = 0;
  int inside = 0;
};

int width(std::string_view text) {
  int columns = 0;
  while (!text.empty()) {
    text.remove_prefix(decode_utf8(text).bytes);
    ++columns;
  }
  return columns;
}

std::string_view written(const SourceFile& source, TokenKind kind, Span span) {
  switch (kind) {
    case TokenKind::Ident:
    case TokenKind::Integer:
    case TokenKind::Real:
    case TokenKind::String:
    case TokenKind::Unit: return source.text(span);
    default: return token_text(kind);
  }
}

std::vector<Piece> pieces_of(const SourceFile& source, const Tokens& tokens) {
  std::vector<Piece> pieces;
  std::size_t comment = 0;
  std::int32_t last_end = source.begin();
  const auto add = [&](Piece piece, Span span) {
    const std::string_view between = source.text({last_end, span.begin});
    piece.newlines = static_cast<int>(
        std::min<std::ptrdiff_t>(std::count(between.begin(), between.end(), '\n'), 2));
    piece.space = !between.empty();
    last_end = span.end;
    pieces.push_back(piece);
  };
  for (std::int32_t i = 0; i < tokens.size(); ++i) {
    for (; comment < tokens.comments.size() && tokens.comments[comment].before == i; ++comment) {
      std::string_view text = source.text(tokens.comments[comment].span);
      while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
      const bool ends_line = text.substr(0, 2) == "//";
      add({text, TokenKind::End, true, ends_line || text.find('\n') != std::string_view::npos},
          tokens.comments[comment].span);
    }
    const auto at = static_cast<std::size_t>(i);
    if (tokens.kinds[at] == TokenKind::End) break;
    add({written(source, tokens.kinds[at], tokens.spans[at]), tokens.kinds[at]}, tokens.spans[at]);
  }
  if (!pieces.empty()) pieces.front().newlines = 0;
  return pieces;
}

/// Lays the pieces out. `breaks[i]` asks for a line end before piece i besides the author's.
class Layout {
 public:
  Layout(const std::vector<Piece>& pieces, const std::vector<TokenRole>& roles,
         const std::vector<char>& breaks)
      : pieces_(pieces), roles_(roles), breaks_(breaks) {}

  std::string text() {
    columns_.resize(pieces_.size());
    lines_.resize(pieces_.size());
    for (std::size_t i = 0; i < pieces_.size(); ++i) place(i);
    if (!out_.empty()) out_ += '\n';
    return std::move(out_);
  }

  /// Column and line of each piece, after `text`.
  const std::vector<int>& columns() const { return columns_; }
  const std::vector<int>& lines() const { return lines_; }
  const std::vector<int>& depths() const { return depths_; }

 private:
  void place(std::size_t i) {
    const Piece& piece = pieces_[i];
    const bool closing = closes(roles_[i]);
    const bool after_line_comment =
        i > 0 && pieces_[i - 1].comment && pieces_[i - 1].text.substr(0, 2) == "//";
    int newlines = std::max(piece.newlines, breaks_[i] != 0 || after_line_comment ? 1 : 0);
    if (i == 0) newlines = 0;
    if (newlines > 0) {
      out_.append(static_cast<std::size_t>(newlines), '\n');
      column_ = indentation(i, closing);
      ++line_;
      out_.append(static_cast<std::size_t>(column_), ' ');
    } else if (i > 0 && space_between(i)) {
      out_ += ' ';
      ++column_;
    }
    columns_[i] = column_;
    lines_[i] = line_;
    depths_.push_back(static_cast<int>(open_.size()));
    if (closing && !open_.empty()) open_.pop_back();
    out_ += piece.text;
    const std::size_t last = piece.text.rfind('\n');
    const int begin = column_;
    column_ = last == std::string_view::npos ? column_ + width(piece.text)
                                             : width(piece.text.substr(last + 1));
    if (!opens(roles_[i])) return;
    if (open_.empty() && i > 0 && opens_body(i - 1)) {
      open_.push_back({0, 3});  // a block's sections stand at the margin, wherever its `|[` does
    } else {
      open_.push_back(
          {opening_column(i, begin), column_ + (roles_[i] == TokenRole::OpenWide ? 1 : 0)});
    }
  }

  bool space_between(std::size_t i) const {
    if (pieces_[i].comment || pieces_[i - 1].comment) return true;
    return needs_space(pieces_[i - 1].kind, roles_[i - 1], pieces_[i].kind, roles_[i]);
  }

  /// `*[` begins at its star.
  int opening_column(std::size_t i, int begin) const {
    const bool repetition = i > 0 && pieces_[i - 1].kind == TokenKind::Star &&
                            lines_[i - 1] == lines_[i] && columns_[i - 1] + 1 == begin;
    return repetition ? begin - 1 : begin;
  }

  int indentation(std::size_t i, bool closing) const {
    // A comment is indented as what follows it.
    std::size_t next = i;
    while (next + 1 < pieces_.size() && pieces_[next].comment) ++next;
    const TokenRole role = roles_[next];
    if (open_.empty())
      return begins_definition(pieces_[next].kind) || begins_import(next) ||
                     role == TokenRole::Separator || opens_body(next)
                 ? 0
                 : 2;
    const bool inside = !closing && role != TokenRole::Separator && !closes(role);
    return inside ? open_.back().inside : open_.back().column;
  }

  // Outside brackets no name stands behind a name but in an import.
  bool begins_import(std::size_t i) const {
    return (pieces_[i].text == "from" || pieces_[i].text == "import") && i + 1 < pieces_.size() &&
           pieces_[i + 1].kind == TokenKind::Ident &&
           (i == 0 || pieces_[i].newlines > 0 || pieces_[i - 1].comment);
  }

  bool opens_body(std::size_t i) const {
    return pieces_[i].kind == TokenKind::Bar && i + 1 < pieces_.size() &&
           pieces_[i + 1].kind == TokenKind::LeftBracket;
  }

  const std::vector<Piece>& pieces_;
  const std::vector<TokenRole>& roles_;
  const std::vector<char>& breaks_;
  std::string out_;
  std::vector<Open> open_;
  std::vector<int> columns_, lines_, depths_;
  int column_ = 0, line_ = 0;
};

/// Asks for a line end in each line that is too long: before the last break point of the least
/// depth that fits. False if no line is too long or none can be broken.
bool break_long_lines(const std::vector<Piece>& pieces, const std::vector<TokenRole>& roles,
                      const Layout& layout, std::vector<char>& breaks) {
  bool changed = false;
  for (std::size_t first = 0; first < pieces.size();) {
    std::size_t end = first;
    int longest = 0;
    while (end < pieces.size() && layout.lines()[end] == layout.lines()[first]) {
      if (!pieces[end].own_lines)
        longest = std::max(longest, layout.columns()[end] + width(pieces[end].text));
      ++end;
    }
    if (longest > kMaxColumns) {
      std::size_t best = first;
      for (std::size_t i = first + 1; i < end && layout.columns()[i] <= kMaxColumns; ++i) {
        const bool inner_operator = roles[i] == TokenRole::Operator && layout.depths()[i] > 0;
        if (roles[i] != TokenRole::Separator && !inner_operator) continue;
        if (best == first || layout.depths()[i] <= layout.depths()[best]) best = i;
      }
      if (best != first) {
        breaks[best] = 1;
        changed = true;
      }
    }
    first = end;
  }
  return changed;
}

}  // namespace

std::optional<std::string> format(const SourceFile& source, Diagnostics& diagnostics) {
  const int before = diagnostics.error_count();
  const Tokens tokens = lex(source, diagnostics);
  const Ast ast = parse(tokens, diagnostics);
  if (diagnostics.error_count() != before) return std::nullopt;
  const std::vector<Piece> pieces = pieces_of(source, tokens);
  std::vector<TokenKind> kinds;
  for (const Piece& piece : pieces) kinds.push_back(piece.comment ? TokenKind::End : piece.kind);
  const std::vector<TokenRole> roles = token_roles(kinds);
  std::vector<char> breaks(pieces.size(), 0);
  // A break moves what follows, which may then be too long in its turn; each round breaks every
  // such line once.
  while (true) {
    Layout layout(pieces, roles, breaks);
    std::string text = layout.text();
    if (!break_long_lines(pieces, roles, layout, breaks)) return text;
  }
}

}  // namespace chi::syntax
