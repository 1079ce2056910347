#include "sim/interface/physics.h"

namespace chi::sim {

bool needs_physics(const flat::FlatModel& model, const code::Program& program) {
  const flat::EquationSet& system = model.equations.system;
  return !system.equations.empty() || !system.unknowns.empty() || system.choices.size() > 0 ||
         !model.equations.substitutions.empty() || !model.equations.memories.empty() ||
         !program.conditions.empty() ||
         !program.values.empty() || !program.instants.empty();
}

}  // namespace chi::sim
