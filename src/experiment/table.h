#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "experiment/plan.h"

namespace chi::experiment {

/// The table of a study as CSV: `run,PARAMETER,...,seed,MEASURE,...,problem`, a row for each run,
/// quoted as RFC 4180, numbers in shortest form that reads back exactly. A measure without a value
/// is empty; the last cell says why a run failed.
std::string table_header(const std::vector<std::string>& parameters,
                         const std::vector<Measure>& measures);
std::string table_row(std::int64_t run, const Point& point, const RunResult& result);

/// A number as in the table: empty if it is none.
std::string cell(double value);

}  // namespace chi::experiment
