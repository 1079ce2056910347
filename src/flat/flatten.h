#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "flat/flat_model.h"

namespace chi::flat {

/// Which part runs and with which parameters (`--top`, `-p`; language.md §2 "Which part runs").
struct Request {
  std::string top = {};  ///< empty: choose
  /// Name and text of the value, already split at `=`; see parameter_value.h for what may stand
  /// there.
  std::vector<std::pair<std::string, std::string>> params = {};
};

/// Instantiates a correct model. Empty exactly when it reported: no or several parts that could run
/// (candidates listed), a parameter missing, unknown or of the wrong type, array lengths that
/// differ or are negative, an index out of range, a range without a value, a channel with two
/// senders or two receivers, empty bounds, two names that are equal, more than kMaxInstances
/// instances. Linear in the number of instances and variables.
std::optional<FlatModel> flatten(sema::TypedModel typed, const Request& request,
                                 Diagnostics& diagnostics);

inline constexpr std::int64_t kMaxInstances = 10'000'000;

}  // namespace chi::flat
