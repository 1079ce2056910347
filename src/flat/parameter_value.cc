#include "flat/parameter_value.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/match.h"
#include "sema/evaluate.h"
#include "source/source_file.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace chi::flat {
namespace {

using sema::BasicType;
using sema::TypeId;
using sema::Value;
using syntax::ExprId;

using Read = std::optional<Value>;

// The expression in `const value = TEXT`, if that is what the text makes of it.
ExprId parsed_value(const syntax::Ast& ast, const Diagnostics& errors) {
  if (errors.has_errors() || ast.definitions.size() != 1) return {};
  const auto* constant = std::get_if<syntax::ConstDef>(&ast.definitions.front().node);
  return constant == nullptr ? ExprId{} : constant->value;
}

// Reads a literal of a known type. Follows the literal's own nesting, which the parser limits.
class LiteralReader {
 public:
  LiteralReader(const sema::TypedModel& model, const syntax::Ast& ast, const SourceFile& source)
      : model_(model), types_(model.types), ast_(ast), source_(source) {}

  Read read(ExprId expr, TypeId type) {
    expr = without_parentheses(expr);
    if (std::holds_alternative<syntax::Name>(node(expr))) return read_name(expr, type);
    return match(
        types_[type], [&](sema::UnknownType) { return wrong(expr, type); },
        [&](sema::Basic b) { return read_basic(expr, type, b.kind); },
        [&](sema::List t) { return read_list(expr, type, t.element, -1); },
        [&](sema::Set t) { return read_set(expr, type, t.element); },
        [&](sema::Dict t) { return read_dict(expr, type, t); },
        [&](sema::Array t) { return read_list(expr, type, t.element, t.length); },
        [&](sema::Tuple t) { return read_tuple(expr, type, t); },
        [&](sema::Record t) { return read_record(expr, type, t); },
        [&](sema::Func) { return wrong(expr, type); },
        [&](sema::Dist t) { return read_distribution(expr, type, t.result); },
        [&](sema::Channel) { return wrong(expr, type); });
  }

  const std::string& reason() const { return reason_; }

 private:
  const decltype(syntax::Expr::node)& node(ExprId expr) const { return ast_.exprs[expr].node; }
  std::string_view text_of(ExprId expr) const { return source_.text(ast_.exprs[expr].span); }
  std::string type_text(TypeId type) const { return types_.text(type, model_.ast.symbols); }

  ExprId without_parentheses(ExprId expr) const {
    while (const auto* p = std::get_if<syntax::Parenthesized>(&node(expr))) expr = p->inner;
    return expr;
  }

  Read fail(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
    return std::nullopt;
  }
  Read wrong(ExprId expr, TypeId type) {
    return fail(fmt::format("`{}` is no value of type {}", text_of(expr), type_text(type)));
  }

  // A number or its negation: the sign and the literal under it.
  std::pair<bool, ExprId> signed_literal(ExprId expr) const {
    bool negative = false;
    while (const auto* unary = std::get_if<syntax::Unary>(&node(expr))) {
      if (unary->op == syntax::UnaryOp::Minus) {
        negative = !negative;
      } else if (unary->op != syntax::UnaryOp::Plus) {
        break;
      }
      expr = without_parentheses(unary->operand);
    }
    return {negative, expr};
  }

  Read read_basic(ExprId expr, TypeId type, BasicType kind) {
    const auto [negative, literal] = signed_literal(expr);
    const auto* integer = std::get_if<syntax::IntLiteral>(&node(literal));
    const auto* real = std::get_if<syntax::RealLiteral>(&node(literal));
    if (kind == BasicType::Real && (integer != nullptr || real != nullptr)) {
      const double size = integer != nullptr ? static_cast<double>(integer->value) : real->value;
      return Value{negative ? -size : size};
    }
    if (types_.is_integer(type) && integer != nullptr) {
      const std::int64_t value = negative ? -integer->value : integer->value;
      if (kind == BasicType::Nat && value < 0) return fail(fmt::format("a nat is not negative"));
      return Value{value};
    }
    if (const auto* truth = std::get_if<syntax::BoolLiteral>(&node(expr))) {
      if (kind == BasicType::Bool) return Value{truth->value};
    }
    if (const auto* string = std::get_if<syntax::StringLiteral>(&node(expr))) {
      if (kind == BasicType::String) return Value{std::string(ast_.symbols.text(string->text))};
    }
    return wrong(expr, type);
  }

  // The elements between brackets or angles; none if it is something else.
  std::optional<std::span<const ExprId>> elements_of(ExprId expr) const {
    if (const auto* list = std::get_if<syntax::ListExpr>(&node(expr))) {
      return ast_.list(list->elements);
    }
    if (const auto* tuple = std::get_if<syntax::TupleExpr>(&node(expr))) {
      return ast_.list(tuple->elements);
    }
    return std::nullopt;
  }

  Read read_list(ExprId expr, TypeId type, TypeId element, std::int64_t length) {
    const auto elements = elements_of(expr);
    if (!elements) return wrong(expr, type);
    if (length >= 0 && static_cast<std::int64_t>(elements->size()) != length) {
      return fail(fmt::format("{} elements are needed and {} given", length, elements->size()));
    }
    Value::Sequence values;
    for (const ExprId e : *elements) {
      Read value = read(e, element);
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    return Value{std::move(values)};
  }

  Read read_set(ExprId expr, TypeId type, TypeId element) {
    const auto* set = std::get_if<syntax::SetExpr>(&node(expr));
    if (set == nullptr) return wrong(expr, type);
    Value::Sequence values;
    for (const ExprId e : ast_.list(set->elements)) {
      Read value = read(e, element);
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return Value{std::move(values)};
  }

  Read read_dict(ExprId expr, TypeId type, sema::Dict dict) {
    Value::Mapping entries;
    if (const auto* written = std::get_if<syntax::DictExpr>(&node(expr))) {
      for (const syntax::DictEntry& entry : ast_.list(written->entries)) {
        Read key = read(entry.key, dict.key);
        Read value = key ? read(entry.value, dict.value) : std::nullopt;
        if (!value) return std::nullopt;
        entries.push_back({std::move(*key), std::move(*value)});
      }
    } else if (const auto* empty = std::get_if<syntax::SetExpr>(&node(expr));
               empty == nullptr || !empty->elements.empty()) {
      return wrong(expr, type);
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto twice =
        std::adjacent_find(entries.begin(), entries.end(),
                           [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice != entries.end()) return fail("a key stands in it twice");
    return Value{std::move(entries)};
  }

  Read read_tuple(ExprId expr, TypeId type, sema::Tuple tuple) {
    const auto* written = std::get_if<syntax::TupleExpr>(&node(expr));
    if (written == nullptr || written->elements.count != tuple.elements.count) {
      return wrong(expr, type);
    }
    Value::Sequence values;
    for (std::int32_t i = 0; i < tuple.elements.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      Read value = read(ast_.list(written->elements)[k], types_.list(tuple.elements)[k]);
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    return Value{std::move(values)};
  }

  // Fields may be written in any order; their names are symbols of two different texts.
  Read read_record(ExprId expr, TypeId type, sema::Record record) {
    const auto* written = std::get_if<syntax::RecordExpr>(&node(expr));
    if (written == nullptr || written->fields.count != record.fields.count) {
      return wrong(expr, type);
    }
    Value::Sequence values;
    for (const sema::Field& field : types_.list(record.fields)) {
      const auto rows = ast_.list(written->fields);
      const auto at = std::find_if(rows.begin(), rows.end(), [&](const syntax::FieldValue& f) {
        return ast_.symbols.text(f.field.name) == model_.ast.symbols.text(field.name);
      });
      if (at == rows.end()) return wrong(expr, type);
      Read value = read(at->value, field.type);
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    return Value{std::move(values)};
  }

  static std::optional<sema::Builtin> distribution_called(std::string_view name) {
    using sema::Builtin;
    for (auto k = static_cast<int>(Builtin::Constant); k <= static_cast<int>(Builtin::Weibull);
         ++k) {
      if (sema::builtin_text(static_cast<Builtin>(k)) == name) return static_cast<Builtin>(k);
    }
    return std::nullopt;
  }

  Read read_distribution(ExprId expr, TypeId type, TypeId result) {
    const auto* call = std::get_if<syntax::Call>(&node(expr));
    if (call == nullptr) return wrong(expr, type);
    const auto* name = std::get_if<syntax::Name>(&node(call->callee));
    const auto function =
        name == nullptr ? std::nullopt : distribution_called(ast_.symbols.text(name->name));
    if (!function) return wrong(expr, type);
    const auto kind = sema::distribution_kind(*function, types_.is_integer(result));
    const auto arguments = ast_.list(call->arguments);
    const bool right_count = call->arguments.count == distribution_arity(kind);
    if (!right_count || !distribution_samples(types_, kind, result)) return wrong(expr, type);
    Value::Distribution law{kind, {}};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Read value =
          read(arguments[i], distribution_argument_type(types_, kind, static_cast<int>(i), result));
      if (!value) return std::nullopt;
      law.arguments.push_back(law_argument(*value));
    }
    const std::string_view problem = distribution_problem(law);
    if (!problem.empty()) return fail(std::string(problem));
    return Value{std::move(law)};
  }

  Read read_name(ExprId expr, TypeId type) {
    const std::string_view name = text_of(expr);
    for (const sema::DefinitionInfo& definition : model_.definitions) {
      if (!definition.self) continue;
      const sema::Decl& decl = model_.decls[definition.self];
      if (model_.ast.symbols.text(decl.name) != name) continue;
      const bool is_function = decl.kind == sema::DeclKind::Function;
      if (!is_function && decl.kind != sema::DeclKind::Constant) break;
      if (!sema::fits(types_, decl.type, type)) {
        return fail(fmt::format("`{}` is of type {}", name, type_text(decl.type)));
      }
      if (is_function) return Value{Value::FunctionRef{definition.self}};
      Diagnostics errors;
      Read value = sema::evaluate(model_, decl.initial, type, {}, errors);
      return value ? value : wrong(expr, type);
    }
    return fail(fmt::format("`{}` is no constant and no function of the model", name));
  }

  const sema::TypedModel& model_;
  const sema::Types& types_;
  const syntax::Ast& ast_;
  const SourceFile& source_;
  std::string reason_;
};

}  // namespace

std::optional<Value> parameter_value(const sema::TypedModel& model, std::string_view name,
                                     std::string_view text, TypeId type, Diagnostics& diagnostics) {
  const SourceFile source("-p", fmt::format("const value = {}", text));
  Diagnostics errors;
  const syntax::Ast ast = syntax::parse(syntax::lex(source, errors), errors);
  const ExprId expr = parsed_value(ast, errors);
  LiteralReader reader(model, ast, source);
  Read value = expr ? reader.read(expr, type) : std::nullopt;
  if (value) return value;
  const bool bare_word = model.types.is(type, BasicType::String);
  diagnostics.report(
      {.code = DiagCode::BadParameterValue,
       .message = fmt::format("the value given for parameter `{}` does not fit: {}", name,
                              expr ? reader.reason() : fmt::format("`{}` is no value", text)),
       .help = bare_word ? fmt::format("a string stands in quotes: -p '{}=\"...\"'", name)
                         : fmt::format("`{}` is of type {}", name,
                                       model.types.text(type, model.ast.symbols))});
  return std::nullopt;
}

}  // namespace chi::flat
