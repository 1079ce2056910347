#pragma once
#include <span>
#include <vector>

namespace chi::sim {

class Conditions;

/// What of a part's equations each of its borders decides: so that a question about one border does
/// not cost a look at all equations.
class BorderUses {
 public:
  BorderUses() = default;
  /// `all`: the conditions that count, ascending; `guards`: one of them per branch; `equations`:
  /// those of the `if`s in each equation.
  BorderUses(const Conditions& conditions, std::span<const int> all, std::span<const int> guards,
             std::span<const std::vector<int>> equations);

  bool decides_guard(int border) const { return !of(guards_, border).empty(); }
  /// The equations with an `if` that depends on the border. Ascending.
  std::span<const int> equations(int border) const { return of(equations_, border); }
  /// The conditions that depend on the border. Ascending.
  std::span<const int> conditions(int border) const { return of(conditions_, border); }

 private:
  using Lists = std::vector<std::vector<int>>;  // per border
  // Borders that came later are of statements.
  static std::span<const int> of(const Lists& lists, int border) {
    const auto b = static_cast<std::size_t>(border);
    return b < lists.size() ? std::span<const int>(lists[b]) : std::span<const int>{};
  }

  Lists guards_, equations_, conditions_;
};

}  // namespace chi::sim
