#include "syntax/token.h"

#include <array>
#include <unordered_map>

namespace chi::syntax {
namespace {

struct KindInfo {
  std::string_view text;
  bool keyword;
};

constexpr std::array kKinds = {
#define CHI_TOKEN(name, text) KindInfo{text, false},
#define CHI_KEYWORD(name, text) KindInfo{text, true},
#include "syntax/tokens.def"
#undef CHI_TOKEN
#undef CHI_KEYWORD
};

std::unordered_map<std::string_view, TokenKind> keyword_table() {
  std::unordered_map<std::string_view, TokenKind> table;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].keyword) table.emplace(kKinds[i].text, static_cast<TokenKind>(i));
  }
  return table;
}

}  // namespace

std::string_view token_text(TokenKind kind) { return kKinds[static_cast<std::size_t>(kind)].text; }
bool is_keyword(TokenKind kind) { return kKinds[static_cast<std::size_t>(kind)].keyword; }

TokenKind keyword_or_ident(std::string_view text) {
  static const std::unordered_map<std::string_view, TokenKind> keywords = keyword_table();
  const auto found = keywords.find(text);
  return found == keywords.end() ? TokenKind::Ident : found->second;
}

}  // namespace chi::syntax
