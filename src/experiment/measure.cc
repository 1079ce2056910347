#include "experiment/measure.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "experiment/measure_reader.h"

namespace chi::experiment {
namespace {

std::string trimmed(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

}  // namespace

Measure measure_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos) {
    std::string name = trimmed(text.substr(0, equals));
    if (is_name(name)) return {std::move(name), trimmed(text.substr(equals + 1))};
  }
  std::string whole = trimmed(text);
  return {whole, whole};
}

std::optional<Measures> read_measures(const std::vector<Measure>& list,
                                      const flat::FlatModel& model,
                                      const std::vector<NamedNumber>& constants,
                                      Diagnostics& diagnostics) {
  const int before = diagnostics.error_count();
  Measures measures;
  measures.list = list;
  MeasureReader reader(model, constants, measures, diagnostics);
  for (const Measure& measure : list) measures.values.push_back(reader.read(measure));
  if (diagnostics.error_count() > before) return std::nullopt;
  return measures;
}

}  // namespace chi::experiment
