#pragma once
#include <optional>

#include "diag/diagnostic.h"
#include "experiment/plan.h"
#include "options.h"

namespace chi::cli {

/// A call that makes many runs, checked.
struct StudySettings {
  experiment::Plan plan;
  int jobs = 1;
};

/// The plan that the call names, or that its options are. Empty exactly when it reported.
std::optional<StudySettings> study_settings(const StudyOptions& call, Diagnostics& diagnostics);

}  // namespace chi::cli
