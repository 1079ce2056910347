#include "results/trace.h"

namespace chi::results {
namespace {

bool glob(std::string_view pattern, std::string_view name) {
  // Greedy with one way back: on a mismatch the last `*` takes one character more.
  std::size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

bool matches(const std::vector<std::string>& patterns, std::string_view name) {
  return patterns.empty() || first_match(patterns, name) < patterns.size();
}

std::size_t first_match(const std::vector<std::string>& patterns, std::string_view name) {
  std::size_t p = 0;
  while (p < patterns.size() && !glob(patterns[p], name)) ++p;
  return p;
}

}  // namespace chi::results
