#pragma once
#include <optional>
#include <vector>

#include "diag/diagnostic.h"
#include "flat/block_scope.h"
#include "flat/equations.h"
#include "flat/flat_model.h"
#include "flat/function_library.h"
#include "flat/loop_bodies.h"
#include "flat/memories.h"
#include "flat/translator.h"

namespace chi::flat {

/// Translates equations of process instances, one list after the other. Substitute equations are
/// collected, not applied. Each method is false or none exactly when it reported.
class EquationWalk {
 public:
  /// Works on `model.equations`, to which it adds black boxes, discrete values and functions.
  explicit EquationWalk(FlatModel& model);

  /// Adds the equations of a list as they stand in the given process instance to `out`.
  bool add(std::int32_t block, const Indices& indices, Slice<syntax::EquationId> list,
           EquationSet& out, std::vector<Substitution>& substitutions,
           std::vector<DiscreteEquation>& discrete, Diagnostics& diagnostics);

  /// A condition of a statement there.
  std::optional<expr::ExprId> condition(std::int32_t block, const Indices& indices,
                                        syntax::ExprId expr, Diagnostics& diagnostics);

  /// The scalars of the value of an expression of a statement there, in slot order.
  std::optional<std::vector<expr::ExprId>> value(std::int32_t block, const Indices& indices,
                                                 syntax::ExprId expr, Diagnostics& diagnostics);

 private:
  // Where in the text the walk is.
  struct Site {
    BranchId branch;
    LoopId loop;
    std::int64_t index = 0;
  };
  using Scalars = std::vector<expr::ExprId>;

  bool walk(Slice<syntax::EquationId> list, Site site);
  bool equality(syntax::EquationId id, const syntax::Equality& node, Site site);
  bool complements(syntax::EquationId id, const syntax::Complements& node, Site site);
  struct Compared;
  std::optional<Compared> compared(syntax::ExprId expr, Site site, std::size_t& elements);
  bool unknowns(Slice<syntax::ExprId> list, Site site, std::vector<Unknown>& out);
  bool substitute(const syntax::Substitute& node, Span span);
  bool discrete(const syntax::Substitute& node, const Scalars& left, const Scalars& right);
  bool guarded(const syntax::GuardedEquations& node, Span span, Site site);
  bool unwound(syntax::EquationId id, const syntax::UnwoundEquations& node, Site site);
  bool too_many(Span span);

  std::optional<Scalars> translate(syntax::ExprId expr, expr::IfKind kind);
  std::optional<Scalars> side(syntax::ExprId expr, Site site);
  std::optional<Scalars> targets(syntax::ExprId path);

  FlatModel& model_;
  Table<syntax::ExprId, ExprFacts> facts_;
  FunctionLibrary functions_;
  Translator translator_;
  BlockScope scope_;
  LoopBodies loops_;
  EquationSet* out_ = nullptr;
  std::vector<Substitution>* substitutions_ = nullptr;
  std::vector<DiscreteEquation>* discrete_ = nullptr;
  Diagnostics* diagnostics_ = nullptr;
  std::int64_t copies_ = 0;  // of unwound equations
};

}  // namespace chi::flat
