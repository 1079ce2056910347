#include "code/dict.h"

#include <map>

#include <gtest/gtest.h>

#include "code/value_testing.h"

namespace chi::code {
namespace {

using testing::Model;
using testing::Variable;
using testing::World;
using Models = std::map<Model, Model>;

Model as_model(const Models& map) {
  Model model;
  for (const auto& [key, value] : map) model.parts.push_back({.parts = {key, value}});
  return model;
}

/// Random operations on dictionaries that share leaves, each beside its model.
class Play {
 public:
  Play(World& world, sema::TypeId key, sema::TypeId value)
      : w_(world),
        key_(world.runtime.at(key)),
        value_(world.runtime.at(value)),
        dict_(world.runtime.at(world.types.dict(key, value))) {
    for (int i = 0; i < 3; ++i) {
      dicts_.emplace_back(w_, dict_, Model{});
      models_.emplace_back();
    }
  }

  void step() {
    const std::size_t target = pick();
    Slot* dict = dicts_[target].slots();
    Models& model = models_[target];
    if (w_.below(4) == 0) {
      const std::size_t source = pick();
      assign(w_.heap, dict_, dicts_[source].slots(), dict);
      model = Models(models_[source]);
    }
    change(dict, model);
    look(dict, model);
    for (std::size_t i = 0; i < dicts_.size(); ++i) {
      ASSERT_EQ(dicts_[i].read(), as_model(models_[i])) << "variable " << i;
    }
  }

 private:
  std::size_t pick() { return static_cast<std::size_t>(w_.below(3)); }
  Model any_key() { return key_.kind == TypeKind::Nat ? Model{.i = w_.below(300)} : w_.any(key_); }

  void change(Slot* dict, Models& model) {
    const Model k = any_key();
    const Model v = w_.any(value_);
    Variable key(w_, key_, k), value(w_, value_, v);
    switch (w_.below(6)) {
      case 0:
        ASSERT_EQ(dict_erase(w_.heap, dict_, dict, key.slots()), RunError::None);
        model.erase(k);
        break;
      case 1: {
        const std::size_t other = pick();
        ASSERT_EQ(dict_merge(w_.heap, dict_, dict, dicts_[other].slots()), RunError::None);
        for (const auto& [a, b] : Models(models_[other])) model.insert_or_assign(a, b);
        break;
      }
      case 2: {
        Slot* place = nullptr;
        const RunError error = dict_writable(w_.heap, dict_, dict, key.slots(), &place);
        ASSERT_EQ(error, model.contains(k) ? RunError::None : RunError::MissingKey);
        if (error != RunError::None) break;
        assign(w_.heap, value_, value.slots(), place);
        model[k] = v;
        break;
      }
      default:
        ASSERT_EQ(dict_set(w_.heap, dict_, dict, key.give_away(), value.give_away()),
                  RunError::None);
        model.insert_or_assign(k, v);
    }
  }

  void look(const Slot* dict, const Models& model) {
    const Model k = any_key();
    const Variable key(w_, key_, k);
    Variable value(w_, value_, w_.any(value_));
    EXPECT_EQ(dict_contains(dict_, dict, key.slots()), model.contains(k));
    std::vector<Slot> got(static_cast<std::size_t>(value_.slots));
    const RunError error = dict_get(dict_, dict, key.slots(), got.data());
    ASSERT_EQ(error, model.contains(k) ? RunError::None : RunError::MissingKey);
    if (error != RunError::None) return;
    EXPECT_EQ(w_.read(value_, got.data()), model.at(k));
    release(w_.heap, value_, got.data());
  }

  World& w_;
  const RuntimeType& key_;
  const RuntimeType& value_;
  const RuntimeType& dict_;
  std::vector<Variable> dicts_;
  std::vector<Models> models_;
};

TEST(Dict, BehavesLikeAMapWithValueSemantics) {
  World w;
  const auto types = w.interesting_types();
  for (const sema::TypeId key : types) {
    for (const sema::TypeId value : {types[0], types[2], types[4]}) {
      Play play(w, key, value);
      for (int i = 0; i < 150; ++i) {
        play.step();
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

TEST(Dict, ListsKeysAndValuesInTheOrderOfKeys) {
  World w;
  const RuntimeType& type = w.runtime.at(w.types.dict(w.nat(), w.string()));
  Variable d(w, type,
             as_model({{Model{.i = 7}, Model{.s = "x"}}, {Model{.i = 3}, Model{.s = "y"}}}));
  const RuntimeType& keys = w.runtime.at(w.types.list(w.nat()));
  const RuntimeType& values = w.runtime.at(w.types.list(w.string()));
  Slot list[2];
  ASSERT_EQ(dict_keys(w.heap, type, d.slots(), list), RunError::None);
  EXPECT_EQ(w.read(keys, list), (Model{.parts = {Model{.i = 3}, Model{.i = 7}}}));
  release(w.heap, keys, list);
  ASSERT_EQ(dict_values(w.heap, type, d.slots(), list), RunError::None);
  EXPECT_EQ(w.read(values, list), (Model{.parts = {Model{.s = "y"}, Model{.s = "x"}}}));
  release(w.heap, values, list);
}

}  // namespace
}  // namespace chi::code
