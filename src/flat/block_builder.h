#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flat/arguments.h"
#include "flat/blueprint.h"
#include "flat/bodies.h"
#include "flat/flat_model.h"
#include "flat/start_sites.h"

namespace chi::flat {

/// Where the values of an instance's parameters come from: its arguments, or `-p`.
class ValueSource {
 public:
  virtual ~ValueSource() = default;
  /// Whether there is a value for parameter `k`; if not, it takes its default value.
  virtual bool gives(std::size_t k) const = 0;
  /// The value of parameter `k`, converted to `type`; empty exactly when it reported.
  virtual std::optional<sema::Value> value(std::size_t k, sema::TypeId type) = 0;
};

/// Makes the blocks of a model one by one: parameters bound, locals declared, processes connected.
/// The steps for one block are called in the order they stand here; each is false exactly when it
/// reported.
class BlockBuilder {
 public:
  BlockBuilder(FlatModel& model, const Blueprints& blueprints, OpenLengths& lengths,
               Diagnostics& diagnostics);

  /// Binds the value parameters. Puts their values into `values` too, if the block has a use for
  /// them there.
  bool bind_values(std::int32_t definition, ValueSource& source, Block& block,
                   sema::Environment& values);
  bool find_body(std::int32_t definition, Block& block, const sema::Environment& values);
  /// Binds the `ref` and channel parameters to what the arguments name in `scope`.
  bool bind_places(std::int32_t definition, const Scope& scope,
                   std::span<const syntax::ExprId> arguments, Block& block);
  /// For the part that runs, instead: its `ref` parameters become variables.
  bool make_top_variables(std::int32_t definition, Block& block);
  bool declare_locals(std::int32_t definition, Block& block, const sema::Environment& values);
  /// The process of block number `block`; takes its ends of the channels.
  bool add_process(std::int32_t definition, std::int32_t block, std::int64_t priority);

  /// Numbers the processes by priority, then by order of instantiation.
  void sort_processes();
  /// What the processes start; behind `sort_processes`. False exactly when it reported.
  bool find_starts() { return find_start_sites(model_, prints_, bodies_, diagnostics_); }

 private:
  bool bind_value(const BlueprintParam& param, std::size_t k, ValueSource& source, Block& block,
                  sema::Environment& values, bool keep);
  std::optional<sema::Value> default_value(syntax::ExprId initial, sema::TypeId type,
                                           const Block& block, const sema::Environment& values);
  bool bind_place(const BlueprintParam& param, std::size_t k, sema::TypeId wanted,
                  const Scope& scope, syntax::ExprId argument, Binding& binding);
  bool bind_channels(const BlueprintParam& param, sema::TypeId wanted, const Scope& scope,
                     syntax::ExprId argument, BoundChannels& bound);
  std::optional<VariableId> add_variable(sema::DeclId decl, sema::TypeId type, std::int64_t slots,
                                         const std::string& path);
  /// The first node of those that an argument of node type names.
  std::int32_t node_named(const Scope& scope, syntax::ExprId argument, Place place) const;
  void connect(const Block& block, sema::DeclId flows, VariableId variable, bool is_process);
  bool set_bounds(VariableId variable, const sema::Environment& values);
  std::optional<std::vector<ChannelId>> add_channels(sema::DeclId decl, sema::TypeId type,
                                                     const std::string& path);
  bool take_end(ChannelId channel, ProcessId process, bool sending);
  bool report_lengths(Span span, sema::TypeId found, sema::TypeId wanted, sema::DeclId param);
  bool report_size(sema::DeclId decl);
  const Blueprint& print(std::int32_t definition) const;

  FlatModel& model_;
  const Blueprints& prints_;
  OpenLengths& lengths_;
  Diagnostics& diagnostics_;
  BodyTable bodies_;
  /// Of the block being made: the node that each parameter of node type is bound to, the first of
  /// an array; -1 for other parameters. Empty where there are none.
  std::vector<std::int32_t> bound_nodes_;
};

}  // namespace chi::flat
