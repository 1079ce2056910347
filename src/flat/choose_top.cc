#include "flat/choose_top.h"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace chi::flat {
namespace {

enum class Part { None, Process, System, Experiment };

constexpr std::size_t kMaxListed = 12;

class TopChoice {
 public:
  TopChoice(const sema::TypedModel& model, Diagnostics& diagnostics)
      : model_(model), diagnostics_(diagnostics) {}

  std::optional<std::int32_t> named(std::string_view top) {
    std::vector<std::int32_t> parts;
    for (std::int32_t d = 0; d < count(); ++d) {
      if (kind(d) == Part::None) continue;
      if (!in_main(d)) continue;
      if (definition_name(model_, d) == top) return d;
      parts.push_back(d);
    }
    if (parts.empty()) return nothing();
    diagnostics_.report(
        {.code = DiagCode::UnknownTop,
         .message = fmt::format("the model has no system or process called `{}`", top),
         .help = "it has " + listed(parts)});
    return std::nullopt;
  }

  std::optional<std::int32_t> implied() {
    std::vector<std::int32_t> experiments, systems, processes;
    const std::vector<char> used = instantiated();
    for (std::int32_t d = 0; d < count(); ++d) {
      if (!in_main(d)) continue;  // what is imported does not run by itself
      const Part part = kind(d);
      if (part == Part::Experiment) experiments.push_back(d);
      if (used[static_cast<std::size_t>(d)] != 0) continue;
      if (part == Part::System) systems.push_back(d);
      if (part == Part::Process) processes.push_back(d);
    }
    for (const auto* parts : {&experiments, &systems, &processes}) {
      if (parts->size() == 1) return parts->front();
      if (!parts->empty()) return several(*parts);
    }
    return nothing();
  }

 private:
  std::int32_t count() const { return static_cast<std::int32_t>(model_.ast.definitions.size()); }

  bool in_main(std::int32_t d) const {
    return model_.ast.definitions[static_cast<std::size_t>(d)].file == 0;
  }

  Part kind(std::int32_t d) const {
    const auto& node = model_.ast.definitions[static_cast<std::size_t>(d)].node;
    if (std::holds_alternative<syntax::ProcDef>(node)) return Part::Process;
    const auto* system = std::get_if<syntax::SysDef>(&node);
    if (system == nullptr) return Part::None;
    return system->kind == syntax::SystemKind::System ? Part::System : Part::Experiment;
  }

  // Which definitions another one instantiates. Instances carry no owner; their text does.
  std::vector<char> instantiated() const {
    std::vector<char> used(static_cast<std::size_t>(count()), 0);
    for (syntax::InstanceId i{0}; i.index < model_.ast.instances.size(); ++i.index) {
      const std::int32_t target = model_.instance_of[i];
      if (target < 0) continue;
      const Span own = model_.ast.definitions[static_cast<std::size_t>(target)].span;
      const std::int32_t at = model_.ast.instances[i].span.begin;
      const bool by_itself = at >= own.begin && at < own.end;
      if (!by_itself) used[static_cast<std::size_t>(target)] = 1;
    }
    return used;
  }

  std::string listed(const std::vector<std::int32_t>& parts) const {
    std::string text;
    for (std::size_t i = 0; i < parts.size() && i < kMaxListed; ++i) {
      text += fmt::format("{}`{}`", i == 0 ? "" : ", ", definition_name(model_, parts[i]));
    }
    if (parts.size() > kMaxListed) text += fmt::format(" and {} more", parts.size() - kMaxListed);
    return text;
  }

  std::optional<std::int32_t> several(const std::vector<std::int32_t>& parts) {
    diagnostics_.report({.code = DiagCode::AmbiguousTop,
                         .message = "several parts of the model could run: " + listed(parts),
                         .help = "name one with --top"});
    return std::nullopt;
  }

  std::optional<std::int32_t> nothing() {
    diagnostics_.report({.code = DiagCode::NothingToRun,
                         .message = "the model has no system or process that could run"});
    return std::nullopt;
  }

  const sema::TypedModel& model_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<std::int32_t> choose_top(const sema::TypedModel& model, std::string_view top,
                                       Diagnostics& diagnostics) {
  TopChoice choice(model, diagnostics);
  return top.empty() ? choice.implied() : choice.named(top);
}

std::string_view definition_name(const sema::TypedModel& model, std::int32_t definition) {
  const auto& node = model.ast.definitions[static_cast<std::size_t>(definition)].node;
  const auto* process = std::get_if<syntax::ProcDef>(&node);
  const syntax::Ident name =
      process != nullptr ? process->name : std::get<syntax::SysDef>(node).name;
  return name ? model.ast.symbols.text(name.name) : "xper";
}

}  // namespace chi::flat
