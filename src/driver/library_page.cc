#include "driver/library_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_text.h"

namespace chi::driver {
namespace {

using Parameters = std::vector<DocumentedParameter>;

// Every line of the text behind some spaces.
std::string indented(std::string_view text, std::size_t spaces) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) result.append(spaces, ' ').append(text.substr(0, end));
    result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

// `Resistor(p, n, R)`: how an instance of it begins.
std::string call(const DocumentedDefinition& definition) {
  std::string arguments;
  for (const DocumentedParameter& p : definition.parameters) {
    arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", p.name);
  }
  return definition.parameters.empty() ? definition.name
                                       : fmt::format("{}({})", definition.name, arguments);
}

// A line for each parameter; those that stand together and differ in the name only share one.
std::string parameter_table(const Parameters& parameters, bool terminals) {
  struct Row {
    std::string names, type, description;
  };
  std::vector<Row> rows;
  for (const DocumentedParameter& p : parameters) {
    if (p.is_terminal != terminals) continue;
    std::string type = p.initial.empty() ? p.type : fmt::format("{} := {}", p.type, p.initial);
    if (!rows.empty() && rows.back().type == type && rows.back().description == p.description) {
      rows.back().names += ", " + p.name;
    } else {
      rows.push_back({p.name, std::move(type), p.description});
    }
  }
  std::size_t names = 0, types = 0;
  for (const Row& row : rows) {
    names = std::max(names, row.names.size());
    types = std::max(types, row.type.size());
  }
  std::string table;
  for (const Row& row : rows) {
    std::string line =
        fmt::format("  {:<{}}  {:<{}}  {}", row.names, names, row.type, types, row.description);
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

void section(std::string& page, std::string_view title, std::string_view text) {
  if (!text.empty()) page += fmt::format("\n{}\n{}", title, text);
}

std::string json_of(const DocumentedParameter& p) {
  return fmt::format(R"({{"name":{},"type":{},"default":{},"terminal":{},"description":{}}})",
                     json_quote(p.name), json_quote(p.type),
                     p.initial.empty() ? "null" : json_quote(p.initial), p.is_terminal,
                     json_quote(p.description));
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + json_quote(text);
  return "[" + list + "]";
}

}  // namespace

std::string library_page(const DocumentedDefinition& d) {
  std::string page = fmt::format("{}.{}\n{}", d.module, d.name, indented(d.description, 2));
  section(page, "Use", fmt::format("  from {} import {}\n  {}\n", d.module, d.name, call(d)));
  section(page, "Terminals", parameter_table(d.parameters, true));
  section(page, "Parameters", parameter_table(d.parameters, false));
  std::string equations;
  for (const DocumentedEquations& mode : d.equations) {
    if (!mode.guard.empty()) equations += fmt::format("  while {}:\n", mode.guard);
    for (const std::string& equation : mode.equations) {
      equations += fmt::format("  {}{}\n", mode.guard.empty() ? "" : "  ", equation);
    }
  }
  section(page, "Equations", equations);
  section(page, "Statements", indented(d.statements, 2));
  std::string parts;
  for (const std::string& part : d.parts) parts += indented(part, 2);
  section(page, d.kind == "sys" ? "Parts" : "Definition", parts);
  section(page, "Example", indented(d.example, 2));
  return page;
}

std::string library_list(std::span<const DocumentedDefinition> definitions) {
  std::size_t width = 0;
  for (const DocumentedDefinition& d : definitions) width = std::max(width, d.name.size());
  std::string list;
  std::string_view module;
  for (const DocumentedDefinition& d : definitions) {
    if (d.module != module) list += fmt::format("{}{}\n", module.empty() ? "" : "\n", d.module);
    module = d.module;
    list += fmt::format("  {:<{}}  {}\n", d.name, width, d.summary);
  }
  return list;
}

std::string library_json(const DocumentedDefinition& d) {
  std::string parameters, equations;
  for (const DocumentedParameter& p : d.parameters) {
    parameters += (parameters.empty() ? "" : ",") + json_of(p);
  }
  for (const DocumentedEquations& mode : d.equations) {
    equations += fmt::format(R"({}{{"guard":{},"equations":{}}})", equations.empty() ? "" : ",",
                             json_quote(mode.guard), json_list(mode.equations));
  }
  return fmt::format(
      R"({{"name":{},"module":{},"file":{},"kind":{},"summary":{},"description":{},"parameters":[{}],)"
      R"("equations":[{}],"parts":{},"statements":{},"example":{}}})",
      json_quote(d.name), json_quote(d.module), json_quote(d.file), json_quote(d.kind),
      json_quote(d.summary), json_quote(d.description), parameters, equations, json_list(d.parts),
      json_quote(d.statements), json_quote(d.example));
}

}  // namespace chi::driver
