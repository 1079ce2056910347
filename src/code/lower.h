#pragma once
#include <memory>

#include "code/ir.h"
#include "flat/flat_model.h"

namespace chi::code {

struct LowerOptions {
  /// `--choice random`: a selection evaluates all its guards and leaves the choice to the
  /// scheduler.
  bool random_choice = false;
};

/// Translates the bodies and functions of a flat model to the IR. A correct model cannot fail here.
/// Linear in the size of the bodies, after unwinding.
std::unique_ptr<Program> lower(flat::FlatModel& model, const LowerOptions& options);

}  // namespace chi::code
