#pragma once
#include <optional>
#include <unordered_map>

#include "diag/diagnostic.h"
#include "sema/evaluate.h"
#include "sema/typed_model.h"

namespace chi::flat {

/// Array lengths that depend on parameters, and the types they make once those are known.
class OpenLengths {
 public:
  explicit OpenLengths(sema::TypedModel& model) : model_(model) {}

  /// Whether some array length in `type` depends on parameters. Amortised constant.
  bool contains(sema::TypeId type);

  /// `type` with its array lengths evaluated in `environment`; empty exactly when it reported a
  /// length that is negative, too large or without a value. Linear in the number of different types
  /// in `type`; constant if no length is open.
  std::optional<sema::TypeId> close(sema::TypeId type, const sema::Environment& environment,
                                    Diagnostics& diagnostics);

 private:
  std::optional<sema::TypeId> rebuild(sema::TypeId type,
                                      const std::unordered_map<sema::TypeId, sema::TypeId>& closed,
                                      const sema::Environment& environment,
                                      Diagnostics& diagnostics);
  std::optional<std::int64_t> length_of(const sema::Array& array,
                                        const sema::Environment& environment,
                                        Diagnostics& diagnostics);

  sema::TypedModel& model_;
  std::unordered_map<sema::TypeId, bool> contains_;
};

/// Longest array, and the most slots in the array of model variables.
inline constexpr std::int64_t kMaxSlots = 100'000'000;

}  // namespace chi::flat
