#include "flat/block_builder.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "flat/choose_top.h"
#include "flat/expr_root.h"
#include "flat/instance_note.h"
#include "flat/instantiate.h"
#include "flat/layout.h"

namespace chi::flat {
namespace {

using sema::DeclId;
using sema::TypeId;
using sema::Value;
using syntax::ExprId;

// The array lengths of `a` and `b` agree; otherwise checking has compared them. Only arrays of
// arrays matter: both are bundles.
bool same_lengths(const sema::Types& types, TypeId a, TypeId b) {
  while (true) {
    const auto* x = std::get_if<sema::Array>(&types[a]);
    const auto* y = std::get_if<sema::Array>(&types[b]);
    if (x == nullptr || y == nullptr) return x == y;
    if (x->length != y->length) return false;
    a = x->element;
    b = y->element;
  }
}

// Whether the arrays in a value have the lengths that its type says. Follows the type.
bool has_lengths(const sema::Types& types, const Value& value, TypeId type) {
  const auto* sequence = std::get_if<Value::Sequence>(&value.data);
  if (sequence == nullptr) return true;
  const auto all = [&](TypeId element) {
    return std::ranges::all_of(*sequence,
                               [&](const Value& v) { return has_lengths(types, v, element); });
  };
  if (const auto* array = std::get_if<sema::Array>(&types[type])) {
    return static_cast<std::int64_t>(sequence->size()) == array->length && all(array->element);
  }
  if (const auto* list = std::get_if<sema::List>(&types[type])) return all(list->element);
  if (const auto* tuple = std::get_if<sema::Tuple>(&types[type])) {
    for (std::size_t i = 0; i < sequence->size(); ++i) {
      if (!has_lengths(types, (*sequence)[i], types.list(tuple->elements)[i])) return false;
    }
  } else if (const auto* record = std::get_if<sema::Record>(&types[type])) {
    for (std::size_t i = 0; i < sequence->size(); ++i) {
      if (!has_lengths(types, (*sequence)[i], types.list(record->fields)[i].type)) return false;
    }
  }
  return true;
}

std::string joined(const std::string& path, std::string_view name) {
  if (path.empty()) return std::string(name);
  std::string text;
  text.reserve(path.size() + 1 + name.size());
  return text.append(path).append(1, '.').append(name);
}

}  // namespace

BlockBuilder::BlockBuilder(FlatModel& model, const Blueprints& blueprints, OpenLengths& lengths,
                           Diagnostics& diagnostics)
    : model_(model),
      prints_(blueprints),
      lengths_(lengths),
      diagnostics_(diagnostics),
      bodies_(model, blueprints, lengths) {}

const Blueprint& BlockBuilder::print(std::int32_t definition) const {
  return prints_.definitions[static_cast<std::size_t>(definition)];
}

bool BlockBuilder::bind_values(std::int32_t definition, ValueSource& source, Block& block,
                               sema::Environment& values) {
  const Blueprint& p = print(definition);
  const bool keep = !p.is_process || p.has_bounds || p.has_defaults || !p.structural.empty();
  block.bindings.resize(p.params.size());
  bool good = true;
  // An open type may depend on a parameter that stands after it, so the closed ones go first.
  for (const bool late : {false, true}) {
    if (!good) break;
    for (std::size_t k = 0; k < p.params.size(); ++k) {
      if (p.params[k].role != ParamRole::Value || p.params[k].late != late) continue;
      good &= bind_value(p.params[k], k, source, block, values, keep);
    }
  }
  return good;
}

bool BlockBuilder::bind_value(const BlueprintParam& param, std::size_t k, ValueSource& source,
                              Block& block, sema::Environment& values, bool keep) {
  const auto type =
      param.open ? lengths_.close(param.type, values, diagnostics_) : std::optional(param.type);
  if (!type) return false;
  const ExprId initial = model_.typed.decls[param.decl].initial;
  std::optional<Value> value = initial && !source.gives(k)
                                   ? default_value(initial, *type, block, values)
                                   : source.value(k, *type);
  if (!value) return false;
  if (!has_lengths(model_.typed.types, *value, *type)) {
    return report_lengths(block.span, {}, *type, param.decl);
  }
  if (keep) values[param.decl] = *value;
  block.bindings[k] = BoundValue{std::move(*value)};
  return true;
}

std::optional<Value> BlockBuilder::default_value(ExprId initial, TypeId type, const Block& block,
                                                 const sema::Environment& values) {
  Diagnostics found;
  auto value = sema::evaluate(model_.typed, initial, type, values, found);
  report_for_instance(found, block, diagnostics_);
  return value;
}

bool BlockBuilder::find_body(std::int32_t definition, Block& block,
                             const sema::Environment& values) {
  Diagnostics found;
  const auto body = bodies_.find(definition, values, found);
  report_for_instance(found, block, diagnostics_);
  if (body) block.body = *body;
  return body.has_value();
}

bool BlockBuilder::bind_places(std::int32_t definition, const Scope& scope,
                               std::span<const syntax::ExprId> arguments, Block& block) {
  const Blueprint& p = print(definition);
  bool good = true;
  bound_nodes_.assign(p.params.size(), -1);
  for (std::size_t k = 0; k < p.params.size(); ++k) {
    if (p.params[k].role == ParamRole::Value) continue;
    const TypeId wanted = model_.bodies[block.body].params[k];
    good &= bind_place(p.params[k], k, wanted, scope, arguments[k], block.bindings[k]);
  }
  return good;
}

bool BlockBuilder::bind_place(const BlueprintParam& param, std::size_t k, TypeId wanted,
                              const Scope& scope, ExprId argument, Binding& binding) {
  const Span span = model_.typed.ast.exprs[argument].span;
  if (param.role == ParamRole::Variable) {
    const auto place = variable_argument(scope, argument, diagnostics_);
    if (!place) return false;
    if (place->type != wanted) return report_lengths(span, place->type, wanted, param.decl);
    binding = BoundVariable{place->slot};
    if (model_.typed.types.node_of(wanted)) bound_nodes_[k] = node_named(scope, argument, *place);
    return true;
  }
  BoundChannels bound;
  const bool good = bind_channels(param, wanted, scope, argument, bound);
  binding = std::move(bound);
  return good;
}

// A channel, a bundle, or a bundle that the argument builds: `[a, b, c.2]`.
bool BlockBuilder::bind_channels(const BlueprintParam& param, TypeId wanted, const Scope& scope,
                                 ExprId argument, BoundChannels& bound) {
  const syntax::Ast& ast = model_.typed.ast;
  const Span span = ast.exprs[argument].span;
  while (const auto* p = std::get_if<syntax::Parenthesized>(&ast.exprs[argument].node))
    argument = p->inner;
  if (const auto* row = std::get_if<syntax::ListExpr>(&ast.exprs[argument].node)) {
    const auto array = std::get<sema::Array>(model_.typed.types[wanted]);
    const auto elements = ast.list(row->elements);
    if (static_cast<std::int64_t>(elements.size()) != array.length)
      return report_lengths(span, {}, wanted, param.decl);
    return std::ranges::all_of(elements, [&](ExprId element) {
      return bind_channels(param, array.element, scope, element, bound);
    });
  }
  const auto group = channel_argument(scope, argument, diagnostics_);
  if (!group) return false;
  if (!same_lengths(model_.typed.types, group->type, wanted))
    return report_lengths(span, group->type, wanted, param.decl);
  bound.channels.insert(bound.channels.end(), group->channels.begin(), group->channels.end());
  return true;
}

// A node of this system, or of the system around it that came in through a terminal. That one is
// told apart by the flows through the terminal: the node may come in through several.
std::int32_t BlockBuilder::node_named(const Scope& scope, ExprId argument, Place place) const {
  const sema::Decl& decl = model_.typed.decls[root_decl(model_.typed, argument)];
  const auto k = static_cast<std::size_t>(decl.ordinal);
  const auto slot_of = [&](std::size_t local) {
    return model_.variables[scope.block.variables[local]].slot;
  };
  std::int32_t base = 0, key = 0;
  if (decl.kind == sema::DeclKind::RefParam) {
    base = std::get<BoundVariable>(scope.block.bindings[k]).slot;
    key = slot_of(static_cast<std::size_t>(model_.typed.decls[decl.flows].ordinal));
  } else {
    base = key = slot_of(k);
  }
  const TypeId node = model_.typed.types.node_of(place.type);
  const auto stride = static_cast<std::int32_t>(slot_count(model_.typed.types, node));
  return model_.net.first_node.at(key) + (place.slot - base) / stride;
}

// Connects the terminal with these flows to its node or nodes.
void BlockBuilder::connect(const Block& block, DeclId flows, VariableId variable, bool is_process) {
  sema::Types& types = model_.typed.types;
  const DeclId param = model_.typed.decls[flows].terminal;
  const auto k = static_cast<std::size_t>(model_.typed.decls[param].ordinal);
  const TypeId type = model_.bodies[block.body].params[k];
  const TypeId node = types.node_of(type);
  const std::int64_t count = slot_count(types, type) / slot_count(types, node);
  const auto stride = static_cast<std::int32_t>(slot_count(types, types.flows_of(node)));
  const auto number = static_cast<std::int32_t>(model_.blocks.size());  // that this block gets
  const std::int32_t slot = model_.variables[variable].slot;
  for (std::int32_t e = 0; e < count; ++e) {
    model_.net.terminals.push_back({.node = bound_nodes_[k] + e,
                                    .flow = slot + e * stride,
                                    .block = number,
                                    .param = param,
                                    .element = type == node ? -1 : e});
  }
  if (is_process) return;
  add_nodes(model_,
            {.potential = std::get<BoundVariable>(block.bindings[k]).slot,
             .inflow = slot,
             .block = number,
             .decl = param},
            type);
}

bool BlockBuilder::make_top_variables(std::int32_t definition, Block& block) {
  const Blueprint& p = print(definition);
  bound_nodes_.assign(p.params.size(), -1);
  for (std::size_t k = 0; k < p.params.size(); ++k) {
    if (p.params[k].role != ParamRole::Variable) continue;
    const TypeId type = model_.bodies[block.body].params[k];
    const auto variable =
        add_variable(p.params[k].decl, type, slot_count(model_.typed.types, type), block.path);
    if (!variable) return false;
    const std::int32_t slot = model_.variables[*variable].slot;
    block.bindings[k] = BoundVariable{slot};
    if (!model_.typed.types.node_of(type)) continue;
    bound_nodes_[k] = static_cast<std::int32_t>(model_.net.nodes.size());
    add_nodes(model_, {.potential = slot, .block = 0, .decl = p.params[k].decl}, type);
  }
  return true;
}

bool BlockBuilder::declare_locals(std::int32_t definition, Block& block,
                                  const sema::Environment& values) {
  const Blueprint& p = print(definition);
  block.variables.resize(p.locals.size());
  if (p.declares_channels) block.channels.resize(p.locals.size());
  for (std::size_t k = 0; k < p.locals.size(); ++k) {
    const BlueprintLocal& local = p.locals[k];
    const TypeId type = model_.bodies[block.body].locals[k];
    if (local.is_channel) {
      auto channels = add_channels(local.decl, type, block.path);
      if (!channels) return false;
      block.channels[k] = std::move(*channels);
      continue;
    }
    const auto variable =
        add_variable(local.decl, type, bodies_.local_slots(block.body)[k], block.path);
    if (!variable || (local.bounded && !set_bounds(*variable, values))) return false;
    block.variables[k] = *variable;
    if (model_.typed.decls[local.decl].terminal) {
      connect(block, local.decl, *variable, p.is_process);
    } else if (model_.typed.types.node_of(type)) {
      add_nodes(model_,
                {.potential = model_.variables[*variable].slot,
                 .block = static_cast<std::int32_t>(model_.blocks.size()),
                 .decl = local.decl},
                type);
    }
  }
  return true;
}

std::optional<VariableId> BlockBuilder::add_variable(DeclId id, TypeId type, std::int64_t slots,
                                                     const std::string& path) {
  if (model_.variable_slots + slots > kMaxSlots) {
    report_size(id);
    return std::nullopt;
  }
  const sema::Decl& decl = model_.typed.decls[id];
  const std::int32_t slot = model_.variable_slots;
  model_.variable_slots += static_cast<std::int32_t>(slots);
  return model_.variables.add({.name = joined(path, model_.typed.ast.symbols.text(decl.name)),
                               .type = type,
                               .slot = slot,
                               .span = decl.span,
                               .decl = id});
}

bool BlockBuilder::set_bounds(VariableId variable, const sema::Environment& values) {
  Variable& v = model_.variables[variable];
  const sema::Decl& decl = model_.typed.decls[v.decl];
  const TypeId real = model_.typed.types.basic(sema::BasicType::Real);
  const auto bound = [&](syntax::ExprId expr, std::optional<double>& out) {
    if (!expr) return true;
    const auto value = sema::evaluate(model_.typed, expr, real, values, diagnostics_);
    if (value) out = std::get<double>(value->data);
    return value.has_value();
  };
  if (!bound(decl.low, v.low) || !bound(decl.high, v.high)) return false;
  if (!v.low || !v.high || *v.low <= *v.high) return true;
  diagnostics_.report(
      {.code = DiagCode::EmptyBounds,
       .span = join(model_.typed.ast.exprs[decl.low].span, model_.typed.ast.exprs[decl.high].span),
       .message = fmt::format("no value of `{}` lies in {}..{}", v.name, *v.low, *v.high)});
  return false;
}

std::optional<std::vector<ChannelId>> BlockBuilder::add_channels(DeclId id, TypeId type,
                                                                 const std::string& path) {
  const sema::Types& types = model_.typed.types;
  const sema::Decl& decl = model_.typed.decls[id];
  std::vector<std::int64_t> lengths;
  std::int64_t count = 1;
  while (const auto* array = std::get_if<sema::Array>(&types[type])) {
    lengths.push_back(array->length);
    count = array->length > kMaxChannels ? kMaxChannels + 1
                                         : std::min(count * array->length, kMaxChannels + 1);
    type = array->element;
  }
  if (model_.channels.size() + count > kMaxChannels) {
    report_size(id);
    return std::nullopt;
  }
  std::vector<ChannelId> ids;
  ids.reserve(static_cast<std::size_t>(count));
  const std::string base = joined(path, model_.typed.ast.symbols.text(decl.name));
  const TypeId element = std::get<sema::Channel>(types[type]).element;
  for (std::int64_t i = 0; i < count; ++i) {
    std::string name = base;
    std::int64_t rest = i, size = count;
    for (const std::int64_t length : lengths) {
      size /= length;
      fmt::format_to(std::back_inserter(name), "[{}]", rest / size);
      rest %= size;
    }
    ids.push_back(
        model_.channels.add({.name = std::move(name), .element = element, .span = decl.span}));
    if (!decl.many) continue;
    model_.channels[ids.back()].many = static_cast<std::int32_t>(model_.many.size());
    model_.many.push_back({.channel = ids.back()});
  }
  return ids;
}

bool BlockBuilder::add_process(std::int32_t definition, std::int32_t block, std::int64_t priority) {
  const Blueprint& p = print(definition);
  const Block& b = model_.blocks[static_cast<std::size_t>(block)];
  const ProcessId process = model_.processes.add(
      {.block = block,
       .name = b.path.empty() ? std::string(definition_name(model_.typed, definition)) : b.path,
       .priority = priority});
  bool good = true;
  for (std::size_t k = 0; k < p.params.size(); ++k) {
    const auto* bound = std::get_if<BoundChannels>(&b.bindings[k]);
    if (bound == nullptr) continue;
    for (const ChannelId channel : bound->channels) {
      if (p.params[k].sends) good &= take_end(channel, process, true);
      if (p.params[k].receives) good &= take_end(channel, process, false);
      if (!good) return false;
    }
  }
  return good;
}

bool BlockBuilder::take_end(ChannelId id, ProcessId process, bool sending) {
  Channel& channel = model_.channels[id];
  ProcessId& end = sending ? channel.sender : channel.receiver;
  if (channel.many >= 0) {
    ManyEnds& ends = model_.many[static_cast<std::size_t>(channel.many)];
    (sending ? ends.senders : ends.receivers).push_back(process);
    if (end) return true;
  }
  if (!end) {
    end = process;
    return true;
  }
  const auto span_of = [&](ProcessId p) {
    return model_.blocks[static_cast<std::size_t>(model_.processes[p].block)].span;
  };
  const std::string_view what = sending ? "senders" : "receivers";
  diagnostics_.report(
      {.code = sending ? DiagCode::TwoSenders : DiagCode::TwoReceivers,
       .span = span_of(process),
       .message = fmt::format("channel `{}` has two {}, `{}` and `{}`", channel.name, what,
                              model_.processes[end].name, model_.processes[process].name),
       .labels = {{span_of(end), fmt::format("`{}`", model_.processes[end].name)},
                  {channel.span, "the channel"}},
       .help = fmt::format("a channel connects one sender with one receiver, unless it is declared "
                           "`{}: -{} many`",
                           channel.name.substr(0, channel.name.find('[')),
                           model_.typed.types.text(channel.element, model_.typed.ast.symbols))});
  return false;
}

void BlockBuilder::sort_processes() {
  const auto count = static_cast<std::size_t>(model_.processes.size());
  std::vector<std::int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return model_.processes[ProcessId{a}].priority < model_.processes[ProcessId{b}].priority;
  });
  std::vector<std::int32_t> rank(count);
  Table<ProcessId, Process> sorted;
  sorted.reserve(model_.processes.size());
  for (const std::int32_t old : order) {
    rank[static_cast<std::size_t>(old)] = sorted.size();
    sorted.add(std::move(model_.processes[ProcessId{old}]));
  }
  model_.processes = std::move(sorted);
  for (Channel& channel : model_.channels) {
    for (ProcessId* end : {&channel.sender, &channel.receiver}) {
      if (*end) end->index = rank[static_cast<std::size_t>(end->index)];
    }
  }
  for (ManyEnds& ends : model_.many) {
    for (std::vector<ProcessId>* side : {&ends.senders, &ends.receivers}) {
      for (ProcessId& process : *side)
        process.index = rank[static_cast<std::size_t>(process.index)];
      std::ranges::sort(*side, {}, &ProcessId::index);
    }
  }
}

bool BlockBuilder::report_lengths(Span span, TypeId found, TypeId wanted, DeclId param) {
  const auto text = [&](TypeId t) { return model_.typed.types.text(t, model_.typed.ast.symbols); };
  const sema::Decl& decl = model_.typed.decls[param];
  const std::string_view name = model_.typed.ast.symbols.text(decl.name);
  diagnostics_.report(
      {.code = DiagCode::ArrayLengthsDiffer,
       .span = span,
       .message = found ? fmt::format("this is of type {}, but `{}` is of type {} here",
                                      text(found), name, text(wanted))
                        : fmt::format("the value for `{}` does not have the lengths of its type {}",
                                      name, text(wanted)),
       .labels = {{decl.span, "the parameter"}}});
  return false;
}

bool BlockBuilder::report_size(DeclId decl) {
  diagnostics_.report(
      {.code = DiagCode::ModelTooLarge,
       .span = model_.typed.decls[decl].span,
       .message = "the model becomes too large here",
       .help = fmt::format("at most {} numbers and {} channels", kMaxSlots, kMaxChannels)});
  return false;
}

}  // namespace chi::flat
