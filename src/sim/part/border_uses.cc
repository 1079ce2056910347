#include "sim/part/border_uses.h"

#include "sim/part/conditions.h"

namespace chi::sim {

BorderUses::BorderUses(const Conditions& conditions, std::span<const int> all,
                       std::span<const int> guards, std::span<const std::vector<int>> equations) {
  const std::size_t borders = conditions.borders().size();
  for (Lists* const lists : {&guards_, &equations_, &conditions_}) lists->resize(borders);
  // Users come in ascending order.
  const auto enter = [&](Lists& lists, std::size_t user, int condition) {
    for (const int b : conditions.borders_of(condition)) {
      std::vector<int>& list = lists[static_cast<std::size_t>(b)];
      const auto number = static_cast<int>(user);
      if (list.empty() || list.back() != number) list.push_back(number);
    }
  };
  for (const int c : all) enter(conditions_, static_cast<std::size_t>(c), c);
  for (std::size_t k = 0; k < guards.size(); ++k) enter(guards_, k, guards[k]);
  for (std::size_t e = 0; e < equations.size(); ++e) {
    for (const int c : equations[e]) enter(equations_, e, c);
  }
}

}  // namespace chi::sim
