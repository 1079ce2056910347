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

bool add_json_column(TextPieces& out, const std::vector<double>& column) {
  out.text += '[';
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (i > 0) out.text += ',';
    // "-0" would be read as the integer 0.
    const bool minus_zero = column[i] == 0 && std::signbit(column[i]);
    out.text += minus_zero ? std::string("-0.0") : json_real(column[i]);
    if (!out.pass_on()) return false;
  }
  out.text += ']';
  return true;
}

/// The units of the variables that have one.
std::string json_units(const Trace& trace) {
  std::string text;
  for (std::size_t v = 0; v < trace.names.size(); ++v) {
    if (trace.unit(v).empty()) continue;
    text +=
        (text.empty() ? "{" : ",") + json_quote(trace.names[v]) + ":" + json_quote(trace.unit(v));
  }
  return text.empty() ? "{}" : text + "}";
}

}  // namespace

bool write_csv(const Trace& trace, const TextSink& sink) {
  return write_csv_header(trace, sink) && write_csv_rows(trace, 0, trace.rows(), sink);
}

bool write_csv_header(const Trace& trace, const TextSink& sink) {
  TextPieces out(sink);
  out.text += "time";
  for (std::size_t v = 0; v < trace.names.size(); ++v) {
    out.text += ',';
    append_name(out.text, trace.label(v));
  }
  out.text += '\n';
  return out.finish();
}

bool write_csv_rows(const Trace& trace, std::size_t first, std::size_t last, const TextSink& sink) {
  TextPieces out(sink);
  for (std::size_t row = first; row < last; ++row) {
    append_number(out.text, trace.times[row]);
    for (const std::vector<double>& column : trace.columns) {
      out.text += ',';
      append_number(out.text, column[row]);
    }
    out.text += '\n';
    if (!out.pass_on()) return false;
  }
  return out.finish();
}

bool write_json(const Trace& trace, const TextSink& sink) {
  TextPieces out(sink);
  out.text += "{\"time\":";
  if (!add_json_column(out, trace.times)) return false;
  out.text += ",\"variables\":{";
  for (std::size_t i = 0; i < trace.names.size(); ++i) {
    if (i > 0) out.text += ',';
    out.text += json_quote(trace.names[i]) + ":";
    if (!add_json_column(out, trace.columns[i])) return false;
  }
  out.text += '}';
  if (!trace.units.empty()) out.text += ",\"units\":" + json_units(trace);
  out.text += "}\n";
  return out.finish();
}

std::string csv_text(const Trace& trace) {
  return text_of([&](const TextSink& sink) { write_csv(trace, sink); });
}

std::string json_text(const Trace& trace) {
  return text_of([&](const TextSink& sink) { write_json(trace, sink); });
}

}  // namespace chi::results
