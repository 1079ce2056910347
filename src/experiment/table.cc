#include "experiment/table.h"

#include <cmath>

#include <fmt/format.h>

namespace chi::experiment {
namespace {

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string cell(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

std::string table_header(const std::vector<std::string>& parameters,
                         const std::vector<Measure>& measures) {
  std::string line = "run";
  for (const std::string& parameter : parameters) line += "," + quoted(parameter);
  line += ",seed";
  for (const Measure& measure : measures) line += "," + quoted(measure.name);
  return line + ",problem\n";
}

std::string table_row(std::int64_t run, const Point& point, const RunResult& result) {
  std::string line = fmt::format("{}", run);
  for (const auto& [name, value] : point.parameters) line += "," + quoted(value);
  line += fmt::format(",{}", point.seed);
  for (const double value : result.measures) line += "," + cell(value);
  return line + "," + quoted(result.problem) + "\n";
}

}  // namespace chi::experiment
