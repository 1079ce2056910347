#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sema/decl_id.h"
#include "sema/types.h"

namespace chi::sema {

struct TypedModel;

/// A value known before the run: constants, parameters, array lengths, unwinding ranges.
struct Value {
  struct FunctionRef {
    DeclId decl;
    auto operator<=>(const FunctionRef&) const = default;
  };
  /// A distribution: the library function that makes it and its arguments, as reals. `integer`
  /// tells uniform(nat, nat) from uniform(real, real).
  struct Distribution {
    Builtin kind = Builtin::Constant;
    std::vector<double> arguments;
    bool integer = false;  ///< samples are integers
    auto operator<=>(const Distribution&) const = default;
  };
  /// A list, array, tuple, record (in field order) or set (sorted, without doubles); which one, the
  /// type tells.
  using Sequence = std::vector<Value>;
  struct Entry;
  using Mapping = std::vector<Entry>;  ///< a dictionary, sorted by key

  std::variant<std::monostate, bool, std::int64_t, double, std::string, Sequence, Mapping,
               FunctionRef, Distribution>
      data;

  bool is_none() const { return data.index() == 0; }
};

/// A key of a dictionary and its value. (Not a `std::pair`, which clang wants complete too early.)
struct Value::Entry {
  Value first, second;
};

/// A total order on values of one type; false < true, lists lexicographically.
bool operator==(const Value& a, const Value& b);
bool operator<(const Value& a, const Value& b);

/// A real in the shortest form that reads back as the same real: `2.0`, `0.1`, `1e+20`, `inf`.
std::string real_text(double value);

/// As `!e` prints it: reals in shortest form that reads back, strings bare at the top and quoted
/// inside.
std::string text(const Value& value, const TypedModel& model, TypeId type);

}  // namespace chi::sema
