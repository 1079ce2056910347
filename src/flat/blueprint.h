#pragma once
#include <cstdint>
#include <vector>

#include "base/id.h"
#include "flat/open_lengths.h"
#include "sema/typed_model.h"

/// What instantiation needs to know of the definitions, found once, before the first instance.
namespace chi::flat {

enum class ParamRole : std::uint8_t { Value, Variable, Channel };

struct BlueprintParam {
  sema::DeclId decl;
  sema::TypeId type;
  ParamRole role = ParamRole::Value;
  bool open = false;  ///< its type has a length that depends on other parameters
  /// Bound after the others, in textual order: its type is open, or its default value may use one
  /// whose type is.
  bool late = false;
  bool sends = false;     ///< a process's channel: the process may send on it
  bool receives = false;  ///< and may receive from it
};

struct BlueprintLocal {
  sema::DeclId decl;
  sema::TypeId type;
  bool is_channel = false;  ///< a channel or a bundle
  bool bounded = false;     ///< `in low..high`
};

/// A process or system as its instances see it.
struct Blueprint {
  bool is_process = false;
  bool declares_channels = false;
  bool has_bounds = false;
  bool has_defaults = false;  ///< a parameter has a default value
  std::vector<BlueprintParam> params;
  std::vector<BlueprintLocal> locals;
  /// Positions of the structural parameters: the value parameters that stand in an array length or
  /// in the range of an unwinding. Instances that agree on them share a body.
  std::vector<std::int32_t> structural;
  Slice<syntax::InstanceId> instances;  ///< of a system
  std::int32_t name_groups = 0;         ///< number of counters that its instances' names need
};

/// How an instance is named (language.md §2 "Result names").
struct InstanceName {
  Symbol base;              ///< the label, or the definition's name
  std::int32_t group = -1;  ///< its counter, if it is numbered
  bool labelled = false;    ///< then the indices of the unwindings around it follow
};

struct Blueprints {
  std::vector<Blueprint> definitions;  ///< same order as the typed model's; empty for others
  Table<syntax::InstanceId, InstanceName> names;
};

/// Linear in the tree, up to a logarithm. Reports a label that one system uses twice.
Blueprints make_blueprints(const sema::TypedModel& model, OpenLengths& lengths,
                           Diagnostics& diagnostics);

}  // namespace chi::flat
