#include "driver/dump.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "code/dump.h"
#include "driver/analyse.h"
#include "driver/structure_text.h"
#include "flat/dump.h"
#include "results/trace.h"
#include "sema/dump.h"

namespace chi::driver {
namespace {

constexpr std::array<std::string_view, 7> kStages = {"tokens", "ast",  "typed", "flat",
                                                     "ir",     "plan", "modes"};

std::string tree(const syntax::Ast& ast, const syntax::Definition& definition) {
  return syntax::indented(syntax::dump(ast, definition));
}

}  // namespace

std::span<const std::string_view> stage_names() { return kStages; }

std::optional<Stage> stage_named(std::string_view name) {
  const auto found = std::find(kStages.begin(), kStages.end(), name);
  if (found == kStages.end()) return std::nullopt;
  return static_cast<Stage>(found - kStages.begin());
}

Dump::Dump(Stage stage, std::string filter, const SourceFile& source)
    : stage_(stage), filter_(std::move(filter)), source_(source) {
  if (filter_.empty()) return;
  wanted_ = [this](std::string_view name) { return results::matches({filter_}, name); };
}

void Dump::after(const syntax::Tokens& tokens) {
  if (stage_ != Stage::Tokens) return;
  if (source_.file_count() > 1) text_ += fmt::format("file {}\n", tokens.source->name());
  text_ += syntax::dump(tokens, wanted_);
  complete_ = true;  // once all files are read
}

void Dump::after(const syntax::Ast& ast) {
  if (stage_ != Stage::Ast) return;
  for (const syntax::Definition& definition : ast.definitions) {
    if (wanted_ && !wanted_(syntax::name_of(ast, definition))) continue;
    text_ += tree(ast, definition);
  }
  complete_ = true;
}

void Dump::after(const sema::TypedModel& typed) {
  if (stage_ != Stage::Typed) return;
  text_ = sema::dump(typed, wanted_);
  complete_ = true;
}

void Dump::after(const flat::FlatModel& flat) {
  if (stage_ != Stage::Flat) return;
  text_ = flat::dump(flat, source_, wanted_);
  complete_ = true;
}

void Dump::after(const code::Program& program) {
  if (stage_ != Stage::Ir) return;
  text_ = code::dump(program, source_, wanted_);
  complete_ = true;
}

void Dump::after(const ModelStructure& structure) {
  ModelStructure kept = structure;
  const auto other = [this](const ModeStructure& mode) { return !mentions(mode); };
  if (wanted_) {
    std::erase_if(kept.parts, other);
    std::erase_if(kept.met, other);
  }
  text_ = structure_text(kept, Extent::Whole);
  complete_ = true;
}

bool Dump::mentions(const ModeStructure& mode) const {
  const std::array<const std::vector<std::string>*, 4> lists = {&mode.knowns, &mode.unknowns_ip,
                                                                &mode.unknowns_ivp, &mode.states};
  return std::ranges::any_of(
      lists, [&](const auto* names) { return std::ranges::any_of(*names, wanted_); });
}

}  // namespace chi::driver
