#include <array>

#include <fmt/format.h>

#include "sema/expression_parts.h"
#include "sema/expressions.h"
#include "sema/paths.h"
#include "sema/suggest.h"
#include "sema/unify.h"

namespace chi::sema {
namespace {

using syntax::BasicType;
using Elements = Slice<ExprId>;

void report_size(Context& c, ExprId expr, TypeId wanted, std::int64_t size, int found) {
  c.report({.code = DiagCode::LiteralSize,
            .span = c.span(expr),
            .message = fmt::format("`{}` has {} element{}, found {}", c.text(wanted), size,
                                   size == 1 ? "" : "s", found)});
}

TypeId report_open(Context& c, ExprId expr, std::string_view what) {
  c.report({.code = DiagCode::UnknownElementType,
            .span = c.span(expr),
            .message = fmt::format("the type of this empty {} is not known here", what),
            .help = "declare a variable or constant with a type"});
  return c.unknown();
}

void require_data(Context& c, ExprId expr, TypeId found) {
  if (c.types.is_data(found)) return;
  c.report({.code = DiagCode::BadTypePlace,
            .span = c.span(expr),
            .message = fmt::format("`{}` cannot be an element", c.text(found)),
            .help = "elements are data: no channels, functions or distributions"});
}

TypeId check_as_array(Context& c, ExprId expr, Elements elements, TypeId hint) {
  const Array array = *c.as<Array>(hint);
  for (ExprId e : c.ast.list(elements)) require(c, e, array.element, "an element");
  if (array.length < 0) return c.types.array(array.element, elements.count, {});
  if (array.length != elements.count) report_size(c, expr, hint, array.length, elements.count);
  return hint;
}

TypeId check_elements(Context& c, Elements elements, TypeId element_hint) {
  if (element_hint) {
    for (ExprId e : c.ast.list(elements)) require(c, e, element_hint, "an element");
    return element_hint;
  }
  const TypeId type = unify(c, c.ast.list(elements), {}, "elements");
  require_data(c, c.ast.list(elements)[0], type);
  return type;
}

}  // namespace

bool is_open_literal(const Context& c, ExprId expr) {
  using namespace syntax;
  expr = strip(c.ast, expr);
  return expr && (c.node<TupleExpr>(expr) || c.node<ListExpr>(expr) || c.node<SetExpr>(expr) ||
                  c.node<RecordExpr>(expr) || c.node<DictExpr>(expr));
}

TypeId check_int_literal(Context& c, TypeId hint) {
  return hint && c.types.is_numeric(hint) ? hint : c.nat_type();
}

TypeId check_tuple(Context& c, ExprId expr, TypeId hint) {
  const Elements elements = c.node<syntax::TupleExpr>(expr)->elements;
  if (c.as<Array>(hint)) return check_as_array(c, expr, elements, hint);
  if (const auto tuple = c.as<Tuple>(hint)) {
    const bool right_size = tuple->elements.count == elements.count;
    if (!right_size) report_size(c, expr, hint, tuple->elements.count, elements.count);
    for (int i = 0; i < elements.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const ExprId e = c.ast.list(elements)[at];
      if (i >= tuple->elements.count || !right_size) {
        check_expr(c, e);
      } else {
        require(c, e, c.types.list(tuple->elements)[at], "an element");
      }
    }
    return hint;
  }
  std::vector<TypeId> types;
  for (ExprId e : c.ast.list(elements)) {
    types.push_back(check_expr(c, e));
    require_data(c, e, types.back());
  }
  if (types.size() >= 2) return c.types.tuple(types);
  c.report({.code = DiagCode::LiteralSize,
            .span = c.span(expr),
            .message = fmt::format("a tuple has at least two elements, found {}", types.size())});
  return c.unknown();
}

TypeId check_list(Context& c, ExprId expr, TypeId hint) {
  const Elements elements = c.node<syntax::ListExpr>(expr)->elements;
  if (c.as<Array>(hint)) return check_as_array(c, expr, elements, hint);
  const auto list = c.as<List>(hint);
  if (elements.empty()) return list ? hint : report_open(c, expr, "list");
  return c.types.list(check_elements(c, elements, list ? list->element : TypeId{}));
}

TypeId check_set(Context& c, ExprId expr, TypeId hint) {
  const Elements elements = c.node<syntax::SetExpr>(expr)->elements;
  const auto set = c.as<Set>(hint);
  if (elements.empty()) return set || c.as<Dict>(hint) ? hint : report_open(c, expr, "set");
  return c.types.set(check_elements(c, elements, set ? set->element : TypeId{}));
}

TypeId check_dict(Context& c, ExprId expr, TypeId hint) {
  const auto entries = c.ast.list(c.node<syntax::DictExpr>(expr)->entries);
  if (const auto dict = c.as<Dict>(hint)) {
    for (const syntax::DictEntry& entry : entries) {
      require(c, entry.key, dict->key, "a key");
      require(c, entry.value, dict->value, "a value");
    }
    return hint;
  }
  if (entries.empty()) return report_open(c, expr, "dictionary");
  std::vector<ExprId> keys, values;
  for (const syntax::DictEntry& entry : entries) {
    keys.push_back(entry.key);
    values.push_back(entry.value);
  }
  const TypeId key = unify(c, keys, {}, "keys");
  const TypeId value = unify(c, values, {}, "values");
  require_data(c, keys[0], key);
  require_data(c, values[0], value);
  return c.types.dict(key, value);
}

namespace {

/// Field values against an expected record, in any order.
void check_fields(Context& c, ExprId expr, TypeId wanted) {
  const auto given = c.ast.list(c.node<syntax::RecordExpr>(expr)->fields);
  const Record record = *c.as<Record>(wanted);
  std::unordered_map<Symbol, TypeId> missing;
  std::vector<std::string_view> names;
  for (const Field& f : c.types.list(record.fields)) {
    missing.emplace(f.name, f.type);
    names.push_back(c.text(f.name));
  }
  bool complete = true;
  for (const syntax::FieldValue& f : given) {
    const auto found = missing.find(f.field.name);
    if (found != missing.end()) {
      const TypeId type = found->second;
      missing.erase(found);
      require(c, f.value, type, fmt::format("field `{}`", c.text(f.field.name)));
      continue;
    }
    complete = false;
    check_expr(c, f.value);
    if (!f.field) continue;
    const std::string near = nearest(c.text(f.field.name), names);
    c.report(
        {.code = DiagCode::UnknownField,
         .span = f.field.span,
         .message = fmt::format("`{}` has no field `{}`", c.text(wanted), c.text(f.field.name)),
         .help = near.empty() ? near : fmt::format("did you mean `{}`?", near)});
  }
  if (!complete || missing.empty()) return;
  for (const Field& f : c.types.list(record.fields)) {
    if (!missing.contains(f.name)) continue;
    c.report({.code = DiagCode::MissingField,
              .span = c.span(expr),
              .message = fmt::format("field `{}` has no value", c.text(f.name))});
    return;
  }
}

/// Reports a field written twice and says whether there was none.
bool fields_differ(Context& c, std::span<const syntax::FieldValue> fields) {
  std::unordered_map<Symbol, Span> first;
  for (const syntax::FieldValue& f : fields) {
    if (!f.field) continue;
    const auto [at, added] = first.emplace(f.field.name, f.field.span);
    if (added) continue;
    c.report({.code = DiagCode::DuplicateField,
              .span = f.field.span,
              .message = fmt::format("field `{}` is given twice", c.text(f.field.name)),
              .labels = {{at->second, "first given here"}}});
    return false;
  }
  return true;
}

}  // namespace

TypeId check_record(Context& c, ExprId expr, TypeId hint) {
  const auto given = c.ast.list(c.node<syntax::RecordExpr>(expr)->fields);
  if (!fields_differ(c, given)) {
    for (const syntax::FieldValue& f : given) check_expr(c, f.value);
    return c.unknown();
  }
  if (c.as<Record>(hint)) {
    check_fields(c, expr, hint);
    return hint;
  }
  std::vector<Field> fields;
  bool named = true;  // a name that is missing was reported
  for (const syntax::FieldValue& f : given) {
    fields.push_back({f.field.name, check_expr(c, f.value)});
    require_data(c, f.value, fields.back().type);
    named = named && f.field;
  }
  return named ? c.types.record(fields) : c.unknown();
}

TypeId check_conditional(Context& c, ExprId expr, TypeId hint) {
  const auto& node = *c.node<syntax::Conditional>(expr);
  require(c, node.condition, c.bool_type(), "a condition");
  return unify(c, std::array{node.then, node.otherwise}, hint, "branches");
}

TypeId check_guarded(Context& c, ExprId expr, TypeId hint) {
  std::vector<ExprId> values;
  for (const auto& v : c.ast.list(c.node<syntax::GuardedExpr>(expr)->alternatives)) {
    require(c, v.guard, c.bool_type(), "a guard");
    values.push_back(v.value);
  }
  return unify(c, values, hint, "alternatives");
}

}  // namespace chi::sema
