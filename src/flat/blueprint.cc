#include "flat/blueprint.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "flat/expr_root.h"

namespace chi::flat {
namespace {

using sema::DeclId;
using sema::DeclKind;
using sema::TypedModel;
using sema::TypeId;
using syntax::InstanceId;

class Drafter {
 public:
  Drafter(const TypedModel& model, OpenLengths& lengths, Diagnostics& diagnostics)
      : model_(model), lengths_(lengths), diagnostics_(diagnostics) {}

  Blueprints draft() {
    out_.definitions.resize(model_.definitions.size());
    out_.names = Table<InstanceId, InstanceName>(model_.ast.instances.size(), {});
    for (std::size_t i = 0; i < model_.definitions.size(); ++i) draft_definition(i);
    starts_ = std::ranges::any_of(model_.ast.stats, [](const syntax::Stat& stat) {
      return std::holds_alternative<syntax::Start>(stat.node);
    });
    find_structural();
    find_channel_uses();
    return std::move(out_);
  }

 private:
  void draft_definition(std::size_t index) {
    const syntax::Definition& definition = model_.ast.definitions[index];
    const auto* system = std::get_if<syntax::SysDef>(&definition.node);
    const bool is_process = std::holds_alternative<syntax::ProcDef>(definition.node);
    if (system == nullptr && !is_process) return;
    Blueprint& print = out_.definitions[index];
    print.is_process = is_process;
    bool open = false;
    for (const DeclId d : model_.definitions[index].params) {
      BlueprintParam param = this->param(d);
      const bool has_default = static_cast<bool>(model_.decls[d].initial);
      open |= param.open;
      param.late = param.open || (has_default && open);
      print.has_defaults |= has_default;
      print.params.push_back(param);
    }
    for (const DeclId d : model_.definitions[index].locals) {
      const BlueprintLocal local = this->local(d);
      print.declares_channels |= local.is_channel;
      print.has_bounds |= local.bounded;
      print.locals.push_back(local);
    }
    if (system != nullptr) {
      print.instances = system->instances;
      name_instances(*system, print);
    }
  }

  BlueprintParam param(DeclId id) {
    const sema::Decl& decl = model_.decls[id];
    BlueprintParam param{.decl = id, .type = decl.type, .open = lengths_.contains(decl.type)};
    if (decl.kind == DeclKind::RefParam) {
      param.role = ParamRole::Variable;
    } else if (const sema::Channel* channel = channel_of(decl.type)) {
      param.role = ParamRole::Channel;
      param.sends = channel->direction == sema::Direction::Send;
      param.receives = channel->direction == sema::Direction::Receive;
    }
    return param;
  }

  BlueprintLocal local(DeclId id) const {
    const sema::Decl& decl = model_.decls[id];
    return {.decl = id,
            .type = decl.type,
            .is_channel = channel_of(decl.type) != nullptr,
            .bounded = decl.low || decl.high};
  }

  // The channel type of a channel or a bundle of bundles; null for data.
  const sema::Channel* channel_of(TypeId type) const {
    while (const auto* array = std::get_if<sema::Array>(&model_.types[type])) type = array->element;
    return std::get_if<sema::Channel>(&model_.types[type]);
  }

  // ---- names ----

  // What the instances of one system that share a base name have in common.
  struct BaseName {
    InstanceId first;
    bool labelled = false;
    bool many = false;  // several, or inside an unwinding
    std::vector<InstanceId> unlabelled = {};
  };

  void name_instances(const syntax::SysDef& system, Blueprint& print) {
    struct Item {
      InstanceId id;
      bool unwound = false;
    };
    std::vector<Item> stack;
    const auto push = [&](Slice<InstanceId> list, bool unwound) {
      const auto rows = model_.ast.list(list);
      for (auto it = rows.rbegin(); it != rows.rend(); ++it) stack.push_back({*it, unwound});
    };
    std::unordered_map<Symbol, BaseName> bases;
    push(system.instances, false);
    while (!stack.empty()) {
      const Item item = stack.back();
      stack.pop_back();
      const syntax::Instance& instance = model_.ast.instances[item.id];
      const bool unwound = item.unwound || instance.unwind;
      if (!instance.name) {
        push(instance.group, unwound);
      } else {
        enter_name(item.id, unwound, print, bases);
      }
    }
  }

  void enter_name(InstanceId id, bool unwound, Blueprint& print,
                  std::unordered_map<Symbol, BaseName>& bases) {
    const syntax::Instance& instance = model_.ast.instances[id];
    const bool labelled = static_cast<bool>(instance.label);
    const Symbol name = labelled ? instance.label.name : definition_name(id);
    out_.names[id] = {.base = name, .labelled = labelled};
    const auto [at, added] = bases.try_emplace(name, BaseName{.first = id, .labelled = labelled});
    BaseName& base = at->second;
    if (!added && labelled != base.labelled) return report_twice(name, base.first, id);
    if (labelled) return check_record_names(name, id, print);
    base.unlabelled.push_back(id);
    const bool was_many = base.many;
    base.many = was_many || unwound || base.unlabelled.size() > 1;
    if (!base.many) return;
    const std::int32_t group = was_many ? out_.names[base.first].group : print.name_groups++;
    if (!was_many) {
      for (const InstanceId earlier : base.unlabelled) out_.names[earlier].group = group;
    }
    out_.names[id].group = group;
  }

  // Not as it is written here: an import may give it another name.
  Symbol definition_name(InstanceId id) const {
    const auto definition = static_cast<std::size_t>(model_.instance_of[id]);
    return model_.decls[model_.definitions[definition].self].name;
  }

  void report_twice(Symbol name, InstanceId first, InstanceId second) {
    diagnostics_.report(
        {.code = DiagCode::NamesCollide,
         .span = name_span(second),
         .message = fmt::format("two instances of this system are called `{}`", text(name)),
         .labels = {{name_span(first), "the other one"}},
         .help = "results are named by labels, so each needs its own"});
  }

  // `M: P` makes names M.x, and so does a record variable M with a field x.
  void check_record_names(Symbol name, InstanceId id, const Blueprint& print) {
    for (const BlueprintLocal& local : print.locals) {
      const sema::Decl& decl = model_.decls[local.decl];
      if (decl.name != name || !holds_record(decl.type)) continue;
      diagnostics_.report(
          {.code = DiagCode::NamesCollide,
           .span = name_span(id),
           .message = fmt::format("`{}` is the name of an instance and of a record", text(name)),
           .labels = {{decl.span, "the record"}},
           .help = fmt::format("both would make result names `{}.x`", text(name))});
    }
  }

  bool holds_record(TypeId type) const {
    while (const auto* array = std::get_if<sema::Array>(&model_.types[type])) type = array->element;
    return std::holds_alternative<sema::Record>(model_.types[type]);
  }

  Span name_span(InstanceId id) const {
    const syntax::Instance& instance = model_.ast.instances[id];
    return instance.label ? instance.label.span : instance.name.span;
  }

  std::string_view text(Symbol symbol) const { return model_.ast.symbols.text(symbol); }

  // ---- structural parameters ----

  // Lengths and ranges are stretches of text that do not overlap; a parameter whose name stands in
  // one is structural. So two flat loops do, and no walk of the trees.
  void find_structural() {
    std::vector<char> seen(static_cast<std::size_t>(model_.decls.size()), 0);
    while (enter_structural(seen)) {
    }
    for (Blueprint& print : out_.definitions) std::ranges::sort(print.structural);
  }

  // Whether parameters were found that were not `seen` before: they may be given by parameters.
  bool enter_structural(std::vector<char>& seen) {
    bool found = false;
    std::vector<Span> spans = structural_spans();
    std::sort(spans.begin(), spans.end(), [](Span a, Span b) { return a.begin < b.begin; });
    for (syntax::ExprId e{0}; e.index < model_.ast.exprs.size(); ++e.index) {
      const auto* decl = std::get_if<DeclId>(&model_.resolution[e]);
      if (decl == nullptr || !*decl || model_.decls[*decl].kind != DeclKind::ValueParam) continue;
      const std::int32_t begin = model_.ast.exprs[e].span.begin;
      auto at = std::upper_bound(spans.begin(), spans.end(), begin,
                                 [](std::int32_t b, Span s) { return b < s.begin; });
      if (at == spans.begin() || begin >= (--at)->end) continue;
      char& known = seen[static_cast<std::size_t>(decl->index)];
      if (known == 0) enter_structural(model_.decls[*decl]);
      found |= known == 0;
      known = 1;
    }
    return found && starts_;
  }

  void enter_structural(const sema::Decl& decl) {
    Blueprint& print = out_.definitions[static_cast<std::size_t>(decl.owner)];
    if (print.params.empty()) return;  // a function's: no instances
    if (print.params[static_cast<std::size_t>(decl.ordinal)].role != ParamRole::Value) return;
    print.structural.push_back(decl.ordinal);
  }

  std::vector<Span> structural_spans() const {
    std::vector<Span> spans;
    const auto enter = [&](syntax::ExprId e) {
      if (e) spans.push_back(model_.ast.exprs[e].span);
    };
    const auto enter_range = [&](const syntax::Unwind& unwind) {
      if (!unwind) return;
      enter(unwind.low);
      enter(unwind.high);
    };
    for (const syntax::Type& type : model_.ast.types) {
      if (const auto* array = std::get_if<syntax::ArrayType>(&type.node)) enter(array->length);
    }
    for (const syntax::Equation& equation : model_.ast.equations) {
      if (const auto* u = std::get_if<syntax::UnwoundEquations>(&equation.node)) {
        enter_range(u->unwind);
      }
    }
    for (const syntax::Expr& e : model_.ast.exprs) {
      const auto* call = std::get_if<syntax::Call>(&e.node);
      const auto* builtin =
          call == nullptr ? nullptr : std::get_if<sema::Builtin>(&model_.resolution[call->callee]);
      if (builtin == nullptr || *builtin != sema::Builtin::Identity) continue;
      enter(model_.ast.list(call->arguments)[0]);
    }
    for (const syntax::Alternative& a : model_.ast.alternatives) enter_range(a.unwind);
    for (const syntax::Instance& i : model_.ast.instances) enter_range(i.unwind);
    for (const syntax::Stat& stat : model_.ast.stats) {
      const auto* start = std::get_if<syntax::Start>(&stat.node);
      if (start == nullptr) continue;
      const auto part = static_cast<std::size_t>(model_.instance_of[start->instance]);
      for (const std::int32_t k : out_.definitions[part].structural)
        enter(model_.arguments_of(start->instance)[static_cast<std::size_t>(k)]);
    }
    return spans;
  }

  // ---- channels ----

  // A parameter `-T` gives both ends; which of them a process holds, its statements tell.
  void find_channel_uses() {
    for (const syntax::Stat& stat : model_.ast.stats) {
      if (const auto* send = std::get_if<syntax::Send>(&stat.node)) {
        if (BlueprintParam* p = param_named_by(send->channel)) p->sends = true;
      } else if (const auto* receive = std::get_if<syntax::Receive>(&stat.node)) {
        if (BlueprintParam* p = param_named_by(receive->channel)) p->receives = true;
      }
    }
  }

  BlueprintParam* param_named_by(syntax::ExprId channel) {
    const DeclId id = root_decl(model_, channel);
    if (!id || model_.decls[id].kind != DeclKind::ValueParam) return nullptr;
    const sema::Decl& decl = model_.decls[id];
    Blueprint& print = out_.definitions[static_cast<std::size_t>(decl.owner)];
    if (print.params.empty()) return nullptr;
    return &print.params[static_cast<std::size_t>(decl.ordinal)];
  }

  const TypedModel& model_;
  OpenLengths& lengths_;
  Diagnostics& diagnostics_;
  Blueprints out_;
  bool starts_ = false;  // a process starts others
};

}  // namespace

Blueprints make_blueprints(const TypedModel& model, OpenLengths& lengths,
                           Diagnostics& diagnostics) {
  return Drafter(model, lengths, diagnostics).draft();
}

}  // namespace chi::flat
