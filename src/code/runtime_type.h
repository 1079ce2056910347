#pragma once
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/interner.h"
#include "sema/measures.h"
#include "sema/types.h"

namespace chi::code {

using TypeRef = Id<struct RuntimeTypeTag>;

enum class TypeKind : std::uint8_t {
  Void,
  Bool,  // from here to String: one slot
  Nat,
  Int,
  Real,
  String,
  List,
  Set,
  Dict,
  Array,
  Tuple,
  Record,
  Function,
  Channel,
  Distribution,
};

struct RuntimeType;

/// One element of a tuple, or one field of a record.
struct Part {
  const RuntimeType* type = nullptr;
  std::int32_t offset = 0;
  Symbol name;  ///< records only
};

/// `count` values of one scalar, string, sequence or distribution type, one after the other from
/// slot `offset`. Arrays, tuples and records dissolve into their leaves, so that comparing, copying
/// and releasing are loops.
struct Leaf {
  const RuntimeType* type = nullptr;
  std::int32_t offset = 0;
  std::int32_t count = 0;
};

/// How the values of one type lie, are copied, compared and printed. Made by `RuntimeTypes`, which
/// keeps it at one address: compiled code and heap objects point to it.
struct RuntimeType {
  TypeKind kind = TypeKind::Void;
  bool is_plain = true;      ///< no references: a copy is a memcpy and there is nothing to release
  bool has_streams = false;  ///< holds a distribution inline: see `assign` in heap.h
  std::int32_t slots = 0;    ///< flat::slot_count
  std::int32_t depth = 0;   ///< nested lists, sets and dictionaries: 0 for scalars, 1 for nat*, ...
  std::int64_t length = 0;  ///< Array
  const RuntimeType* element =
      nullptr;  ///< List, Set, Array; the key of a Dict; a Distribution's result
  const RuntimeType* value = nullptr;  ///< Dict
  const RuntimeType* entry = nullptr;  ///< Set: the element; Dict: key and value, as a tuple
  const RuntimeType* node = nullptr;   ///< Set, Dict: one reference (ordered.h)
  std::vector<Part> parts;             ///< Tuple, Record
  const units::Unit* unit = nullptr;   ///< Real: it is printed in; null: as it is
  std::vector<Leaf> leaves;            ///< in slot order
  std::vector<std::int32_t> managed;   ///< slots that hold references

  /// The number that people see for a real.
  double shown(double real) const { return unit == nullptr ? real : unit->from_si(real); }
};

/// The run-time types of one model, made when first asked for.
class RuntimeTypes {
 public:
  /// Both must outlive this table.
  RuntimeTypes(const sema::Types& types, const Interner& symbols);
  RuntimeTypes(const RuntimeTypes&) = delete;
  RuntimeTypes& operator=(const RuntimeTypes&) = delete;

  /// The run-time type of a concrete type: all array lengths known, nothing unknown, fewer than
  /// 2^31 slots. Works through deep types with an explicit stack.
  TypeRef get(sema::TypeId type);
  const RuntimeType& operator[](TypeRef ref) const {
    return rows_[static_cast<std::size_t>(ref.index)];
  }
  const RuntimeType& at(sema::TypeId type) { return (*this)[get(type)]; }
  /// As `at`, for a type that `get` was asked for before.
  const RuntimeType& known(sema::TypeId type) const { return (*this)[made_[type]]; }
  /// The type for printing alone: its reals in the units in which people see them. `measures` must
  /// outlive this table.
  TypeRef shown(sema::TypeId type, const sema::Measures& measures, sema::MeasureId measure);
  std::string_view name(Symbol symbol) const { return symbols_.text(symbol); }

 private:
  TypeRef make(sema::TypeId type);
  const sema::Types& types_;
  const Interner& symbols_;
  std::deque<RuntimeType> rows_;  // a deque: growing it moves no row
  Table<sema::TypeId, TypeRef> made_;
};

}  // namespace chi::code
