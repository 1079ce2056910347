#include "flat/arguments.h"

#include <span>
#include <utility>

#include <fmt/format.h>

#include "flat/expr_root.h"
#include "flat/known_integer.h"
#include "flat/layout.h"

namespace chi::flat {
namespace {

using sema::DeclId;
using sema::TypeId;
using sema::Value;
using syntax::ExprId;

// The value of a bare name of a parameter, index or constant; null for anything else.
const Value* named_value(const Scope& scope, ExprId expr) {
  const auto* decl = std::get_if<DeclId>(&scope.model.typed.resolution[expr]);
  return decl == nullptr ? nullptr : known_value(scope.model.typed, *decl, scope.values);
}

class Resolver {
 public:
  Resolver(const Scope& scope, Diagnostics& diagnostics)
      : scope_(scope), typed_(scope.model.typed), diagnostics_(diagnostics) {}

  std::optional<Place> variable(ExprId expr) {
    std::optional<Place> place = root_variable(expr);
    if (!place) {
      return report(DiagCode::ArgumentHasNoPlace, expr, "this is no variable of the system",
                    "a `ref` argument is a variable, or an element of one");
    }
    for (const ExprId step : selections(typed_, expr)) {
      if (!select(*place, step)) return std::nullopt;
    }
    return place;
  }

  std::optional<ChannelGroup> channels(ExprId expr) {
    while (const auto* p = std::get_if<syntax::Parenthesized>(&typed_.ast.exprs[expr].node)) {
      expr = p->inner;
    }
    std::optional<Bundle> bundle = root_channels(expr);
    if (!bundle) {
      return report(DiagCode::ArgumentHasNoPlace, expr, "this is no channel of the system",
                    "a channel argument is a channel, a bundle, or an element of one");
    }
    for (const ExprId step : selections(typed_, expr)) {
      const auto index = index_of(step);
      if (!index || !in_range(step, *index, bundle->type)) return std::nullopt;
      const sema::Array array = std::get<sema::Array>(typed_.types[bundle->type]);
      const std::size_t stride = bundle->channels.size() / static_cast<std::size_t>(array.length);
      bundle = Bundle{bundle->channels.subspan(stride * static_cast<std::size_t>(*index), stride),
                      array.element};
    }
    return ChannelGroup{{bundle->channels.begin(), bundle->channels.end()}, bundle->type};
  }

 private:
  struct Bundle {
    std::span<const ChannelId> channels;  // of the scope's block
    TypeId type;
  };

  std::nullopt_t report(DiagCode code, ExprId expr, std::string message, std::string help) {
    diagnostics_.report({.code = code,
                         .span = typed_.ast.exprs[expr].span,
                         .message = std::move(message),
                         .help = std::move(help)});
    return std::nullopt;
  }

  std::optional<Place> root_variable(ExprId expr) const {
    const DeclId id = root_decl(typed_, expr);
    if (!id) return std::nullopt;
    const sema::Decl& decl = typed_.decls[id];
    const auto k = static_cast<std::size_t>(decl.ordinal);
    if (decl.kind == sema::DeclKind::Local && k < scope_.block.variables.size()) {
      const VariableId variable = scope_.block.variables[k];
      if (!variable) return std::nullopt;
      return Place{scope_.model.variables[variable].slot, scope_.model.variables[variable].type};
    }
    if (decl.kind != sema::DeclKind::RefParam) return std::nullopt;
    const auto* bound = std::get_if<BoundVariable>(&scope_.block.bindings[k]);
    if (bound == nullptr) return std::nullopt;
    return Place{bound->slot, scope_.model.bodies[scope_.block.body].params[k]};
  }

  std::optional<Bundle> root_channels(ExprId expr) const {
    const DeclId id = root_decl(typed_, expr);
    if (!id) return std::nullopt;
    const sema::Decl& decl = typed_.decls[id];
    const auto k = static_cast<std::size_t>(decl.ordinal);
    const Body& body = scope_.model.bodies[scope_.block.body];
    if (decl.kind == sema::DeclKind::Local && k < scope_.block.channels.size()) {
      if (scope_.block.variables[k]) return std::nullopt;
      return Bundle{scope_.block.channels[k], body.locals[k]};
    }
    if (decl.kind != sema::DeclKind::ValueParam) return std::nullopt;
    const auto* bound = std::get_if<BoundChannels>(&scope_.block.bindings[k]);
    if (bound == nullptr) return std::nullopt;
    return Bundle{bound->channels, body.params[k]};
  }

  // The index that a selection names: x.2, x.i, x[e]. A record field is its position.
  std::optional<std::int64_t> index_of(ExprId step) {
    const auto& node = typed_.ast.exprs[step].node;
    if (const auto* project = std::get_if<syntax::Project>(&node)) return project->index;
    if (const auto* index = std::get_if<syntax::Index>(&node)) {
      return integer_argument(scope_, index->index, diagnostics_);
    }
    if (typed_.field[step] >= 0) return typed_.field[step];
    return named_index(step);
  }

  // x.i, with i a parameter, an unwinding index or a constant.
  std::optional<std::int64_t> named_index(ExprId step) {
    const Value* value = named_value(scope_, step);
    const auto* integer = value == nullptr ? nullptr : std::get_if<std::int64_t>(&value->data);
    if (integer != nullptr) return *integer;
    return report(DiagCode::ArgumentHasNoPlace, step, "this index has no value before the run",
                  "an index in an argument is a constant, a parameter or an unwinding index");
  }

  bool in_range(ExprId step, std::int64_t index, TypeId type) {
    const auto* array = std::get_if<sema::Array>(&typed_.types[type]);
    if (array != nullptr && index >= 0 && index < array->length) return true;
    const std::int64_t length = array == nullptr ? 0 : array->length;
    report(
        DiagCode::ArgumentIndexOutOfRange, step, fmt::format("index {} is out of range", index),
        length == 0 ? "there are no elements" : fmt::format("the indices are 0 to {}", length - 1));
    return false;
  }

  bool select(Place& place, ExprId step) {
    const sema::TypeNode node = typed_.types[place.type];
    const auto index = [&]() -> std::optional<std::int64_t> {
      const bool selectable = std::holds_alternative<sema::Array>(node) ||
                              std::holds_alternative<sema::Tuple>(node) ||
                              std::holds_alternative<sema::Record>(node);
      if (selectable) return index_of(step);
      return report(DiagCode::ArgumentHasNoPlace, step, "an element of a list is no variable",
                    "a `ref` argument is a variable, or an element of an array, tuple or record");
    }();
    if (!index) return false;
    if (const auto* array = std::get_if<sema::Array>(&node)) {
      if (!in_range(step, *index, place.type)) return false;
      place.slot += static_cast<std::int32_t>(*index * slot_count(typed_.types, array->element));
      place.type = array->element;
      return true;
    }
    const auto k = static_cast<std::int32_t>(*index);
    place.slot += static_cast<std::int32_t>(element_offset(typed_.types, place.type, k));
    if (const auto* tuple = std::get_if<sema::Tuple>(&node)) {
      place.type = typed_.types.list(tuple->elements)[static_cast<std::size_t>(k)];
    } else {
      const sema::Record record = std::get<sema::Record>(node);
      place.type = typed_.types.list(record.fields)[static_cast<std::size_t>(k)].type;
    }
    return true;
  }

  const Scope& scope_;
  const sema::TypedModel& typed_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Place> variable_argument(const Scope& scope, ExprId expr, Diagnostics& diagnostics) {
  return Resolver(scope, diagnostics).variable(expr);
}

std::optional<ChannelGroup> channel_argument(const Scope& scope, ExprId expr,
                                             Diagnostics& diagnostics) {
  return Resolver(scope, diagnostics).channels(expr);
}

std::optional<Value> value_argument(const Scope& scope, ExprId expr, TypeId type,
                                    Diagnostics& diagnostics) {
  const sema::TypedModel& typed = scope.model.typed;
  if (typed.type[expr] == type &&
      std::holds_alternative<syntax::Name>(typed.ast.exprs[expr].node)) {
    if (const Value* value = named_value(scope, expr)) return *value;
  }
  return sema::evaluate(typed, expr, type, scope.values, diagnostics);
}

std::optional<std::int64_t> integer_argument(const Scope& scope, ExprId expr,
                                             Diagnostics& diagnostics) {
  return known_integer(scope.model.typed, expr, scope.values, diagnostics);
}

}  // namespace chi::flat
