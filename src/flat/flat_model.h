#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "flat/equations.h"
#include "flat/nodes.h"
#include "sema/evaluate.h"
#include "sema/typed_model.h"
#include "source/span.h"

/// The model after instantiation (semantics.md §1): one list of variables, one of channels, one of
/// process instances, and the code bodies they share. `ref` parameters are gone: they are the
/// variables they are bound to.
namespace chi::flat {

using VariableId = Id<struct VariableTag>;
using ChannelId = Id<struct ChannelTag>;
using ProcessId = Id<struct ProcessTag>;
using BodyId = Id<struct BodyTag>;

/// A variable declared in a system or process, once per instance.
struct Variable {
  std::string name;       ///< result name (language.md §2): Q0, T[1].V, Line.M[2].x
  sema::TypeId type;      ///< all array lengths known
  std::int32_t slot = 0;  ///< its first slot in the array of model variables
  Span span;              ///< of its declaration
  sema::DeclId decl;
  std::optional<double> low = {}, high = {};  ///< feasible region, if declared
};

/// A channel declared in a system; one per element of a bundle.
struct Channel {
  std::string name;      ///< a, or a[3]
  sema::TypeId element;  ///< void for a synchronisation channel
  Span span;
  /// The process that holds the end, the first of several; none: nobody does.
  ProcessId sender = {}, receiver = {};
  std::int32_t many = -1;  ///< `-T many`: row of FlatModel::many
};

/// The ends of a channel that may have several senders and receivers: the instances that hold one.
struct ManyEnds {
  ChannelId channel = {};
  std::vector<ProcessId> senders = {}, receivers = {};
};

// What one parameter of an instance is bound to.
struct BoundValue {
  sema::Value value;  ///< data, function or distribution
};
struct BoundVariable {
  std::int32_t slot = 0;  ///< of the variable, or of the element of it that was named
};
struct BoundChannels {
  std::vector<ChannelId> channels;  ///< one, or a bundle's in index order
};
using Binding = std::variant<BoundValue, BoundVariable, BoundChannels>;

/// The code of a definition for one set of structural parameters: those that array lengths and
/// unwindings in it depend on. Instances that agree on these share the body; their other parameters
/// are data.
struct Body {
  std::int32_t definition =
      -1;  ///< index into the typed model's definitions: a process or a system
  sema::Environment structural = {};      ///< values of the structural parameters
  std::vector<sema::TypeId> params = {};  ///< concrete types, per parameter
  std::vector<sema::TypeId> locals = {};  ///< concrete types, per local
};

/// Where the initialisers of a block run: a system's or a process's, in order of instantiation.
/// Frame: parameters first, then locals, each at its slot below.
struct Block {
  BodyId body = {};
  std::string path = {};               ///< label path, "" for the part that runs: Line.M[2]
  std::vector<Binding> bindings = {};  ///< per parameter
  std::vector<VariableId> variables =
      {};  ///< per local; none where the local is a channel or bundle
  /// Per local: its channels, if it is one. Empty altogether if no local is.
  std::vector<std::vector<ChannelId>> channels = {};
  Span span = {};  ///< of the instance, or of the definition that runs
};

/// A process instance. Processes are sorted by priority, then by textual order of instantiation:
/// the id is the rank by which ties are broken.
struct Process {
  std::int32_t block = -1;  ///< into FlatModel::blocks
  std::string name;         ///< its path, or the definition's name if it is the part that runs
  std::int64_t priority = 0;
  /// Not the statements of the instance but one of its requirements, by number. These come last,
  /// when the model is lowered.
  std::int32_t monitor = -1;
};

/// `start P(...)` in a body: the body of the process that is started.
struct StartSite {
  BodyId in = {};
  syntax::InstanceId instance = {};
  BodyId body = {};
};

struct FlatModel {
  sema::TypedModel typed;  ///< its `types` also hold the concrete types
  Table<VariableId, Variable> variables = {};
  Table<ChannelId, Channel> channels = {};
  std::vector<ManyEnds> many = {};
  Table<BodyId, Body> bodies = {};
  std::vector<StartSite> starts = {};  ///< sorted by body and instance
  std::vector<Block> blocks = {};      ///< in order of instantiation, the part that runs first
  Table<ProcessId, Process> processes = {};
  std::int32_t variable_slots = 0;  ///< size of the array of model variables
  Equations equations = {};         ///< of all process instances, as one system
  Net net = {};                     ///< nodes and what is connected to them
};

/// `type` with every array length evaluated in `environment`. Requires that instantiation succeeded
/// for it.
sema::TypeId concrete_type(FlatModel& model, sema::TypeId type,
                           const sema::Environment& environment);

}  // namespace chi::flat
