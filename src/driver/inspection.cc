#include "driver/inspection.h"

namespace chi::driver {

Inspection::Inspection(Compiled& compiled, const sim::RunOptions& options)
    : compiled_(compiled), run_(*compiled.model, *compiled.program, options) {}

const sim::Outcome& Inspection::run() {
  outcome_ = scheduler().run();
  if (engine() != nullptr && !outcome_.failed()) engine()->bring_all();
  return outcome_;
}

}  // namespace chi::driver
