#include "driver/parameter_file.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "driver/read_source.h"
#include "sema/value.h"

namespace chi::driver {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr int kDeepest = 100;

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// Collects the values of a file; what χ has no value for is told once.
class Collector {
 public:
  Collector(const std::string& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  void add(std::string name, std::string text) {
    rows_.emplace_back(std::move(name), std::move(text));
  }

  std::string refuse(std::string_view name, std::string_view why) {
    if (good_) {
      diagnostics_.report(
          {.code = DiagCode::BadOption, .message = fmt::format("`{}`: `{}` {}", file_, name, why)});
    }
    good_ = false;
    return "";
  }

  std::optional<ParameterTexts> take() {
    if (!good_) return std::nullopt;
    return std::move(rows_);
  }

  std::string number(std::string_view name, double value) {
    return std::isnan(value) ? refuse(name, "is not a number") : sema::real_text(value);
  }

 private:
  std::string file_;
  Diagnostics& diagnostics_;
  ParameterTexts rows_;
  bool good_ = true;
};

std::string joined(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

// ---- TOML ----

class TomlReader {
 public:
  explicit TomlReader(Collector& out) : out_(out) {}

  void section(const toml::table& table, const std::string& path, int depth) {
    if (depth > kDeepest) return void(out_.refuse(path, "is nested too deeply"));
    for (const auto& [key, node] : table) {
      const std::string name = joined(path, key.str());
      const toml::table* inner = node.as_table();
      if (inner != nullptr && !inner->is_inline()) {
        section(*inner, name, depth + 1);
      } else {
        out_.add(name, value(node, name, depth + 1));
      }
    }
  }

 private:
  std::string value(const toml::node& node, const std::string& name, int depth) {
    if (depth > kDeepest) return out_.refuse(name, "is nested too deeply");
    if (const auto* text = node.as_string()) return in_quotes(text->get());
    if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
    if (const auto* real = node.as_floating_point()) return out_.number(name, real->get());
    if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
    std::string list;
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& element : *array)
        list += (list.empty() ? "" : ", ") + value(element, name, depth + 1);
      return "[" + list + "]";
    }
    if (const toml::table* table = node.as_table()) {
      for (const auto& [key, field] : *table) {
        list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", key.str(),
                            value(field, name, depth + 1));
      }
      return "{ " + list + " }";
    }
    return out_.refuse(name, "is a date or a time, which no parameter is");
  }

  Collector& out_;
};

bool read_toml(const std::string& path, const std::string& text, Collector& out,
               Diagnostics& diagnostics) {
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::source_position at = parsed.error().source().begin;
    diagnostics.report({.code = DiagCode::BadOption,
                        .message = fmt::format("`{}`, line {}, column {}: {}", path, at.line,
                                               at.column, parsed.error().description())});
    return false;
  }
  TomlReader(out).section(parsed.table(), "", 0);
  return true;
}

// ---- JSON ----

using Json = nlohmann::ordered_json;

class JsonReader {
 public:
  explicit JsonReader(Collector& out) : out_(out) {}

  void object(const Json& object, const std::string& path, int depth) {
    if (depth > kDeepest) return void(out_.refuse(path, "is nested too deeply"));
    for (const auto& [key, node] : object.items()) {
      const std::string name = joined(path, key);
      if (node.is_object()) {
        this->object(node, name, depth + 1);
      } else {
        out_.add(name, value(node, name, depth + 1));
      }
    }
  }

 private:
  std::string value(const Json& node, const std::string& name, int depth) {
    if (depth > kDeepest) return out_.refuse(name, "is nested too deeply");
    if (node.is_string()) return in_quotes(node.get_ref<const std::string&>());
    if (node.is_boolean()) return node.get<bool>() ? "true" : "false";
    if (node.is_number_float()) return out_.number(name, node.get<double>());
    if (node.is_number()) return node.dump();
    if (node.is_null()) return out_.refuse(name, "is null");
    std::string list;
    for (const auto& [key, element] : node.items()) {
      list += list.empty() ? "" : ", ";
      if (node.is_object()) list += key + " = ";
      list += value(element, name, depth + 1);
    }
    return node.is_object() ? "{ " + list + " }" : "[" + list + "]";
  }

  Collector& out_;
};

bool read_json(const std::string& path, const std::string& text, Collector& out,
               Diagnostics& diagnostics) {
  const Json parsed = Json::parse(text, nullptr, false);
  if (parsed.is_object()) {
    JsonReader(out).object(parsed, "", 0);
    return true;
  }
  diagnostics.report({.code = DiagCode::BadOption,
                      .message = parsed.is_discarded()
                                     ? fmt::format("`{}` is not JSON", path)
                                     : fmt::format("`{}` holds no object of parameters", path)});
  return false;
}

}  // namespace

std::optional<ParameterTexts> read_parameters(const std::string& path, Diagnostics& diagnostics) {
  const std::optional<std::string> text = read_file(path, kMostBytes, diagnostics);
  if (!text) return std::nullopt;
  Collector out(path, diagnostics);
  const bool read = path.ends_with(".json") ? read_json(path, *text, out, diagnostics)
                                            : read_toml(path, *text, out, diagnostics);
  if (!read) return std::nullopt;
  return out.take();
}

}  // namespace chi::driver
