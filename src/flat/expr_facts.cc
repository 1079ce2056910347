#include "flat/expr_facts.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "base/match.h"
#include "flat/layout.h"
#include "sema/vectors.h"
#include "syntax/children.h"

namespace chi::flat {
namespace {

using sema::Builtin;
using sema::DeclId;
using sema::DeclKind;
using sema::TypedModel;
using sema::TypeId;
using sema::Types;
using syntax::BinaryOp;
using syntax::ExprId;

// Whether some part of a type that is not itself an array, tuple or record fulfils `wanted`, or
// some array does. Looks at each part once: aliases make small texts of huge types.
template <class Wanted>
bool some_part(const Types& types, TypeId root, Wanted wanted) {
  if (std::holds_alternative<sema::Basic>(types[root])) return wanted(root);
  std::unordered_set<TypeId> seen{root};
  std::vector<TypeId> stack{root};
  const auto push = [&](TypeId part) {
    if (seen.insert(part).second) stack.push_back(part);
  };
  while (!stack.empty()) {
    const TypeId type = stack.back();
    stack.pop_back();
    if (wanted(type)) return true;
    if (const auto* array = std::get_if<sema::Array>(&types[type])) push(array->element);
    if (const auto* tuple = std::get_if<sema::Tuple>(&types[type])) {
      for (const TypeId t : types.list(tuple->elements)) push(t);
    }
    if (const auto* record = std::get_if<sema::Record>(&types[type])) {
      for (const sema::Field& f : types.list(record->fields)) push(f.type);
    }
  }
  return false;
}

bool is_structure(const sema::TypeNode& node) {
  return std::holds_alternative<sema::Array>(node) || std::holds_alternative<sema::Tuple>(node) ||
         std::holds_alternative<sema::Record>(node);
}

bool is_native(Builtin builtin) {
  using enum Builtin;
  return sema::is_scalar_function(builtin) || builtin == Delayed || builtin == Pi;
}

class FactFinder {
 public:
  explicit FactFinder(const TypedModel& model) : model_(model), types_(model.types) {}

  Table<ExprId, ExprFacts> find() {
    facts_.reserve(model_.ast.exprs.size());
    mark_discrete_equations();
    std::vector<ExprId> children;
    for (ExprId e{0}; e.index < model_.ast.exprs.size(); ++e.index) {
      children.clear();
      syntax::append_children(model_.ast, e, children);
      ExprFacts facts{.moves = moves_itself(e), .of_others = is_of_others(e), .boxed = is_boxed(e)};
      facts.of_reals = facts.moves && types_.is(model_.type[e], sema::BasicType::Real);
      for (const ExprId child : children) {
        facts.moves |= facts_[child].moves;
        facts.of_reals |= facts_[child].of_reals;
        facts.of_others |= facts_[child].of_others;
      }
      facts_.add(facts);
    }
    return std::move(facts_);
  }

 private:
  /// In a discrete equation names are values of a round, which no execution of the text would see:
  /// whole numbers are computed as reals there, exactly up to 2^53.
  void mark_discrete_equations() {
    std::vector<ExprId> pending;
    for (const syntax::Equation& equation : model_.ast.equations) {
      const auto* s = std::get_if<syntax::Substitute>(&equation.node);
      if (s != nullptr && types_.is_discrete_based(model_.type[s->target]))
        pending.push_back(s->value);
    }
    if (pending.empty()) return;
    in_discrete_.resize(model_.ast.exprs.size(), 0);
    while (!pending.empty()) {
      const ExprId e = pending.back();
      pending.pop_back();
      in_discrete_[e] = 1;
      syntax::append_children(model_.ast, e, pending);
    }
  }
  bool in_discrete(ExprId e) const { return !in_discrete_.empty() && in_discrete_[e] != 0; }

  template <class Node>
  const Node* node(ExprId e) const {
    return std::get_if<Node>(&model_.ast.exprs[e].node);
  }
  bool scalar(ExprId e) const { return is_scalar_based(types_, model_.type[e]); }
  /// A number, a vector or a matrix.
  bool is_numbers(ExprId e) const { return numeric(e) || sema::is_vector(types_, model_.type[e]); }
  bool numeric(ExprId e) const { return types_.is_numeric(model_.type[e]); }

  bool is_of_others(ExprId e) const {
    const auto* decl = std::get_if<DeclId>(&model_.resolution[e]);
    if (decl == nullptr || !*decl || !moves_itself(e)) return false;
    const sema::Decl& d = model_.decls[*decl];
    const auto& owner = model_.ast.definitions[static_cast<std::size_t>(d.owner)].node;
    return std::holds_alternative<syntax::FuncDef>(owner) ||
           some_part(types_, d.type, [&](TypeId t) { return types_.is(t, sema::BasicType::Real); });
  }

  /// Changes at events only, and in a process: it can be executed there, with the checks that
  /// statements have.
  bool is_discrete(ExprId e) const {
    return facts_[e].moves && !facts_[e].of_reals && !facts_[e].of_others;
  }
  bool fixed_or_discrete(ExprId e) const { return !facts_[e].moves || is_discrete(e); }

  bool moves_itself(ExprId e) const {
    if (node<syntax::Time>(e) != nullptr) return true;
    const auto* decl = std::get_if<DeclId>(&model_.resolution[e]);  // a name, or the i of x.i
    if (decl == nullptr || !*decl) return false;
    const sema::Decl& d = model_.decls[*decl];
    if (d.kind == DeclKind::Local || d.kind == DeclKind::RefParam) return true;
    if (d.kind != DeclKind::ValueParam) return false;
    const auto& owner = model_.ast.definitions[static_cast<std::size_t>(d.owner)].node;
    return std::holds_alternative<syntax::FuncDef>(owner);
  }

  // A selection is said natively if it starts from something scalar-based. A list of records is
  // not, so `xs[i].v` is boxed as a whole.
  bool is_boxed(ExprId e) const {
    if (!scalar(e)) return true;
    const auto boxed = [&](ExprId part) { return facts_[part].boxed; };
    return match(
        model_.ast.exprs[e].node, [](const syntax::BoolLiteral&) { return false; },
        [](const syntax::IntLiteral&) { return false; },
        [](const syntax::RealLiteral&) { return false; },
        [](const syntax::StringLiteral&) { return true; },
        [](const syntax::Name&) { return false; }, [](const syntax::Time&) { return false; },
        [&](const syntax::Derivative& n) { return boxed(n.of); },
        [](const syntax::Unary& n) { return n.op == syntax::UnaryOp::Sample; },
        [&](const syntax::Binary& n) {
          const bool whole = n.op == BinaryOp::IntDiv || n.op == BinaryOp::Mod;
          if (in_discrete(e)) return !whole && is_boxed(n);
          return is_boxed(n) || is_integer_operation(e, n);
        },
        [](const syntax::Conditional&) { return false; },
        [&](const syntax::GuardedExpr&) { return !in_discrete(e) && holds_truth(model_.type[e]); },
        [&](const syntax::Call& n) { return is_boxed(n); },
        [&](const syntax::Index& n) { return is_boxed_part(n.of, facts_[n.index].moves); },
        [&](const syntax::Member& n) { return is_boxed_part(n.of, moves_itself(e)); },
        [&](const syntax::Project& n) { return is_boxed_part(n.of, false); },
        [](const syntax::TupleExpr&) { return false; },
        [](const syntax::ListExpr&) { return false; },  // where an array is wanted
        [](const syntax::SetExpr&) { return true; },
        [](const syntax::RecordExpr&) { return false; },
        [](const syntax::DictExpr&) { return true; },
        [&](const syntax::Parenthesized& n) { return boxed(n.inner); },
        [](const syntax::Error&) { return true; });
  }

  // An element of `of`. A moving index chooses among numbers; what a condition chooses must have a
  // value where no condition holds, so truth values are left to a box.
  bool is_boxed_part(ExprId of, bool moving_index) const {
    if (moving_index && (!scalar(of) || holds_truth(model_.type[of]))) return true;
    return facts_[of].boxed && !is_mixed_variable(of);
  }

  bool holds_truth(TypeId type) const {
    return some_part(types_, type, [&](TypeId t) { return types_.is(t, sema::BasicType::Bool); });
  }

  // A path from a name through arrays, tuples and records, some of whose other elements are not
  // scalar: a record with a list in it, say.
  bool is_mixed_variable(ExprId e) const {
    while (true) {
      if (!is_structure(types_[model_.type[e]])) return false;
      if (node<syntax::Name>(e) != nullptr) return true;
      if (const auto* index = node<syntax::Index>(e)) {
        e = index->of;
      } else if (const auto* member = node<syntax::Member>(e)) {
        e = member->of;
      } else if (const auto* project = node<syntax::Project>(e)) {
        e = project->of;
      } else if (const auto* parens = node<syntax::Parenthesized>(e)) {
        e = parens->inner;
      } else {
        return false;
      }
    }
  }

  bool is_boxed(const syntax::Binary& n) const {
    switch (n.op) {
      case BinaryOp::Add:
      case BinaryOp::Sub:
      case BinaryOp::Mul:
      case BinaryOp::Div:
      case BinaryOp::Pow: return !is_numbers(n.left) || !is_numbers(n.right);
      case BinaryOp::Lt:
      case BinaryOp::Le:
      case BinaryOp::Gt:
      case BinaryOp::Ge: return !numeric(n.left) || !numeric(n.right);
      case BinaryOp::Eq:
      case BinaryOp::Ne: return !scalar(n.left) || !scalar(n.right);
      case BinaryOp::And:
      case BinaryOp::Or: return false;
      // Exact for all integers, which reals are not; but some are made of reals.
      case BinaryOp::IntDiv:
      case BinaryOp::Mod: return !facts_[n.left].of_reals && !facts_[n.right].of_reals;
      case BinaryOp::Concat:
      case BinaryOp::Subtract:
      case BinaryOp::In: return true;
    }
    return true;
  }

  /// Integers have no reals between them, overflow, and are exact: an operation on those that
  /// change at events only is executed, not approximated.
  bool is_integer_operation(ExprId e, const syntax::Binary& n) const {
    return holds_integers(model_.type[e]) && fixed_or_discrete(n.left) &&
           fixed_or_discrete(n.right) && (facts_[n.left].moves || facts_[n.right].moves);
  }

  /// An integer, or a vector or matrix of such with known lengths.
  bool holds_integers(TypeId type) const {
    while (const auto* array = std::get_if<sema::Array>(&types_[type])) {
      if (array->length < 0) return false;
      type = array->element;
    }
    return types_.is_integer(type);
  }

  /// The same of the call of a function: its body may assign to a `nat`.
  bool is_discrete_call(const syntax::Call& n) const {
    const auto arguments = model_.ast.list(n.arguments);
    return std::ranges::all_of(arguments, [&](ExprId a) { return fixed_or_discrete(a); }) &&
           std::ranges::any_of(arguments, [&](ExprId a) { return facts_[a].moves; });
  }

  bool is_boxed(const syntax::Call& n) const {
    if (const auto* builtin = std::get_if<Builtin>(&model_.resolution[n.callee])) {
      if (*builtin == Builtin::Pre || *builtin == Builtin::Rises) return false;
      if (is_about_array(*builtin, n)) return false;
      if (sema::is_vector_function(*builtin)) return is_boxed_vector_call(*builtin, n);
      return !is_native(*builtin) || !std::ranges::all_of(model_.ast.list(n.arguments),
                                                          [&](ExprId a) { return numeric(a); });
    }
    return node<syntax::Name>(n.callee) == nullptr ||
           !is_scalar_function(types_, model_.type[n.callee]) ||
           (!in_discrete(n.callee) && is_discrete_call(n));
  }

  bool is_boxed_vector_call(Builtin builtin, const syntax::Call& n) const {
    if (is_discrete_call(n) && holds_integers(result_scalar(n))) return true;
    if (builtin != Builtin::Map) return false;
    const ExprId function = model_.ast.list(n.arguments)[0];
    return std::holds_alternative<DeclId>(model_.resolution[function]) &&
           !is_scalar_function(types_, model_.type[function]);
  }

  /// The type of the numbers that a vector function computes with.
  TypeId result_scalar(const syntax::Call& n) const {
    TypeId type = model_.type[model_.ast.list(n.arguments).back()];
    while (const auto* array = std::get_if<sema::Array>(&types_[type])) type = array->element;
    return type;
  }

  /// The sum, least or greatest of the elements of an array: as many operations.
  bool is_about_array(Builtin builtin, const syntax::Call& n) const {
    const auto arguments = model_.ast.list(n.arguments);
    return (builtin == Builtin::Sum || builtin == Builtin::Min || builtin == Builtin::Max) &&
           arguments.size() == 1 &&
           std::holds_alternative<sema::Array>(types_[model_.type[arguments[0]]]);
  }

  const TypedModel& model_;
  const Types& types_;
  Table<ExprId, ExprFacts> facts_;
  Table<ExprId, char> in_discrete_;  // per expression, if there are discrete equations
};

}  // namespace

bool is_delay(const TypedModel& model, ExprId expr) {
  const auto* call = std::get_if<syntax::Call>(&model.ast.exprs[expr].node);
  if (call == nullptr) return false;
  const auto* builtin = std::get_if<Builtin>(&model.resolution[call->callee]);
  return builtin != nullptr && *builtin == Builtin::Delayed;
}

Table<ExprId, ExprFacts> find_facts(const TypedModel& model) { return FactFinder(model).find(); }

bool is_scalar_based(const Types& types, TypeId type) {
  return !some_part(types, type, [&](TypeId t) {
    return !is_structure(types[t]) && !types.is_numeric(t) && !types.is(t, sema::BasicType::Bool);
  });
}

bool is_scalar_function_value(const Types& types, TypeId type) {
  const bool open = some_part(types, type, [&](TypeId t) {
    const auto* array = std::get_if<sema::Array>(&types[t]);
    return array != nullptr && array->length < 0;
  });
  return !open && is_scalar_based(types, type) && slot_count(types, type) <= kMaxFunctionScalars;
}

bool is_scalar_function(const Types& types, TypeId type) {
  const auto* func = std::get_if<sema::Func>(&types[type]);
  if (func == nullptr || !is_scalar_function_value(types, func->result)) return false;
  const auto parameters = types.list(func->parameters);
  return std::ranges::all_of(parameters,
                             [&](TypeId t) { return is_scalar_function_value(types, t); });
}

}  // namespace chi::flat
