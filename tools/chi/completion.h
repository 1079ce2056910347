#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "command.h"

namespace chi::cli {

/// A script that completes calls of `chi` in bash, zsh or fish; none for another shell. Made from
/// the options there are, so it cannot lag behind.
std::optional<std::string> completion_script(std::span<const Command> commands,
                                             std::string_view shell);

}  // namespace chi::cli
