#include <array>

#include <fmt/format.h>

#include "sema/paths.h"
#include "sema/unit_rules.h"
#include "sema/walk.h"

namespace chi::sema {
namespace {

/// What is said of two units that meet, the expected one first.
std::string meeting_text(Meeting how, std::string_view a, std::string_view b) {
  switch (how) {
    case Meeting::Sum: return fmt::format("a sum of [{}] and [{}]", a, b);
    case Meeting::Difference: return fmt::format("a difference of [{}] and [{}]", a, b);
    case Meeting::Comparison: return fmt::format("[{}] compared with [{}]", a, b);
    case Meeting::Equation: return fmt::format("an equation between [{}] and [{}]", a, b);
    case Meeting::Assignment: return fmt::format("a variable in [{}] gets a value in [{}]", a, b);
    case Meeting::Initial: return fmt::format("a variable in [{}] begins with [{}]", a, b);
    case Meeting::Bound: return fmt::format("a variable in [{}] has a bound in [{}]", a, b);
    case Meeting::Argument: return fmt::format("a parameter in [{}] gets [{}]", a, b);
    case Meeting::Branches: return fmt::format("alternatives in [{}] and [{}]", a, b);
    case Meeting::Elements: return fmt::format("elements in [{}] and [{}]", a, b);
    case Meeting::Message: return fmt::format("a channel for [{}] carries [{}]", a, b);
    case Meeting::Result: return fmt::format("a result in [{}] is given as [{}]", a, b);
    case Meeting::Time: return fmt::format("a time, in [{}], is given in [{}]", a, b);
  }
  return {};
}

/// What a coherent unit measures; nothing where it has no common name.
std::string_view quantity_name(std::string_view unit) {
  struct Row {
    std::string_view unit, name;
  };
  constexpr Row kRows[] = {
      {"s", "a time"},           {"m", "a length"},           {"kg", "a mass"},
      {"m/s", "a velocity"},     {"m/s2", "an acceleration"}, {"N", "a force"},
      {"m2", "an area"},         {"m3", "a volume"},          {"1/s", "a rate"},
      {"K", "a temperature"},    {"A", "a current"},          {"V", "a voltage"},
      {"ohm", "a resistance"},   {"J", "an energy"},          {"W", "a power"},
      {"Pa", "a pressure"},      {"kg/m3", "a density"},      {"C", "a charge"},
      {"F", "a capacitance"},    {"H", "an inductance"},      {"kg/s", "a mass flow"},
      {"m3/s", "a volume flow"}, {"mol", "an amount"},
  };
  for (const Row& row : kRows) {
    if (row.unit == unit) return row.name;
  }
  return {};
}

std::string side_text(const Context& c, ExprId expr, std::string_view otherwise) {
  if (!expr || !root_of(c, expr)) return std::string(otherwise);
  return fmt::format("`{}`", path_text(c, expr));
}

std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

}  // namespace

void UnitRules::label_side(Diagnostic& d, ExprId expr, ShapeId shape) {
  if (!expr || c_.span(expr) == d.span) return;
  d.labels.push_back({c_.span(expr), shapes.is_real(shape)
                                         ? fmt::format("this is in [{}]", shapes.text(shape))
                                         : "this has no unit"});
}

void UnitRules::label_declared(Diagnostic& d, const Met& met, ShapeId shape) {
  if (!met.declared) return;
  const Decl& decl = c_.model.decls[met.declared];
  d.labels.push_back(
      {decl.span, fmt::format("`{}` is in [{}]", c_.text(decl.name), shapes.text(shape))});
}

/// Where the units of the names in an expression come from.
void UnitRules::label_sources(Diagnostic& d, ExprId expr) {
  constexpr std::size_t kMostLabels = 6;
  if (!expr) return;
  walk(c_.ast, expr, [&](ExprId e) {
    const auto* decl = c_.node<syntax::Name>(e) || c_.node<syntax::Member>(e)
                           ? std::get_if<DeclId>(&c_.model.resolution[e])
                           : nullptr;
    if (decl == nullptr || d.labels.size() >= kMostLabels) return true;
    const ShapeId shape = of_decl(*decl);
    if (!shapes.is_real(shape)) return true;
    const Decl& row = c_.model.decls[*decl];
    const auto add = [&](Span span, std::string text) {
      for (const Label& label : d.labels) {
        if (label.span == span) return;
      }
      d.labels.push_back({span, std::move(text)});
    };
    if (shapes[shape].unit >= 0) {
      add(row.span, fmt::format("`{}` is in [{}]", c_.text(row.name), shapes.text(shape)));
    } else if (const auto why = shapes.terms.reason(shapes[shape].term); why && *why != d.span) {
      add(*why, fmt::format("so `{}` is in [{}]", c_.text(row.name), shapes.text(shape)));
    }
    return true;
  });
}

/// By what one side is multiplied or divided. Of two values that are equals either may be wrong; a
/// value that is given to something is.
std::string UnitRules::remedy(ShapeId a, ShapeId b, const Met& met) {
  const auto first = shapes.terms.value(shapes[a].term);
  const auto second = shapes.terms.value(shapes[b].term);
  if (!first || !second) {
    return "the two measure different things, whatever the units are that are not known yet";
  }
  const std::string up = units::unit_text(*first / *second);
  const std::string down = units::unit_text(*second / *first);
  const auto named = [](const std::string& unit) {
    const std::string_view name = quantity_name(unit);
    return fmt::format("{} in [{}]", name.empty() ? "a factor" : name, unit);
  };
  const bool flip = quantity_name(up).empty() && !quantity_name(down).empty();
  if (met.how >= Meeting::Assignment && met.how <= Meeting::Time) {
    const ExprId literal = met.second ? strip(c_.ast, met.second) : ExprId{};
    if (literal && c_.ast.quantity(literal) != nullptr) {
      return fmt::format("write a number in [{}]", shapes.text(a));
    }
    const std::string value = side_text(c_, met.second, "the value");
    return flip ? fmt::format("divide {} by {}", value, named(down))
                : fmt::format("multiply {} by {}", value, named(up));
  }
  const std::string left = side_text(c_, met.first, "the left side");
  const std::string right = side_text(c_, met.second, "the right side");
  return flip ? fmt::format("multiply {} by {}, or divide {} by one", left, named(down), right)
              : fmt::format("multiply {} by {}, or divide {} by one", right, named(up), left);
}

void UnitRules::report_mismatch(ShapeId a, ShapeId b, const Met& met) {
  Diagnostic d{.code = DiagCode::UnitMismatch,
               .span = met.span,
               .message = meeting_text(met.how, shapes.text(a), shapes.text(b))};
  label_side(d, met.first, a);
  label_side(d, met.second, b);
  label_declared(d, met, a);
  label_sources(d, met.first);
  label_sources(d, met.second);
  d.help = remedy(a, b, met);
  report(std::move(d));
}

void UnitRules::report_bare(ShapeId real, const Met& met, bool bare_first) {
  const ExprId number = bare_first ? met.first : met.second;
  const ExprId other = bare_first ? met.second : met.first;
  const UnitShape& shape = shapes[real];
  const std::string odd = shapes.unit(shapes.odd_unit(real)).text;
  const std::string coherent = shapes.coherent_text(real);
  const bool own = shape.unit >= 0;
  const std::string wanted = own ? odd : coherent;
  Diagnostic d{.code = DiagCode::BareNumber, .span = number ? c_.span(number) : met.span};
  if (own) {
    d.message =
        fmt::format("a number without a unit, which would be in [{}], beside [{}]", coherent, odd);
  } else {
    d.message =
        fmt::format("a number without a unit beside a value in [{}] made of [{}]", coherent, odd);
  }
  label_side(d, other, real);
  label_declared(d, met, real);
  label_sources(d, other);
  const auto value = number ? constant(number) : std::nullopt;
  const ExprId literal = number ? strip(c_.ast, number) : ExprId{};
  const auto* minus = literal ? c_.node<syntax::Unary>(literal) : nullptr;
  const bool plain =
      literal && (c_.node<syntax::IntLiteral>(literal) || c_.node<syntax::RealLiteral>(literal) ||
                  (minus != nullptr && (c_.node<syntax::IntLiteral>(minus->operand) ||
                                        c_.node<syntax::RealLiteral>(minus->operand))));
  if (!number && met.declared) {
    d.help = fmt::format("give `{}` a value with a unit: its default value has none",
                         c_.name_of(met.declared));
  } else if (value && plain) {
    d.help = fmt::format("write `{} [{}]`", number_text(*value), wanted);
  } else {
    d.help = fmt::format("give its numbers a unit, or multiply it by `1.0 [{}]`",
                         own && shapes.unit(shape.unit).has_offset() ? "K" : wanted);
  }
  report(std::move(d));
}

void UnitRules::report_inner_number(ShapeId value, Span number, const Met& met) {
  const std::string odd = shapes.unit(shapes.odd_unit(value)).text;
  const std::string coherent = shapes.coherent_text(value);
  Diagnostic d{.code = DiagCode::BareNumber,
               .span = met.span,
               .message = fmt::format("a value in [{}] meets numbers without a unit, which are in "
                                      "[{}]",
                                      odd, coherent),
               .labels = {{number, "this number has no unit"}},
               .help = fmt::format("give that number a unit, `1.0 [{}]`", odd)};
  label_sources(d, met.second);
  report(std::move(d));
}

void UnitRules::report_difference(ShapeId temperature, const Met& met) {
  const std::string unit = shapes.unit(shapes[temperature].unit).text;
  Diagnostic d{.code = DiagCode::OffsetUnit,
               .span = met.span,
               .message = fmt::format("a difference, in [K], meets a temperature in [{}]", unit),
               .help = fmt::format("[{}] counts from a zero of its own; a difference is in [K], in "
                                   "numbers and in declarations",
                                   unit)};
  label_sources(d, met.first);
  label_sources(d, met.second);
  report(std::move(d));
}

void UnitRules::report_sum_of_temperatures(ExprId expr, ShapeId a, ShapeId b) {
  const auto& n = *c_.node<syntax::Binary>(expr);
  const ExprId literal = shapes[b].temperature ? n.right : n.left;
  const syntax::Quantity* number = c_.ast.quantity(strip(c_.ast, literal));
  const std::string unit = shapes.unit(shapes[shapes[b].temperature ? b : a].unit).text;
  report({.code = DiagCode::OffsetUnit,
          .span = c_.span(literal),
          .message = fmt::format("a temperature in [{}] is added to a temperature; what is added "
                                 "is a difference, in [K]",
                                 unit),
          .help = number != nullptr ? fmt::format("write `{} [K]`", number_text(number->number))
                                    : "write it in [K]"});
}

void UnitRules::report_not_pure(ExprId expr, std::string_view what) {
  const ShapeId shape = found(expr);
  const bool exponent = what == "an exponent";
  Diagnostic d{.code = DiagCode::NotAPureNumber,
               .span = c_.span(expr),
               .message = fmt::format("{} takes a pure number, in [1], found [{}]",
                                      exponent ? std::string(what) : fmt::format("`{}`", what),
                                      shapes.text(shape)),
               .help = fmt::format("divide it by a value in [{}], such as `1.0 [{}]`",
                                   shapes.text(shape), shapes.text(shape))};
  label_sources(d, expr);
  report(std::move(d));
}

void UnitRules::report_power(ExprId expr, ExprId base) {
  const ShapeId shape = found(base);
  Diagnostic d{.code = DiagCode::PowerOfUnit,
               .span = c_.span(expr),
               .message = fmt::format("a power of [{}] whose exponent is not a constant: only of "
                                      "[1] is its unit known",
                                      shapes.text(shape)),
               .help = fmt::format("divide the base by a value in [{}], or make the exponent a "
                                   "rational constant",
                                   shapes.text(shape))};
  label_sources(d, base);
  report(std::move(d));
}

}  // namespace chi::sema
