#pragma once
#include "diag/diagnostic.h"
#include "flat/blueprint.h"
#include "flat/bodies.h"
#include "flat/flat_model.h"

namespace chi::flat {

/// Finds what the bodies of the model start (`start P(...)`): fills `FlatModel::starts`, and adds
/// the bodies that only started processes have.
///
/// Reports a length that is not known before the run, and channels that a process gives to those
/// that it starts though they are not declared `many`. True exactly when it reported nothing.
bool find_start_sites(FlatModel& model, const Blueprints& blueprints, BodyTable& bodies,
                      Diagnostics& diagnostics);

}  // namespace chi::flat
