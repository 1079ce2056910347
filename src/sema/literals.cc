#include <fmt/format.h>

#include "sema/expression_parts.h"
#include "sema/expressions.h"
#include "sema/paths.h"
#include "sema/suggest.h"

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

TypeId guess_elements(Context& c, Elements elements);

/// The type of a literal as far as its numbers tell; unset if they do not. It lets `[[1], [2.5]]`
/// be a `real**` though its first element alone is a `nat*`.
TypeId guess(Context& c, ExprId expr) {
  expr = strip(c.ast, expr);
  if (!expr) return {};
  if (c.node<syntax::IntLiteral>(expr)) return c.nat_type();
  if (c.node<syntax::RealLiteral>(expr)) return c.real_type();
  if (const auto* n = c.node<syntax::Unary>(expr); n && n->op == syntax::UnaryOp::Minus) {
    const ExprId operand = strip(c.ast, n->operand);
    if (operand && c.node<syntax::IntLiteral>(operand)) return c.int_type();
    if (operand && c.node<syntax::RealLiteral>(operand)) return c.real_type();
    return {};
  }
  const auto* list = c.node<syntax::ListExpr>(expr);
  const TypeId element = list ? guess_elements(c, list->elements) : TypeId{};
  return element ? c.types.list(element) : TypeId{};
}

/// As `join`, but for lists of literals, which are all of the wider type.
std::optional<TypeId> join_guesses(Context& c, TypeId a, TypeId b) {
  int lists = 0;
  auto x = c.as<List>(a);
  auto y = c.as<List>(b);
  for (; x && y; x = c.as<List>(a), y = c.as<List>(b), ++lists) {
    a = x->element;
    b = y->element;
  }
  const auto both = join(c.types, a, b);
  if (!both) return std::nullopt;
  TypeId type = *both;
  for (; lists > 0; --lists) type = c.types.list(type);
  return type;
}

TypeId guess_elements(Context& c, Elements elements) {
  TypeId result;
  for (ExprId e : c.ast.list(elements)) {
    const TypeId found = guess(c, e);
    if (!found) return {};
    const auto both = result ? join_guesses(c, result, found) : found;
    if (!both) return {};
    result = *both;
  }
  return result;
}

void require_data(Context& c, ExprId expr, TypeId found) {
  if (c.types.is_data(found)) return;
  c.report({.code = DiagCode::BadTypePlace,
            .span = c.span(expr),
            .message = fmt::format("`{}` cannot be an element", c.text(found)),
            .help = "elements are data: no channels, functions or distributions"});
}

/// The common type of branches or elements; reports the first that has none with those before it.
class Unifier {
 public:
  Unifier(Context& c, TypeId hint, std::string_view what) : c_(c), hint_(hint), what_(what) {}

  void add(ExprId expr) {
    const TypeId found = check_expr(c_, expr, hint_ ? hint_ : type_);
    if (c_.types.is_unknown(found)) return;
    if (!type_) {
      type_ = found;
      first_ = expr;
      return;
    }
    if (const auto both = join(c_.types, type_, found)) {
      type_ = *both;
    } else if (!failed_) {
      failed_ = true;
      c_.report({.code = DiagCode::BranchTypes,
                 .span = c_.span(expr),
                 .message =
                     fmt::format("{} of type `{}` and `{}`", what_, c_.text(type_), c_.text(found)),
                 .labels = {{c_.span(first_), fmt::format("this is `{}`", c_.text(type_))}}});
    }
  }

  TypeId type() const { return failed_ || !type_ ? c_.unknown() : type_; }

 private:
  Context& c_;
  TypeId hint_;
  std::string_view what_;
  TypeId type_;
  ExprId first_;
  bool failed_ = false;
};

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
  Unifier unifier(c, guess_elements(c, elements), "elements");
  for (ExprId e : c.ast.list(elements)) unifier.add(e);
  require_data(c, c.ast.list(elements)[0], unifier.type());
  return unifier.type();
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
  Unifier keys(c, {}, "keys");
  Unifier values(c, {}, "values");
  for (const syntax::DictEntry& entry : entries) {
    keys.add(entry.key);
    values.add(entry.value);
  }
  if (entries.empty()) return report_open(c, expr, "dictionary");
  require_data(c, entries[0].key, keys.type());
  require_data(c, entries[0].value, values.type());
  return c.types.dict(keys.type(), values.type());
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
  for (const syntax::FieldValue& f : given) {
    fields.push_back({f.field.name, check_expr(c, f.value)});
    require_data(c, f.value, fields.back().type);
  }
  return c.types.record(fields);
}

TypeId check_conditional(Context& c, ExprId expr, TypeId hint) {
  const auto& node = *c.node<syntax::Conditional>(expr);
  require(c, node.condition, c.bool_type(), "a condition");
  Unifier unifier(c, hint, "branches");
  const bool literal_first = is_open_literal(c, node.then) && !is_open_literal(c, node.otherwise);
  unifier.add(literal_first ? node.otherwise : node.then);
  unifier.add(literal_first ? node.then : node.otherwise);
  return unifier.type();
}

TypeId check_guarded(Context& c, ExprId expr, TypeId hint) {
  Unifier unifier(c, hint, "alternatives");
  for (const auto& v : c.ast.list(c.node<syntax::GuardedExpr>(expr)->alternatives)) {
    require(c, v.guard, c.bool_type(), "a guard");
    unifier.add(v.value);
  }
  return unifier.type();
}

}  // namespace chi::sema
