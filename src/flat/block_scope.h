#pragma once
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flat/equations.h"
#include "flat/expr_facts.h"
#include "flat/flat_model.h"
#include "flat/name_scope.h"

namespace chi::flat {

/// Unwinding indices and their values, outermost first.
using Indices = std::vector<std::pair<sema::DeclId, std::int64_t>>;

/// Most variables that a black box may read.
inline constexpr std::size_t kMaxBoxInputs = 10'000;

/// The names in a process instance, for one expression after the other.
class BlockScope : public NameScope {
 public:
  /// `model.equations` receives black boxes and discrete values.
  BlockScope(FlatModel& model, const Table<syntax::ExprId, ExprFacts>& facts);

  void enter(std::int32_t block, const Indices& indices);
  void push_index(sema::DeclId decl, std::int64_t value);
  void pop_index();
  std::int32_t block() const { return block_; }

  Operand lookup(sema::DeclId decl) override;
  const sema::Environment& values() override;
  expr::ExprId scalar(std::int32_t slot, sema::TypeId type, int order) override;
  expr::ExprId black_box(syntax::ExprId source, std::int32_t element, bool boolean,
                         std::span<const expr::ExprId> steps) override;
  expr::ExprId missing(Diagnostic why, bool boolean) override;
  expr::ExprId before(expr::ExprId e, syntax::ExprId source) override;
  sema::DeclId callee(sema::DeclId name) override;

  /// Begins a new expression: what was missing is forgotten, and no error is pending.
  void start();
  /// Reports what `result` needs and has no value, and what could not be said at all. False exactly
  /// if there was something.
  bool settle(std::span<const expr::ExprId> result, Diagnostics& diagnostics);

 private:
  expr::DiscreteId discrete_slot(std::int32_t slot, bool boolean);

  FlatModel& model_;
  Equations& out_;
  const Table<syntax::ExprId, ExprFacts>& facts_;
  std::int32_t block_ = -1;
  Indices indices_;
  std::vector<sema::Value> index_values_;
  sema::Environment values_;
  bool values_known_ = false;
  std::unordered_map<std::int32_t, expr::DiscreteId> discrete_slots_;
  std::unordered_map<expr::ExprId, expr::DiscreteId> before_;  // by what is looked back at
  std::vector<Diagnostic> missing_;  // number k stands for discrete value kMissing + k
  std::vector<Diagnostic> errors_;
};

}  // namespace chi::flat
