#include "expr/rewrite.h"

#include "expr/build.h"

namespace chi::expr {

std::vector<ExprId> Rewrite::run(std::span<const ExprId> roots, const NodeIndex* stops,
                                 Follow follow) {
  const Cone cone(pool_, roots, follow, stops);
  std::vector<ExprId> rewritten;
  rewritten.reserve(static_cast<std::size_t>(cone.size()));
  std::vector<ExprId> operands;
  for (const ExprId e : cone.nodes()) {
    operands.clear();
    bool same = true;
    if (stops == nullptr || stops->find(e) < 0) {
      const Operands old = pool_.operands(e);
      for (int i = 0; i < old.size(); ++i) {
        operands.push_back(follow(pool_, e, i)
                               ? rewritten[static_cast<std::size_t>(cone.position(old[i]))]
                               : old[i]);
        same = same && operands.back() == old[i];
      }
    }
    ExprId result = special_(e, operands);
    if (!result) result = same ? e : rebuild(pool_, e, operands);
    rewritten.push_back(result);
  }
  std::vector<ExprId> results;
  for (const ExprId root : roots)
    results.push_back(rewritten[static_cast<std::size_t>(cone.position(root))]);
  return results;
}

}  // namespace chi::expr
