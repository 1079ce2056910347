#include <fmt/format.h>

#include "sema/expression_parts.h"
#include "sema/expressions.h"
#include "sema/paths.h"
#include "sema/suggest.h"

namespace chi::sema {
namespace {

struct Later {
  Span span;
  std::string_view help;
};

/// Where a parameter or a local of the definition being checked is declared, though not yet
/// visible.
std::optional<Later> declared_later(const Context& c, Symbol name) {
  using namespace syntax;
  if (c.definition < 0) return std::nullopt;
  const auto& node = c.ast.definitions[static_cast<std::size_t>(c.definition)].node;
  Slice<Param> parameters;
  Slice<VarDecl> locals;
  const auto look_at = [&](const auto* definition) {
    if (definition == nullptr) return;
    parameters = definition->parameters;
    locals = definition->locals;
  };
  look_at(std::get_if<FuncDef>(&node));
  look_at(std::get_if<ProcDef>(&node));
  look_at(std::get_if<SysDef>(&node));
  const auto find = [&](const auto& groups, std::string_view help) -> std::optional<Later> {
    for (const auto& group : groups) {
      for (const Ident& ident : c.ast.list(group.names)) {
        if (ident.name == name) return Later{ident.span, help};
      }
    }
    return std::nullopt;
  };
  const auto parameter =
      find(c.ast.list(parameters), "the type of a parameter may use the parameters before it");
  if (parameter) return parameter;
  return find(c.ast.list(locals), "an initialiser may use the variables declared before it");
}

void report_undeclared(Context& c, Symbol name, Span span) {
  const std::string help = suggest(c, name, Wanted::Value);
  const std::optional<Later> later =
      c.suggestions_left > 0 ? declared_later(c, name) : std::optional<Later>();
  if (later) {
    c.report({.code = DiagCode::DeclaredLater,
              .span = span,
              .message = fmt::format("`{}` is used before its declaration", c.text(name)),
              .labels = {{later->span, "declared here"}},
              .help = std::string(later->help)});
    return;
  }
  c.report({.code = DiagCode::UndeclaredName,
            .span = span,
            .message = fmt::format("`{}` is not declared", c.text(name)),
            .help = help});
}

void report_not_a_value(Context& c, DeclId decl, Span span) {
  const Decl& d = c.model.decls[decl];
  const char* kind = d.kind == DeclKind::TypeAlias ? "type"
                     : d.kind == DeclKind::Process ? "process"
                                                   : "system";
  c.report({.code = DiagCode::NotAValue,
            .span = span,
            .message = fmt::format("`{}` is a {}, not a value", c.text(d.name), kind),
            .labels = {{d.span, "declared here"}}});
}

void report_no_value(Context& c, DeclId decl, Span span) {
  const Decl& d = c.model.decls[decl];
  Diagnostic report{
      .code = DiagCode::NoValueBeforeRun,
      .span = span,
      .message = fmt::format("variable `{}` has no value before the run", c.text(d.name)),
      .labels = {{d.span, "declared here"}},
      .help = "constants, parameters and indices can stand here"};
  if (c.value_parameter) {
    const Decl& p = c.model.decls[c.value_parameter];
    report.labels.push_back({p.span, "this parameter takes a value"});
    report.help = fmt::format(
        "to share the variable, declare the parameter `ref {}: {}`; a value is a constant, a "
        "parameter or an index",
        c.text(p.name), c.text(p.type));
  }
  c.report(std::move(report));
}

/// The type a declaration has where its name is used as a value.
TypeId use(Context& c, DeclId decl, Span span) {
  const Decl& d = c.model.decls[decl];
  c.used[static_cast<std::size_t>(decl.index)] = 1;
  switch (d.kind) {
    case DeclKind::TypeAlias:
    case DeclKind::Process:
    case DeclKind::System: report_not_a_value(c, decl, span); return c.unknown();
    case DeclKind::ValueParam:
    case DeclKind::Index: ++c.open_names; return d.type;
    case DeclKind::RefParam:
    case DeclKind::Local:
      if (c.place == Place::BeforeRun && !c.types.is_unknown(d.type) &&
          !c.types.channel_of(d.type)) {
        report_no_value(c, decl, span);
        return c.unknown();
      }
      return d.type;
    case DeclKind::Constant:
    case DeclKind::Function: return d.type;
  }
  return c.unknown();
}

/// Reports a constant index outside an array of known length.
void check_range(Context& c, TypeId of, std::optional<std::int64_t> index, Span span) {
  if (!index) return;
  const auto array = c.as<Array>(of);
  const bool beyond = array && array->length >= 0 && *index >= array->length;
  if (*index >= 0 && !beyond) return;
  std::string help;
  if (array && array->length > 0) help = fmt::format("elements are 0 to {}", array->length - 1);
  if (!array && *index == -1) help = "the last element of a list is `hr(xs)`";
  c.report({.code = DiagCode::ConstantIndexRange,
            .span = span,
            .message = fmt::format("index {} is out of range for `{}`", *index, c.text(of)),
            .help = help});
}

TypeId element_of(const Context& c, TypeId of) {
  if (const auto array = c.as<Array>(of)) return array->element;
  if (const auto list = c.as<List>(of)) return list->element;
  return {};
}

void report_not_indexable(Context& c, ExprId of, TypeId type) {
  std::string help;
  if (c.as<Tuple>(type)) help = "elements of a tuple are written with a number: `.0`, `.1`";
  if (c.as<Record>(type)) help = "fields of a record are written with their name: `.a`";
  if (c.as<Dict>(type)) help = "values of a dictionary are written `d[k]`";
  if (c.as<Set>(type)) help = "a set has no order; `pick` gives an element";
  c.report({.code = DiagCode::NotIndexable,
            .span = c.span(of),
            .message = fmt::format("`{}` has no index", c.text(type)),
            .help = help});
}

/// `p.i` where p is a terminal and i a flow: what stands before the dot is about the flows then.
/// The steps to the name are array elements only, so each has the type of the flows where it had
/// that of the potentials. None if it is no flow of a terminal.
TypeId flow_of_terminal(Context& c, ExprId expr, const Record& node) {
  const auto& member = *c.node<syntax::Member>(expr);
  const Record flows = *c.as<Record>(c.types.node_info(node).flows);
  std::int32_t at = 0;
  for (const Field& field : c.types.list(flows.fields)) {
    if (field.name == member.member.name) break;
    ++at;
  }
  const DeclId root = root_of(c, member.of);
  const DeclId variable = root ? c.model.decls[root].flows : DeclId{};
  if (at == flows.fields.count || !variable) return {};
  for (ExprId e = member.of; e; e = whole_of(c.ast, e)) {
    if (c.types.node_of(c.model.type[e])) c.model.type[e] = c.types.flows_of(c.model.type[e]);
    if (c.node<syntax::Name>(e)) c.model.resolution[e] = variable;
  }
  c.model.field[expr] = at;
  return c.types.list(flows.fields)[static_cast<std::size_t>(at)].type;
}

TypeId member_of_record(Context& c, ExprId expr, const Record& record, TypeId type) {
  const auto& member = c.node<syntax::Member>(expr)->member;
  const auto fields = c.types.list(record.fields);
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == member.name) {
      c.model.field[expr] = static_cast<std::int32_t>(i);
      return fields[i].type;
    }
    names.push_back(c.text(fields[i].name));
  }
  if (record.node >= 0) {
    if (const TypeId flow = flow_of_terminal(c, expr, record)) return flow;
    for (const Field& f : c.types.list(c.as<Record>(c.types.node_info(record).flows)->fields)) {
      names.push_back(c.text(f.name));
    }
  }
  const std::string near = nearest(c.text(member.name), names);
  c.report({.code = DiagCode::UnknownField,
            .span = member.span,
            .message = fmt::format("`{}` has no field `{}`", c.text(type), c.text(member.name)),
            .help = near.empty() ? near : fmt::format("did you mean `{}`?", near)});
  return c.unknown();
}

/// `xs.len`: after a dot stands an index, and functions are called.
void report_undeclared_member(Context& c, const syntax::Member& node) {
  const std::string_view name = c.text(node.member.name);
  const bool length = name == "length" || name == "size" || name == "count";
  const bool last = name == "last" || name == "back";
  const bool library = c.builtin(node.member.name).has_value();
  if (!length && !last && !library) {
    report_undeclared(c, node.member.name, node.member.span);
    return;
  }
  const std::string_view function = length ? "len" : last ? "hr" : name;
  c.report({.code = DiagCode::UndeclaredName,
            .span = node.member.span,
            .message = fmt::format("`{}` is no index of a list or an array", name),
            .help = fmt::format("functions are called: `{}(xs)`", function)});
}

}  // namespace

TypeId check_name(Context& c, ExprId expr) {
  const Symbol name = c.node<syntax::Name>(expr)->name;
  if (!name) return c.unknown();
  if (const DeclId decl = c.scope.find(name)) {
    c.model.resolution[expr] = decl;
    c.check_ambiguous(name, decl, c.span(expr));
    return use(c, decl, c.span(expr));
  }
  if (const auto builtin = c.builtin(name)) {
    c.model.resolution[expr] = *builtin;
    if (*builtin == Builtin::Pi) return c.real_type();
    c.report({.code = DiagCode::NotAValue,
              .span = c.span(expr),
              .message = fmt::format("`{}` is a library function, not a value", c.text(name)),
              .help = "a function of your own can be passed as a value"});
    return c.unknown();
  }
  report_undeclared(c, name, c.span(expr));
  return c.unknown();
}

TypeId check_member(Context& c, ExprId expr, TypeId of) {
  const auto& node = *c.node<syntax::Member>(expr);
  const TypeId element = element_of(c, of);
  if (const auto record = c.as<Record>(of)) return member_of_record(c, expr, *record, of);
  const DeclId decl = node.member ? c.scope.find(node.member.name) : DeclId{};
  if (!element) {
    if (!c.types.is_unknown(of)) report_not_indexable(c, node.of, of);
    if (decl) c.used[static_cast<std::size_t>(decl.index)] = 1;
    return c.unknown();
  }
  if (!node.member) return element;
  if (!decl) {
    report_undeclared_member(c, node);
    return c.unknown();
  }
  c.model.resolution[expr] = decl;
  const TypeId index = use(c, decl, node.member.span);
  if (!c.types.is_unknown(index) && !c.types.is_integer(index)) {
    c.report({.code = DiagCode::IndexType,
              .span = node.member.span,
              .message = fmt::format("an index is an integer, found `{}`", c.text(index)),
              .labels = {{c.model.decls[decl].span, "declared here"}}});
  }
  const auto value = c.model.constant_values.find(decl);
  if (value != c.model.constant_values.end()) {
    const auto* known = std::get_if<std::int64_t>(&value->second.data);
    if (known) check_range(c, of, *known, node.member.span);
  }
  return element;
}

TypeId check_index(Context& c, ExprId expr, TypeId of) {
  const auto& node = *c.node<syntax::Index>(expr);
  if (const auto dict = c.as<Dict>(of)) {
    require(c, node.index, dict->key, "a key");
    return dict->value;
  }
  const TypeId index = check_expr(c, node.index);
  const TypeId element = element_of(c, of);
  if (!element) {
    if (!c.types.is_unknown(of)) report_not_indexable(c, node.of, of);
    return c.unknown();
  }
  if (!c.types.is_unknown(index) && !c.types.is_integer(index)) {
    c.report({.code = DiagCode::IndexType,
              .span = c.span(node.index),
              .message = fmt::format("an index is an integer, found `{}`", c.text(index))});
  } else {
    check_range(c, of, known_integer(c, node.index), c.span(node.index));
  }
  return element;
}

TypeId check_projection(Context& c, ExprId expr, TypeId of) {
  const auto& node = *c.node<syntax::Project>(expr);
  if (c.types.is_unknown(of)) return of;
  if (const TypeId element = element_of(c, of)) {
    check_range(c, of, node.index, node.index_span);
    return element;
  }
  const auto tuple = c.as<Tuple>(of);
  if (!tuple) {
    report_not_indexable(c, node.of, of);
    return c.unknown();
  }
  const auto elements = c.types.list(tuple->elements);
  if (node.index >= 0 && node.index < tuple->elements.count) {
    return elements[static_cast<std::size_t>(node.index)];
  }
  c.report({.code = DiagCode::BadProjection,
            .span = node.index_span,
            .message = fmt::format("`{}` has no element {}", c.text(of), node.index),
            .help = fmt::format("elements are .0 to .{}", tuple->elements.count - 1)});
  return c.unknown();
}

TypeId check_derivative(Context& c, ExprId expr, TypeId of) {
  if (c.types.is_unknown(of)) return of;
  const ExprId operand = c.node<syntax::Derivative>(expr)->of;
  const DeclId root = root_of(c, operand);
  if (!root || !is_variable(c, root)) {
    Diagnostic d{.code = DiagCode::NoDerivative, .span = c.span(expr)};
    d.message = root ? fmt::format("`{}` is not a variable and has no derivative", c.name_of(root))
                     : "only a variable has a derivative";
    if (root) d.labels.push_back({c.model.decls[root].span, "declared here"});
    if (root && c.model.decls[root].kind == DeclKind::ValueParam) {
      d.message = fmt::format("`{}` is a value parameter and has no derivative", c.name_of(root));
      d.help = fmt::format("a shared variable is declared `ref {}: {}`", c.name_of(root),
                           c.text(c.model.decls[root].type));
    }
    c.report(std::move(d));
    return c.unknown();
  }
  const Decl& decl = c.model.decls[root];
  if (c.place == Place::Function || c.place == Place::Initialiser || c.place == Place::Reference) {
    c.report({.code = DiagCode::DerivativePlace,
              .span = c.span(expr),
              .message = "a derivative has no value here",
              .help = "derivatives stand in equations and statements of a process"});
  } else if (!c.types.is_real_based(of)) {
    c.report({.code = DiagCode::NoDerivative,
              .span = c.span(expr),
              .message = fmt::format("`{}` is not real and has no derivative", c.text(decl.name)),
              .labels = {{decl.span, "declared here"}},
              .help = "only real variables change while time passes"});
    return c.unknown();
  } else if (!is_fixed_path(c, operand)) {
    c.report({.code = DiagCode::ElementNotFixed,
              .span = c.span(expr),
              .message = "which element is meant changes during the run",
              .help = "use constants, parameters and indices of an unwinding as index"});
  }
  return of;
}

}  // namespace chi::sema
