#pragma once
#include <functional>
#include <span>
#include <vector>

#include "expr/cone.h"
#include "expr/expr.h"

namespace chi::expr {

/// Rebuilds a cone bottom-up; inner to the passes that put other nodes in place of some. `special`
/// gives the replacement of a node, which then is not looked into if it is among the `stops`, or
/// none to rebuild it from its new operands, which it is given. O(nodes reached).
class Rewrite {
 public:
  using Special = std::function<ExprId(ExprId e, std::span<const ExprId> operands)>;

  Rewrite(Pool& pool, Special special) : pool_(pool), special_(std::move(special)) {}

  std::vector<ExprId> run(std::span<const ExprId> roots, const NodeIndex* stops = nullptr,
                          Follow follow = {});

 private:
  Pool& pool_;
  Special special_;
};

}  // namespace chi::expr
