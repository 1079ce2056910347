#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/plan.h"

namespace chi::experiment {

std::string toml_quote(std::string_view text);
std::string toml_key(std::string_view name);  ///< in quotes where it needs them: "Motor.J"
std::string toml_list(const std::vector<std::string>& texts);
/// A parameter's value: a number or truth as it is, everything else as a string of χ text.
std::string toml_value(std::string_view text);

std::string_view law_name(Drawn::Law law);
std::optional<Drawn::Law> law_named(std::string_view text);
std::vector<std::string_view> law_names();
std::size_t argument_count(Drawn::Law law);

}  // namespace chi::experiment
