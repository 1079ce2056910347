#include "experiment/toml_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json_text.h"

namespace chi::experiment {
namespace {

struct NamedLaw {
  std::string_view name;
  std::size_t arguments;
};
constexpr std::array<NamedLaw, 6> kLaws{{{"uniform", 2},
                                         {"loguniform", 2},
                                         {"normal", 2},
                                         {"lognormal", 2},
                                         {"triangle", 3},
                                         {"exponential", 1}}};

}  // namespace

// What JSON escapes, a basic string of TOML escapes in the same way.
std::string toml_quote(std::string_view text) { return json_quote(text); }

std::string toml_key(std::string_view name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  return plain ? std::string(name) : toml_quote(name);
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + toml_quote(text);
  return "[" + list + "]";
}

std::string toml_value(std::string_view text) {
  if (text == "true" || text == "false") return std::string(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc() && end == text.data() + text.size() &&
                      (text.front() == '-' || (text.front() >= '0' && text.front() <= '9')) &&
                      text.back() != '.';
  return number ? std::string(text) : toml_quote(text);
}

std::string_view law_name(Drawn::Law law) { return kLaws[static_cast<std::size_t>(law)].name; }

std::optional<Drawn::Law> law_named(std::string_view text) {
  for (std::size_t i = 0; i < kLaws.size(); ++i) {
    if (kLaws[i].name == text) return static_cast<Drawn::Law>(i);
  }
  return std::nullopt;
}

std::vector<std::string_view> law_names() {
  std::vector<std::string_view> names;
  for (const NamedLaw& law : kLaws) names.push_back(law.name);
  return names;
}

std::size_t argument_count(Drawn::Law law) {
  return kLaws[static_cast<std::size_t>(law)].arguments;
}

}  // namespace chi::experiment
