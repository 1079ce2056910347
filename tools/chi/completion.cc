#include "completion.h"

#include <fmt/format.h>

namespace chi::cli {
namespace {

/// Text inside single quotes of a shell, with nothing in it that ends or changes them.
std::string quotable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '`' || c == '\\') continue;
    out += c;
  }
  return out;
}

/// The same inside [...] of a zsh argument, where brackets and colons mean something.
std::string in_brackets(std::string_view text) {
  std::string out;
  for (const char c : quotable(text)) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::string> words_of(const Command& command) {
  std::vector<std::string> words;
  for (const Option& option : command.options) words.push_back(option.name);
  return words;
}

std::string names_of(std::span<const Command> commands) {
  std::string names;
  for (const Command& command : commands) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

std::string bash(std::span<const Command> commands) {
  std::string out = fmt::format(
      "# Completion of chi for bash: eval \"$(chi completion bash)\"\n"
      "_chi() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local command=${{COMP_WORDS[1]}} words=''\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case $command:$before in\n",
      names_of(commands));
  for (const Command& command : commands) {
    for (const Option& option : command.options) {
      if (option.values.empty()) continue;
      out += fmt::format("    {}:{}) words='{}' ;;\n", command.name, option.name,
                         fmt::join(option.values, " "));
    }
  }
  out +=
      "  esac\n"
      "  if [ -z \"$words\" ]; then\n"
      "    case $command in\n";
  for (const Command& command : commands) {
    out +=
        fmt::format("      {}) words='{}{}' ;;\n", command.name, fmt::join(words_of(command), " "),
                    command.name == "completion" ? " bash zsh fish" : "");
  }
  out +=
      "    esac\n"
      "    case $word in\n"
      "      -*) ;;\n"
      "      *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "    esac\n"
      "  fi\n"
      "  COMPREPLY+=($(compgen -W \"$words\" -- \"$word\"))\n"
      "}\n"
      "complete -o filenames -F _chi chi\n";
  return out;
}

std::string zsh(std::span<const Command> commands) {
  std::string out =
      "#compdef chi\n"
      "# Completion of chi for zsh: chi completion zsh > a folder of $fpath/_chi\n"
      "_chi() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const Command& command : commands)
    out += fmt::format("    '{}:{}'\n", command.name, quotable(command.summary));
  out +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  case $words[2] in\n";
  for (const Command& command : commands) {
    out += fmt::format("    {}) _arguments \\\n", command.name);
    for (const Option& option : command.options) {
      std::string value;
      if (!option.values.empty()) {
        value = fmt::format(":value:({})", fmt::join(option.values, " "));
      } else if (option.value == "FILE") {
        value = ":file:_files";
      } else if (!option.value.empty()) {
        value = fmt::format(":{}:", in_brackets(option.value));
      }
      out += fmt::format("        '{}{}[{}]{}' \\\n", option.repeats ? "*" : "", option.name,
                         in_brackets(option.help), value);
    }
    out += command.name == "completion" ? "        '1:command:' '*:shell:(bash zsh fish)' ;;\n"
                                        : "        '1:command:' '*:file:_files' ;;\n";
  }
  out +=
      "  esac\n"
      "}\n"
      "[ \"$funcstack[1]\" = _chi ] && _chi \"$@\" || compdef _chi chi\n";
  return out;
}

std::string fish(std::span<const Command> commands) {
  const std::string names = names_of(commands);
  std::string out = "# Completion of chi for fish: chi completion fish | source\n";
  for (const Command& command : commands) {
    out += fmt::format("complete -c chi -f -n 'not __fish_seen_subcommand_from {}' -a {} -d '{}'\n",
                       names, command.name, quotable(command.summary));
  }
  for (const Command& command : commands) {
    for (const Option& option : command.options) {
      out += fmt::format("complete -c chi -n '__fish_seen_subcommand_from {}'", command.name);
      out += option.name.starts_with("--") ? fmt::format(" -l {}", option.name.substr(2))
                                           : fmt::format(" -s {}", option.name.substr(1));
      if (!option.values.empty()) {
        out += fmt::format(" -x -a '{}'", fmt::join(option.values, " "));
      } else if (!option.value.empty()) {
        out += " -r";
      }
      out += fmt::format(" -d '{}'\n", quotable(option.help));
    }
    if (command.name == "completion") {
      out += "complete -c chi -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
    }
  }
  return out;
}

}  // namespace

std::optional<std::string> completion_script(std::span<const Command> commands,
                                             std::string_view shell) {
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  return std::nullopt;
}

}  // namespace chi::cli
