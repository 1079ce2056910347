#pragma once
#include <vector>

#include "command.h"
#include "commands.h"

namespace chi::cli {

/// The commands that make many runs: sweep, replicate, study.
void add_study_commands(std::vector<Command>& commands, Calls& calls);

}  // namespace chi::cli
