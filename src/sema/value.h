#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sema/decl_id.h"
#include "sema/distribution_law.h"
#include "sema/types.h"

namespace chi::sema {

struct TypedModel;

/// A value known before the run: constants, parameters, array lengths, unwinding ranges.
struct Value {
  struct FunctionRef {
    DeclId decl;
    auto operator<=>(const FunctionRef&) const = default;
  };
  /// A distribution: its law and the arguments, of the types that the law takes. They make one:
  /// `distribution_problem` finds nothing.
  struct Distribution {
    using Argument = std::variant<bool, std::int64_t, double>;
    DistributionKind kind = DistributionKind::Constant;
    std::vector<Argument> arguments;
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

/// A number or boolean as the argument of a distribution.
Value::Distribution::Argument law_argument(const Value& value);
/// What is wrong with the arguments of a distribution; empty if nothing is.
std::string_view distribution_problem(const Value::Distribution& distribution);

/// A total order on values of one type; false < true, lists lexicographically.
bool operator==(const Value& a, const Value& b);
bool operator<(const Value& a, const Value& b);

/// A real in the shortest form that reads back as the same real: `2.0`, `0.1`, `1e+20`, `inf`.
std::string real_text(double value);

/// As `!e` prints it: reals in shortest form that reads back, strings bare at the top and quoted
/// inside.
std::string text(const Value& value, const TypedModel& model, TypeId type);

}  // namespace chi::sema
