#include <bit>
#include <cstdint>
#include <set>

#include "base/check.h"
#include "base/json_text.h"
#include "results/csv.h"
#include "results/html_plot.h"
#include "results/mat.h"
#include "results/read_trace.h"
#include "results/svg_plot.h"
#include "results/terminal_plot.h"
#include "targets.h"

namespace chi::fuzz {
namespace {

using namespace chi::results;

bool is_whole(const Trace& trace) {
  for (const std::vector<double>& column : trace.columns) {
    if (column.size() != trace.rows()) return false;
  }
  return trace.names.size() == trace.columns.size() && trace.kinds.size() == trace.names.size();
}

bool same(double a, double b) {
  return (a != a && b != b) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return same(x, y); });
}

bool has_finite(const std::vector<double>& values) {
  for (const double x : values) {
    if (x - x != 0) return false;
  }
  return true;
}

void reads_back(const Trace& trace) {
  std::string problem;
  const std::optional<Trace> csv = read_trace(csv_text(trace), ResultFormat::Csv, problem);
  CHI_CHECK(csv && csv->names == trace.names && same(csv->times, trace.times),
            "a written CSV reads back");
  for (std::size_t i = 0; i < trace.columns.size(); ++i)
    CHI_CHECK(same(csv->columns[i], trace.columns[i]), "a column of a written CSV reads back");
  // An object has a name once, and names that are no text may become the same.
  std::set<std::string> names;
  for (const std::string& name : trace.names) names.insert(json_quote(name));
  if (names.size() == trace.names.size()) {
    const std::optional<Trace> json = read_trace(json_text(trace), ResultFormat::Json, problem);
    CHI_CHECK(json && json->columns.size() == trace.columns.size(), "written JSON reads back");
    for (std::size_t i = 0; i < trace.columns.size(); ++i) {
      CHI_CHECK(!has_finite(trace.columns[i]) || same(json->columns[i], trace.columns[i]),
                "a column of written JSON reads back");
    }
  }
  const std::optional<Trace> mat = read_trace(mat_text(trace), ResultFormat::Mat, problem);
  CHI_CHECK(mat && mat->columns.size() == trace.columns.size() && same(mat->times, trace.times),
            "a written MAT file reads back");
  for (std::size_t i = 0; i < trace.columns.size(); ++i)
    CHI_CHECK(same(mat->columns[i], trace.columns[i]), "a column of a written MAT reads back");
}

}  // namespace

void results(std::string_view bytes) {
  for (const auto format : {ResultFormat::Csv, ResultFormat::Json, ResultFormat::Mat}) {
    std::string problem;
    const std::optional<Trace> trace = read_trace(bytes, format, problem);
    if (!trace) {
      CHI_CHECK(!problem.empty(), "a refusal has a reason");
      continue;
    }
    CHI_CHECK(is_whole(*trace), "a trace has as many values of everything as times");
    reads_back(*trace);
    svg_plot(*trace, "title");
    terminal_plot(*trace, 80, 24);
    html_plot(*trace, "title");
  }
}

}  // namespace chi::fuzz
