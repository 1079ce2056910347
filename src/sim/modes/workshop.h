#pragma once
#include <functional>
#include <optional>
#include <string>

#include "code/formulas.h"
#include "code/machine.h"
#include "flat/flat_model.h"
#include "flat/scalars.h"
#include "sim/interface/frames.h"
#include "sim/interface/observer.h"
#include "sim/interface/run_options.h"
#include "structure/report.h"

namespace chi::sim {

/// What all parts of a run work with.
struct Workshop {
  flat::FlatModel& model;
  code::Machine& machine;
  const Frames& frames;
  const RunOptions& options;
  code::Boxes* boxes = nullptr;
  bool tells_sliding = false;  ///< somebody wants to know where parts slide
  /// The value of a discrete input: a variable that is no real, or a black box without continuous
  /// inputs. NaN if it failed.
  std::function<double(expr::DiscreteId)> discrete = {};

  /// Why a node of an expression has no value, if it is a black box that failed; `block` is the
  /// process instance to name if the box has none.
  std::function<std::optional<Diagnostic>(expr::ExprId node, std::int32_t block)> explain_box = {};

  /// Tells what the run goes on in spite of; may be none.
  std::function<void(Diagnostic)> warn = {};

  /// Whether a variable has a start value: by an initialiser or an assignment.
  std::function<bool(std::int32_t flat_slot)> is_set = {};

  expr::Pool& pool() const { return model.equations.pool; }
  /// What the modeller calls x, with its primes; unknowns of our own have no name in the model
  /// (Part::variable_name).
  std::string name_of(expr::VarRef x) const {
    std::string name = x.var.index < model.variable_slots ? flat::scalar_name(model, x.var.index)
                                                          : std::string("an unknown of χ's own");
    name.append(static_cast<std::size_t>(x.order), '\'');
    return name;
  }
  /// The same for explanations: with the name in results, and as it would be written.
  structure::NameOf names() const {
    return {[this](expr::VarId v) {
              return name_of({v, 0});
            },
            [this](expr::VarId v) {
              return v.index < model.variable_slots ? flat::written_name(model, v.index)
                                                    : name_of({v, 0});
            }};
  }
  /// The place of a flat slot in the machine's memory.
  code::Slot& memory(std::int32_t flat_slot) const {
    return machine.memory()[memory_slot(model, frames, flat_slot)];
  }
};

}  // namespace chi::sim
