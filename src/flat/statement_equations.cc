#include "flat/statement_equations.h"

#include "flat/apply_substitutes.h"
#include "flat/equation_walk.h"

namespace chi::flat {

StatementEquations::StatementEquations(FlatModel& model)
    : model_(model), walk_(std::make_unique<EquationWalk>(model)) {}

StatementEquations::~StatementEquations() = default;

std::optional<expr::ExprId> StatementEquations::condition(std::int32_t block,
                                                          const Indices& indices,
                                                          syntax::ExprId expr,
                                                          Diagnostics& diagnostics) {
  const auto result = walk_->condition(block, indices, expr, diagnostics);
  return result ? std::optional(apply_substitutes(model_, *result)) : std::nullopt;
}

std::optional<std::vector<expr::ExprId>> StatementEquations::value(std::int32_t block,
                                                                   const Indices& indices,
                                                                   syntax::ExprId expr,
                                                                   Diagnostics& diagnostics) {
  auto result = walk_->value(block, indices, expr, diagnostics);
  if (!result) return std::nullopt;
  for (expr::ExprId& scalar : *result) scalar = apply_substitutes(model_, scalar);
  return result;
}

std::optional<EquationSet> StatementEquations::instant(std::int32_t block, const Indices& indices,
                                                       const syntax::Instant& statement,
                                                       Diagnostics& diagnostics) {
  EquationSet set;
  std::vector<Substitution> none;  // checking allows no substitute equations here
  std::vector<DiscreteEquation> no_memories;
  if (!walk_->add(block, indices, statement.equations, set, none, no_memories, diagnostics)) {
    return std::nullopt;
  }
  apply_substitutes(model_, set);
  return set;
}

}  // namespace chi::flat
