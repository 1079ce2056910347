#include "experiment/plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "experiment/toml_text.h"

namespace chi::experiment {
namespace {

constexpr std::array<std::string_view, 5> kKinds{"sweep", "replicate", "fit", "optimize",
                                                 "sensitivity"};
constexpr std::array<std::string_view, 3> kSamplings{"random", "latin", "sobol"};
constexpr double kMostValues = 1e8;

bool read_number(std::string_view text, double& value) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

/// The pieces of a text between separators that stand in no brackets and no quotes.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces(1);
  int open = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted) {
      if (c == '[' || c == '(' || c == '{' || c == '<') ++open;
      if (c == ']' || c == ')' || c == '}' || c == '>') --open;
      if (c == separator && open == 0) {
        pieces.emplace_back();
        continue;
      }
    }
    pieces.back() += c;
  }
  return pieces;
}

void bad_range(std::string_view name, std::string_view text, std::string_view why,
               Diagnostics& diagnostics) {
  diagnostics.report({.code = DiagCode::BadOption,
                      .message = fmt::format("`{}={}`: {}", name, text, why),
                      .help = "a range is `from:to:step`, as in `k=0:10:0.5`; a list is `1,2,5`"});
}

}  // namespace

std::string_view name(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view name(Sampling sampling) { return kSamplings[static_cast<std::size_t>(sampling)]; }

std::optional<Kind> kind_named(std::string_view text) {
  const auto* const found = std::find(kKinds.begin(), kKinds.end(), text);
  if (found == kKinds.end()) return std::nullopt;
  return static_cast<Kind>(found - kKinds.begin());
}

// Each value is computed from its number, so that no rounding adds up: 0:1:0.1 holds 0.3.
std::optional<Axis> read_axis(std::string_view name, std::string_view text,
                              Diagnostics& diagnostics) {
  Axis axis{.name = std::string(name)};
  const std::vector<std::string> listed = split(text, ',');
  if (listed.size() > 1) {
    axis.values = listed;
    return axis;
  }
  const std::vector<std::string> range = split(text, ':');
  if (range.size() == 1) return std::nullopt;
  std::array<double, 3> number = {};
  bool good = range.size() <= 3;
  for (std::size_t i = 0; i < range.size() && good; ++i) good = read_number(range[i], number[i]);
  if (!good) {
    bad_range(name, text, "this is no range of numbers", diagnostics);
    return std::nullopt;
  }
  const auto [from, to, step] = number;
  axis.low = from;
  axis.high = to;
  if (range.size() == 2) {
    axis.is_range = true;
    if (!(from < to)) bad_range(name, text, "its end is not behind its beginning", diagnostics);
    return axis;
  }
  const double steps = (to - from) / step;
  if (!(step != 0) || !(steps >= 0) || steps > kMostValues) {
    bad_range(name, text,
              steps > kMostValues ? "these are more than a hundred million values"
                                  : "the step does not lead from the beginning to the end",
              diagnostics);
    return std::nullopt;
  }
  const auto last = static_cast<std::int64_t>(std::floor(steps * (1 + 1e-12) + 1e-9));
  // Where the step divides the way, a share of the way is the double nearest to what is meant.
  const bool divides = std::abs(steps - static_cast<double>(last)) <= 1e-9 * std::max(1.0, steps);
  for (std::int64_t k = 0; k <= last; ++k) {
    const auto i = static_cast<double>(k), n = static_cast<double>(last);
    const double value = divides && last > 0 ? (from * (n - i) + to * i) / n : from + i * step;
    axis.values.push_back(fmt::format("{}", value));
  }
  return axis;
}

std::vector<Axis> read_bounds(std::string_view text, Diagnostics& diagnostics) {
  std::vector<Axis> all;
  for (std::string piece : split(text, ',')) {
    const std::string whole = piece;
    const bool is_logarithmic = piece.ends_with(":log");
    if (is_logarithmic) piece.resize(piece.size() - 4);
    const std::size_t equals = piece.find('=');
    const std::string name = piece.substr(0, std::min(equals, piece.size()));
    const int before = diagnostics.error_count();
    std::optional<Axis> axis;
    if (equals != std::string::npos && equals > 0)
      axis = read_axis(name, std::string_view(piece).substr(equals + 1), diagnostics);
    if (diagnostics.error_count() > before) continue;
    if (!axis || !axis->is_range || (is_logarithmic && !(axis->low > 0))) {
      diagnostics.report({.code = DiagCode::BadOption,
                          .message = fmt::format("`{}` gives no bounds", whole),
                          .help = "`k=0:10`, or of positive numbers `k=1e-3:1:log`"});
      continue;
    }
    axis->is_logarithmic = is_logarithmic;
    all.push_back(std::move(*axis));
  }
  return all;
}

std::string plan_text(const Plan& plan) {
  const sim::RunOptions defaults;
  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    text += fmt::format("{} = {}\n", key, value);
  };
  const auto number = [](double v) { return fmt::format("{}", v); };
  line("model", toml_quote(plan.model));
  line("kind", toml_quote(name(plan.kind)));
  const sim::RunOptions& run = plan.setting.run;
  if (!plan.setting.top.empty()) line("top", toml_quote(plan.setting.top));
  if (std::isfinite(run.end)) line("end", number(run.end));
  if (run.rtol != defaults.rtol) line("rtol", number(run.rtol));
  if (run.atol != defaults.atol) line("atol", number(run.atol));
  if (std::isfinite(run.max_step)) line("max-step", number(run.max_step));
  if (run.random_choice) line("choice", "\"random\"");
  if (plan.setting.warmup > 0) line("warmup", number(plan.setting.warmup));
  if (!plan.data.empty()) line("data", toml_quote(plan.data));
  if (!plan.objective.empty()) {
    line(plan.kind == Kind::Sensitivity ? "of"
         : plan.is_maximized            ? "maximize"
                                        : "minimize",
         toml_quote(plan.objective));
  }
  if (!plan.method.empty()) line("method", toml_quote(plan.method));
  if (!plan.to.empty()) line("to", toml_list(plan.to));
  if (!plan.constraints.empty()) line("subject-to", toml_list(plan.constraints));
  if (!plan.setting.fixed.empty()) {
    text += "\n[parameters]\n";
    for (const auto& [key, value] : plan.setting.fixed) line(toml_key(key), toml_value(value));
  }
  if (!plan.vary.empty()) {
    text += "\n[vary]\n";
    for (const Axis& axis : plan.vary) {
      if (!axis.is_range) {
        std::string values;
        for (const std::string& value : axis.values)
          values += (values.empty() ? "" : ", ") + toml_value(value);
        line(toml_key(axis.name), "[" + values + "]");
        continue;
      }
      line(toml_key(axis.name),
           fmt::format("{{ from = {}, to = {}{}{} }}", axis.low, axis.high,
                       axis.is_logarithmic ? ", scale = \"log\"" : "",
                       axis.start ? fmt::format(", start = {}", *axis.start) : ""));
    }
  }
  if (!plan.random.empty()) {
    text += "\n[random]\n";
    for (const Drawn& drawn : plan.random) {
      line(toml_key(drawn.name),
           fmt::format("{{ {} = [{}] }}", law_name(drawn.law), fmt::join(drawn.arguments, ", ")));
    }
  }
  std::string runs;
  std::swap(text, runs);
  if (plan.count > 0) line("count", fmt::format("{}", plan.count));
  if (plan.seed > 0) line("seed", fmt::format("{}", plan.seed));
  if (plan.sampling != Sampling::Random) line("sampling", toml_quote(name(plan.sampling)));
  if (plan.half_width > 0) line("until-halfwidth", number(plan.half_width));
  if (plan.confidence != 0.95) line("confidence", number(plan.confidence));
  std::swap(text, runs);
  if (!runs.empty()) text += "\n[runs]\n" + runs;
  if (!plan.setting.measures.empty()) {
    text += "\n[measure]\n";
    for (const Measure& measure : plan.setting.measures)
      line(toml_key(measure.name), toml_quote(measure.text));
  }
  if (!plan.table.empty() || !plan.store.empty()) {
    text += "\n[output]\n";
    if (!plan.table.empty()) line("table", toml_quote(plan.table));
    if (!plan.store.empty()) line("store", toml_quote(plan.store));
  }
  return text;
}

}  // namespace chi::experiment
