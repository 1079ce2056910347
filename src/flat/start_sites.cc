#include "flat/start_sites.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "flat/expr_root.h"

namespace chi::flat {
namespace {

using sema::DeclId;
using syntax::ExprId;
using syntax::InstanceId;

class StartSites {
 public:
  StartSites(FlatModel& model, const Blueprints& blueprints, BodyTable& bodies,
             Diagnostics& diagnostics)
      : model_(model), prints_(blueprints), bodies_(bodies), diagnostics_(diagnostics) {
    of_definition_.resize(model.typed.definitions.size());
    for (std::size_t d = 0; d < of_definition_.size(); ++d) {
      const auto* process = std::get_if<syntax::ProcDef>(&model.typed.ast.definitions[d].node);
      if (process != nullptr) collect(process->body, of_definition_[d]);
    }
  }

  bool find() {
    const int before = diagnostics_.error_count();
    // Bodies are added on the way; they may start others.
    for (BodyId b{0}; b.index < model_.bodies.size(); ++b.index) {
      const auto definition = static_cast<std::size_t>(model_.bodies[b].definition);
      for (const InstanceId instance : of_definition_[definition]) enter(b, instance);
    }
    for (const Process& process : model_.processes) check_channels(process);
    return diagnostics_.error_count() == before;
  }

 private:
  void collect(Slice<syntax::StatId> body, std::vector<InstanceId>& out) const {
    const syntax::Ast& ast = model_.typed.ast;
    std::vector<Slice<syntax::StatId>> todo{body};
    const auto each = [&](Slice<syntax::Alternative> alternatives) {
      for (const syntax::Alternative& a : ast.list(alternatives)) todo.push_back(a.body);
    };
    while (!todo.empty()) {
      const Slice<syntax::StatId> slice = todo.back();
      todo.pop_back();
      for (const syntax::StatId id : ast.list(slice)) {
        const auto& node = ast.stats[id].node;
        if (const auto* start = std::get_if<syntax::Start>(&node)) out.push_back(start->instance);
        if (const auto* select = std::get_if<syntax::Select>(&node)) each(select->alternatives);
        if (const auto* loop = std::get_if<syntax::Loop>(&node)) each(loop->alternatives);
        if (const auto* delay = std::get_if<syntax::Delay>(&node)) each(delay->otherwise);
        if (const auto* forever = std::get_if<syntax::Forever>(&node))
          todo.push_back(forever->body);
      }
    }
    std::sort(out.begin(), out.end(), [](InstanceId a, InstanceId b) { return a.index < b.index; });
  }

  void enter(BodyId in, InstanceId instance) {
    const std::int32_t definition = model_.typed.instance_of[instance];
    const Blueprint& print = prints_.definitions[static_cast<std::size_t>(definition)];
    const auto arguments = model_.typed.arguments_of(instance);
    sema::Environment values;
    for (const std::int32_t k : print.structural) {
      const BlueprintParam& param = print.params[static_cast<std::size_t>(k)];
      const ExprId argument = arguments[static_cast<std::size_t>(k)];
      Diagnostics found;
      auto value =
          sema::evaluate(model_.typed, argument, param.type, model_.bodies[in].structural, found);
      if (!value) return report_length(argument, param.decl);
      values[param.decl] = *std::move(value);
    }
    const auto body = bodies_.find(definition, values, diagnostics_);
    if (body) model_.starts.push_back({.in = in, .instance = instance, .body = *body});
  }

  void report_length(ExprId argument, DeclId param) {
    if (!reported_.insert(argument.index).second) return;
    const sema::Decl& decl = model_.typed.decls[param];
    diagnostics_.report(
        {.code = DiagCode::StartLength,
         .span = model_.typed.ast.exprs[argument].span,
         .message = fmt::format("`{}` decides a length or a range, and this is not known before "
                                "the run",
                                model_.typed.ast.symbols.text(decl.name)),
         .labels = {{decl.span, "the parameter"}},
         .help = "give a constant or a parameter, or use a list instead of an array"});
  }

  /// A channel that a process gives to those that it starts has several senders or receivers.
  void check_channels(const Process& process) {
    const Block& block = model_.blocks[static_cast<std::size_t>(process.block)];
    const auto definition = static_cast<std::size_t>(model_.bodies[block.body].definition);
    for (const InstanceId instance : of_definition_[definition]) {
      for (const ExprId argument : channels_in(model_.typed.arguments_of(instance))) {
        const DeclId root = root_decl(model_.typed, argument);
        if (!root || model_.typed.decls[root].kind != sema::DeclKind::ValueParam) continue;
        const auto k = static_cast<std::size_t>(model_.typed.decls[root].ordinal);
        const auto* bound = std::get_if<BoundChannels>(&block.bindings[k]);
        if (bound == nullptr) continue;
        for (const ChannelId id : bound->channels) {
          if (model_.channels[id].many >= 0) continue;
          report_channel(argument, model_.channels[id]);
          break;
        }
      }
    }
  }

  /// The arguments; of a bundle that an argument builds, `[a, b]`, its elements.
  std::vector<ExprId> channels_in(std::span<const ExprId> arguments) const {
    const syntax::Ast& ast = model_.typed.ast;
    std::vector<ExprId> all;
    std::vector<ExprId> todo(arguments.rbegin(), arguments.rend());
    while (!todo.empty()) {
      const ExprId argument = todo.back();
      todo.pop_back();
      const auto* row = std::get_if<syntax::ListExpr>(&ast.exprs[argument].node);
      if (row == nullptr) {
        all.push_back(argument);
        continue;
      }
      const auto elements = ast.list(row->elements);
      todo.insert(todo.end(), elements.rbegin(), elements.rend());
    }
    return all;
  }

  void report_channel(ExprId argument, const Channel& channel) {
    if (!reported_.insert(argument.index).second) return;
    diagnostics_.report(
        {.code = DiagCode::NotOfMany,
         .span = model_.typed.ast.exprs[argument].span,
         .message = fmt::format("channel `{}` is given to processes that are started, and has one "
                                "sender and one receiver",
                                channel.name),
         .labels = {{channel.span, "the channel"}},
         .help = fmt::format("declare it `-{} many`",
                             model_.typed.types.text(channel.element, model_.typed.ast.symbols))});
  }

  FlatModel& model_;
  const Blueprints& prints_;
  BodyTable& bodies_;
  Diagnostics& diagnostics_;
  std::vector<std::vector<InstanceId>> of_definition_;
  std::unordered_set<std::int32_t> reported_;  // arguments
};

}  // namespace

bool find_start_sites(FlatModel& model, const Blueprints& blueprints, BodyTable& bodies,
                      Diagnostics& diagnostics) {
  return StartSites(model, blueprints, bodies, diagnostics).find();
}

}  // namespace chi::flat
