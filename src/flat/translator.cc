#include "flat/translator.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "flat/box_inputs.h"
#include "flat/known_integer.h"
#include "flat/library_ops.h"
#include "flat/path_reader.h"
#include "flat/vector_terms.h"
#include "sema/vectors.h"
#include "syntax/children.h"

namespace chi::flat {
namespace {

using expr::IfKind;
using expr::Op;
using sema::BasicType;
using sema::Builtin;
using sema::DeclId;
using sema::TypeId;
using syntax::BinaryOp;
using syntax::ExprId;

bool is_path(const syntax::Ast& ast, ExprId e) { return static_cast<bool>(path_root(ast, e)); }

// What a selection selects from; none if `e` is no selection.
ExprId selected_from(const syntax::Ast& ast, ExprId e) {
  const auto& node = ast.exprs[e].node;
  if (const auto* n = std::get_if<syntax::Index>(&node)) return n->of;
  if (const auto* n = std::get_if<syntax::Member>(&node)) return n->of;
  if (const auto* n = std::get_if<syntax::Project>(&node)) return n->of;
  return {};
}

bool calls_user_function(const sema::TypedModel& model, ExprId e) {
  const auto* call = std::get_if<syntax::Call>(&model.ast.exprs[e].node);
  return call != nullptr && !std::holds_alternative<Builtin>(model.resolution[call->callee]);
}

// Its value is evaluated as a whole before the run: what is boxed, and calls.
bool is_constant_leaf(const sema::TypedModel& model, const ExprFacts& facts, ExprId e) {
  return !facts.moves && !is_path(model.ast, e) && (facts.boxed || calls_user_function(model, e));
}

// One translation: runs down the list of nodes, each of which leaves its scalars in the scratch.
class Run {
 public:
  Run(const sema::TypedModel& model, const Table<ExprId, ExprFacts>& facts, expr::Pool& pool,
      FunctionTable& functions, const Translator::Holes* holes, NameScope& scope, IfKind kind,
      Translator::Scratch& scratch)
      : model_(model),
        facts_(facts),
        pool_(pool),
        functions_(functions),
        holes_(holes),
        scope_(scope),
        kind_(kind),
        scratch_(scratch) {}

  bool node(ExprId e) {
    const auto first = static_cast<std::int32_t>(scratch_.values.size());
    if (!dispatch(e)) return false;
    scratch_.results[e] = {first, static_cast<std::int32_t>(scratch_.values.size()) - first};
    return true;
  }

 private:
  std::span<const expr::ExprId> all(ExprId e) const {
    const Translator::Result r = scratch_.results[e];
    return std::span(scratch_.values)
        .subspan(static_cast<std::size_t>(r.first), static_cast<std::size_t>(r.count));
  }
  expr::ExprId one(ExprId e) const {
    return scratch_.values[static_cast<std::size_t>(scratch_.results[e].first)];
  }
  bool put(expr::ExprId value) {
    scratch_.values.push_back(value);
    return static_cast<bool>(value);
  }
  // Growing the values moves them, so a run is copied by index.
  bool copy(ExprId e) {
    const Translator::Result r = scratch_.results[e];
    for (std::int32_t i = 0; i < r.count; ++i) {
      const expr::ExprId value = scratch_.values[static_cast<std::size_t>(r.first + i)];
      scratch_.values.push_back(value);
    }
    return true;
  }

  bool dispatch(ExprId e) {
    if (holes_ != nullptr) {
      const auto hole = holes_->find(e);
      if (hole != holes_->end()) return put(hole->second);
    }
    if (is_constant_leaf(model_, facts_[e], e)) return constant_leaf(e);
    if (facts_[e].boxed) return box(e);
    if (is_path(model_.ast, e)) return path(e);
    return match(
        model_.ast.exprs[e].node,
        [&](const syntax::BoolLiteral& n) { return put(expr::boolean(pool_, n.value)); },
        [&](const syntax::IntLiteral& n) {
          return put(expr::constant(pool_, static_cast<double>(n.value)));
        },
        [&](const syntax::RealLiteral& n) { return put(expr::constant(pool_, n.value)); },
        [](const syntax::StringLiteral&) { return false; },
        [](const syntax::Name&) { return false; },
        [&](const syntax::Time&) { return put(expr::time(pool_)); },
        [](const syntax::Derivative&) { return false; },
        [&](const syntax::Unary& n) { return unary(n); },
        [&](const syntax::Binary& n) { return binary(n); },
        [&](const syntax::Conditional& n) { return conditional(n); },
        [&](const syntax::GuardedExpr& n) { return guarded(n); },
        [&](const syntax::Call& n) { return call(n); },
        [&](const syntax::Index& n) { return part(e, n.of); },
        [&](const syntax::Member& n) { return part(e, n.of); },
        [&](const syntax::Project& n) { return part(e, n.of); },
        [&](const syntax::TupleExpr& n) { return elements(n.elements); },
        [&](const syntax::ListExpr& n) { return elements(n.elements); },
        [](const syntax::SetExpr&) { return false; },
        [&](const syntax::RecordExpr& n) { return record(e, n); },
        [](const syntax::DictExpr&) { return false; },
        [&](const syntax::Parenthesized& n) { return copy(n.inner); },
        [](const syntax::Error&) { return false; });
  }

  // ---- leaves ----

  bool constant_leaf(ExprId e) {
    Diagnostics errors;
    const auto value = sema::evaluate(model_, e, model_.type[e], scope_.values(), errors);
    if (value) {
      append_constants(*value, pool_, scratch_.values);
      return true;
    }
    const TypeId type = model_.type[e];
    if (!std::holds_alternative<sema::Basic>(model_.types[type])) return box(e);
    return put(scope_.missing(errors.all().front(), model_.types.is(type, BasicType::Bool)));
  }

  bool box(ExprId e) {
    std::vector<expr::ExprId> steps;
    for (const ExprId step : box_steps(model_, facts_, e)) steps.push_back(one(step));
    const std::vector<TypeId> types = scalar_types(model_.types, model_.type[e]);
    for (std::size_t k = 0; k < types.size(); ++k) {
      const bool boolean = model_.types.is(types[k], BasicType::Bool);
      if (!put(scope_.black_box(e, static_cast<std::int32_t>(k), boolean, steps))) return false;
    }
    return !types.empty();
  }

  // ---- paths ----

  bool path(ExprId e) {
    int order = 0;
    ExprId root = e;
    steps_.clear();
    while (!std::holds_alternative<syntax::Name>(model_.ast.exprs[root].node)) {
      const auto& node = model_.ast.exprs[root].node;
      if (const auto* d = std::get_if<syntax::Derivative>(&node)) {
        order = 1;
        root = d->of;
      } else if (const auto* p = std::get_if<syntax::Parenthesized>(&node)) {
        root = p->inner;
      } else {
        steps_.push_back(root);
        root = selected_from(model_.ast, root);
      }
    }
    if (const auto* builtin = std::get_if<Builtin>(&model_.resolution[root])) {
      if (*builtin != Builtin::Pi) return false;
      return put(expr::constant(pool_, 3.14159265358979323846));
    }
    std::optional<Operand> at = scope_.lookup(std::get<DeclId>(model_.resolution[root]));
    for (auto step = steps_.rbegin(); at && step != steps_.rend(); ++step) {
      at = take(*at, *step, order);
    }
    if (!at) return false;
    append_scalars(*at, model_, pool_, scope_, order, scratch_.values);
    return true;
  }

  // An element of something that is no variable: f(x).0, <a, b>.i
  bool part(ExprId e, ExprId of) {
    const auto scalars = all(of);
    const std::vector<expr::ExprId> whole(scalars.begin(), scalars.end());
    const auto at = take({.type = model_.type[of], .scalars = whole}, e, 0);
    if (!at) return false;
    scratch_.values.insert(scratch_.values.end(), at->scalars.begin(), at->scalars.end());
    return true;
  }

  std::optional<Operand> take(const Operand& from, ExprId step, int order) {
    const auto known = path_step(step);
    if (!known) return std::nullopt;
    return take_part(from, *known, model_, pool_, scope_, kind_, order, storage_);
  }

  std::optional<PathStep> path_step(ExprId step) {
    PathStep result{.node = step, .index = {}, .moving = {}};
    const auto& node = model_.ast.exprs[step].node;
    if (const auto* project = std::get_if<syntax::Project>(&node)) {
      result.index = project->index;
    } else if (const auto* index = std::get_if<syntax::Index>(&node)) {
      if (facts_[index->index].moves) {
        result.moving = one(index->index);
      } else {
        Diagnostics errors;
        result.index = known_integer(model_, index->index, scope_.values(), errors);
        if (!result.index) result.moving = scope_.missing(errors.all().front(), false);
      }
    } else if (model_.field[step] >= 0) {
      result.index = model_.field[step];
    } else {
      const DeclId decl = std::get<DeclId>(model_.resolution[step]);
      const sema::Value* value = known_value(model_, decl, scope_.values());
      if (value != nullptr) {
        result.index = std::get<std::int64_t>(value->data);
      } else {
        std::vector<expr::ExprId> moving;
        append_scalars(scope_.lookup(decl), model_, pool_, scope_, 0, moving);
        if (moving.size() != 1) return std::nullopt;
        result.moving = moving.front();
      }
    }
    return result;
  }

  // ---- operators ----

  bool unary(const syntax::Unary& n) {
    const Translator::Result operand = scratch_.results[n.operand];
    if (n.op == syntax::UnaryOp::Plus) return copy(n.operand);
    if (n.op == syntax::UnaryOp::Minus) {
      for (std::int32_t i = 0; i < operand.count; ++i) put(expr::neg(pool_, at(operand, i)));
      return true;
    }
    const expr::ExprId x = one(n.operand);
    switch (n.op) {
      case syntax::UnaryOp::Minus:
      case syntax::UnaryOp::Plus: return false;
      case syntax::UnaryOp::Not: return put(expr::negation(pool_, x));
      case syntax::UnaryOp::Sample: return false;
    }
    return false;
  }

  bool binary(const syntax::Binary& n) {
    if (n.op <= BinaryOp::Div && (is_vector(n.left) || is_vector(n.right))) return vectors(n);
    const auto relation = [&](Op op) {
      return put(expr::binary(pool_, op, one(n.left), one(n.right)));
    };
    switch (n.op) {
      case BinaryOp::Add: return put(expr::add(pool_, one(n.left), one(n.right)));
      case BinaryOp::Sub: return put(expr::sub(pool_, one(n.left), one(n.right)));
      case BinaryOp::Mul: return put(expr::mul(pool_, one(n.left), one(n.right)));
      case BinaryOp::Div: return put(expr::div(pool_, one(n.left), one(n.right)));
      case BinaryOp::Pow: return put(expr::pow(pool_, one(n.left), one(n.right)));
      case BinaryOp::Lt: return relation(Op::Less);
      case BinaryOp::Le: return relation(Op::LessEqual);
      case BinaryOp::Gt: return relation(Op::Greater);
      case BinaryOp::Ge: return relation(Op::GreaterEqual);
      case BinaryOp::And: return put(expr::conjunction(pool_, one(n.left), one(n.right)));
      case BinaryOp::Or: return put(expr::disjunction(pool_, one(n.left), one(n.right)));
      case BinaryOp::Eq: return equality(n, true);
      case BinaryOp::Ne: return equality(n, false);
      case BinaryOp::IntDiv: return put(quotient(n));
      case BinaryOp::Mod:
        return put(expr::sub(pool_, one(n.left), expr::mul(pool_, one(n.right), quotient(n))));
      case BinaryOp::Concat:
      case BinaryOp::Subtract:
      case BinaryOp::In: return false;
    }
    return false;
  }

  // ---- vectors and matrices ----

  bool is_vector(ExprId e) const { return sema::is_vector(model_.types, model_.type[e]); }

  bool put_all(const Terms& terms) {
    scratch_.values.insert(scratch_.values.end(), terms.begin(), terms.end());
    return true;
  }

  /// Rows and columns; of a vector, its length and 1. None if a length has no value.
  std::optional<std::pair<std::int64_t, std::int64_t>> shape(ExprId e) {
    std::int64_t lengths[2] = {1, 1};
    TypeId type = model_.type[e];
    for (std::int64_t& length : lengths) {
      const auto* array = std::get_if<sema::Array>(&model_.types[type]);
      if (array == nullptr) break;
      Diagnostics unused;
      const auto known = array->length >= 0
                             ? std::optional(array->length)
                             : known_integer(model_, array->length_expr, scope_.values(), unused);
      if (!known) return std::nullopt;
      length = *known;
      type = array->element;
    }
    return std::pair(lengths[0], lengths[1]);
  }

  bool vectors(const syntax::Binary& n) {
    const bool left = is_vector(n.left), right = is_vector(n.right);
    const auto count = [&](ExprId e) { return scratch_.results[e].count; };
    if (n.op != BinaryOp::Mul || !left || !right) {
      if (left && right && count(n.left) != count(n.right)) return false;
      return put_all(by_elements(pool_, n.op, all(n.left), !left, all(n.right), !right));
    }
    const auto a = shape(n.left), b = shape(n.right);
    if (!a || !b) return false;
    const bool row = !std::holds_alternative<sema::Array>(
        model_.types[std::get<sema::Array>(model_.types[model_.type[n.left]]).element]);
    const std::int64_t rows = row ? 1 : a->first, inner = row ? a->first : a->second;
    if (inner != b->first || rows * inner != count(n.left) || inner * b->second != count(n.right)) {
      return false;
    }
    return put_all(matrix_product(pool_, all(n.left), all(n.right), rows, inner, b->second));
  }

  bool vector_call(Builtin builtin, const syntax::Call& n) {
    const auto arguments = model_.ast.list(n.arguments);
    if (builtin == Builtin::Map) return mapped(arguments);
    const auto a = all(arguments[0]);
    const auto b = arguments.size() > 1 ? all(arguments[1]) : a;
    auto lengths = std::pair<std::int64_t, std::int64_t>(1, 1);
    if (builtin == Builtin::Transpose) {
      const auto known = shape(arguments[0]);
      if (!known) return false;
      lengths = *known;
    } else if (builtin == Builtin::Identity) {
      Diagnostics unused;
      const auto size = known_integer(model_, arguments[0], scope_.values(), unused);
      if (!size) return false;
      lengths = {*size, *size};
    }
    const auto terms = vector_function(pool_, builtin, a, b, lengths.first, lengths.second);
    return terms && put_all(*terms);
  }

  bool mapped(std::span<const ExprId> arguments) {
    const Translator::Result first = scratch_.results[arguments[1]];
    const bool two = arguments.size() > 2;
    const Translator::Result second = two ? scratch_.results[arguments[2]] : first;
    if (first.count != second.count) return false;
    ExprId name = arguments[0];
    while (const auto* p = std::get_if<syntax::Parenthesized>(&model_.ast.exprs[name].node)) {
      name = p->inner;
    }
    const auto* builtin = std::get_if<Builtin>(&model_.resolution[name]);
    std::span<const expr::FunctionId> components;
    if (builtin == nullptr) {
      const auto* decl = std::get_if<DeclId>(&model_.resolution[name]);
      const DeclId function = decl == nullptr ? DeclId{} : scope_.callee(*decl);
      if (function) components = functions_.components(function);
      if (components.empty()) return false;
    }
    for (std::int32_t i = 0; i < first.count; ++i) {
      const expr::ExprId x = at(first, i), y = at(second, i);
      if (builtin == nullptr) {
        const std::vector<expr::ExprId> given = two ? Terms{x, y} : Terms{x};
        put(expr::call(pool_, components[0], given));
      } else if (two) {
        put(expr::binary(pool_, binary_op(*builtin), x, y));
      } else {
        put(expr::unary(pool_, unary_op(*builtin), x));
      }
    }
    return true;
  }

  // Whole numbers, rounded down.
  expr::ExprId quotient(const syntax::Binary& n) {
    return expr::unary(pool_, Op::Floor, expr::div(pool_, one(n.left), one(n.right)));
  }

  // Structures are equal if all their scalars are.
  bool equality(const syntax::Binary& n, bool equal) {
    const auto left = all(n.left), right = all(n.right);
    if (left.size() != right.size()) return put(expr::boolean(pool_, !equal));
    expr::ExprId result = expr::boolean(pool_, equal);
    for (std::size_t i = 0; i < left.size(); ++i) {
      const bool truth = pool_.has(left[i], expr::kBoolean);
      expr::ExprId same =
          truth ? expr::equivalence(pool_, left[i], right[i])
                : expr::binary(pool_, equal ? Op::Equal : Op::NotEqual, left[i], right[i]);
      if (truth && !equal) same = expr::negation(pool_, same);
      result =
          equal ? expr::conjunction(pool_, result, same) : expr::disjunction(pool_, result, same);
    }
    return put(result);
  }

  bool conditional(const syntax::Conditional& n) {
    const Translator::Result yes = scratch_.results[n.then], no = scratch_.results[n.otherwise];
    if (yes.count != no.count) return false;
    const expr::ExprId condition = one(n.condition);
    for (std::int32_t i = 0; i < yes.count; ++i) {
      put(expr::if_else(pool_, kind_, condition, at(yes, i), at(no, i)));
    }
    return true;
  }

  // The first open alternative counts; none open is a fault.
  bool guarded(const syntax::GuardedExpr& n) {
    const auto alternatives = model_.ast.list(n.alternatives);
    if (alternatives.empty()) return false;
    const std::int32_t count = scratch_.results[alternatives.front().value].count;
    for (const syntax::GuardedValue& a : alternatives) {
      if (scratch_.results[a.value].count != count) return false;
    }
    for (std::int32_t i = 0; i < count; ++i) {
      expr::ExprId value = expr::no_alternative(pool_);
      if (pool_.has(at(scratch_.results[alternatives.front().value], i), expr::kBoolean)) {
        value = expr::binary(pool_, Op::Greater, value, expr::constant(pool_, 0));
      }
      for (auto a = alternatives.rbegin(); a != alternatives.rend(); ++a) {
        value =
            expr::if_else(pool_, kind_, one(a->guard), at(scratch_.results[a->value], i), value);
      }
      put(value);
    }
    return true;
  }

  expr::ExprId at(Translator::Result run, std::int32_t i) const {
    return scratch_.values[static_cast<std::size_t>(run.first + i)];
  }

  bool elements(Slice<ExprId> list) {
    for (const ExprId e : model_.ast.list(list)) copy(e);
    return true;
  }

  // Fields may be written in any order.
  bool record(ExprId e, const syntax::RecordExpr& n) {
    const auto* type = std::get_if<sema::Record>(&model_.types[model_.type[e]]);
    if (type == nullptr) return false;
    for (const sema::Field& field : model_.types.list(type->fields)) {
      const auto rows = model_.ast.list(n.fields);
      const auto row = std::ranges::find_if(
          rows, [&](const syntax::FieldValue& f) { return f.field.name == field.name; });
      if (row == rows.end()) return false;
      copy(row->value);
    }
    return true;
  }

  // ---- calls ----

  bool call(const syntax::Call& n) {
    if (const auto* builtin = std::get_if<Builtin>(&model_.resolution[n.callee])) {
      return library_call(*builtin, n);
    }
    const auto* name = std::get_if<DeclId>(&model_.resolution[n.callee]);
    const DeclId function = name == nullptr ? DeclId{} : scope_.callee(*name);
    const auto components =
        function ? functions_.components(function) : std::span<const expr::FunctionId>{};
    if (components.empty()) return false;
    std::vector<expr::ExprId> arguments;
    for (const ExprId a : model_.ast.list(n.arguments)) {
      const auto scalars = all(a);
      arguments.insert(arguments.end(), scalars.begin(), scalars.end());
    }
    for (const expr::FunctionId f : components) put(expr::call(pool_, f, arguments));
    return true;
  }

  bool library_call(Builtin builtin, const syntax::Call& n) {
    const auto arguments = model_.ast.list(n.arguments);
    const auto argument = [&](std::size_t k) { return one(arguments[k]); };
    const bool about_array =
        builtin == Builtin::Sum || builtin == Builtin::Min || builtin == Builtin::Max;
    if (about_array && arguments.size() == 1) return reduce(builtin, all(arguments[0]));
    if (sema::is_vector_function(builtin)) return vector_call(builtin, n);
    switch (builtin) {
      case Builtin::Pre: {
        const Translator::Result of = scratch_.results[arguments[0]];
        for (std::int32_t i = 0; i < of.count; ++i) put(scope_.before(at(of, i), arguments[0]));
        return true;
      }
      case Builtin::Rises:
        return put(expr::conjunction(
            pool_, argument(0), expr::negation(pool_, scope_.before(argument(0), arguments[0]))));
      case Builtin::Min:
      case Builtin::Max:
      case Builtin::Atan2:
        return put(expr::binary(pool_, binary_op(builtin), argument(0), argument(1)));
      case Builtin::Delayed:
        return put(expr::delay(pool_, argument(0), argument(1),
                               arguments.size() > 2 ? argument(2) : expr::ExprId{}));
      default: return put(expr::unary(pool_, unary_op(builtin), argument(0)));
    }
  }

  /// The sum, least or greatest of the elements of an array.
  bool reduce(Builtin builtin, std::span<const expr::ExprId> elements) {
    if (elements.empty()) return builtin == Builtin::Sum && put(expr::constant(pool_, 0));
    const Op op = builtin == Builtin::Sum ? Op::Add : builtin == Builtin::Min ? Op::Min : Op::Max;
    expr::ExprId result = elements[0];
    for (const expr::ExprId e : elements.subspan(1)) result = expr::binary(pool_, op, result, e);
    return put(result);
  }

  const sema::TypedModel& model_;
  const Table<ExprId, ExprFacts>& facts_;
  expr::Pool& pool_;
  FunctionTable& functions_;
  const Translator::Holes* holes_;
  NameScope& scope_;
  IfKind kind_;
  Translator::Scratch& scratch_;
  std::vector<ExprId> steps_;
  std::vector<expr::ExprId> storage_;
};

}  // namespace

Translator::Translator(const sema::TypedModel& model, const Table<ExprId, ExprFacts>& facts,
                       expr::Pool& pool, FunctionTable& functions)
    : model_(model), facts_(facts), pool_(pool), functions_(functions) {
  scratch_.results.resize(model.ast.exprs.size(), {});
}

std::optional<std::span<const expr::ExprId>> Translator::translate(ExprId expr, NameScope& scope,
                                                                   IfKind kind) {
  const auto [at, added] = lists_.try_emplace(expr);
  if (added) at->second = nodes_under(expr, nullptr);
  return run(expr, at->second, nullptr, scope, kind);
}

std::optional<std::span<const expr::ExprId>> Translator::translate_around(ExprId expr,
                                                                          const Holes& holes,
                                                                          NameScope& scope,
                                                                          IfKind kind) {
  return run(expr, nodes_under(expr, &holes), &holes, scope, kind);
}

std::optional<std::span<const expr::ExprId>> Translator::run(ExprId expr,
                                                             std::span<const ExprId> nodes,
                                                             const Holes* holes, NameScope& scope,
                                                             IfKind kind) {
  scratch_.values.clear();
  Run run(model_, facts_, pool_, functions_, holes, scope, kind, scratch_);
  for (const ExprId e : nodes) {
    if (!run.node(e)) return std::nullopt;
  }
  const Result r = scratch_.results[expr];
  return std::span(scratch_.values)
      .subspan(static_cast<std::size_t>(r.first), static_cast<std::size_t>(r.count));
}

// Children have smaller ids than their parents, so ascending order is an order of evaluation.
std::vector<ExprId> Translator::nodes_under(ExprId root, const Holes* holes) const {
  std::vector<ExprId> list, stack{root};
  while (!stack.empty()) {
    ExprId e = stack.back();
    stack.pop_back();
    list.push_back(e);
    if (holes != nullptr && holes->count(e) != 0) continue;
    if (is_constant_leaf(model_, facts_[e], e)) continue;
    if (facts_[e].boxed) {
      const std::vector<ExprId> steps = box_steps(model_, facts_, e);
      stack.insert(stack.end(), steps.begin(), steps.end());
      continue;
    }
    const auto& node = model_.ast.exprs[e].node;
    if (is_path(model_.ast, e)) {
      while (!std::holds_alternative<syntax::Name>(model_.ast.exprs[e].node)) {
        const auto* index = std::get_if<syntax::Index>(&model_.ast.exprs[e].node);
        if (index != nullptr && facts_[index->index].moves) stack.push_back(index->index);
        std::vector<ExprId> inner;
        syntax::append_children(model_.ast, e, inner);
        e = inner.front();
      }
    } else if (const auto* call = std::get_if<syntax::Call>(&node)) {
      auto arguments = model_.ast.list(call->arguments);
      const auto* builtin = std::get_if<Builtin>(&model_.resolution[call->callee]);
      if (builtin != nullptr && *builtin == Builtin::Map) arguments = arguments.subspan(1);
      stack.insert(stack.end(), arguments.begin(), arguments.end());
    } else if (const auto* index = std::get_if<syntax::Index>(&node)) {
      stack.push_back(index->of);
      if (facts_[index->index].moves) stack.push_back(index->index);
    } else {
      syntax::append_children(model_.ast, e, stack);
    }
  }
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace chi::flat
