#include "flat/known_integer.h"

#include <algorithm>

namespace chi::flat {
namespace {

using sema::Value;
using syntax::ExprId;

// An integer literal, or the name of an integer.
std::optional<std::int64_t> simple_integer(const sema::TypedModel& model, ExprId expr,
                                           const sema::Environment& values) {
  const auto& node = model.ast.exprs[expr].node;
  if (const auto* literal = std::get_if<syntax::IntLiteral>(&node)) return literal->value;
  if (!std::holds_alternative<syntax::Name>(node)) return std::nullopt;
  const auto* decl = std::get_if<sema::DeclId>(&model.resolution[expr]);
  const Value* value = decl == nullptr ? nullptr : known_value(model, *decl, values);
  const auto* integer = value == nullptr ? nullptr : std::get_if<std::int64_t>(&value->data);
  return integer == nullptr ? std::nullopt : std::optional(*integer);
}

}  // namespace

std::optional<std::int64_t> quick_integer(const sema::TypedModel& model, ExprId expr,
                                          const sema::Environment& values) {
  while (const auto* p = std::get_if<syntax::Parenthesized>(&model.ast.exprs[expr].node)) {
    expr = p->inner;
  }
  const auto* binary = std::get_if<syntax::Binary>(&model.ast.exprs[expr].node);
  if (binary == nullptr) return simple_integer(model, expr, values);
  const auto left = simple_integer(model, binary->left, values);
  const auto right = left ? simple_integer(model, binary->right, values) : std::nullopt;
  if (!right) return std::nullopt;
  std::int64_t result = 0;
  bool overflow = true;
  if (binary->op == syntax::BinaryOp::Add)
    overflow = __builtin_add_overflow(*left, *right, &result);
  if (binary->op == syntax::BinaryOp::Sub)
    overflow = __builtin_sub_overflow(*left, *right, &result);
  return overflow ? std::nullopt : std::optional(result);
}

std::int64_t range_length(std::int64_t low, std::int64_t high) {
  if (high < low) return 0;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  const auto distance = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  return static_cast<std::int64_t>(std::min(distance, kMost - 1) + 1);
}

const Value* known_value(const sema::TypedModel& model, sema::DeclId decl,
                         const sema::Environment& values) {
  if (const auto at = values.find(decl); at != values.end()) return &at->second;
  const auto at = model.constant_values.find(decl);
  return at == model.constant_values.end() ? nullptr : &at->second;
}

std::optional<std::int64_t> known_integer(const sema::TypedModel& model, ExprId expr,
                                          const sema::Environment& values,
                                          Diagnostics& diagnostics) {
  if (const auto quick = quick_integer(model, expr, values)) return quick;
  const auto value =
      sema::evaluate(model, expr, model.types.basic(sema::BasicType::Int), values, diagnostics);
  return value ? std::optional(std::get<std::int64_t>(value->data)) : std::nullopt;
}

}  // namespace chi::flat
