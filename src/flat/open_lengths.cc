#include "flat/open_lengths.h"

#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/match.h"
#include "flat/flat_model.h"

namespace chi::flat {
namespace {

using sema::TypeId;
using sema::Types;

// The types that `type` is made of. Types are hash-consed, so these never lead back to it.
std::vector<TypeId> parts_of(const Types& types, TypeId type) {
  using Parts = std::vector<TypeId>;
  const auto copy = [&](Slice<TypeId> s) {
    const auto rows = types.list(s);
    return Parts(rows.begin(), rows.end());
  };
  return match(
      types[type], [](sema::UnknownType) { return Parts{}; }, [](sema::Basic) { return Parts{}; },
      [](sema::List t) { return Parts{t.element}; }, [](sema::Set t) { return Parts{t.element}; },
      [](sema::Dict t) {
        return Parts{t.key, t.value};
      },
      [](sema::Array t) { return Parts{t.element}; },
      [&](sema::Tuple t) { return copy(t.elements); },
      [&](sema::Record t) {
        Parts parts;
        for (const sema::Field& f : types.list(t.fields)) parts.push_back(f.type);
        return parts;
      },
      [&](sema::Func t) {
        Parts parts = copy(t.parameters);
        parts.push_back(t.result);
        return parts;
      },
      [](sema::Dist t) { return Parts{t.result}; },
      [](sema::Channel t) { return Parts{t.element}; });
}

bool has_open_length(const sema::TypeNode& node) {
  const auto* array = std::get_if<sema::Array>(&node);
  return array != nullptr && array->length < 0;
}

}  // namespace

bool OpenLengths::contains(TypeId root) {
  std::vector<TypeId> stack{root};
  while (!stack.empty()) {
    const TypeId type = stack.back();
    if (contains_.contains(type)) {
      stack.pop_back();
      continue;
    }
    bool open = has_open_length(model_.types[type]);
    const std::size_t before = stack.size();
    for (const TypeId part : parts_of(model_.types, type)) {
      const auto known = contains_.find(part);
      if (known == contains_.end()) {
        stack.push_back(part);
      } else {
        open = open || known->second;
      }
    }
    if (stack.size() == before) {
      contains_[type] = open;
      stack.pop_back();
    }
  }
  return contains_.at(root);
}

std::optional<TypeId> OpenLengths::close(TypeId root, const sema::Environment& environment,
                                         Diagnostics& diagnostics) {
  if (!contains(root)) return root;
  std::unordered_map<TypeId, TypeId> closed;
  std::vector<TypeId> stack{root};
  while (!stack.empty()) {
    const TypeId type = stack.back();
    if (closed.contains(type)) {
      stack.pop_back();
      continue;
    }
    const std::size_t before = stack.size();
    if (contains(type)) {
      for (const TypeId part : parts_of(model_.types, type)) {
        if (!closed.contains(part)) stack.push_back(part);
      }
    }
    if (stack.size() != before) continue;
    const std::optional<TypeId> made =
        contains(type) ? rebuild(type, closed, environment, diagnostics) : type;
    if (!made) return std::nullopt;
    closed[type] = *made;
    stack.pop_back();
  }
  return closed.at(root);
}

std::optional<TypeId> OpenLengths::rebuild(TypeId type,
                                           const std::unordered_map<TypeId, TypeId>& closed,
                                           const sema::Environment& environment,
                                           Diagnostics& diagnostics) {
  Types& types = model_.types;
  std::vector<TypeId> parts = parts_of(types, type);
  for (TypeId& part : parts) part = closed.at(part);
  const sema::TypeNode node = types[type];  // a copy: making types moves the table
  using Made = std::optional<TypeId>;
  return match(
      node, [&](sema::UnknownType) -> Made { return type; },
      [&](sema::Basic) -> Made { return type; },
      [&](sema::List) -> Made { return types.list(parts[0]); },
      [&](sema::Set) -> Made { return types.set(parts[0]); },
      [&](sema::Dict) -> Made { return types.dict(parts[0], parts[1]); },
      [&](sema::Array a) -> Made {
        const auto length = length_of(a, environment, diagnostics);
        if (!length) return std::nullopt;
        return types.array(parts[0], *length, {});
      },
      [&](sema::Tuple) -> Made { return types.tuple(parts); },
      [&](sema::Record r) -> Made {
        const auto rows = types.list(r.fields);
        std::vector<sema::Field> fields(rows.begin(), rows.end());
        for (std::size_t i = 0; i < fields.size(); ++i) fields[i].type = parts[i];
        return types.record(fields);
      },
      [&](sema::Func) -> Made {
        return types.func(std::span(parts).first(parts.size() - 1), parts.back());
      },
      [&](sema::Dist) -> Made { return types.dist(parts[0]); },
      [&](sema::Channel c) -> Made { return types.channel(c.direction, parts[0]); });
}

std::optional<std::int64_t> OpenLengths::length_of(const sema::Array& array,
                                                   const sema::Environment& environment,
                                                   Diagnostics& diagnostics) {
  if (array.length >= 0) return array.length;
  const auto value =
      sema::evaluate(model_, array.length_expr, model_.types.basic(sema::BasicType::Int),
                     environment, diagnostics);
  if (!value) return std::nullopt;
  const auto length = std::get<std::int64_t>(value->data);
  if (length >= 0 && length <= kMaxSlots) return length;
  diagnostics.report({.code = DiagCode::BadArrayLength,
                      .span = model_.ast.exprs[array.length_expr].span,
                      .message = fmt::format("this array length is {}", length),
                      .help = length < 0 ? "a length is 0 or more"
                                         : fmt::format("at most {} elements", kMaxSlots)});
  return std::nullopt;
}

TypeId concrete_type(FlatModel& model, TypeId type, const sema::Environment& environment) {
  Diagnostics unused;
  const auto closed = OpenLengths(model.typed).close(type, environment, unused);
  CHI_CHECK(closed.has_value(), "instantiation has evaluated these lengths before");
  return *closed;
}

}  // namespace chi::flat
