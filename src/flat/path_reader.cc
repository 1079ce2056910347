#include "flat/path_reader.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/match.h"
#include "flat/layout.h"
#include "flat/translator.h"

namespace chi::flat {
namespace {

using expr::ExprId;
using sema::TypeId;
using sema::Value;

TypeId element_type(const sema::Types& types, TypeId type, std::int64_t index) {
  const auto k = static_cast<std::size_t>(index);
  if (const auto* array = std::get_if<sema::Array>(&types[type])) return array->element;
  if (const auto* tuple = std::get_if<sema::Tuple>(&types[type])) {
    return types.list(tuple->elements)[k];
  }
  return types.list(std::get<sema::Record>(types[type]).fields)[k].type;
}

std::int64_t offset_of(const sema::Types& types, TypeId type, std::int64_t index) {
  if (const auto* array = std::get_if<sema::Array>(&types[type])) {
    return index * slot_count(types, array->element);
  }
  return element_offset(types, type, static_cast<std::int32_t>(index));
}

Operand known_part(const sema::Types& types, const Operand& from, std::int64_t index) {
  Operand part{.type = element_type(types, from.type, index)};
  if (from.value != nullptr) {
    part.value = &std::get<Value::Sequence>(from.value->data)[static_cast<std::size_t>(index)];
    return part;
  }
  const std::int64_t offset = offset_of(types, from.type, index);
  if (from.slot >= 0) {
    part.slot = from.slot + static_cast<std::int32_t>(offset);
  } else {
    part.scalars = from.scalars.subspan(static_cast<std::size_t>(offset),
                                        static_cast<std::size_t>(slot_count(types, part.type)));
  }
  return part;
}

// Out of range: something of the right shape that must not be needed.
Operand missing_part(const sema::TypedModel& model, TypeId element, std::int64_t length,
                     const PathStep& step, NameScope& scope, std::vector<ExprId>& storage) {
  const Diagnostic why{.code = DiagCode::ArgumentIndexOutOfRange,
                       .span = model.ast.exprs[step.node].span,
                       .message = fmt::format("index {} is out of range", *step.index),
                       .help = length == 0 ? "there are no elements"
                                           : fmt::format("the indices are 0 to {}", length - 1)};
  storage.clear();
  for (const TypeId t : scalar_types(model.types, element)) {
    storage.push_back(scope.missing(why, model.types.is(t, sema::BasicType::Bool)));
  }
  return {.type = element, .scalars = storage};
}

// Chooses element `index` of `count` runs of `stride` scalars each, by halving.
class Chooser {
 public:
  Chooser(expr::Pool& pool, expr::IfKind kind, ExprId index)
      : pool_(pool), kind_(kind), index_(index) {}

  ExprId choose(std::span<const ExprId> scalars, std::int64_t stride, std::int64_t offset,
                std::int64_t count) {
    const auto at = [&](std::int64_t i) {
      return scalars[static_cast<std::size_t>(i * stride + offset)];
    };
    // Bottom-up: row r holds, for each run of 2^r elements, the choice among them.
    std::vector<ExprId> row;
    for (std::int64_t i = 0; i < count; ++i) row.push_back(at(i));
    for (std::int64_t run = 1; run < count; run *= 2) {
      std::vector<ExprId> next;
      for (std::size_t i = 0; i < row.size(); i += 2) {
        if (i + 1 == row.size()) {
          next.push_back(row[i]);
          continue;
        }
        const auto first_of_right = static_cast<double>((static_cast<std::int64_t>(i) + 1) * run);
        next.push_back(expr::if_else(pool_, kind_, compare(expr::Op::Less, first_of_right), row[i],
                                     row[i + 1]));
      }
      row = std::move(next);
    }
    const ExprId inside = expr::conjunction(pool_, compare(expr::Op::GreaterEqual, 0.0),
                                            compare(expr::Op::Less, static_cast<double>(count)));
    return expr::if_else(pool_, kind_, inside, row.front(), expr::no_alternative(pool_));
  }

 private:
  ExprId compare(expr::Op op, double bound) {
    return expr::binary(pool_, op, index_, expr::constant(pool_, bound));
  }
  expr::Pool& pool_;
  expr::IfKind kind_;
  ExprId index_;
};

}  // namespace

std::optional<Operand> take_part(const Operand& from, const PathStep& step,
                                 const sema::TypedModel& model, expr::Pool& pool, NameScope& scope,
                                 expr::IfKind kind, int order, std::vector<ExprId>& storage) {
  const auto* array = std::get_if<sema::Array>(&model.types[from.type]);
  if (step.index) {
    const bool inside = array == nullptr || (*step.index >= 0 && *step.index < array->length);
    if (inside) return known_part(model.types, from, *step.index);
    if (!is_scalar_based(model.types, array->element)) return std::nullopt;
    return missing_part(model, array->element, array->length, step, scope, storage);
  }
  if (array == nullptr || !is_scalar_based(model.types, from.type)) return std::nullopt;
  const TypeId element = array->element;
  const std::int64_t length = array->length;
  if (length == 0) {
    const PathStep first{.node = step.node, .index = 0, .moving = {}};
    return missing_part(model, element, 0, first, scope, storage);
  }
  std::vector<ExprId> scalars;
  append_scalars(from, model, pool, scope, order, scalars);
  std::vector<ExprId> chosen;
  const std::vector<TypeId> types = scalar_types(model.types, element);
  Chooser chooser(pool, kind, step.moving);
  for (std::size_t k = 0; k < types.size(); ++k) {
    chosen.push_back(chooser.choose(scalars, static_cast<std::int64_t>(types.size()),
                                    static_cast<std::int64_t>(k), length));
  }
  storage = std::move(chosen);
  return Operand{.type = element, .scalars = storage};
}

void append_scalars(const Operand& operand, const sema::TypedModel& model, expr::Pool& pool,
                    NameScope& scope, int order, std::vector<ExprId>& out) {
  if (operand.value != nullptr) return append_constants(*operand.value, pool, out);
  if (operand.slot < 0) {
    out.insert(out.end(), operand.scalars.begin(), operand.scalars.end());
    return;
  }
  const bool basic = std::holds_alternative<sema::Basic>(model.types[operand.type]);
  if (basic) {
    out.push_back(scope.scalar(operand.slot, operand.type, order));
    return;
  }
  std::int32_t slot = operand.slot;
  for (const TypeId type : scalar_types(model.types, operand.type)) {
    out.push_back(scope.scalar(slot++, type, order));
  }
}

// Follows the value's own nesting, which its type limits.
void append_constants(const Value& value, expr::Pool& pool, std::vector<ExprId>& out) {
  match(
      value.data, [](std::monostate) {}, [&](bool b) { out.push_back(expr::boolean(pool, b)); },
      [&](std::int64_t i) { out.push_back(expr::constant(pool, static_cast<double>(i))); },
      [&](double x) { out.push_back(expr::constant(pool, x)); }, [](const std::string&) {},
      [&](const Value::Sequence& s) {
        for (const Value& v : s) append_constants(v, pool, out);
      },
      [](const Value::Mapping&) {}, [](Value::FunctionRef) {}, [](const Value::Distribution&) {});
}

syntax::ExprId path_root(const syntax::Ast& ast, syntax::ExprId expr) {
  while (true) {
    const auto& node = ast.exprs[expr].node;
    if (std::holds_alternative<syntax::Name>(node)) return expr;
    if (const auto* n = std::get_if<syntax::Index>(&node)) {
      expr = n->of;
    } else if (const auto* m = std::get_if<syntax::Member>(&node)) {
      expr = m->of;
    } else if (const auto* p = std::get_if<syntax::Project>(&node)) {
      expr = p->of;
    } else if (const auto* d = std::get_if<syntax::Derivative>(&node)) {
      expr = d->of;
    } else if (const auto* parens = std::get_if<syntax::Parenthesized>(&node)) {
      expr = parens->inner;
    } else {
      return {};
    }
  }
}

}  // namespace chi::flat
