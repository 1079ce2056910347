#include "flat/parameter_value.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/match.h"
#include "sema/evaluate.h"
#include "source/source_file.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"
#include "units/unit.h"

namespace chi::flat {
namespace {

using sema::BasicType;
using sema::MeasureId;
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

  Read read(ExprId expr, TypeId type, MeasureId measure) {
    expr = without_parentheses(expr);
    if (std::holds_alternative<syntax::Name>(node(expr))) return read_name(expr, type, measure);
    return match(
        types_[type], [&](sema::UnknownType) { return wrong(expr, type); },
        [&](sema::Basic b) { return read_basic(expr, type, b.kind, measure); },
        [&](sema::List t) { return read_list(expr, type, t.element, -1, measure); },
        [&](sema::Set t) { return read_set(expr, type, t.element, measure); },
        [&](sema::Dict t) { return read_dict(expr, type, t, measure); },
        [&](sema::Array t) { return read_list(expr, type, t.element, t.length, measure); },
        [&](sema::Tuple t) { return read_tuple(expr, type, t, measure); },
        [&](sema::Record t) { return read_record(expr, type, t, measure); },
        [&](sema::Func) { return wrong(expr, type); },
        [&](sema::Dist t) { return read_distribution(expr, type, t.result, measure); },
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

  Read read_basic(ExprId expr, TypeId type, BasicType kind, MeasureId measure) {
    const auto [negative, literal] = signed_literal(expr);
    const auto* integer = std::get_if<syntax::IntLiteral>(&node(literal));
    const auto* real = std::get_if<syntax::RealLiteral>(&node(literal));
    if (kind == BasicType::Real && (integer != nullptr || real != nullptr)) {
      const double size = integer != nullptr ? static_cast<double>(integer->value) : real->value;
      return quantity(literal, negative ? -size : size, model_.measures.unit(measure));
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

  // A number in the unit it is written with, else in `unit`, which may be null.
  Read quantity(ExprId literal, double number, const units::Unit* unit) {
    const syntax::Quantity* written = ast_.quantity(literal);
    if (written == nullptr) return Value{unit == nullptr ? number : unit->to_si(number)};
    const units::Unit& own = ast_.units[static_cast<std::size_t>(written->unit)];
    if (unit == nullptr) return fail(fmt::format("it has no unit, and [{}] is given", own.text));
    if (own.dimension == unit->dimension) return Value{number};
    return fail(fmt::format("it is in [{}], and [{}] is given", unit->text, own.text));
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

  Read read_list(ExprId expr, TypeId type, TypeId element, std::int64_t length, MeasureId measure) {
    const auto elements = elements_of(expr);
    if (!elements) return wrong(expr, type);
    if (length >= 0 && static_cast<std::int64_t>(elements->size()) != length) {
      return fail(fmt::format("{} elements are needed and {} given", length, elements->size()));
    }
    Value::Sequence values;
    for (const ExprId e : *elements) {
      Read value = read(e, element, measure);
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    return Value{std::move(values)};
  }

  Read read_set(ExprId expr, TypeId type, TypeId element, MeasureId measure) {
    const auto* set = std::get_if<syntax::SetExpr>(&node(expr));
    const auto* list = std::get_if<syntax::ListExpr>(&node(expr));  // a file has no braces for it
    if (set == nullptr && list == nullptr) return wrong(expr, type);
    Value::Sequence values;
    for (const ExprId e : ast_.list(set != nullptr ? set->elements : list->elements)) {
      Read value = read(e, element, measure);
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return Value{std::move(values)};
  }

  Read read_dict(ExprId expr, TypeId type, sema::Dict dict, MeasureId measure) {
    const sema::Measures& measures = model_.measures;
    Value::Mapping entries;
    if (const auto* written = std::get_if<syntax::DictExpr>(&node(expr))) {
      for (const syntax::DictEntry& entry : ast_.list(written->entries)) {
        Read key = read(entry.key, dict.key, measures.part(measure, 0));
        Read value = key ? read(entry.value, dict.value, measures.part(measure, 1)) : std::nullopt;
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

  Read read_tuple(ExprId expr, TypeId type, sema::Tuple tuple, MeasureId measure) {
    const auto written = elements_of(expr);
    if (!written || static_cast<std::int32_t>(written->size()) != tuple.elements.count) {
      return wrong(expr, type);
    }
    Value::Sequence values;
    for (std::int32_t i = 0; i < tuple.elements.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      Read value =
          read((*written)[k], types_.list(tuple.elements)[k], model_.measures.part(measure, i));
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    return Value{std::move(values)};
  }

  // Fields may be written in any order; their names are symbols of two different texts.
  Read read_record(ExprId expr, TypeId type, sema::Record record, MeasureId measure) {
    const auto* written = std::get_if<syntax::RecordExpr>(&node(expr));
    if (written == nullptr || written->fields.count != record.fields.count) {
      return wrong(expr, type);
    }
    Value::Sequence values;
    std::int32_t position = 0;
    for (const sema::Field& field : types_.list(record.fields)) {
      const auto rows = ast_.list(written->fields);
      const auto at = std::find_if(rows.begin(), rows.end(), [&](const syntax::FieldValue& f) {
        return ast_.symbols.text(f.field.name) == model_.ast.symbols.text(field.name);
      });
      if (at == rows.end()) return wrong(expr, type);
      Read value = read(at->value, field.type, model_.measures.part(measure, position++));
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

  /// The power of the unit of its samples that an argument of a distribution is in.
  static int unit_power(sema::DistributionKind kind, std::size_t argument) {
    using enum sema::DistributionKind;
    switch (kind) {
      case Constant:
      case UniformReal:
      case Exponential:
      case Triangle: return 1;
      case Erlang: return argument == 0 ? 1 : 0;
      case Normal: return argument == 0 ? 1 : 2;
      case Gamma:
      case Weibull: return argument == 1 ? 1 : 0;
      default: return 0;
    }
  }

  // A variance of temperatures has no offset.
  static units::Unit raised(const units::Unit& unit, int power) {
    if (power == 1) return unit;
    return {.text = fmt::format("({}){}", unit.text, power),
            .dimension = units::power(unit.dimension, power),
            .numerator = std::pow(unit.numerator, power),
            .denominator = std::pow(unit.denominator, power)};
  }

  Read read_argument(ExprId expr, TypeId type, const units::Unit* unit) {
    const auto [negative, literal] = signed_literal(without_parentheses(expr));
    const auto* integer = std::get_if<syntax::IntLiteral>(&node(literal));
    const auto* real = std::get_if<syntax::RealLiteral>(&node(literal));
    if (!types_.is(type, BasicType::Real) || (integer == nullptr && real == nullptr)) {
      return read(expr, type, {});
    }
    const double size = integer != nullptr ? static_cast<double>(integer->value) : real->value;
    return quantity(literal, negative ? -size : size, unit);
  }

  Read read_distribution(ExprId expr, TypeId type, TypeId result, MeasureId measure) {
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
      const int power = unit_power(kind, i);
      const units::Unit* const unit = power == 0 ? nullptr : model_.measures.unit(measure);
      const units::Unit own = unit == nullptr ? units::Unit{} : raised(*unit, power);
      const Read value = read_argument(
          arguments[i], distribution_argument_type(types_, kind, static_cast<int>(i), result),
          unit == nullptr ? nullptr : &own);
      if (!value) return std::nullopt;
      law.arguments.push_back(law_argument(*value));
    }
    const std::string_view problem = distribution_problem(law);
    if (!problem.empty()) return fail(std::string(problem));
    return Value{std::move(law)};
  }

  Read read_name(ExprId expr, TypeId type, MeasureId measure) {
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
      const units::Unit* const own = model_.measures.unit(model_.measures.of(definition.self));
      const units::Unit* const wanted = model_.measures.unit(measure);
      if (own != nullptr && wanted != nullptr && own->dimension != wanted->dimension) {
        return fail(fmt::format("`{}` is in [{}], not in [{}]", name, own->text, wanted->text));
      }
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

/// `2.5 bar` as `2.5 [bar]`: on a command line nothing else can stand behind a number.
std::string with_brackets(std::string_view text) {
  constexpr std::string_view kNumber = "0123456789.eE+-";
  std::size_t end = text.find_first_not_of(" ");
  while (end < text.size() && kNumber.find(text[end]) != std::string_view::npos) ++end;
  // `3 eV`: the letter belongs to the unit.
  while (end > 0 && end <= text.size() && (text[end - 1] == 'e' || text[end - 1] == 'E')) --end;
  if (end == 0 || end >= text.size() || text.find_first_of("0123456789") >= end) {
    return std::string(text);
  }
  const std::string_view unit = text.substr(end);
  if (!units::looks_like_unit(unit)) return std::string(text);
  return fmt::format("{} [{}]", text.substr(0, end), unit.substr(unit.find_first_not_of(" ")));
}

}  // namespace

std::optional<Value> parameter_value(const sema::TypedModel& model, std::string_view name,
                                     std::string_view text, TypeId type, MeasureId measure,
                                     Diagnostics& diagnostics) {
  const bool real = model.types.is(type, BasicType::Real);
  const SourceFile source(
      "-p", fmt::format("const value = {}", real ? with_brackets(text) : std::string(text)));
  Diagnostics errors;
  const syntax::Ast ast = syntax::parse(syntax::lex(source, errors), errors);
  const ExprId expr = parsed_value(ast, errors);
  // A file has only texts for `exponential(2.0)` and for the name of a function.
  const auto* quoted = expr && !model.types.is(type, BasicType::String)
                           ? std::get_if<syntax::StringLiteral>(&ast.exprs[expr].node)
                           : nullptr;
  if (quoted != nullptr && !ast.symbols.text(quoted->text).starts_with('"'))
    return parameter_value(model, name, ast.symbols.text(quoted->text), type, measure, diagnostics);
  LiteralReader reader(model, ast, source);
  Read value = expr ? reader.read(expr, type, measure) : std::nullopt;
  if (value) return value;
  const units::Unit* const unit = model.measures.unit(measure);
  const std::string unit_text = unit == nullptr ? "" : fmt::format(" [{}]", unit->text);
  const bool bare_word = model.types.is(type, BasicType::String);
  diagnostics.report(
      {.code = DiagCode::BadParameterValue,
       .message = fmt::format("the value given for parameter `{}` does not fit: {}", name,
                              expr ? reader.reason() : fmt::format("`{}` is no value", text)),
       .help = bare_word ? fmt::format("a string stands in quotes: -p '{}=\"...\"'", name)
                         : fmt::format("`{}` is of type {}{}", name,
                                       model.types.text(type, model.ast.symbols), unit_text)});
  return std::nullopt;
}

}  // namespace chi::flat
