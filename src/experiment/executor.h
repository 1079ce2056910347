#pragma once
#include <cstdint>
#include <functional>

#include "experiment/subject.h"

namespace chi::experiment {

/// Where the runs of a study come from and where their results go.
struct Work {
  std::int64_t count = 0;
  std::function<Point(std::int64_t)> point = {};
  /// A result that is known already, so that the run need not be made. Optional; called by several
  /// threads.
  std::function<bool(std::int64_t, RunResult&)> known = {};
  /// Takes results in the order of their numbers, one at a time. False: no further ones are wanted.
  std::function<bool(std::int64_t, const Point&, const RunResult&)> deliver = {};
};

/// How the work ended.
struct Worked {
  std::int64_t delivered = 0;
  StopCause stopped = StopCause::None;  ///< asked to end before all was done
};

/// Makes all runs, by several workers side by side: threads of this process. What is delivered, and
/// in which order, does not depend on how many there are.
///
/// Workers take runs in blocks and may be ahead of the results that are delivered by a few blocks
/// only, so that memory does not grow with the study. Asks for cancellation as the calling thread
/// does (base/cancel.h): what is done then and comes before all that is not, is delivered.
Worked execute(const Subject& subject, const Setting& setting, const Work& work, int jobs);

}  // namespace chi::experiment
