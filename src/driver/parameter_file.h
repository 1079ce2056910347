#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"

namespace chi::driver {

/// Parameters and the texts of their values, as `-p NAME=VALUE` gives them.
using ParameterTexts = std::vector<std::pair<std::string, std::string>>;

/// Reads `-p @FILE`: TOML, or JSON where the name ends in .json.
///
/// A section, and an object of JSON, is a path: J in [Motor] is `Motor.J`. An array is a list, an
/// array or a tuple; an inline table, and an object in an array, a record. A string is a text, or
/// for a parameter that is none what χ reads in it, as `exponential(2.0)`. Empty exactly when it
/// reported.
std::optional<ParameterTexts> read_parameters(const std::string& path, Diagnostics& diagnostics);

}  // namespace chi::driver
