#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chi::cli {

/// Exit codes promised to users and scripts.
inline constexpr int kSuccess = 0, kModelWrong = 1, kCallWrong = 2, kRunFailed = 3,
                     kInterrupted = 130;

enum class Color { Auto, Always, Never };

/// What holds for every command.
struct Common {
  bool json = false;
  bool quiet = false;
  Color color = Color::Auto;
};

struct CheckOptions {
  Common common;
  std::string file;
};

struct FormatOptions {
  Common common;
  std::vector<std::string> files;
  bool check = false;  ///< change nothing, exit 1 if something would change
};

struct RunCommandOptions {
  Common common;
  std::string file;
  std::string top;
  std::vector<std::string> parameters;  ///< NAME=VALUE
  std::optional<double> end;
  std::optional<int> points;
  std::optional<double> step;
  std::vector<std::string> out;
  std::vector<std::string> vars;
  std::string events;
  std::optional<std::string> plot;  ///< empty: in the terminal
  unsigned long long seed = 0;
  std::string choice = "first";
  bool stats = false;
  bool no_progress = false;
};

int check_command(const CheckOptions& options);
int format_command(const FormatOptions& options);
int run_command(const RunCommandOptions& options);

}  // namespace chi::cli
