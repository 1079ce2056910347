#include "sema/instances.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/declarations.h"
#include "sema/expressions.h"
#include "sema/paths.h"
#include "sema/suggest.h"

namespace chi::sema {
namespace {

using syntax::Direction;

class InstanceChecker {
 public:
  explicit InstanceChecker(Context& c) : c_(c) {}

  void check_all(Slice<syntax::InstanceId> instances) {
    for (syntax::InstanceId id : c_.ast.list(instances)) {
      const syntax::Instance& instance = c_.ast.instances[id];
      const std::size_t mark = c_.scope.enter();
      if (instance.unwind) declare_index(c_, instance.unwind);
      if (instance.name) {
        check_one(id, instance);
      } else {
        check_all(instance.group);
      }
      c_.scope.leave(mark);
    }
  }

  /// `start P(...)` in a process.
  void check_started(syntax::InstanceId id) {
    const syntax::Instance& instance = c_.ast.instances[id];
    const std::int32_t part = find_part(instance);
    c_.model.instance_of[id] = part;
    const auto arguments = c_.ast.list(instance.arguments);
    if (part < 0 || !may_be_started(part, instance)) return check_alone(arguments);
    const auto& params = c_.model.definitions[static_cast<std::size_t>(part)].params;
    const std::optional<std::vector<ExprId>> row = arrange(instance, params);
    if (!row) return check_alone(arguments);
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (!(*row)[i]) {
        c_.report({.code = DiagCode::StartArgument,
                   .span = instance.span,
                   .message = fmt::format("`start` gives no value for parameter `{}`",
                                          c_.name_of(params[i])),
                   .labels = {{c_.model.decls[params[i]].span, "the parameter"}},
                   .help = "a process that is started is given all its arguments"});
        continue;
      }
      check_argument((*row)[i], params[i]);
      check_lasts((*row)[i], params[i]);
    }
    keep(id, *row);
  }

 private:
  bool may_be_started(std::int32_t part, const syntax::Instance& instance) {
    const auto* process =
        std::get_if<syntax::ProcDef>(&c_.ast.definitions[static_cast<std::size_t>(part)].node);
    const DeclId self = c_.model.definitions[static_cast<std::size_t>(part)].self;
    if (process != nullptr && process->equations.empty()) return true;
    c_.report(
        {.code = DiagCode::NotStartable,
         .span = instance.name.span,
         .message =
             process == nullptr
                 ? fmt::format("`{}` is a system; only processes can be started", c_.name_of(self))
                 : fmt::format("`{}` has equations, and cannot be started", c_.name_of(self)),
         .labels = {{c_.model.decls[self].span, "declared here"}},
         .help = process == nullptr ? "start its processes one by one"
                                    : "the equations of a model are those that it starts "
                                      "with: declare the instance in a system, with a guard"});
    return false;
  }

  /// A variable that is shared with a process outlives it: only one of a system does for certain.
  void check_lasts(ExprId expr, DeclId param) {
    if (c_.model.decls[param].kind != DeclKind::RefParam) return;
    const DeclId root = root_of(c_, expr);
    if (!root || c_.model.decls[root].kind == DeclKind::RefParam) return;
    c_.report(
        {.code = DiagCode::StartArgument,
         .span = c_.span(expr),
         .message = fmt::format("`{}` may end before the process that shares it", c_.name_of(root)),
         .labels = {{c_.model.decls[root].span, "declared here"}},
         .help = "declare the variable in a system, and make it a `ref` parameter here"});
  }

  void keep(syntax::InstanceId id, const std::vector<ExprId>& row) {
    auto& list = c_.model.argument_list;
    c_.model.argument_rows[id] = {static_cast<std::int32_t>(list.size()),
                                  static_cast<std::int32_t>(row.size())};
    list.insert(list.end(), row.begin(), row.end());
  }

  void check_one(syntax::InstanceId id, const syntax::Instance& instance) {
    check_label(instance);
    const PlaceGuard place(c_, Place::BeforeRun);
    if (instance.priority) require_integer(c_, instance.priority, "a priority");
    const std::int32_t part = find_part(instance);
    c_.model.instance_of[id] = part;
    const auto arguments = c_.ast.list(instance.arguments);
    if (part < 0) return check_alone(arguments);
    const auto& params = c_.model.definitions[static_cast<std::size_t>(part)].params;
    const std::optional<std::vector<ExprId>> row = arrange(instance, params);
    if (!row) return check_alone(arguments);
    for (std::size_t i = 0; i < params.size(); ++i) {
      if ((*row)[i]) check_argument((*row)[i], params[i]);
    }
    keep(id, *row);
  }

  /// The argument of each parameter, by place or by name; empty exactly when it reported.
  std::optional<std::vector<ExprId>> arrange(const syntax::Instance& instance,
                                             const std::vector<DeclId>& params) {
    const auto arguments = c_.ast.list(instance.arguments);
    const auto names = c_.ast.list(instance.argument_names);
    const auto has_default = [&](DeclId p) { return static_cast<bool>(c_.model.decls[p].initial); };
    const auto required = static_cast<std::size_t>(
        std::ranges::count_if(params, [&](DeclId p) { return !has_default(p); }));
    const bool simple = names.empty() && required == params.size();
    if (arguments.size() > params.size() || (simple && arguments.size() != params.size())) {
      report_count(instance, params.size(), required);
      return std::nullopt;
    }
    std::vector<ExprId> row(params.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const syntax::Ident name = names.empty() ? syntax::Ident{} : names[i];
      const auto at = name ? parameter_named(instance, params, name) : std::optional(i);
      if (!at || !may_stand(names, i, arguments[i])) return std::nullopt;
      if (row[*at]) {
        report_twice(params[*at], name.span, row[*at]);
        return std::nullopt;
      }
      row[*at] = arguments[i];
    }
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (row[i] || has_default(params[i])) continue;
      report_missing(instance, params[i]);
      return std::nullopt;
    }
    return row;
  }

  /// Whether argument `i` stands where it may: positional ones come first.
  bool may_stand(std::span<const syntax::Ident> names, std::size_t i, ExprId argument) {
    if (i == 0 || names.empty() || names[i] || !names[i - 1]) return true;
    c_.report({.code = DiagCode::PositionalAfterNamed,
               .span = c_.span(argument),
               .message = "an argument without a name after one with a name",
               .labels = {{names[i - 1].span, "named here"}},
               .help = "arguments without a name come first"});
    return false;
  }

  std::optional<std::size_t> parameter_named(const syntax::Instance& instance,
                                             const std::vector<DeclId>& params,
                                             syntax::Ident name) {
    std::vector<std::string_view> known;
    std::string all;
    for (std::size_t k = 0; k < params.size(); ++k) {
      if (c_.model.decls[params[k]].name == name.name) return k;
      known.push_back(c_.name_of(params[k]));
      all += fmt::format("{}`{}`", all.empty() ? "" : ", ", known.back());
    }
    const std::string near = nearest(c_.text(name.name), known);
    std::string help = !near.empty() ? fmt::format("did you mean `{}`?", near)
                       : all.empty() ? "it has no parameters"
                                     : "it has " + all;
    help += "\na comparison stands in parentheses: `(a = b)`";
    const DeclId decl = c_.top_level[instance.name.name];
    c_.report({.code = DiagCode::NoSuchParameter,
               .span = name.span,
               .message = fmt::format("`{}` has no parameter `{}`", c_.text(instance.name.name),
                                      c_.text(name.name)),
               .labels = {{c_.model.decls[decl].span, "declared here"}},
               .help = std::move(help)});
    return std::nullopt;
  }

  void report_twice(DeclId param, Span span, ExprId first) {
    c_.report({.code = DiagCode::ArgumentTwice,
               .span = span,
               .message = fmt::format("parameter `{}` is given twice", c_.name_of(param)),
               .labels = {{c_.span(first), "first given here"}}});
  }

  void report_missing(const syntax::Instance& instance, DeclId param) {
    const Decl& p = c_.model.decls[param];
    const bool value = p.kind == DeclKind::ValueParam && !c_.types.channel_of(p.type);
    c_.report(
        {.code = DiagCode::ArgumentMissing,
         .span = instance.span,
         .message = fmt::format("`{}` needs an argument for parameter `{}`",
                                c_.text(instance.name.name), c_.text(p.name)),
         .labels = {{p.span, "the parameter"}},
         .help = fmt::format("write `{} = ...` among the arguments{}", c_.text(p.name),
                             value ? ", or give the parameter a default value with `:=`" : "")});
  }

  void check_label(const syntax::Instance& instance) {
    if (!instance.label) return;
    const auto [at, added] = labels_.emplace(instance.label.name, instance.label.span);
    if (added) return;
    c_.report({.code = DiagCode::DuplicateLabel,
               .span = instance.label.span,
               .message = fmt::format("label `{}` is used twice", c_.text(instance.label.name)),
               .labels = {{at->second, "first used here"}}});
  }

  /// The definition an instance refers to; -1 after a report.
  std::int32_t find_part(const syntax::Instance& instance) {
    const DeclId decl = c_.top_level[instance.name.name];
    if (!decl) {
      c_.report(
          {.code = DiagCode::UndeclaredName,
           .span = instance.name.span,
           .message = fmt::format("process `{}` is not declared", c_.text(instance.name.name)),
           .help = suggest(c_, instance.name.name, Wanted::Part)});
      return -1;
    }
    c_.check_ambiguous(instance.name.name, decl, instance.name.span);
    const Decl& d = c_.model.decls[decl];
    const auto& node = c_.ast.definitions[static_cast<std::size_t>(d.owner)].node;
    const auto* system = std::get_if<syntax::SysDef>(&node);
    const bool experiment = system && system->kind == syntax::SystemKind::Experiment;
    const bool part = d.kind == DeclKind::Process || d.kind == DeclKind::System;
    if (part && !experiment) return d.owner;
    c_.report(
        {.code = DiagCode::NotAProcess,
         .span = instance.name.span,
         .message = experiment
                        ? fmt::format("experiment `{}` cannot be part of a system", c_.text(d.name))
                        : fmt::format("`{}` is not a process or system", c_.text(d.name)),
         .labels = {{d.span, "declared here"}}});
    return -1;
  }

  /// Arguments of an unknown part: what they mention counts as used, at both ends.
  void check_alone(std::span<const ExprId> arguments) {
    const PlaceGuard place(c_, Place::Reference);
    for (ExprId e : arguments) {
      check_expr(c_, e);
      if (const DeclId root = root_of(c_, e)) c_.ends[root] = {true, true};
    }
  }

  void report_count(const syntax::Instance& instance, std::size_t wanted, std::size_t required) {
    const DeclId decl = c_.top_level[instance.name.name];
    c_.report(
        {.code = DiagCode::ArgumentCount,
         .span = instance.span,
         .message = fmt::format("`{}` takes {}{} argument{}, found {}", c_.text(instance.name.name),
                                required < wanted ? "at most " : "", wanted, wanted == 1 ? "" : "s",
                                instance.arguments.count),
         .labels = {{c_.model.decls[decl].span, "declared here"}}});
  }

  void check_argument(ExprId expr, DeclId param) {
    const Decl p = c_.model.decls[param];
    if (p.kind == DeclKind::RefParam) return check_reference(expr, p);
    if (c_.types.channel_of(p.type)) return check_channels(expr, p);
    c_.value_parameter = param;
    check_value(expr, p);
    c_.value_parameter = {};
  }

  void check_value(ExprId expr, const Decl& p) {
    const TypeId type = check_expr(c_, expr, p.type);
    if (c_.types.is_unknown(type)) return;
    if (const TypeId end = c_.types.channel_of(p.type)) note_end(expr, end);
    if (fits(c_.types, type, p.type)) {
      require_fits(c_, expr, type, p.type, {});  // a negative literal for a nat
      return;
    }
    c_.report({.code = DiagCode::TypeMismatch,
               .span = c_.span(expr),
               .message = fmt::format("expected `{}` for parameter `{}`, found `{}`",
                                      c_.text(p.type), c_.text(p.name), c_.text(type)),
               .labels = {{p.span, "declared here"}}});
  }

  /// A channel, a bundle, or a bundle that the argument builds: `[a, b, c.2]`, for each element of
  /// which `p` then has the type of an element.
  void check_channels(ExprId expr, const Decl& p) {
    const ExprId inner = strip(c_.ast, expr);
    const auto* row = c_.node<syntax::ListExpr>(inner);
    const auto bundle = c_.as<Array>(p.type);
    if (row == nullptr || !bundle) {
      if (!report_no_channel(expr, p)) check_value(expr, p);
      return;
    }
    const Array wanted = *bundle;
    const auto elements = c_.ast.list(row->elements);
    if (wanted.length >= 0 && wanted.length != static_cast<std::int64_t>(elements.size())) {
      c_.report({.code = DiagCode::TypeMismatch,
                 .span = c_.span(expr),
                 .message = fmt::format("expected {} channels for parameter `{}`, found {}",
                                        wanted.length, c_.text(p.name), elements.size()),
                 .labels = {{p.span, "declared here"}}});
    }
    Decl element = p;
    element.type = wanted.element;
    for (const ExprId e : elements) check_channels(e, element);
    c_.model.type[expr] = c_.model.type[inner] = p.type;
  }

  /// A variable where a channel is wanted.
  bool report_no_channel(ExprId expr, const Decl& p) {
    const auto* name = c_.node<syntax::Name>(strip(c_.ast, expr));
    const DeclId decl = name ? c_.scope.find(name->name) : DeclId{};
    if (!decl || !is_variable(c_, decl)) return false;
    const Decl& d = c_.model.decls[decl];
    if (c_.types.is_unknown(d.type) || c_.types.channel_of(d.type)) return false;
    c_.used[static_cast<std::size_t>(decl.index)] = 1;
    const TypeId element = c_.as<Channel>(c_.types.channel_of(p.type))->element;
    c_.report(
        {.code = DiagCode::TypeMismatch,
         .span = c_.span(expr),
         .message = fmt::format("expected a channel `{}` for parameter `{}`, found variable "
                                "`{}` of type `{}`",
                                c_.text(p.type), c_.text(p.name), c_.text(d.name), c_.text(d.type)),
         .labels = {{d.span, "declared here"}, {p.span, "the parameter"}},
         .help =
             fmt::format("a channel is declared `{}: -{}`", c_.text(d.name), c_.text(element))});
    return true;
  }

  void note_end(ExprId expr, TypeId channel) {
    const DeclId root = root_of(c_, expr);
    if (!root) return;
    ChannelEnds& ends = c_.ends[root];
    const Direction direction = c_.as<Channel>(channel)->direction;
    ends.send = ends.send || direction == Direction::Send;
    ends.receive = ends.receive || direction == Direction::Receive;
  }

  void report_no_node(ExprId expr, TypeId found, const Decl& p) {
    const bool node = static_cast<bool>(c_.types.node_of(found));
    Diagnostic d{.code = DiagCode::WrongNodeType,
                 .span = c_.span(expr),
                 .message = fmt::format("terminal `{}` is a `{}`, found `{}`", c_.text(p.name),
                                        c_.text(p.type), c_.text(found)),
                 .labels = {{p.span, "the terminal"}}};
    if (const DeclId root = root_of(c_, expr)) {
      d.labels.push_back({c_.model.decls[root].span, "declared here"});
    }
    const bool same = node && c_.types.node_of(found) == c_.types.node_of(p.type);
    d.help = same   ? "a terminal that is an array takes an array of nodes of its length"
             : node ? "two node types are different even if their fields are equal"
                    : fmt::format("a node is declared in a system: `a: {}`", c_.text(p.type));
    c_.report(std::move(d));
  }

  void check_reference(ExprId expr, const Decl& p) {
    const PlaceGuard place(c_, Place::Reference);
    const TypeId type = check_expr(c_, expr, p.type);
    if (c_.types.is_unknown(type)) return;
    const DeclId root = root_of(c_, expr);
    if (c_.types.node_of(p.type) && (!root || !same_type(c_.types, type, p.type))) {
      return report_no_node(expr, type, p);
    }
    const bool derivative = c_.node<syntax::Derivative>(strip(c_.ast, expr)) != nullptr;
    if (!root || !is_variable(c_, root) || derivative) {
      c_.report({.code = DiagCode::RefArgument,
                 .span = c_.span(expr),
                 .message = fmt::format("parameter `{}` shares a variable; this is a value",
                                        c_.text(p.name)),
                 .labels = {{p.span, "declared `ref` here"}}});
    } else if (!same_type(c_.types, type, p.type)) {
      c_.report({.code = DiagCode::RefArgument,
                 .span = c_.span(expr),
                 .message = fmt::format("parameter `{}` shares a `{}`, found `{}`", c_.text(p.name),
                                        c_.text(p.type), c_.text(type)),
                 .labels = {{p.span, "declared `ref` here"}},
                 .help = "a shared variable has exactly the type of the parameter"});
    } else if (!is_fixed_path(c_, expr)) {
      c_.report({.code = DiagCode::ElementNotFixed,
                 .span = c_.span(expr),
                 .message = "which element is shared changes during the run",
                 .help = "use constants, parameters and indices of an unwinding as index"});
    }
  }

  Context& c_;
  std::unordered_map<Symbol, Span> labels_;
};

/// The systems that each system instantiates, with the place.
class Nesting {
 public:
  explicit Nesting(Context& c) : c_(c), uses_(c.ast.definitions.size()), state_(uses_.size()) {
    for (std::size_t d = 0; d < uses_.size(); ++d) {
      const auto* system = std::get_if<syntax::SysDef>(&c.ast.definitions[d].node);
      if (system) collect(d, system->instances);
    }
  }

  void check() {
    for (std::size_t d = 0; d < uses_.size(); ++d) {
      if (state_[d] == New) search(d);
    }
  }

 private:
  struct Use {
    std::size_t system;
    Span span;
  };
  struct Visit {
    std::size_t system;
    std::size_t next;
  };
  enum State : std::uint8_t { New, Active, Done };

  void collect(std::size_t d, Slice<syntax::InstanceId> instances) {
    std::vector<Slice<syntax::InstanceId>> pending{instances};
    while (!pending.empty()) {
      const auto slice = pending.back();
      pending.pop_back();
      for (syntax::InstanceId id : c_.ast.list(slice)) {
        const syntax::Instance& instance = c_.ast.instances[id];
        const std::int32_t part = c_.model.instance_of[id];
        if (!instance.name) {
          pending.push_back(instance.group);
        } else if (part >= 0) {
          uses_[d].push_back({static_cast<std::size_t>(part), instance.name.span});
        }
      }
    }
  }

  void search(std::size_t start) {
    std::vector<Visit> path{{start, 0}};
    state_[start] = Active;
    while (!path.empty()) {
      Visit& top = path.back();
      if (top.next == uses_[top.system].size()) {
        state_[top.system] = Done;
        path.pop_back();
        continue;
      }
      const Use use = uses_[top.system][top.next++];
      if (state_[use.system] == Active) {
        report(path, use);
      } else if (state_[use.system] == New) {
        state_[use.system] = Active;
        path.push_back({use.system, 0});
      }
    }
  }

  void report(const std::vector<Visit>& path, const Use& back) {
    auto first = path.begin();
    while (first->system != back.system) ++first;
    const auto name = [&](std::size_t d) { return c_.name_of(c_.model.definitions[d].self); };
    Diagnostic d{.code = DiagCode::SystemInItself, .span = back.span};
    if (first + 1 == path.end()) {
      d.message = fmt::format("system `{}` contains itself", name(back.system));
    } else {
      d.message = fmt::format("system `{}` contains itself, through `{}`", name(back.system),
                              name((first + 1)->system));
      for (auto v = first; v + 1 != path.end() && d.labels.size() < 5; ++v) {
        d.labels.push_back(
            {uses_[v->system][v->next - 1].span,
             fmt::format("`{}` contains `{}`", name(v->system), name((v + 1)->system))});
      }
    }
    c_.report(std::move(d));
  }

  Context& c_;
  std::vector<std::vector<Use>> uses_;
  std::vector<State> state_;
};

}  // namespace

void check_instances(Context& c, Slice<syntax::InstanceId> instances) {
  InstanceChecker(c).check_all(instances);
}

void check_start(Context& c, syntax::InstanceId instance) {
  InstanceChecker(c).check_started(instance);
}

void check_nesting(Context& c) { Nesting(c).check(); }

}  // namespace chi::sema
