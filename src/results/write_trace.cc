#include "results/write_trace.h"

#include "base/check.h"
#include "results/csv.h"
#include "results/mat.h"
#include "results/read_trace.h"

namespace chi::results {

std::string trace_text(const Trace& trace, std::string_view path) {
  const std::optional<ResultFormat> format = result_format(path);
  CHI_CHECK(format.has_value(), "the ending is one of .csv, .json, .mat");
  switch (*format) {
    case ResultFormat::Csv: return csv_text(trace);
    case ResultFormat::Json: return json_text(trace);
    case ResultFormat::Mat: break;
  }
  return mat_text(trace);
}

}  // namespace chi::results
