#include "flat/flatten_equations.h"

#include <utility>
#include <vector>

#include "flat/apply_substitutes.h"
#include "flat/equation_walk.h"
#include "flat/instance_note.h"
#include "flat/memories.h"

namespace chi::flat {

bool flatten_equations(FlatModel& model, Diagnostics& diagnostics) {
  EquationWalk walk(model);
  std::vector<Substitution> substitutions;
  std::vector<DiscreteEquation> discrete;
  std::vector<char> broken(model.typed.definitions.size(), 0);  // reported once, not per instance
  bool good = true;
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const auto definition = static_cast<std::size_t>(model.bodies[model.blocks[b].body].definition);
    const auto& node = model.typed.ast.definitions[definition].node;
    const auto* process = std::get_if<syntax::ProcDef>(&node);
    if (process == nullptr || process->equations.empty() || broken[definition] != 0) continue;
    Diagnostics found;
    if (!walk.add(static_cast<std::int32_t>(b), {}, process->equations, model.equations.system,
                  substitutions, discrete, found)) {
      report_for_instance(found, model.blocks[b], diagnostics);
      broken[definition] = 1;
      good = false;
    }
  }
  if (!good) return false;
  add_balances(model);
  Memories memories(model, std::move(discrete), diagnostics);
  if (!memories.find(substitutions)) return false;
  if (!apply_substitutes(model, std::move(substitutions), diagnostics)) return false;
  memories.apply();
  settle_implied(model);
  return true;
}

}  // namespace chi::flat
