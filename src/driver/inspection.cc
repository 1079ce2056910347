#include "driver/inspection.h"

#include <new>

namespace chi::driver {

Inspection::Inspection(Compiled& compiled, const sim::RunOptions& options)
    : compiled_(compiled), run_(*compiled.model, *compiled.program, options) {}

const sim::Outcome& Inspection::run() {
  outcome_ = scheduler().run();
  if (const auto* asked = std::get_if<sim::Interrupted>(&outcome_.why))
    throw Cancelled{asked->cause};
  if (std::holds_alternative<sim::OutOfMemory>(outcome_.why)) throw std::bad_alloc();
  if (engine() != nullptr && !outcome_.failed()) engine()->bring_all();
  return outcome_;
}

}  // namespace chi::driver
