#include "results/write_trace.h"

#include "base/check.h"
#include "results/csv.h"
#include "results/mat.h"
#include "results/read_trace.h"

namespace chi::results {

bool write_trace(const Trace& trace, std::string_view path, const TextSink& sink) {
  const std::optional<ResultFormat> format = result_format(path);
  CHI_CHECK(format.has_value(), "the ending is one of .csv, .json, .mat");
  switch (*format) {
    case ResultFormat::Csv: return write_csv(trace, sink);
    case ResultFormat::Json: return write_json(trace, sink);
    case ResultFormat::Mat: break;
  }
  return write_mat(trace, sink);
}

std::string trace_text(const Trace& trace, std::string_view path) {
  return text_of([&](const TextSink& sink) { write_trace(trace, path, sink); });
}

}  // namespace chi::results
