#include "command.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "run_settings.h"
#include "sema/suggest.h"

namespace chi::cli {
namespace {

std::string did_you_mean(const std::string& word, const std::vector<std::string_view>& names) {
  const std::string meant = sema::nearest(word, names);
  return meant.empty() ? "" : fmt::format("did you mean `{}`?", meant);
}

class WordReader {
 public:
  WordReader(const Command& command, std::span<const std::string> words, Diagnostics& diagnostics)
      : command_(command), words_(words), diagnostics_(diagnostics) {}

  bool operator()() {
    const int before = diagnostics_.error_count();
    // After a word that is not understood, those behind it may mean anything.
    while (at_ < words_.size() && diagnostics_.error_count() == before) {
      const std::string& word = words_[at_++];
      if (word == "--" && !only_arguments_) {
        only_arguments_ = true;
      } else if (only_arguments_ || word.size() < 2 || word[0] != '-') {
        argument(word);
      } else {
        option(word);
      }
    }
    const bool may_miss = command_.argument.empty() || command_.argument.starts_with('[');
    if (!may_miss && command_.arguments->empty() && diagnostics_.error_count() == before) {
      bad_option(diagnostics_,
                 fmt::format("`chi {}` needs {}", command_.name, with_article(command_.argument)),
                 fmt::format("chi {} {} [options]", command_.name, command_.argument));
    }
    return diagnostics_.error_count() == before;
  }

 private:
  static std::string with_article(const std::string& argument) {
    return "a " + argument.substr(0, argument.find('.'));
  }

  void argument(const std::string& word) {
    const bool several = command_.argument.ends_with("...");
    if (command_.argument.empty() || (!several && !command_.arguments->empty())) {
      bad_option(diagnostics_, fmt::format("`{}` is one argument too many", word));
      return;
    }
    command_.arguments->push_back(word);
  }

  const Option* find(std::string_view name) const {
    for (const Option& option : command_.options) {
      if (option.name == name) return &option;
    }
    return nullptr;
  }

  void option(const std::string& word) {
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const Option* found = find(name);
    if (found == nullptr) {
      std::vector<std::string_view> names;
      for (const Option& o : command_.options) names.push_back(o.name);
      bad_option(diagnostics_, fmt::format("`chi {}` has no option `{}`", command_.name, name),
                 did_you_mean(name, names));
      return;
    }
    if (!found->repeats && !seen_.insert(name).second) {
      bad_option(diagnostics_, fmt::format("`{}` is given twice", name));
      return;
    }
    if (equals != std::string::npos) {
      if (found->value.empty()) {
        bad_option(diagnostics_, fmt::format("`{}` takes no value", name));
      } else {
        found->take(word.substr(equals + 1));
      }
    } else if (found->value.empty()) {
      found->take("");
    } else if (found->value_may_miss) {
      const bool given = at_ < words_.size() && found->accepts(words_[at_]);
      found->take(given ? words_[at_++] : "");
    } else if (at_ == words_.size() || find(words_[at_]) != nullptr) {
      bad_option(diagnostics_,
                 fmt::format("`{}` needs a value: `{} {}`", name, name, found->value));
    } else {
      found->take(words_[at_++]);
    }
  }

  const Command& command_;
  std::span<const std::string> words_;
  Diagnostics& diagnostics_;
  std::set<std::string> seen_;
  std::size_t at_ = 0;
  bool only_arguments_ = false;
};

/// "  left      right", the right side folded at 80 columns.
void add_entry(std::string& out, const std::string& left, const std::string& right) {
  constexpr std::size_t kColumn = 28, kWidth = 80;
  out += "  " + left;
  std::size_t at = 2 + left.size();
  if (at + 2 > kColumn) {
    out += '\n';
    at = 0;
  }
  out.append(kColumn - at, ' ');
  at = kColumn;
  std::size_t begin = 0;
  while (begin < right.size()) {
    const std::size_t end = std::min(right.find(' ', begin), right.size());
    if (at > kColumn && at + 1 + end - begin > kWidth) {
      out += '\n';
      out.append(kColumn, ' ');
      at = kColumn;
    }
    if (at > kColumn) {
      out += ' ';
      ++at;
    }
    out += right.substr(begin, end - begin);
    at += end - begin;
    begin = end + 1;
  }
  out += '\n';
}

}  // namespace

bool read_words(const Command& command, std::span<const std::string> words,
                Diagnostics& diagnostics) {
  return WordReader(command, words, diagnostics)();
}

std::string help_text(const Command& command) {
  std::string out = fmt::format("chi {} - {}\n\n", command.name, command.summary);
  if (!command.examples.empty()) {
    out += "Examples:\n";
    for (const std::string& example : command.examples) out += fmt::format("  {}\n", example);
    out += '\n';
  }
  out += fmt::format("Usage:\n  chi {} {} [options]\n", command.name, command.argument);
  std::vector<std::string> groups;
  for (const Option& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  }
  // What all commands share comes last.
  std::stable_partition(groups.begin(), groups.end(),
                        [](const std::string& group) { return group != "Options"; });
  for (const std::string& group : groups) {
    out += fmt::format("\n{}:\n", group);
    for (const Option& option : command.options) {
      if (option.group != group) continue;
      std::string left = option.name;
      if (!option.value.empty())
        left += option.value_may_miss ? fmt::format(" [{}]", option.value) : " " + option.value;
      add_entry(out, left, option.help);
    }
  }
  return out;
}

std::string help_text(std::span<const Command> commands) {
  std::string out =
      "chi - modelling and simulation of hybrid systems\n\n"
      "Examples:\n"
      "  chi run model.chi --end 100 --plot\n"
      "  chi run model.chi --end 100 --out results.csv\n"
      "  chi check model.chi\n\n"
      "Usage:\n"
      "  chi COMMAND ... [options]\n\n"
      "Commands:\n";
  for (const Command& command : commands)
    add_entry(out, fmt::format("{} {}", command.name, command.argument), command.summary);
  out +=
      "\nOptions:\n"
      "  --help                    This text; `chi COMMAND --help` tells more\n"
      "  --version                 Which chi this is\n\n"
      "Exit codes: 0 success, 1 the model is wrong, 2 the call is wrong, 3 the\n"
      "simulation failed, 130 interrupted.\n";
  return out;
}

void unknown_command(const std::string& name, std::span<const Command> commands,
                     Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  for (const Command& command : commands) names.push_back(command.name);
  std::string help = did_you_mean(name, names);
  if (help.empty() && name.ends_with(".chi")) help = fmt::format("`chi run {}` runs it", name);
  if (help.empty()) help = "`chi --help` lists the commands";
  bad_option(diagnostics, fmt::format("`{}` is not a command of chi", name), std::move(help));
}

}  // namespace chi::cli
