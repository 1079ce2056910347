#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "code/ir.h"
#include "flat/flat_model.h"

namespace chi::code {

struct LoweringContext;

/// The code of a boxed expression (flat::BlackBox). It is run on a frame of its own, in which the
/// variables of the process instance are known by their slots in memory.
struct BoxRoutine {
  /// `decl` is a variable or parameter of the instance: register `reg` is to hold the number of its
  /// first slot.
  struct Variable {
    sema::DeclId decl;
    std::int32_t reg = 0;
  };
  /// Registers from `reg` on are to hold the derivatives of the scalars of `decl`.
  struct Rate {
    sema::DeclId decl;
    std::int32_t reg = 0;
    std::int32_t slots = 0;
  };
  /// Register `reg` is to hold a whole number that is given: one for each of `BlackBox::steps`.
  struct Step {
    syntax::ExprId source;
    std::int32_t reg = 0;
  };
  Routine routine;  ///< run it from 0; ends with `Finish`
  std::vector<Variable> variables;
  std::vector<Rate> rates;
  std::vector<Step> steps;
  std::int32_t result = 0;  ///< register
  bool real = false;        ///< the result is a real number, not an integer or truth value
};

/// Lowers boxed expressions when they are needed: models are asked for new conditions during the
/// run. Adds constants and types to the program; a machine made before does not hold these
/// constants.
class BoxLowering {
 public:
  BoxLowering(flat::FlatModel& model, Program& program);
  ~BoxLowering();
  BoxRoutine lower(const flat::BlackBox& box);

 private:
  std::unique_ptr<LoweringContext> context_;
};

}  // namespace chi::code
