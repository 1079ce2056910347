#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chi::cli {

/// Exit codes promised to users and scripts.
inline constexpr int kSuccess = 0, kModelWrong = 1, kCallWrong = 2, kRunFailed = 3,
                     kInterrupted = 130;

enum class Color { Auto, Always, Never, Unknown };

/// What holds for every command.
struct Common {
  bool json = false;
  bool quiet = false;
  Color color = Color::Auto;
  std::string color_text = {};                 ///< as written, if it is none of these
  std::optional<std::string> max_time = {};    ///< wall clock, in seconds
  std::optional<std::string> max_memory = {};  ///< a size, as written
  std::vector<std::string> include = {};       ///< folders to look in for imported files
};

struct CheckOptions {
  Common common;
  std::string file;  ///< or a folder: every file below it
};

struct DepsOptions {
  Common common;
  std::string file;
};

struct FormatOptions {
  Common common;
  std::vector<std::string> files;
  bool check = false;  ///< change nothing, exit 1 if something would change
};

/// The call of a command that runs a model, as it was written; run_settings.h makes values of it.
struct RunCommandOptions {
  Common common;
  std::string file;
  // The model and its experiment.
  std::string top;
  std::vector<std::string> parameters;  ///< NAME=VALUE
  std::optional<std::string> end, seed, choice;
  // How it is solved.
  std::optional<std::string> rtol, atol, max_step, step_size, theta, solver, root_finder,
      root_detection, sliding, zeno, jumps, initial, requirements, start;
  // What is kept.
  std::optional<std::string> points, step;
  std::vector<std::string> out;
  std::vector<std::string> vars;
  bool derivatives = false;
  std::optional<std::string> events;
  std::optional<std::string> dump;  ///< STAGE or STAGE:FILTER
  std::optional<std::string> plot;  ///< empty: in the terminal
  bool stats = false;
  bool no_progress = false;
};

struct AnalyzeOptions {
  RunCommandOptions run;
  std::optional<std::string> mode, html;
};

/// The call of a command that makes many runs, as it was written.
struct StudyOptions {
  RunCommandOptions run;  ///< `parameters` may have lists and ranges
  std::string kind;       ///< "sweep", "replicate"; empty: the plan says it
  std::vector<std::string> measures;
  std::optional<std::string> runs, sampling, warmup, until_halfwidth, confidence, jobs;
  std::optional<std::string> table, report, store;
  // Of fit, optimize and sensitivity.
  std::optional<std::string> data, minimize, maximize;
  std::vector<std::string> vary, subject_to, of, to;
  bool morris = false, sobol = false;
  bool print_plan = false, strict = false;
};

struct LinearizeOptions {
  RunCommandOptions run;  ///< `end` is when
  std::vector<std::string> inputs, outputs;
  std::optional<std::string> bode, nyquist, step_response, root_locus;  ///< files
};

struct PlotOptions {
  Common common;
  std::string file;
  std::vector<std::string> vars;
  std::optional<std::string> out;  ///< none: in the terminal
};

struct ExplainOptions {
  Common common;
  std::string code;
};

struct DocOptions {
  Common common;
  std::string name;  ///< a definition or module of the library; empty: all of it
};

int check_command(const CheckOptions& options);
int deps_command(const DepsOptions& options);
int format_command(const FormatOptions& options);
int run_command(const RunCommandOptions& options);
int init_command(const RunCommandOptions& options);
int analyze_command(const AnalyzeOptions& options);
int study_command(const StudyOptions& options);
int linearize_command(const LinearizeOptions& options);
int plot_command(const PlotOptions& options);
int explain_command(const ExplainOptions& options);
int doc_command(const DocOptions& options);

}  // namespace chi::cli
