#include "results/read_trace.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace chi::results {
namespace {

/// Fields of RFC 4180, one after the other; quotes and line ends inside quotes included.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }
  bool at_end() const { return at_ == text_.size(); }
  int line() const { return line_; }

  /// The next field; `last` tells whether it ends its row.
  std::string field(bool& last) {
    std::string value;
    if (at_ < text_.size() && text_[at_] == '"') {
      for (++at_; at_ < text_.size(); ++at_) {
        if (text_[at_] == '"') {
          if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
          ++at_;
        }
        value += text_[at_];
      }
      if (at_ < text_.size()) ++at_;
    }
    const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    std::string_view rest = text_.substr(at_, end - at_);
    last = end == text_.size() || text_[end] == '\n';
    if (last && rest.ends_with('\r')) rest.remove_suffix(1);  // of the line; one in quotes stays
    value += rest;
    line_ += end < text_.size() && text_[end] == '\n';
    at_ = std::min(end + 1, text_.size());
    return value;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

std::optional<double> number(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('+')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void add_variable(Trace& trace, std::string name) {
  trace.names.push_back(std::move(name));
  trace.kinds.push_back(Trace::Kind::Real);
  trace.columns.emplace_back();
}

/// Takes the unit off `p [bar]`. A name has no space before a bracket: T[1].V.
std::string take_unit(std::string& name) {
  const std::size_t at = name.rfind(" [");
  if (at == std::string::npos || !name.ends_with(']')) return {};
  const std::string unit = name.substr(at + 2, name.size() - at - 3);
  name.resize(at);
  return unit;
}

/// Of the variable that was added last.
void add_unit(Trace& trace, const std::string& unit) {
  if (unit.empty() && trace.units.empty()) return;
  trace.units.resize(trace.names.size());
  trace.units.back() = unit;
}

/// Times are numbers that do not decrease: every plot has an axis of them.
bool ascending(const Trace& trace, std::string& problem) {
  for (std::size_t i = 0; i < trace.times.size(); ++i) {
    if (!std::isfinite(trace.times[i])) {
      problem = fmt::format("time is {} in row {}", trace.times[i], i + 1);
      return false;
    }
    if (i == 0 || trace.times[i] >= trace.times[i - 1]) continue;
    problem = fmt::format("time goes back, from {} to {}", trace.times[i - 1], trace.times[i]);
    return false;
  }
  return true;
}

/// A number as `json_real` writes it: `null` is not a number, and the infinities are strings.
/// (`value == "text"` of the library makes a value, and ends the program where that finds no
/// memory.)
std::optional<double> json_value(const nlohmann::ordered_json& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "Infinity") return kInfinity;
  return text == "-Infinity" ? std::optional(-kInfinity) : std::nullopt;
}

bool json_column(const nlohmann::ordered_json& values, std::vector<double>& column) {
  if (!values.is_array()) return false;
  column.reserve(values.size());
  for (const nlohmann::ordered_json& value : values) {
    const std::optional<double> number = json_value(value);
    if (!number) return false;
    column.push_back(*number);
  }
  return true;
}

}  // namespace

std::optional<ResultFormat> result_format(std::string_view path) {
  if (path.ends_with(".csv")) return ResultFormat::Csv;
  if (path.ends_with(".json")) return ResultFormat::Json;
  if (path.ends_with(".mat")) return ResultFormat::Mat;
  return std::nullopt;
}

std::optional<Trace> read_trace(std::string_view text, ResultFormat format, std::string& problem) {
  std::optional<Trace> trace = format == ResultFormat::Csv    ? read_csv(text, problem)
                               : format == ResultFormat::Json ? read_json(text, problem)
                                                              : read_mat(text, problem);
  if (trace && !ascending(*trace, problem)) return std::nullopt;
  return trace;
}

std::optional<Trace> read_csv(std::string_view text, std::string& problem) {
  CsvReader reader(text);
  Trace trace;
  bool last = false;
  if (reader.field(last) != "time") {
    problem = "the first column is not `time`";
    return std::nullopt;
  }
  while (!last) {
    std::string name = reader.field(last);
    const std::string unit = take_unit(name);
    add_variable(trace, std::move(name));
    add_unit(trace, unit);
  }
  while (!reader.at_end()) {
    const int line = reader.line();
    std::size_t fields = 0;
    last = false;
    while (!last) {
      const std::string text_of_field = reader.field(last);
      if (fields == 0 && last && text_of_field.empty() && !trace.names.empty()) break;  // blank
      const std::optional<double> value = number(text_of_field);
      if (!value || fields > trace.names.size()) {
        problem = value ? fmt::format("line {} has more than {} fields", line, fields)
                        : fmt::format("line {}: `{}` is not a number", line, text_of_field);
        return std::nullopt;
      }
      (fields == 0 ? trace.times : trace.columns[fields - 1]).push_back(*value);
      ++fields;
    }
    if (fields > 0 && fields <= trace.names.size()) {
      problem =
          fmt::format("line {} has {} fields instead of {}", line, fields, trace.names.size() + 1);
      return std::nullopt;
    }
  }
  return trace;
}

std::optional<Trace> read_json(std::string_view text, std::string& problem) {
  // Ordered: variables stay in the order of the file.
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  problem = "it is not {\"time\": [numbers], \"variables\": {NAME: [numbers]}}";
  if (json.is_discarded()) {
    problem = "it is not JSON";
    return std::nullopt;
  }
  if (!json.is_object() || !json.contains("time") || !json.contains("variables")) return {};
  Trace trace;
  if (!json_column(json["time"], trace.times) || !json["variables"].is_object()) return {};
  for (const auto& [name, values] : json["variables"].items()) {
    add_variable(trace, name);
    const auto units = json.find("units");
    const bool named = units != json.end() && units->is_object() && units->contains(name) &&
                       units->at(name).is_string();
    add_unit(trace, named ? units->at(name).get<std::string>() : "");
    if (!json_column(values, trace.columns.back())) return {};
    if (trace.columns.back().size() != trace.rows()) {
      problem = fmt::format("`{}` has {} values, and there are {} times", name,
                            trace.columns.back().size(), trace.rows());
      return std::nullopt;
    }
  }
  return trace;
}

}  // namespace chi::results
