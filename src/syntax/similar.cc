#include "syntax/similar.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "syntax/token.h"

namespace chi::syntax {
namespace {

// Letters inserted, deleted or replaced (Levenshtein), a row of the table at a time.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace

std::string_view similar_keyword(std::string_view word) {
  constexpr std::string_view kLongForms[][2] = {
      {"process", "proc"}, {"procedure", "proc"}, {"function", "func"},   {"fun", "func"},
      {"system", "sys"},   {"constant", "const"}, {"experiment", "xper"}, {"return", "ret"},
      {"boolean", "bool"}, {"integer", "int"},    {"float", "real"},      {"double", "real"},
      {"str", "string"},   {"wait", "nabla"},     {"stop", "terminate"}};
  for (const auto& [form, keyword] : kLongForms) {
    if (word == form) return keyword;
  }
  constexpr std::size_t kLongest = 12;
  if (word.size() < 3 || word.size() > kLongest) return {};
  std::string_view best;
  std::size_t nearest = word.size() < 5 ? 2 : 3;  // below it
  for (int k = static_cast<int>(TokenKind::Type); k <= static_cast<int>(TokenKind::Impulse); ++k) {
    const std::string_view keyword = token_text(static_cast<TokenKind>(k));
    if (keyword.size() < 3) continue;
    const std::size_t steps = distance(word, keyword);
    if (steps >= nearest) continue;
    nearest = steps;
    best = keyword;
  }
  return best;
}

}  // namespace chi::syntax
