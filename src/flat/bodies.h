#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "flat/blueprint.h"
#include "flat/flat_model.h"
#include "flat/open_lengths.h"
#include "flat/open_shapes.h"

namespace chi::flat {

/// The bodies of a model while it is instantiated: one for each definition and set of values of its
/// structural parameters.
class BodyTable {
 public:
  BodyTable(FlatModel& model, const Blueprints& blueprints, OpenLengths& lengths)
      : model_(model), blueprints_(blueprints), lengths_(lengths), shapes_(model.typed, lengths) {}

  /// The body for these parameter values; new if they are. `values` must hold the structural
  /// parameters. Empty exactly when it reported a bad array length.
  std::optional<BodyId> find(std::int32_t definition, const sema::Environment& values,
                             Diagnostics& diagnostics);

  /// Slots of each local, saturated as slot_count is; 0 for channels.
  const std::vector<std::int64_t>& local_slots(BodyId body) const { return local_slots_[body]; }

 private:
  struct Key {
    std::int32_t definition = -1;
    std::vector<sema::Value> values;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  std::optional<BodyId> add(std::int32_t definition, const sema::Environment& values,
                            Diagnostics& diagnostics);

  FlatModel& model_;
  const Blueprints& blueprints_;
  OpenLengths& lengths_;
  OpenShapes shapes_;
  std::unordered_map<Key, BodyId, KeyHash> ids_;
  std::unordered_map<std::int32_t, BodyId> only_;  // of definitions without structural parameters
  Table<BodyId, std::vector<std::int64_t>> local_slots_;
};

/// Equal values have equal hashes.
std::size_t hash_value(const sema::Value& value);

}  // namespace chi::flat
