#include "sema/suggest.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "syntax/foreign.h"

namespace chi::sema {
namespace {

constexpr std::size_t kLongestName = 64;

/// Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, kLongestName + 1>;
  Row before_last{}, last{}, row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

bool is_wanted(DeclKind kind, Wanted wanted) {
  const bool part = kind == DeclKind::Process || kind == DeclKind::System;
  if (wanted == Wanted::Part) return part;
  if (wanted == Wanted::Type) return kind == DeclKind::TypeAlias;
  return !part && kind != DeclKind::TypeAlias;
}

std::string_view foreign_word(std::string_view name, Wanted wanted) {
  if (wanted == Wanted::Part) return {};
  return syntax::foreign_word(
      name, wanted == Wanted::Type ? syntax::Wanting::Type : syntax::Wanting::Value);
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.size() > kLongestName) return {};
  std::size_t best = name.size() < 3 ? 1 : 1 + name.size() / 4;
  if (name.size() < 2) return {};  // any other letter would be near
  std::string_view found;
  for (std::string_view candidate : candidates) {
    const std::size_t longer = std::max(candidate.size(), name.size());
    const std::size_t shorter = std::min(candidate.size(), name.size());
    if (longer - shorter > best || candidate.size() > kLongestName) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance == 0 || distance > best || (distance == best && !found.empty())) continue;
    best = distance;
    found = candidate;
  }
  return std::string(found);
}

std::string suggest(Context& c, Symbol name, Wanted wanted) {
  if (c.suggestions_left-- <= 0) return {};
  if (const std::string_view help = foreign_word(c.text(name), wanted); !help.empty()) {
    return std::string(help);
  }
  std::vector<std::string_view> candidates;
  const auto visible = c.scope.visible();
  for (std::size_t i = visible.size(); i-- > 0;) {
    if (is_wanted(c.model.decls[visible[i]].kind, wanted)) {
      candidates.push_back(c.name_of(visible[i]));
    }
  }
  if (wanted == Wanted::Value) {
#define CHI_BUILTIN(enumerator, text) candidates.push_back(text);
#include "sema/builtins.def"
#undef CHI_BUILTIN
    candidates.insert(candidates.end(), {"time", "true", "false", "inf"});
  } else if (wanted == Wanted::Type) {
    candidates.insert(candidates.end(), {"bool", "nat", "int", "real", "string", "void"});
  }
  const std::string found = nearest(c.text(name), candidates);
  return found.empty() ? found : fmt::format("did you mean `{}`?", found);
}

}  // namespace chi::sema
