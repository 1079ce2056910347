#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "diag/diagnostic.h"
#include "flat/block_scope.h"
#include "flat/equations.h"
#include "flat/flat_model.h"

namespace chi::flat {

class EquationWalk;

/// Conditions and instantaneous equations of statements, translated when a process comes to them.
/// Results are not kept: the caller does that, by statement, instance and indices. They live in
/// `model.equations.pool`, to whose tables this may add; substitutes are applied.
class StatementEquations {
 public:
  explicit StatementEquations(FlatModel& model);  ///< `model` outlives this
  ~StatementEquations();

  /// The condition of a `nabla`, a guard or a selection in process instance `block`; its relations
  /// (expr::relations) are the state events to look for. None exactly when it reported.
  std::optional<expr::ExprId> condition(std::int32_t block, const Indices& indices,
                                        syntax::ExprId expr, Diagnostics& diagnostics);

  /// The value of a derivative in a statement there: its scalars, in slot order.
  std::optional<std::vector<expr::ExprId>> value(std::int32_t block, const Indices& indices,
                                                 syntax::ExprId expr, Diagnostics& diagnostics);

  /// The equations of an instantaneous equation statement there.
  std::optional<EquationSet> instant(std::int32_t block, const Indices& indices,
                                     const syntax::Instant& statement, Diagnostics& diagnostics);

 private:
  FlatModel& model_;
  std::unique_ptr<EquationWalk> walk_;
};

}  // namespace chi::flat
