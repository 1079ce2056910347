#include <cmath>

#include <fmt/format.h>

#include "syntax/parser.h"

// Units: `real [bar]`, `2.0 [bar]`. The lexer has put their brackets together.
namespace chi::syntax::detail {
namespace {

std::string problem_text(std::string_view unit, const units::UnitProblem& problem) {
  using Kind = units::UnitProblem::Kind;
  const std::string_view part = unit.substr(problem.begin, problem.end - problem.begin);
  switch (problem.kind) {
    case Kind::UnknownName: return fmt::format("`{}` is not a unit", part);
    case Kind::OffsetInProduct:
      return fmt::format("`{}` counts from a zero of its own and is no factor of a unit", part);
    case Kind::ExponentTooLarge: return fmt::format("`{}` is beyond the range of units", unit);
    case Kind::Syntax: break;
  }
  return fmt::format("`{}` cannot be read as a unit", unit);
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

}  // namespace

std::int32_t Parser::unit() {
  const Span whole = span();
  ++at_;
  const std::string_view written = text(whole).substr(1, text(whole).size() - 2);
  if (unit_rows_.empty()) {  // those of the files before
    for (std::size_t k = 0; k < ast_.units.size(); ++k) {
      unit_rows_.emplace(ast_.units[k].text, static_cast<std::int32_t>(k));
    }
  }
  const auto known = unit_rows_.find(trimmed(written));
  if (known != unit_rows_.end()) return known->second;
  units::UnitProblem problem;
  auto unit = units::read_unit(written, problem);
  if (unit) {
    const auto row = static_cast<std::int32_t>(ast_.units.size());
    unit_rows_.emplace(unit->text, row);
    ast_.units.push_back(*std::move(unit));
    return row;
  }
  const bool type = kind(-2) == K::RealType;
  std::string help = "units are written as in UDUNITS-2: `m/s2`, `kW.h`, `m^(1/2)`";
  if (problem.kind == units::UnitProblem::Kind::OffsetInProduct) {
    help = "a difference of temperatures is in `K`";
  } else if (!problem.suggestion.empty()) {
    help = fmt::format("did you mean `{}`?", problem.suggestion);
  } else if (type && problem.kind == units::UnitProblem::Kind::UnknownName) {
    help = fmt::format("an array of reals is `real^{}`", written);
  }
  const std::int32_t first = whole.begin + 1;
  slip({.code = DiagCode::BadUnit,
        .span = Span{first + static_cast<std::int32_t>(problem.begin),
                     first + static_cast<std::int32_t>(problem.end)},
        .message = problem_text(written, problem),
        .help = std::move(help)});
  return -1;
}

ExprId Parser::quantity(Span begin, double number) {
  const Span written = span();
  const std::int32_t row = unit();
  if (row < 0) return add_expr({since(begin), RealLiteral{number}});
  return add_quantity(since(begin), {{}, row, number, written});
}

/// `-5.0 [degC]` is five degrees below zero: a sign belongs to the number where the unit has an
/// offset. None where it makes no difference.
ExprId Parser::negated_quantity(Span begin, ExprId operand) {
  const Quantity* quantity = ast_.quantity(operand);
  if (quantity == nullptr || !ast_.units[static_cast<std::size_t>(quantity->unit)].has_offset()) {
    return {};
  }
  Quantity row = *quantity;
  row.number = -row.number;
  return add_quantity(since(begin), row);
}

ExprId Parser::add_quantity(Span whole, Quantity row) {
  const double value = ast_.units[static_cast<std::size_t>(row.unit)].to_si(row.number);
  if (!std::isfinite(value)) {
    slip({.code = DiagCode::NumberOutOfRange,
          .span = whole,
          .message = "a number beyond the range of `real`",
          .help = "in coherent units of SI it is beyond 1.797e308"});
  }
  row.literal = add_expr({whole, RealLiteral{value}});
  ast_.quantities.push_back(row);
  return row.literal;
}

}  // namespace chi::syntax::detail
