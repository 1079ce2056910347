#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "diag/diagnostic.h"
#include "flat/flat_model.h"

/// What the arguments of an instance stand for in the system that holds it.
namespace chi::flat {

/// A system instance as its arguments see it: its parameters and locals, and the values of its
/// parameters and of the unwinding indices around the argument.
struct Scope {
  const FlatModel& model;
  const Block& block;
  const sema::Environment& values;
};

/// A variable, or an element of it.
struct Place {
  std::int32_t slot = 0;
  sema::TypeId type;
};

/// A channel, or a bundle with its channels in index order.
struct ChannelGroup {
  std::vector<ChannelId> channels;
  sema::TypeId type;
};

/// Each is empty exactly when it reported: an index without a value before the run or out of range,
/// an element of a list, or something that is no variable or channel at all. Linear in the length
/// of the expression (and in the number of channels); constant for a name.
std::optional<Place> variable_argument(const Scope& scope, syntax::ExprId expr,
                                       Diagnostics& diagnostics);
std::optional<ChannelGroup> channel_argument(const Scope& scope, syntax::ExprId expr,
                                             Diagnostics& diagnostics);
std::optional<sema::Value> value_argument(const Scope& scope, syntax::ExprId expr,
                                          sema::TypeId type, Diagnostics& diagnostics);

/// An integer known at instantiation: an index, the end of a range, a priority.
std::optional<std::int64_t> integer_argument(const Scope& scope, syntax::ExprId expr,
                                             Diagnostics& diagnostics);

}  // namespace chi::flat
