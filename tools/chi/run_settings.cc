#include "run_settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "driver/parameter_file.h"
#include "results/read_trace.h"
#include "results/trace.h"
#include "sema/suggest.h"

namespace chi::cli {
namespace {

template <class Value>
struct Choice {
  std::string_view name;
  Value value;
};

constexpr Choice<sim::SolverChoice> kSolvers[] = {
    {"auto", sim::SolverChoice::Auto},         {"ida", sim::SolverChoice::Ida},
    {"bdf", sim::SolverChoice::Bdf},           {"cvode", sim::SolverChoice::Cvode},
    {"erk", sim::SolverChoice::Dopri5},        {"erk:dopri5", sim::SolverChoice::Dopri5},
    {"erk:rkf45", sim::SolverChoice::Rkf45},   {"irk", sim::SolverChoice::Irk},
    {"timestep", sim::SolverChoice::Timestep},
};
constexpr Choice<sim::Sliding> kSliding[] = {{"allow", sim::Sliding::Allow},
                                             {"error", sim::Sliding::Error}};
constexpr Choice<sim::Zeno> kZeno[] = {{"stop", sim::Zeno::Stop},
                                       {"continue", sim::Zeno::Continue}};
constexpr Choice<sim::Jumps> kJumps[] = {{"allow", sim::Jumps::Allow},
                                         {"error", sim::Jumps::Error}};
constexpr Choice<sim::Initial> kInitial[] = {{"error", sim::Initial::Error},
                                             {"nearest", sim::Initial::Nearest}};
constexpr Choice<sim::Requirements> kRequirements[] = {{"stop", sim::Requirements::Stop},
                                                       {"warn", sim::Requirements::Warn}};
constexpr Choice<sim::StartValues> kStarts[] = {{"keep", sim::StartValues::Keep},
                                                {"jump", sim::StartValues::Jump}};
constexpr Choice<bool> kChoices[] = {{"first", false}, {"random", true}};

class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// A real number; `ok` says which are meant, `what` in words.
  template <class Ok>
  void real(const std::optional<std::string>& text, std::string_view option, std::string_view what,
            Ok ok, double& value) {
    if (!text) return;
    double read = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), read);
    const bool number = error == std::errc() && end == text->data() + text->size();
    if (number && ok(read)) {
      value = read;
    } else {
      bad_option(diagnostics_, fmt::format("`{} {}` is not {}", option, *text,
                                           number ? what : std::string_view("a number")));
    }
  }

  void refuse(const std::string& why) { bad_option(diagnostics_, why); }

  template <class Integer>
  void integer(const std::optional<std::string>& text, std::string_view option, Integer least,
               Integer& value) {
    if (!text) return;
    Integer read{};
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), read);
    if (error == std::errc() && end == text->data() + text->size() && read >= least) {
      value = read;
      return;
    }
    bad_option(diagnostics_, fmt::format("`{} {}` is not an integer from {} to {}", option, *text,
                                         least, std::numeric_limits<Integer>::max()));
  }

  template <class Value>
  void choice(const std::optional<std::string>& text, std::string_view option,
              std::span<const Choice<Value>> choices, Value& value) {
    if (!text) return;
    std::vector<std::string_view> names;
    for (const Choice<Value>& c : choices) {
      if (c.name == *text) {
        value = c.value;
        return;
      }
      names.push_back(c.name);
    }
    not_one_of(*text, option, names);
  }

  void not_one_of(const std::string& text, std::string_view option,
                  const std::vector<std::string_view>& names) {
    const std::string meant = sema::nearest(text, names);
    bad_option(diagnostics_,
               fmt::format("`{} {}` is none of {}", option, text, fmt::join(names, ", ")),
               meant.empty() ? "" : fmt::format("did you mean `{}`?", meant));
  }

 private:
  Diagnostics& diagnostics_;
};

/// The names of an enumeration of numerics, whose values are 0, 1, ... and whose name is empty
/// beyond the last.
template <class Value, class Named>
void named(Reader& reader, const std::optional<std::string>& text, std::string_view option,
           Named named_value, std::span<const Value> values, Value& value) {
  if (!text) return;
  if (const std::optional<Value> found = named_value(*text)) {
    value = *found;
    return;
  }
  std::vector<std::string_view> names;
  for (const Value v : values) names.push_back(name(v));
  reader.not_one_of(*text, option, names);
}

void read_numerics(const RunCommandOptions& call, Reader& reader, sim::RunOptions& run) {
  using numerics::RootDetection;
  using numerics::RootFinder;
  const auto positive = [](double v) { return v > 0 && std::isfinite(v); };
  reader.real(
      call.rtol, "--rtol", "a tolerance: they are between 0 and 1",
      [](double v) { return v > 0 && v < 1; }, run.rtol);
  reader.real(call.atol, "--atol", "a tolerance: they are positive", positive, run.atol);
  reader.real(call.max_step, "--max-step", "a step: they are positive", positive, run.max_step);
  reader.choice<sim::SolverChoice>(call.solver, "--solver", kSolvers, run.solver);
  reader.real(call.step_size, "--step-size", "a step: they are positive", positive, run.step_size);
  reader.real(
      call.theta, "--theta", "between 0.5 and 1", [](double v) { return v >= 0.5 && v <= 1; },
      run.theta);
  const bool steps = run.solver == sim::SolverChoice::Timestep;
  if (steps && !call.step_size) reader.refuse("`--solver timestep` needs a `--step-size`");
  if (!steps && call.step_size) reader.refuse("`--step-size` is for `--solver timestep`");
  if (!steps && call.theta) reader.refuse("`--theta` is for `--solver timestep`");
  reader.choice<sim::Sliding>(call.sliding, "--sliding", kSliding, run.sliding);
  reader.choice<sim::Zeno>(call.zeno, "--zeno", kZeno, run.zeno);
  reader.choice<sim::Jumps>(call.jumps, "--jumps", kJumps, run.jumps);
  reader.choice<sim::Initial>(call.initial, "--initial", kInitial, run.initial);
  reader.choice<sim::Requirements>(call.requirements, "--requirements", kRequirements,
                                   run.requirements);
  reader.choice<sim::StartValues>(call.start, "--start", kStarts, run.start);
  constexpr RootFinder kFinders[] = {RootFinder::Toms748,        RootFinder::Itp,
                                     RootFinder::RegulaFalsi,    RootFinder::GoldenSection,
                                     RootFinder::Bisection,      RootFinder::CubicHermite,
                                     RootFinder::InverseHermite, RootFinder::Polynomial};
  constexpr RootDetection kDetections[] = {RootDetection::Signs, RootDetection::Derivative,
                                           RootDetection::Bernstein, RootDetection::Sturm};
  named<RootFinder>(reader, call.root_finder, "--root-finder", numerics::root_finder_named,
                    kFinders, run.root_finder);
  named<RootDetection>(reader, call.root_detection, "--root-detection",
                       numerics::root_detection_named, kDetections, run.root_detection);
}

flat::Request request_of(const RunCommandOptions& call, Diagnostics& diagnostics) {
  flat::Request request{.top = call.top};
  // What is given by itself comes before what a file says, and a later file before an earlier one.
  driver::ParameterTexts of_files;
  for (const std::string& parameter : call.parameters) {
    if (parameter.starts_with('@')) {
      auto read = driver::read_parameters(parameter.substr(1), diagnostics);
      if (!read) continue;
      for (auto& given : *read) {
        std::erase_if(of_files, [&](const auto& row) { return row.first == given.first; });
        of_files.push_back(std::move(given));
      }
      continue;
    }
    const std::size_t equals = parameter.find('=');
    if (equals == std::string::npos || equals == 0) {
      bad_option(diagnostics, fmt::format("`-p {}` is not NAME=VALUE", parameter));
      continue;
    }
    request.params.emplace_back(parameter.substr(0, equals), parameter.substr(equals + 1));
  }
  for (auto& row : of_files) {
    const bool is_given = std::ranges::any_of(
        request.params, [&](const auto& param) { return param.first == row.first; });
    if (!is_given) request.params.push_back(std::move(row));
  }
  return request;
}

/// Not of what is no regular file: /dev/stdout takes several texts.
bool is_same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (fs::exists(a, none) && !fs::is_regular_file(a, none)) return false;
  if (fs::exists(a, none) && fs::exists(b, none)) return fs::equivalent(a, b, none);
  const auto whole = [&](const std::string& file) {
    return fs::weakly_canonical(fs::absolute(file, none), none);
  };
  return whole(a) == whole(b) && !none;
}

void read_plot(const RunCommandOptions& call, Diagnostics& diagnostics, RunSettings& settings) {
  settings.plot_file = *call.plot;
  if (const std::optional<PlotKind> kind = plot_kind(*call.plot)) {
    settings.plot = *kind;
  } else {
    bad_option(diagnostics,
               fmt::format("`--plot {}`: plots are written as .svg or .html", *call.plot),
               "without a file the plot is drawn in the terminal");
  }
}

void read_results(const RunCommandOptions& call, Diagnostics& diagnostics, RunSettings& settings) {
  for (const std::string& out : call.out) {
    if (results::result_format(out)) continue;
    bad_option(
        diagnostics,
        fmt::format("`--out {}`: the name tells the format, and ends in .csv, .mat or .json", out));
  }
  settings.out = call.out;
  settings.vars = call.vars;
  settings.derivatives = call.derivatives;
  settings.events = call.events.value_or("");
  if (call.events && call.events->empty()) bad_option(diagnostics, "`--events` needs a FILE");
  if (settings.events == "-")
    bad_option(diagnostics, "`--events -` names no file",
               "`--events /dev/stdout` writes to stdout");
  if (call.plot) read_plot(call, diagnostics, settings);
  std::vector<std::string> written = settings.out;
  written.push_back(settings.events);
  written.push_back(settings.plot_file);
  check_written(call.file, written, diagnostics);
}

void read_dump(const RunCommandOptions& call, Reader& reader, Diagnostics& diagnostics,
               RunSettings& settings) {
  if (!call.dump) return;
  const std::size_t colon = std::min(call.dump->find(':'), call.dump->size());
  const std::string stage = call.dump->substr(0, colon);
  settings.dump = driver::stage_named(stage);
  if (!settings.dump) {
    const auto names = driver::stage_names();
    reader.not_one_of(stage, "--dump", {names.begin(), names.end()});
    return;
  }
  if (colon < call.dump->size()) settings.dump_filter = call.dump->substr(colon + 1);
  if (settings.keeps_results() || !settings.events.empty()) {
    bad_option(diagnostics, "`--dump` prints a stage instead of running: there are no results",
               "leave out `--out`, `--plot` and `--events`");
  }
}

}  // namespace

void check_vars(const std::vector<std::string>& patterns, const std::vector<std::string>& names,
                std::string_view whose, Diagnostics& diagnostics) {
  constexpr std::size_t kListed = 8;
  for (const std::string& pattern : patterns) {
    if (pattern == "time") continue;  // is always there
    const bool found = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return results::matches({pattern}, name);
    });
    if (found) continue;
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const auto matched = [&](const std::string& tried) {
      return std::any_of(names.begin(), names.end(),
                         [&](const std::string& name) { return results::matches({tried}, name); });
    };
    // A variable of a process has its label before it; one that a process shares has the name that
    // it has where it is declared.
    const std::string inside = "*." + pattern;
    const std::string outside = pattern.substr(pattern.rfind('.') + 1);
    const std::string meant = matched(inside)    ? inside
                              : matched(outside) ? outside
                                                 : sema::nearest(pattern, candidates);
    std::string help = fmt::format("did you mean `{}`?", meant);
    if (meant.empty()) {
      const std::size_t shown = std::min(names.size(), kListed);
      help = fmt::format("it has {}{}", fmt::join(std::span(names).first(shown), ", "),
                         shown < names.size() ? ", ..." : "");
    }
    if (names.empty()) help = "it has none that could be recorded";
    diagnostics.report(
        {.code = DiagCode::NothingRecorded,
         .message = fmt::format("`--vars {}` matches no variable of {}", pattern, whose),
         .help = std::move(help)});
  }
}

void check_written(const std::string& model, const std::vector<std::string>& written,
                   Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i].empty()) continue;
    if (is_same_file(model, written[i])) {
      bad_option(diagnostics, fmt::format("`{}` is the model, and would be written over", model));
      continue;
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (!is_same_file(written[k], written[i])) continue;
      bad_option(diagnostics, fmt::format("`{}` would be written twice", written[i]));
      break;
    }
  }
}

void bad_option(Diagnostics& diagnostics, std::string message, std::string help) {
  diagnostics.report(
      {.code = DiagCode::BadOption, .message = std::move(message), .help = std::move(help)});
}

std::int64_t memory_for_values() {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? pages / 4 * 3 * page : std::numeric_limits<std::int64_t>::max();
}

std::optional<PlotKind> plot_kind(const std::string& file) {
  if (file.empty()) return PlotKind::Terminal;
  if (file.ends_with(".svg")) return PlotKind::Svg;
  if (file.ends_with(".html")) return PlotKind::Html;
  return std::nullopt;
}

std::optional<RunSettings> run_settings(const RunCommandOptions& call, Diagnostics& diagnostics) {
  const int before = diagnostics.error_count();
  RunSettings settings;
  Reader reader(diagnostics);
  settings.request = request_of(call, diagnostics);
  reader.real(
      call.end, "--end", "a time: a run goes from 0 to a finite time that is not negative",
      [](double v) { return v >= 0 && std::isfinite(v); }, settings.run.end);
  reader.integer<std::uint64_t>(call.seed, "--seed", 0, settings.run.seed);
  reader.choice<bool>(call.choice, "--choice", kChoices, settings.run.random_choice);
  read_numerics(call, reader, settings.run);
  reader.real(
      call.step, "--step",
      "a positive step: it is the distance of output points, as in --step 0.01",
      [](double v) { return v > 0 && std::isfinite(v); }, settings.grid.step);
  reader.integer(call.points, "--points", 2, settings.grid.points);
  if (call.step && call.points)
    bad_option(diagnostics, "`--points` and `--step` both say where the output points lie",
               "give one of them");
  constexpr double kMostPoints = 1e9;
  if (settings.grid.step > 0 && std::isfinite(settings.run.end) &&
      settings.run.end / settings.grid.step > kMostPoints) {
    bad_option(diagnostics,
               fmt::format("`--step {}` makes {:.2g} output points up to t = {}", *call.step,
                           settings.run.end / settings.grid.step, settings.run.end),
               "the output grid does not influence the solution; `--points` gives their number");
  }
  read_results(call, diagnostics, settings);
  read_dump(call, reader, diagnostics, settings);
  if (diagnostics.error_count() > before) return std::nullopt;
  return settings;
}

}  // namespace chi::cli
