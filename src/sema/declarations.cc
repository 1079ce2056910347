#include "sema/declarations.h"

#include <fmt/format.h>

#include "sema/expressions.h"
#include "sema/written_types.h"

namespace chi::sema {
namespace {

using syntax::Direction;

DefinitionInfo& info(Context& c) {
  return c.model.definitions[static_cast<std::size_t>(c.definition)];
}

bool is_local_kind(DeclKind kind) { return kind >= DeclKind::ValueParam; }

/// The declaration of this name in the definition being checked, if it has one already.
DeclId declared_here(const Context& c, Symbol name) {
  const DeclId decl = c.scope.find(name);
  if (!decl || !is_local_kind(c.model.decls[decl].kind)) return {};
  return decl;
}

DeclId add(Context& c, DeclKind kind, syntax::Ident name, TypeId type) {
  const DeclId decl = c.declare(kind, name, type);
  if (!name) return decl;
  for (const syntax::Import& import :
       c.ast.list(c.ast.files[static_cast<std::size_t>(c.file)].imports)) {
    if (import.kind != syntax::ImportKind::Alias || import.alias.name != name.name) continue;
    c.report({.code = DiagCode::DuplicateName,
              .span = name.span,
              .message = fmt::format("`{}` is the name of an import", c.text(name.name)),
              .labels = {{import.alias.span, "imported under this name"}},
              .help = fmt::format("`{}.x` means the import everywhere in this file; take another "
                                  "name",
                                  c.text(name.name))});
  }
  if (const DeclId first = declared_here(c, name.name)) {
    c.used[static_cast<std::size_t>(decl.index)] = 1;
    c.report({.code = DiagCode::DuplicateName,
              .span = name.span,
              .message = fmt::format("`{}` is declared twice", c.text(name.name)),
              .labels = {{c.model.decls[first].span, "first declared here"}}});
  } else {
    c.scope.add(name.name, decl);
  }
  return decl;
}

TypeId reject(Context& c, DiagCode code, syntax::TypeId written, std::string message,
              std::string help = {}) {
  c.report({.code = code,
            .span = c.ast.types[written].span,
            .message = std::move(message),
            .help = std::move(help)});
  return c.unknown();
}

/// A node, or an array of nodes, may be a parameter of a process or system and a local of a system.
/// Reports what is of another type that has a node in it.
bool node_may_stand(Context& c, syntax::TypeId written, TypeId type, OwnerKind owner, bool local) {
  if (!c.types.has_node(type)) return true;
  if (!c.types.node_of(type)) {
    reject(c, DiagCode::NodePlace, written,
           fmt::format("a node cannot be part of `{}`", c.text(type)),
           "nodes can be in arrays only");
    return false;
  }
  if (owner == OwnerKind::Function) {
    reject(c, DiagCode::NodePlace, written, "a function has no nodes",
           "pass the potential: a `real`");
    return false;
  }
  if (!local || owner == OwnerKind::System) return true;
  reject(c, DiagCode::NodePlace, written, "nodes are declared in systems",
         "a process gets its nodes as parameters");
  return false;
}

/// Whether channels of this type may have several senders and receivers: `-T many`, also in arrays
/// and behind names of types.
bool is_many(const Context& c, syntax::TypeId written) {
  while (written) {
    const auto& node = c.ast.types[written].node;
    if (const auto* array = std::get_if<syntax::ArrayType>(&node)) {
      written = array->element;
    } else if (const auto* name = std::get_if<syntax::TypeName>(&node)) {
      const DeclId decl = c.top_level[name->name];
      if (!decl || c.model.decls[decl].kind != DeclKind::TypeAlias) return false;
      const auto owner = static_cast<std::size_t>(c.model.decls[decl].owner);
      written = std::get<syntax::TypeDef>(c.ast.definitions[owner].node).type;
    } else {
      const auto* channel = std::get_if<syntax::ChannelType>(&node);
      return channel != nullptr && channel->many;
    }
  }
  return false;
}

TypeId ref_type(Context& c, const syntax::Param& param, TypeId type, OwnerKind owner) {
  if (owner == OwnerKind::Function) {
    c.report({.code = DiagCode::RefPlace,
              .span = param.span,
              .message = "a function has no `ref` parameters",
              .help = "a function changes nothing but its own variables; return a tuple instead"});
    return c.unknown();
  }
  if (!node_may_stand(c, param.type, type, owner, false)) return c.unknown();
  if (c.types.node_of(type)) {
    c.report({.code = DiagCode::NodePlace,
              .span = param.span,
              .message = "`ref` before a node",
              .help = "leave out `ref`: a node is shared anyway"});
    return c.unknown();
  }
  if (c.types.is_data(type) || c.types.distribution_of(type)) return type;
  return reject(c, DiagCode::RefPlace, param.type,
                fmt::format("`{}` cannot be a `ref` parameter", c.text(type)),
                "leave out `ref`: channels and functions are passed as they are");
}

TypeId value_type(Context& c, const syntax::Param& param, TypeId type, OwnerKind owner) {
  if (!node_may_stand(c, param.type, type, owner, false)) return c.unknown();
  if (c.types.is_data(type) || c.as<Func>(type)) return type;
  if (owner == OwnerKind::Function) {
    return reject(c, DiagCode::BadTypePlace, param.type,
                  fmt::format("`{}` cannot be a parameter of a function", c.text(type)));
  }
  if (c.types.distribution_of(type)) return type;
  if (const TypeId channel = c.types.channel_of(type)) {
    if (is_many(c, param.type)) {
      return reject(c, DiagCode::ManyPlace, param.type,
                    "`many` belongs to the channel, not to one end of it",
                    "leave it out here; the channel is declared `-T many` in a system");
    }
    if (c.as<Channel>(channel)->direction != Direction::Both) return type;
    return reject(c, DiagCode::ChannelPlace, param.type, "a channel parameter has a direction",
                  "write `!T` to send or `?T` to receive");
  }
  return reject(c, DiagCode::BadTypePlace, param.type,
                fmt::format("`{}` cannot be a parameter", c.text(type)));
}

TypeId local_type(Context& c, const syntax::VarDecl& group, TypeId type, OwnerKind owner) {
  if (!node_may_stand(c, group.type, type, owner, true)) return c.unknown();
  const bool given = group.initial || group.low || group.high;
  if (c.types.node_of(type) && given) {
    c.report({.code = DiagCode::NodePlace,
              .span = c.span(group.initial ? group.initial : group.low),
              .message = group.initial ? "a node has no initial value" : "a node has no bounds",
              .help = "its potential follows from the equations of the instances at it"});
    return c.unknown();
  }
  if (c.types.is_data(type)) return type;
  if (c.types.distribution_of(type) && owner != OwnerKind::Function) return type;
  const TypeId channel = c.types.channel_of(type);
  if (!channel) {
    return reject(c, DiagCode::BadTypePlace, group.type,
                  fmt::format("`{}` cannot be the type of a variable", c.text(type)));
  }
  if (owner != OwnerKind::System) {
    return reject(c, DiagCode::ChannelPlace, group.type, "channels are declared in systems",
                  "a process gets its channels as parameters");
  }
  if (c.as<Channel>(channel)->direction == Direction::Both) return type;
  return reject(c, DiagCode::ChannelPlace, group.type,
                "a channel declared in a system has both ends", "write `-T`");
}

void check_bounds(Context& c, const syntax::VarDecl& group, TypeId type) {
  if (!group.low || !group.high) return;
  if (!c.types.is_real_based(type)) {
    c.report({.code = DiagCode::BoundsPlace,
              .span = join(c.span(group.low), c.span(group.high)),
              .message = fmt::format("`{}` has no bounds", c.text(type)),
              .help = "bounds keep real variables in their region when equations are solved"});
    return;
  }
  const PlaceGuard place(c, Place::BeforeRun);
  require(c, group.low, c.real_type(), "a bound");
  require(c, group.high, c.real_type(), "a bound");
}

/// Whether one value is meant for all elements of an array: `T: real^100 := 20.0`.
bool fills(const Context& c, TypeId found, TypeId type) {
  if (!c.as<Array>(type) || c.as<Array>(found) || c.types.is_unknown(found)) return false;
  while (const auto array = c.as<Array>(type)) type = array->element;
  return fits(c.types, found, type);
}

void check_initial(Context& c, const syntax::VarDecl& group, TypeId type, OwnerKind owner) {
  if (!group.initial) return;
  if (c.types.channel_of(type)) {
    c.report({.code = DiagCode::ChannelPlace,
              .span = c.span(group.initial),
              .message = "a channel has no initial value"});
    return;
  }
  const PlaceGuard place(c, owner == OwnerKind::Function ? Place::Function : Place::Initialiser);
  const TypeId found = check_expr(c, group.initial, type);
  if (owner != OwnerKind::Function && fills(c, found, type)) return;
  require_fits(c, group.initial, found, type, "");
}

/// Whether a parameter may have the default value that is written; reports if not.
bool takes_default(Context& c, const syntax::Param& param, TypeId type, OwnerKind owner) {
  const auto refuse = [&](const char* what, const char* help) {
    c.report({.code = DiagCode::DefaultPlace,
              .span = c.span(param.initial),
              .message = fmt::format("{} has no default value", what),
              .help = help});
    return false;
  };
  if (c.types.node_of(type)) {
    return refuse("a node", "every instance names the node it is connected to");
  }
  if (owner == OwnerKind::Function) {
    return refuse("a parameter of a function", "every call gives all arguments");
  }
  if (param.is_ref) {
    return refuse("a `ref` parameter",
                  "it shares a variable; the variable has the initial value, where it is declared");
  }
  if (c.types.channel_of(type)) {
    return refuse("a channel", "every instance names the channel it is connected to");
  }
  return true;
}

/// A default value may use the parameters before it.
void check_default(Context& c, const syntax::Param& param, TypeId type, OwnerKind owner) {
  if (!param.initial) return;
  const PlaceGuard place(c, Place::BeforeRun);
  const TypeId found = check_expr(c, param.initial, type);
  if (takes_default(c, param, type, owner)) require_fits(c, param.initial, found, type, "");
}

/// The flows into an instance through the terminal `param`: a variable of its own, of the same
/// name.
void declare_flows(Context& c, DeclId param, syntax::Ident name) {
  const DeclId flows =
      c.declare(DeclKind::Local, name, c.types.flows_of(c.model.decls[param].type));
  c.used[static_cast<std::size_t>(flows.index)] = 1;
  c.model.decls[param].flows = flows;
  c.model.decls[flows].terminal = param;
  c.model.decls[flows].ordinal = static_cast<std::int32_t>(info(c).locals.size());
  info(c).locals.push_back(flows);
}

}  // namespace

void declare_params(Context& c, Slice<syntax::Param> params, OwnerKind owner) {
  for (const syntax::Param& param : c.ast.list(params)) {
    const TypeId written = resolve_type(c, param.type);
    const TypeId type =
        param.is_ref ? ref_type(c, param, written, owner) : value_type(c, param, written, owner);
    check_default(c, param, type, owner);
    for (const syntax::Ident& name : c.ast.list(param.names)) {
      // A node is shared like a `ref` variable: its potentials.
      const bool node = static_cast<bool>(c.types.node_of(type));
      const DeclKind kind = param.is_ref || node ? DeclKind::RefParam : DeclKind::ValueParam;
      const DeclId decl = add(c, kind, name, type);
      c.model.decls[decl].ordinal = static_cast<std::int32_t>(info(c).params.size());
      c.model.decls[decl].initial = param.initial;
      info(c).params.push_back(decl);
      if (node) declare_flows(c, decl, name);
    }
  }
}

void declare_locals(Context& c, Slice<syntax::VarDecl> locals, OwnerKind owner) {
  for (const syntax::VarDecl& group : c.ast.list(locals)) {
    const TypeId type = local_type(c, group, resolve_type(c, group.type), owner);
    check_bounds(c, group, type);
    check_initial(c, group, type, owner);
    for (const syntax::Ident& name : c.ast.list(group.names)) {
      const DeclId decl = add(c, DeclKind::Local, name, type);
      Decl& d = c.model.decls[decl];
      d.ordinal = static_cast<std::int32_t>(info(c).locals.size());
      d.initial = group.initial;
      d.low = group.low;
      d.high = group.high;
      d.many = is_many(c, group.type);
      info(c).locals.push_back(decl);
    }
  }
}

void enter_params(Context& c) {
  for (DeclId decl : info(c).params) {
    const Symbol name = c.model.decls[decl].name;
    if (name && !declared_here(c, name)) c.scope.add(name, decl);
  }
}

void declare_index(Context& c, const syntax::Unwind& unwind) {
  TypeId type = resolve_type(c, unwind.type);
  const PlaceGuard place(c, Place::BeforeRun);
  if (!c.types.is_integer(type) && !c.types.is_unknown(type)) {
    c.report({.code = DiagCode::IndexType,
              .span = c.ast.types[unwind.type].span,
              .message = fmt::format("an index is `nat` or `int`, found `{}`", c.text(type))});
    type = c.unknown();
  }
  require_integer(c, unwind.low, "a range");
  require_integer(c, unwind.high, "a range");
  if (const DeclId hidden = declared_here(c, unwind.variable.name)) {
    c.report({.code = DiagCode::IndexHidesName,
              .span = unwind.variable.span,
              .message = fmt::format("index `{}` hides another `{}`", c.name_of(hidden),
                                     c.name_of(hidden)),
              .labels = {{c.model.decls[hidden].span, "declared here"}}});
  }
  const DeclId decl = c.declare(DeclKind::Index, unwind.variable, type);
  c.model.unwind_index[unwind.variable.span.begin] = decl;
  c.scope.add(unwind.variable.name, decl);
}

namespace {

void warn_channel(Context& c, DeclId decl) {
  const Decl& d = c.model.decls[decl];
  const auto found = c.ends.find(decl);
  const ChannelEnds ends = found == c.ends.end() ? ChannelEnds{} : found->second;
  if (!ends.send && !ends.receive) {
    c.report({.code = DiagCode::UnusedChannel,
              .span = d.span,
              .message = fmt::format("channel `{}` is never used", c.text(d.name))});
  } else if (!ends.send || !ends.receive) {
    c.report({.code = DiagCode::ChannelOneEnd,
              .span = d.span,
              .message = fmt::format("nothing {} channel `{}`",
                                     ends.send ? "receives from" : "sends to", c.text(d.name)),
              .help = "a communication needs both ends: this one waits for ever"});
  }
}

}  // namespace

void warn_unused(Context& c) {
  for (DeclId decl : info(c).locals) {
    const Decl& d = c.model.decls[decl];
    if (!d.name || c.types.is_unknown(d.type) || c.text(d.name).starts_with('_')) continue;
    if (c.types.channel_of(d.type)) {
      warn_channel(c, decl);
    } else if (!c.used[static_cast<std::size_t>(decl.index)]) {
      c.report({.code = DiagCode::UnusedVariable,
                .span = d.span,
                .message = fmt::format("variable `{}` is never used", c.text(d.name))});
    }
  }
}

}  // namespace chi::sema
