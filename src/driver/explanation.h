#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace chi::driver {

/// What docs/diagnostics says about a diagnostic code: what it means, an example, the cure. None
/// for what is no code. "e2014" is E2014.
std::optional<std::string> explanation(std::string_view code);

}  // namespace chi::driver
