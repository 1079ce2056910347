#pragma once
#include <compare>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "code/heap.h"
#include "code/runtime_type.h"

/// For the tests of run-time values: an obvious model of values, with value semantics, beside the
/// slots.
namespace chi::code::testing {

/// One member is used, by type: i for bool, nat, int; r for real; s for string; parts for the rest
/// (a dictionary's are pairs). Ordered as the language orders.
struct Model {
  std::int64_t i = 0;
  double r = 0;
  std::string s{};
  std::vector<Model> parts{};
  friend bool operator==(const Model&, const Model&) = default;
  friend bool operator<(const Model& a, const Model& b) {
    if (a.i != b.i) return a.i < b.i;
    if (a.r != b.r) return a.r < b.r;
    if (a.s != b.s) return a.s < b.s;
    return a.parts < b.parts;
  }
};

/// Types, heap and random numbers of one test. Its destructor expects that nothing is alive.
struct World {
  explicit World(std::int64_t limit_bytes = std::int64_t{1} << 40) : heap(limit_bytes) {}
  ~World();
  Interner symbols;
  sema::Types types;
  RuntimeTypes runtime{types, symbols};
  Heap heap;
  std::mt19937_64 random{20030421};

  sema::TypeId nat() const { return types.basic(sema::BasicType::Nat); }
  sema::TypeId real() const { return types.basic(sema::BasicType::Real); }
  sema::TypeId string() const { return types.basic(sema::BasicType::String); }
  sema::TypeId tuple(std::vector<sema::TypeId> elements) { return types.tuple(elements); }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  }

  /// Element types that differ in what matters: plain, of several slots, managed, nested.
  std::vector<sema::TypeId> interesting_types();
  /// A random value of a type; small, so that equal ones are frequent.
  Model any(const RuntimeType& type);
  /// Writes a model into garbage slots, and reads one back.
  void store(const RuntimeType& type, const Model& model, Slot* slots);
  Model read(const RuntimeType& type, const Slot* slots) const;
};

/// One value with its slots, released at the end.
class Variable {
 public:
  Variable(World& world, const RuntimeType& type, const Model& model);
  Variable(const Variable& other);
  ~Variable();
  Variable& operator=(const Variable&) = delete;
  Slot* slots() { return slots_.data(); }
  const Slot* slots() const { return slots_.data(); }
  Model read() const { return world_.read(type_, slots_.data()); }
  /// The slots, whose references somebody else takes over.
  Slot* give_away();

 private:
  World& world_;
  const RuntimeType& type_;
  std::vector<Slot> slots_;
  bool owned_ = true;
};

}  // namespace chi::code::testing
