#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flat/block_scope.h"
#include "flat/equations.h"
#include "flat/translator.h"

namespace chi::flat {

/// Unwound equations kept as loops.
///
/// In `i: nat <- 1..n: x.i' = x.(i-1) - x.i` all copies say the same of other variables: the right
/// side is one function of x.(i-1) and x.i, and a copy is a call of it. So whoever looks into the
/// equations, differentiates or compiles them does it once for all copies, as for the functions
/// that a modeller writes (expr::Function), and a copy costs as much as the list of its arguments.
///
/// A side of an equation is such a function if the indices of arrays in it are linear in the index
/// of the loop, and nothing in it moves in steps. Arguments are the variables, `time`, and the
/// numbers and truths that differ from copy to copy. With `if`, `abs` or `max` a function has
/// alternatives; each of these is a function again (expr/alternatives.h), and which one counts is
/// the mode of the copy.
class LoopBodies {
 public:
  /// All outlive this. Adds functions to `equations`.
  LoopBodies(const sema::TypedModel& model, const Table<syntax::ExprId, ExprFacts>& facts,
             Equations& equations, Translator& translator, BlockScope& scope);

  /// Looks at the equations in the body of a loop with this many copies, from index `low` on, whose
  /// index is `index`, also under guards; and forgets them.
  void enter(Slice<syntax::EquationId> body, sema::DeclId index, std::int64_t low,
             std::int64_t copies);
  void leave(Slice<syntax::EquationId> body);

  /// A side of an equation of the loop, in the copy with this index; none if it is to be translated
  /// for itself.
  expr::ExprId side(syntax::ExprId side, std::int64_t index);

 private:
  // An argument: a variable whose slot moves evenly, or something that is to be translated.
  struct Argument {
    expr::VarRef first = {};
    std::int64_t stride = 0;
    syntax::ExprId source = {};  ///< none for a variable that moves evenly
    expr::ExprId same = {};      ///< that of all copies, if it is
    bool operator==(const Argument&) const = default;
  };
  struct Body {
    expr::FunctionId function;  ///< none: the side is its only argument
    std::vector<Argument> arguments;
    std::int64_t low = 0, copies = 0;
  };
  struct Ends {
    sema::DeclId index;
    std::int64_t low = 0, copies = 0;
  };

  template <class Visit>
  void visit_sides(Slice<syntax::EquationId> body, const Visit& visit) const;
  std::optional<Body> make(syntax::ExprId side, const Ends& ends);
  void line_up(const Body& body);
  expr::ExprId variable(const Argument& a, std::int64_t copy);
  bool find_holes(syntax::ExprId side, std::vector<syntax::ExprId>& holes) const;
  bool is_passed(syntax::ExprId e) const;
  bool is_truth(syntax::ExprId e) const;
  bool is_linear_path(syntax::ExprId e) const;
  bool is_linear(syntax::ExprId e) const;
  bool mentions_index(syntax::ExprId e) const;
  std::optional<Argument> argument(syntax::ExprId hole, const Ends& ends);
  expr::ExprId value_of(syntax::ExprId e);
  expr::ExprId value_at(syntax::ExprId e, sema::DeclId index, std::int64_t value);
  expr::FunctionId function_of(expr::ExprId body, int arity);

  const sema::TypedModel& model_;
  const Table<syntax::ExprId, ExprFacts>& facts_;
  Equations& equations_;
  Translator& translator_;
  BlockScope& scope_;
  std::unordered_map<syntax::ExprId, Body> bodies_;  // by side
  std::map<std::pair<expr::ExprId, int>, expr::FunctionId> functions_;
  std::vector<expr::ExprId> arguments_;
};

}  // namespace chi::flat
