#include "code/runtime_type.h"

#include <algorithm>

#include "base/match.h"
#include "flat/layout.h"

namespace chi::code {
namespace {

TypeKind basic_kind(sema::BasicType kind) {
  switch (kind) {
    case sema::BasicType::Bool: return TypeKind::Bool;
    case sema::BasicType::Nat: return TypeKind::Nat;
    case sema::BasicType::Int: return TypeKind::Int;
    case sema::BasicType::Real: return TypeKind::Real;
    case sema::BasicType::String: return TypeKind::String;
    case sema::BasicType::Inst: return TypeKind::Int;  // the number of the process
    case sema::BasicType::Void: return TypeKind::Void;
  }
  return TypeKind::Void;
}

/// The types that must be made before `node`.
std::vector<sema::TypeId> children(const sema::Types& types, const sema::TypeNode& node) {
  using Ids = std::vector<sema::TypeId>;
  return match(
      node, [](sema::UnknownType) { return Ids{}; }, [](sema::Basic) { return Ids{}; },
      [](sema::List n) { return Ids{n.element}; }, [](sema::Set n) { return Ids{n.element}; },
      [](sema::Dict n) {
        return Ids{n.key, n.value};
      },
      [](sema::Array n) { return Ids{n.element}; },
      [&](sema::Tuple n) {
        const auto elements = types.list(n.elements);
        return Ids(elements.begin(), elements.end());
      },
      [&](sema::Record n) {
        Ids ids;
        for (const sema::Field& f : types.list(n.fields)) ids.push_back(f.type);
        return ids;
      },
      [](sema::Func) { return Ids{}; }, [](sema::Dist n) { return Ids{n.result}; },
      [](sema::Channel) { return Ids{}; });
}

/// Appends `inner` at `offset` of `outer`.
void add_leaves(RuntimeType& outer, const RuntimeType& inner, std::int32_t offset) {
  for (const Leaf& leaf : inner.leaves) {
    if (!outer.leaves.empty()) {
      Leaf& last = outer.leaves.back();
      if (last.type == leaf.type &&
          last.offset + last.count * leaf.type->slots == offset + leaf.offset) {
        last.count += leaf.count;
        continue;
      }
    }
    outer.leaves.push_back({leaf.type, offset + leaf.offset, leaf.count});
  }
  for (const std::int32_t slot : inner.managed) outer.managed.push_back(offset + slot);
  outer.is_plain &= inner.is_plain;
  outer.has_streams |= inner.has_streams;
  outer.depth = std::max(outer.depth, inner.depth);
}

void add_part(RuntimeType& outer, const RuntimeType& part, Symbol name) {
  outer.parts.push_back({&part, outer.slots, name});
  add_leaves(outer, part, outer.slots);
  outer.slots += part.slots;
}

/// A type that is its own and only leaf.
void make_leaf(RuntimeType& type, TypeKind kind, std::int32_t slots) {
  type.kind = kind;
  type.slots = slots;
  if (slots == 0) return;
  type.leaves.push_back({&type, 0, 1});
  if (kind == TypeKind::String || kind == TypeKind::List || kind == TypeKind::Set ||
      kind == TypeKind::Dict) {
    type.is_plain = false;
    type.managed.push_back(0);
  }
}

}  // namespace

RuntimeTypes::RuntimeTypes(const sema::Types& types, const Interner& symbols)
    : types_(types), symbols_(symbols) {
  make_leaf(rows_.emplace_back(), TypeKind::String, 1);  // the node of ordered.h: one reference
}

TypeRef RuntimeTypes::get(sema::TypeId type) {
  if (type.index < made_.size() && made_[type]) return made_[type];
  std::vector<sema::TypeId> stack{type};
  while (!stack.empty()) {
    const sema::TypeId top = stack.back();
    if (top.index >= made_.size()) made_.resize(top.index + 1, TypeRef{});
    bool ready = true;
    for (const sema::TypeId child : children(types_, types_[top])) {
      if (child.index < made_.size() && made_[child]) continue;
      stack.push_back(child);
      ready = false;
    }
    if (!ready) continue;
    stack.pop_back();
    if (!made_[top]) made_[top] = make(top);
  }
  return made_[type];
}

TypeRef RuntimeTypes::shown(sema::TypeId id, const sema::Measures& measures,
                            sema::MeasureId measure) {
  const TypeRef plain = get(id);
  if (!measure) return plain;
  RuntimeType type = (*this)[plain];
  bool differs = false;
  const auto part = [&](const RuntimeType*& was, sema::TypeId of, sema::MeasureId its) {
    const RuntimeType* now = &(*this)[shown(of, measures, its)];
    differs |= now != was;
    was = now;
  };
  match(
      types_[id],
      [&](sema::Basic) {
        const units::Unit* unit = type.kind == TypeKind::Real ? measures.unit(measure) : nullptr;
        differs = unit != nullptr && !unit->is_coherent();
        if (differs) type.unit = unit;
      },
      [&](sema::List n) { part(type.element, n.element, measure); },
      [&](sema::Set n) { part(type.element, n.element, measure); },
      [&](sema::Array n) { part(type.element, n.element, measure); },
      [&](sema::Dict n) {
        part(type.element, n.key, measures.part(measure, 0));
        part(type.value, n.value, measures.part(measure, 1));
      },
      [&](sema::Tuple n) {
        for (std::int32_t k = 0; k < n.elements.count; ++k) {
          const auto at = static_cast<std::size_t>(k);
          part(type.parts[at].type, types_.list(n.elements)[at], measures.part(measure, k));
        }
      },
      [&](sema::Record n) {
        for (std::int32_t k = 0; k < n.fields.count; ++k) {
          const auto at = static_cast<std::size_t>(k);
          part(type.parts[at].type, types_.list(n.fields)[at].type, measures.part(measure, k));
        }
      },
      [](const auto&) {});
  if (!differs) return plain;
  rows_.push_back(std::move(type));
  return {static_cast<std::int32_t>(rows_.size()) - 1};
}

TypeRef RuntimeTypes::make(sema::TypeId id) {
  RuntimeType& type = rows_.emplace_back();
  const TypeRef ref{static_cast<std::int32_t>(rows_.size()) - 1};
  const auto made = [&](sema::TypeId child) { return &(*this)[made_[child]]; };
  const auto sequence = [&](TypeKind kind, const RuntimeType* element) {
    make_leaf(type, kind, flat::kSequenceSlots);
    type.element = element;
    type.entry = element;
    type.node = &rows_.front();
    type.depth = 1 + element->depth;
  };
  match(
      types_[id], [](sema::UnknownType) {},
      [&](sema::Basic n) {
        const TypeKind kind = basic_kind(n.kind);
        make_leaf(type, kind, kind == TypeKind::Void ? 0 : 1);
      },
      [&](sema::List n) { sequence(TypeKind::List, made(n.element)); },
      [&](sema::Set n) { sequence(TypeKind::Set, made(n.element)); },
      [&](sema::Dict n) {
        sequence(TypeKind::Dict, made(n.key));
        type.value = made(n.value);
        RuntimeType& entry = rows_.emplace_back();
        entry.kind = TypeKind::Tuple;
        add_part(entry, *type.element, Symbol{});
        add_part(entry, *type.value, Symbol{});
        type.entry = &entry;
        type.depth = 1 + entry.depth;
      },
      [&](sema::Array n) {
        type.kind = TypeKind::Array;
        type.element = made(n.element);
        type.length = n.length;
        for (std::int64_t i = 0; i < n.length; ++i) {
          add_leaves(type, *type.element, type.slots);
          type.slots += type.element->slots;
        }
      },
      [&](sema::Tuple n) {
        type.kind = TypeKind::Tuple;
        for (const sema::TypeId e : types_.list(n.elements)) add_part(type, *made(e), Symbol{});
      },
      [&](sema::Record n) {
        type.kind = TypeKind::Record;
        for (const sema::Field& f : types_.list(n.fields)) add_part(type, *made(f.type), f.name);
      },
      [&](sema::Func) { make_leaf(type, TypeKind::Function, 1); },
      [&](sema::Dist n) {
        make_leaf(type, TypeKind::Distribution, flat::kDistributionSlots);
        type.element = made(n.result);
        type.has_streams = true;
      },
      [&](sema::Channel) { make_leaf(type, TypeKind::Channel, 1); });
  return ref;
}

}  // namespace chi::code
