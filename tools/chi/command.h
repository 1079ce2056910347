#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"

namespace chi::cli {

/// One option of a command: how it is written, what it takes, and where that goes.
struct Option {
  std::string name;        ///< "--end" or "-p"
  std::string value = {};  ///< what it takes: "T", "FILE"; empty: nothing
  std::string help = {};
  std::string group = "Options";         ///< under which heading of the help it stands
  std::vector<std::string> values = {};  ///< which values there are, if only some
  bool value_may_miss = false;           ///< then `accepts` tells whether the next word is one
  bool repeats = false;                  ///< may be given more than once
  std::function<void(std::string)> take = {};
  std::function<bool(const std::string&)> accepts = {};
};

/// One command of `chi`.
struct Command {
  std::string name;
  std::string summary;
  std::string argument;  ///< "FILE"; "FILE..." takes several, "[NAME]" may miss
  std::vector<std::string> examples = {};
  std::vector<Option> options = {};
  std::vector<std::string>* arguments = nullptr;
  std::function<int()> run = {};
};

/// Reads the words behind `chi NAME` into the command's options. A word is an option with its
/// value, `--name value` or `--name=value`, or an argument; behind `--` all are arguments. False
/// if it reported: an unknown option, a value or an argument that misses or is one too many.
bool read_words(const Command& command, std::span<const std::string> words,
                Diagnostics& diagnostics);

/// For people: usage, examples, options by group.
std::string help_text(const Command& command);
std::string help_text(std::span<const Command> commands);

/// Reports an unknown command, with the one probably meant.
void unknown_command(const std::string& name, std::span<const Command> commands,
                     Diagnostics& diagnostics);

}  // namespace chi::cli
