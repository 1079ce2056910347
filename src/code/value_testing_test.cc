#include "code/value_testing.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "code/dict.h"
#include "code/list.h"
#include "code/ordered.h"
#include "code/set.h"
#include "code/text_value.h"

namespace chi::code::testing {

World::~World() {
  EXPECT_EQ(heap.live_objects(), 0);
  EXPECT_EQ(heap.live_bytes(), 0);
}

std::vector<sema::TypeId> World::interesting_types() {
  const sema::TypeId list = types.list(nat());
  const std::vector<sema::Field> fields = {{symbols.intern("a"), string()},
                                           {symbols.intern("b"), types.array(list, 2, {})}};
  return {nat(),
          tuple({nat(), real()}),
          string(),
          list,
          types.record(fields),
          types.set(string()),
          types.list(types.dict(nat(), types.list(string())))};
}

Model World::any(const RuntimeType& type) {
  Model model;
  switch (type.kind) {
    case TypeKind::Bool: model.i = below(2); break;
    case TypeKind::Nat:
    case TypeKind::Int: model.i = below(5); break;
    case TypeKind::Real: model.r = static_cast<double>(below(9)) / 4 - 1; break;
    case TypeKind::String: model.s = std::string(static_cast<std::size_t>(below(3)), 'x'); break;
    case TypeKind::Tuple:
    case TypeKind::Record:
      for (const Part& p : type.parts) model.parts.push_back(any(*p.type));
      break;
    case TypeKind::Array:
      for (int i = 0; i < type.length; ++i) model.parts.push_back(any(*type.element));
      break;
    default:
      for (std::int64_t n = below(4); n > 0; --n) model.parts.push_back(any(*type.entry));
      if (type.kind == TypeKind::List) break;
      std::sort(model.parts.begin(), model.parts.end());
      const auto same = [&](const Model& a, const Model& b) {
        return type.kind == TypeKind::Set ? a == b : a.parts[0] == b.parts[0];
      };
      model.parts.erase(std::unique(model.parts.begin(), model.parts.end(), same),
                        model.parts.end());
  }
  return model;
}

void World::store(const RuntimeType& type, const Model& model, Slot* slots) {
  clear(type, slots);
  if (type.kind == TypeKind::Real) {
    slots->r = model.r;
  } else if (type.kind == TypeKind::String) {
    ASSERT_EQ(text_make(heap, model.s, slots), RunError::None);
  } else if (type.kind == TypeKind::Tuple || type.kind == TypeKind::Record) {
    for (std::size_t i = 0; i < type.parts.size(); ++i) {
      store(*type.parts[i].type, model.parts[i], slots + type.parts[i].offset);
    }
  } else if (type.kind == TypeKind::Array) {
    for (std::size_t i = 0; i < model.parts.size(); ++i) {
      store(*type.element, model.parts[i],
            slots + i * static_cast<std::size_t>(type.element->slots));
    }
  } else if (type.entry != nullptr) {
    std::vector<Slot> value(static_cast<std::size_t>(type.entry->slots));
    for (const Model& part : model.parts) {
      store(*type.entry, part, value.data());
      const RunError error =
          type.kind == TypeKind::List ? list_append(heap, *type.element, slots, value.data())
          : type.kind == TypeKind::Set
              ? set_insert(heap, type, slots, value.data())
              : dict_set(heap, type, slots, value.data(), value.data() + type.element->slots);
      ASSERT_EQ(error, RunError::None);
    }
  } else {
    slots->i = model.i;
  }
}

Model World::read(const RuntimeType& type, const Slot* slots) const {
  Model model;
  if (type.kind == TypeKind::Real) {
    model.r = slots->r;
  } else if (type.kind == TypeKind::String) {
    model.s = text_view(slots);
  } else if (type.kind == TypeKind::Tuple || type.kind == TypeKind::Record) {
    for (const Part& p : type.parts) model.parts.push_back(read(*p.type, slots + p.offset));
  } else if (type.kind == TypeKind::Array) {
    for (std::int64_t i = 0; i < type.length; ++i) {
      model.parts.push_back(read(*type.element, slots + i * type.element->slots));
    }
  } else if (type.kind == TypeKind::List) {
    for (std::int64_t i = 0; i < list_length(slots); ++i) {
      model.parts.push_back(read(*type.element, list_at(*type.element, slots, i)));
    }
  } else if (type.entry != nullptr) {
    for (OrderedCursor c(slots); c.entry() != nullptr; c.next()) {
      model.parts.push_back(read(*type.entry, c.entry()));
    }
    EXPECT_EQ(model.parts.size(), sequence_length(slots));
  } else {
    model.i = slots->i;
  }
  return model;
}

Variable::Variable(World& world, const RuntimeType& type, const Model& model)
    : world_(world), type_(type), slots_(static_cast<std::size_t>(type.slots)) {
  world.store(type, model, slots_.data());
}

Variable::Variable(const Variable& other)
    : world_(other.world_), type_(other.type_), slots_(other.slots_.size()) {
  copy(type_, other.slots(), slots_.data());
}

Variable::~Variable() {
  if (owned_) release(world_.heap, type_, slots_.data());
}

Slot* Variable::give_away() {
  owned_ = false;
  return slots_.data();
}

namespace {

TEST(ValueTesting, ReadsBackWhatItStores) {
  World w;
  for (const sema::TypeId id : w.interesting_types()) {
    const RuntimeType& type = w.runtime.at(id);
    for (int round = 0; round < 50; ++round) {
      const Model model = w.any(type);
      EXPECT_EQ(Variable(w, type, model).read(), model);
    }
  }
}

}  // namespace
}  // namespace chi::code::testing
