#include "results/csv.h"

#include <cmath>

#include <fmt/format.h>

#include "base/json_text.h"

namespace chi::results {
namespace {

void append_number(std::string& out, double value) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}

void append_name(std::string& out, const std::string& name) {
  if (name.find_first_of(",\"\n\r") == std::string::npos) {
    out += name;
    return;
  }
  out += '"';
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_json_column(std::string& out, const std::vector<double>& column) {
  out += '[';
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (i > 0) out += ',';
    // "-0" would be read as the integer 0.
    const bool minus_zero = column[i] == 0 && std::signbit(column[i]);
    out += minus_zero ? std::string("-0.0") : json_real(column[i]);
  }
  out += ']';
}

}  // namespace

std::string csv_text(const Trace& trace) {
  std::string out = "time";
  for (const std::string& name : trace.names) {
    out += ',';
    append_name(out, name);
  }
  out += '\n';
  for (std::size_t row = 0; row < trace.rows(); ++row) {
    append_number(out, trace.times[row]);
    for (const std::vector<double>& column : trace.columns) {
      out += ',';
      append_number(out, column[row]);
    }
    out += '\n';
  }
  return out;
}

std::string json_text(const Trace& trace) {
  std::string out = "{\"time\":";
  append_json_column(out, trace.times);
  out += ",\"variables\":{";
  for (std::size_t i = 0; i < trace.names.size(); ++i) {
    if (i > 0) out += ',';
    out += json_quote(trace.names[i]) + ":";
    append_json_column(out, trace.columns[i]);
  }
  out += "}}\n";
  return out;
}

}  // namespace chi::results
