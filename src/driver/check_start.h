#pragma once
#include <string>

#include "diag/diagnostic.h"
#include "source/source_file.h"

namespace chi::driver {

/// What of a correct text can be told of its run without running it.
struct StartCheck {
  bool is_complete = false;
  std::string why_not = {};  ///< "parameter `k` of `Spring` has no value"
};

/// Instantiates the part that would run, brings it to the point where time would pass, and reports
/// what `chi run` would refuse as an error of the model: lengths, indices and connections, and
/// equations that are singular at the start. Not complete, and nothing reported, where no single
/// part could run or a parameter has no value, and where the start does not come to an end soon.
///
/// Requires that `check` found no error.
StartCheck check_start(const SourceFile& source, Diagnostics& diagnostics);

}  // namespace chi::driver
