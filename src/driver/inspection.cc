#include "driver/inspection.h"

namespace chi::driver {

Inspection::Inspection(Compiled& compiled, const sim::RunOptions& options)
    : compiled_(compiled),
      options_(options),
      scheduler_(*compiled.model, *compiled.program, options_) {
  if (!sim::needs_physics(*compiled.model, *compiled.program)) return;
  engine_ = std::make_unique<sim::Engine>(*compiled.model, *compiled.program, scheduler_.machine(),
                                          scheduler_.frames(), options_);
  scheduler_.physics = engine_.get();
}

const sim::Outcome& Inspection::run() {
  outcome_ = scheduler_.run();
  if (engine_ && !outcome_.failed()) engine_->bring_all();
  return outcome_;
}

}  // namespace chi::driver
