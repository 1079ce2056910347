#pragma once
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "flat/expr_facts.h"
#include "flat/name_scope.h"

namespace chi::flat {

/// The functions of the model as the expressions call them.
class FunctionTable {
 public:
  virtual ~FunctionTable() = default;
  /// One function for each scalar of the result; empty if the function cannot be called.
  virtual std::span<const expr::FunctionId> components(sema::DeclId function) = 0;
};

/// Translates χ expressions to expressions over scalars.
///
/// The nodes under an expression are listed once, children first; a translation runs down the list.
/// So it does not recurse, and unwound copies and instances cost little. Integers become reals, so
/// they are exact to 2^53; `div` and `mod` are black boxes.
class Translator {
 public:
  /// All outlive the translator.
  Translator(const sema::TypedModel& model, const Table<syntax::ExprId, ExprFacts>& facts,
             expr::Pool& pool, FunctionTable& functions);

  /// The scalars of the value of `expr`, in slot order; they stay until the next call. `kind` says
  /// what its conditions become. Empty if `scope` cannot say some part of it.
  std::optional<std::span<const expr::ExprId>> translate(syntax::ExprId expr, NameScope& scope,
                                                         expr::IfKind kind);
  /// The same with scalars put in for some of the nodes under it.
  using Holes = std::unordered_map<syntax::ExprId, expr::ExprId>;
  std::optional<std::span<const expr::ExprId>> translate_around(syntax::ExprId expr,
                                                                const Holes& holes,
                                                                NameScope& scope,
                                                                expr::IfKind kind);

  /// A run of translated scalars, and those of all nodes of the list so far.
  struct Result {
    std::int32_t first = 0;
    std::int32_t count = 0;
  };
  struct Scratch {
    Table<syntax::ExprId, Result> results;
    std::vector<expr::ExprId> values;
  };

 private:
  std::optional<std::span<const expr::ExprId>> run(syntax::ExprId expr,
                                                   std::span<const syntax::ExprId> nodes,
                                                   const Holes* holes, NameScope& scope,
                                                   expr::IfKind kind);
  std::vector<syntax::ExprId> nodes_under(syntax::ExprId root, const Holes* holes) const;

  const sema::TypedModel& model_;
  const Table<syntax::ExprId, ExprFacts>& facts_;
  expr::Pool& pool_;
  FunctionTable& functions_;
  std::unordered_map<syntax::ExprId, std::vector<syntax::ExprId>> lists_;
  Scratch scratch_;
};

/// The types of the scalars of a scalar-based type with known lengths, in slot order.
std::vector<sema::TypeId> scalar_types(const sema::Types& types, sema::TypeId type);

}  // namespace chi::flat
