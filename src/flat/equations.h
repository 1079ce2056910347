#pragma once
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/id.h"
#include "expr/expr.h"
#include "sema/decl_id.h"
#include "source/span.h"
#include "syntax/ast.h"

/// All equations of all process instances, as one system of scalar equations (semantics.md §1-2).
///
/// A variable of `expr` is a scalar slot of the array of model variables: `expr::VarId{slot}`.
/// Parameters and unwinding indices are constants; substitute equations are applied, so no
/// substituted variable or derivative occurs in an equation, guard or unknown.
///
/// What depends on the mode is told by branches. In a mode, that is, for given truths of the
/// guards:
/// - a branch is *open* if its guard holds and no earlier branch of its choice is open;
/// - a branch is *active* if it is open and the branch around it is active;
/// - equations and unknown declarations are active if their branch is, or if they have none;
/// - the conditions of evented `if`s in active equations are part of the mode too
/// (expr::conditions);
/// - IP unknowns are the derivatives in active equations and the variables in active declarations;
///   IVP unknowns are the variables of these derivatives and those declared (P1 §4).
namespace chi::flat {

using ChoiceId = Id<struct ChoiceTag>;
using BranchId = Id<struct BranchTag>;
using EquationId = Id<struct FlatEquationTag>;
using LoopId = Id<struct LoopTag>;

/// One alternative `b -> eqs` of a guarded equation, or of a complementarity.
struct Branch {
  ChoiceId choice;
  expr::ExprId guard;  ///< constant only in a last branch that is always open
  Span span;           ///< of the guard
};

/// What was written as a choice.
enum class ChoiceForm : std::uint8_t {
  Guards,
  Pair,   ///< `0 <= a complements b >= 0`: the branches are a = 0 and b = 0
  Range,  ///< `low <= y <= high complements e`: y = low, y = high and e = 0
};

/// A guarded equation `[ b1 -> ... | b2 -> ... ]`. Alternatives whose guard is always closed, and
/// those after one that is always open, are left out. A complementarity is a choice, too: its
/// guards say which of its conditions is broken where the row of another one holds.
struct Choice {
  BranchId parent;         ///< the branch it stands in; none: always active
  std::int32_t first = 0;  ///< its branches are the consecutive rows first .. first + count - 1
  std::int32_t count = 0;
  bool must_open = false;   ///< several alternatives were written: none open is a run-time error
  std::int32_t block = -1;  ///< the process instance, an index into FlatModel::blocks
  Span span;
  ChoiceForm form = ChoiceForm::Guards;
  expr::ExprId restitution = {};  ///< of a Pair: Newton's, where it was written
};

/// One unwound group of equations `i: nat <- low..high: eqs` in one process instance.
struct Loop {
  syntax::EquationId source;
  std::int32_t block = -1;
  std::int64_t low = 0, high = -1;
  LoopId parent;                  ///< the loop it stands in, if any,
  std::int64_t parent_index = 0;  ///< and at which index of it
};

/// One scalar equation left = right. Equations stand in order of instantiation, then as written;
/// those of an array, tuple or record equation and of a loop are consecutive.
struct Equation {
  expr::ExprId left, right;
  BranchId branch;            ///< none: always active
  std::int32_t block = -1;    ///< the process instance it belongs to
  syntax::EquationId source;  ///< as written: instances of a body and copies of a loop share it
  std::int32_t element = 0;   ///< which scalar of an array, tuple or record equation
  LoopId loop;                ///< the innermost loop around it, if any,
  std::int64_t index = 0;     ///< and at which index of it
  Span span;
};

/// One scalar in an unknown declaration |x| or |x'|. A derivative changes nothing (semantics.md §2)
/// and is kept for reports.
struct Unknown {
  expr::VarRef variable;
  BranchId branch;
  std::int32_t block = -1;
  Span span;
  /// A potential or flow of a node, which nobody declares: unknown where it is not differentiated.
  bool implied = false;
};

/// x <- value or x' <- value for one scalar, free of other substituted variables.
struct Substitution {
  /// Of a discrete value (`discrete`): the slot as a variable, so that all slots are found alike.
  expr::VarRef variable;
  expr::ExprId value;
  std::int32_t block = -1;
  Span span;
  expr::DiscreteId discrete = {};  ///< the leaf that stands for it, if it is no real
};

/// A discrete equation `v <- value` whose value depends on what was before: memory (laws.md §8).
///
/// In equations and statements `v` is a discrete value like one that statements assign. The run
/// gives it its next value when the equations have come to rest at an instant, all of them at once,
/// until none changes.
struct Memory {
  expr::DiscreteId now;    ///< the value of this round; `pre(v)` in the values of all
  expr::DiscreteId next;   ///< the new value, as values of later ones read it
  std::int32_t slot = -1;  ///< none: what `pre` or `rises` looks back at, and nothing else
  expr::ExprId value;      ///< over reals, `now` of all and `next` of those before it
  bool boolean = false;
  bool natural = false;  ///< not below zero
  std::int32_t block = -1;
  Span span;
};

/// What `pre` and `rises` look back at: `leaf` is the value of `of` before this round.
struct Before {
  expr::DiscreteId leaf;
  expr::ExprId of;
  std::int32_t block = -1;
  Span span;
};

/// A scalar part of the value of an expression, to be had by executing it: lists, strings,
/// functions with loops and the like, which expressions over reals cannot say.
struct BlackBox {
  syntax::ExprId source;
  std::int32_t block = -1;                                     ///< evaluated in its frame,
  std::vector<std::pair<sema::DeclId, std::int64_t>> indices;  ///< with these unwinding indices
  std::int32_t element = 0;  ///< offset of the scalar in its slots
  /// Whole numbers in it that move in steps, as in `xs.(floor(time))`: they are given to it.
  std::vector<syntax::ExprId> steps = {};
};

/// What a discrete value of the expressions is: a scalar variable that is no real, or a black box
/// without continuous inputs. It can change when an action changes a variable, never between.
struct DiscreteSlot {
  std::int32_t slot = 0;
};
/// A value that only the run keeps: number `memory` of Equations::memories.
struct DiscreteMemory {
  std::int32_t memory = -1;
};
struct DiscreteInput {
  std::variant<DiscreteSlot, BlackBox, DiscreteMemory> source;
  bool boolean = false;
};

/// How a function of the expressions that has no body is evaluated.
struct UserFunction {
  sema::DeclId function;     ///< called with the scalars of its arguments in slot order;
  std::int32_t element = 0;  ///< its result is this scalar of the function's result
};
struct BoxFunction {
  BlackBox box;  ///< evaluated with these variables at the values of the arguments
  std::vector<expr::VarRef> inputs;
  bool reads_time = false;  ///< then one more argument is the time; the steps come last
};
/// Something of a table of `interpolate`, which formulas are made of (table_functions.h).
struct TableFunction {
  enum class What : std::uint8_t {
    Piece,        ///< of one variable: the number of the piece; moves in steps
    Lower,        ///< of the number of a piece: where it begins,
    Upper,        ///< where it ends,
    Corner,       ///< and what the variable is measured from
    Coefficient,  ///< of the numbers of the pieces
    Cubic,        ///< of the numbers of the pieces, then of the variables
  };
  sema::DeclId table;
  What what = What::Piece;
  int axis = 0;      ///< of the first four
  int i = 0, j = 0;  ///< the powers of the coefficient, or the orders of the derivative
};
/// Nothing to know: the function has a body or is the derivative of one that is here.
using FunctionSource = std::variant<std::monostate, UserFunction, BoxFunction, TableFunction>;

/// Equations and unknown declarations that are taken together: those of the model, or those of one
/// instantaneous equation statement.
struct EquationSet {
  Table<ChoiceId, Choice> choices;
  Table<BranchId, Branch> branches;
  Table<LoopId, Loop> loops;
  Table<EquationId, Equation> equations;
  std::vector<Unknown> unknowns;
  std::vector<Unknown> impulses;  ///< impulse |F|; in instantaneous equations only
  /// Implied unknowns, by slot, that are differentiated in some modes: the branches.
  std::unordered_map<std::int32_t, std::vector<BranchId>> differentiated_in = {};
};

/// Where the pieces of a table begin and end, by variable of the table.
struct TableBorders {
  expr::FunctionId lower, upper;  ///< of the number of a piece
};

struct Equations {
  expr::Pool pool;
  EquationSet system;
  std::vector<Substitution> substitutions;
  std::vector<Before> before;    ///< while equations are translated
  std::vector<Memory> memories;  ///< each after those whose `next` it reads
  Table<expr::DiscreteId, DiscreteInput> discrete;
  /// By function id; shorter than the pool's table when later ones are derivatives.
  Table<expr::FunctionId, FunctionSource> functions;
  /// Of each χ function that expressions can call: one function for each scalar of its result.
  std::unordered_map<sema::DeclId, std::vector<expr::FunctionId>> function_components;
  bool has_library = false;  ///< the functions of the model are there
  std::map<std::pair<sema::DeclId, int>, TableBorders> table_borders = {};
};

}  // namespace chi::flat
