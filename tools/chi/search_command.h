#pragma once
#include "experiment/subject.h"
#include "options.h"
#include "study_settings.h"

namespace chi::cli {

struct SearchCall {
  const experiment::Subject& subject;
  const StudySettings& settings;
  const Common& common;
};

/// Fits, optimises or tells sensitivities, as the plan says; prints what was found. The exit code,
/// if nothing was reported.
int run_search(const SearchCall& call, Diagnostics& diagnostics);

}  // namespace chi::cli
