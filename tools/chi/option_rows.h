#pragma once
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "options.h"

/// Rows that several commands have.
namespace chi::cli {

Option flag(std::string name, std::string help, bool& value, std::string group = "Options");
Option text(std::string name, std::string value, std::string help,
            std::optional<std::string>& target, std::string group);
Option one_of(std::string name, std::vector<std::string> values, std::string help,
              std::optional<std::string>& target, std::string group);
/// Words between commas, added to what there is.
void add_list(std::vector<std::string>& target, const std::string& words);

/// Where imported files are looked for.
void add_include(std::vector<Option>& options, Common& common);
/// Which part of the model runs, and until when.
void add_model(std::vector<Option>& options, RunCommandOptions& o);
/// How the equations are solved.
void add_numerics(std::vector<Option>& options, RunCommandOptions& o);

}  // namespace chi::cli
