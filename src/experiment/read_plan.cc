#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "driver/read_source.h"
#include "experiment/plan.h"
#include "experiment/toml_text.h"
#include "sema/suggest.h"

#ifndef CHI_WITHOUT_TOML
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#endif

namespace chi::experiment {

#ifdef CHI_WITHOUT_TOML

std::optional<Plan> read_plan(const std::string& path, Diagnostics& diagnostics) {
  diagnostics.report(
      {.code = DiagCode::BadOption,
       .message = fmt::format("cannot read `{}`: this chi was built without TOML", path),
       .help = "the short forms take the same plan on the command line"});
  return std::nullopt;
}

#else

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;

class Reader {
 public:
  Reader(const std::string& path, Diagnostics& diagnostics)
      : path_(path), diagnostics_(diagnostics), before_(diagnostics.error_count()) {}

  std::optional<Plan> read(const toml::table& table) {
    keys(table, "",
         {"model",      "kind",       "top",  "end",    "rtol",     "atol",     "max-step",
          "choice",     "warmup",     "data", "of",     "minimize", "maximize", "method",
          "subject-to", "parameters", "vary", "random", "runs",     "measure",  "output"});
    sim::RunOptions& run = plan_.setting.run;
    if (!table.contains("model")) wrong(nullptr, "`model` is missing: the file with the model");
    text(table, "model", plan_.model);
    read_kind(table);
    text(table, "top", plan_.setting.top);
    number(table, "end", run.end, 0);
    number(table, "rtol", run.rtol, 1e-16);
    number(table, "atol", run.atol, 1e-300);
    number(table, "max-step", run.max_step, 1e-300);
    std::string choice = "first";
    text(table, "choice", choice);
    run.random_choice = one_of(table, "choice", choice, {"first", "random"}) == 1;
    number(table, "warmup", plan_.setting.warmup, 0);
    text(table, "data", plan_.data);
    text(table, "of", plan_.objective);
    text(table, "minimize", plan_.objective);
    plan_.is_maximized = table.contains("maximize");
    text(table, "maximize", plan_.objective);
    text(table, "method", plan_.method);
    texts(table, "to", plan_.to);
    texts(table, "subject-to", plan_.constraints);
    if (const toml::table* all = inner(table, "parameters")) {
      for (const auto& [key, node] : in_order(*all))
        plan_.setting.fixed.emplace_back(key, value_text(*node));
    }
    if (const toml::table* all = inner(table, "vary")) {
      for (const auto& [key, node] : in_order(*all)) read_axis(key, *node);
    }
    if (const toml::table* all = inner(table, "random")) {
      for (const auto& [key, node] : in_order(*all)) read_drawn(key, *node);
    }
    if (const toml::table* all = inner(table, "runs")) read_runs(*all);
    if (const toml::table* all = inner(table, "measure")) read_measures(*all);
    if (const toml::table* all = inner(table, "output")) read_output(*all);
    if (diagnostics_.error_count() > before_) return std::nullopt;
    return std::move(plan_);
  }

 private:
  void wrong(const toml::node* node, std::string message, std::string help = "") {
    const std::string where =
        node == nullptr ? path_ : fmt::format("{}:{}", path_, node->source().begin.line);
    diagnostics_.report({.code = DiagCode::BadOption,
                         .message = fmt::format("{}: {}", where, message),
                         .help = std::move(help)});
  }

  void keys(const toml::table& table, std::string_view where,
            const std::vector<std::string_view>& known) {
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      const std::string meant = sema::nearest(key.str(), known);
      wrong(&node, fmt::format("there is no key `{}`{}", key.str(), where),
            meant.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                          : fmt::format("did you mean `{}`?", meant));
    }
  }

  /// As they stand in the file: the first axis is the outermost loop.
  static std::vector<std::pair<std::string, const toml::node*> > in_order(
      const toml::table& table) {
    std::vector<std::pair<std::string, const toml::node*> > rows;
    for (const auto& [key, node] : table) rows.emplace_back(std::string(key.str()), &node);
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      const toml::source_position x = a.second->source().begin, y = b.second->source().begin;
      return x.line != y.line ? x.line < y.line : x.column < y.column;
    });
    return rows;
  }

  void text(const toml::table& table, std::string_view key, std::string& value) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    if (const auto* string = node->as_string()) {
      value = string->get();
    } else {
      wrong(node, fmt::format("`{}` is a text in quotes", key));
    }
  }

  void number(const toml::table& table, std::string_view key, double& value, double least) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    const std::optional<double> read = node->value<double>();
    if (!node->is_number() || !read || !std::isfinite(*read) || !(*read >= least)) {
      wrong(node, fmt::format("`{}` is a number{}", key,
                              least > 0 ? " above 0" : " that is not negative"));
      return;
    }
    value = *read;
  }

  template <class Integer>
  void integer(const toml::table& table, std::string_view key, Integer& value, Integer least) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    const auto* read = node->as_integer();
    if (read == nullptr || read->get() < static_cast<std::int64_t>(least)) {
      wrong(node, fmt::format("`{}` is a whole number from {} on", key, least));
      return;
    }
    value = static_cast<Integer>(read->get());
  }

  std::size_t one_of(const toml::table& table, std::string_view key, const std::string& value,
                     const std::vector<std::string_view>& known) {
    const auto found = std::find(known.begin(), known.end(), value);
    if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
    const std::string meant = sema::nearest(value, known);
    wrong(table.get(key), fmt::format("`{}` is none of {}", value, fmt::join(known, ", ")),
          meant.empty() ? "" : fmt::format("did you mean `{}`?", meant));
    return 0;
  }

  const toml::table* inner(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return nullptr;
    if (const toml::table* found = node->as_table()) return found;
    wrong(node, fmt::format("`[{}]` is a table", key));
    return nullptr;
  }

  /// As after `-p`: numbers and truths as they are, strings as χ text, lists as lists.
  std::string value_text(const toml::node& node) {
    if (const auto* string = node.as_string()) return string->get();
    if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
    if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
    if (const auto* real = node.as_floating_point()) {
      const std::string digits = fmt::format("{}", real->get());
      return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
    }
    if (const auto* list = node.as_array()) {
      std::string all;
      for (const toml::node& element : *list)
        all += (all.empty() ? "" : ", ") + value_text(element);
      return "[" + all + "]";
    }
    wrong(&node, "this is no value of a parameter",
          "it is a number, true or false, a list, or χ text in quotes");
    return "0";
  }

  void read_kind(const toml::table& table) {
    std::string kind = "sweep";
    text(table, "kind", kind);
    plan_.kind = static_cast<Kind>(
        one_of(table, "kind", kind, {"sweep", "replicate", "fit", "optimize", "sensitivity"}));
  }

  void texts(const toml::table& table, std::string_view key, std::vector<std::string>& values) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    if (const auto* one = node->as_string()) {
      values.push_back(one->get());
    } else if (const auto* list = node->as_array(); list != nullptr) {
      for (const toml::node& element : *list) {
        if (const auto* value = element.as_string()) {
          values.push_back(value->get());
        } else {
          wrong(&element, fmt::format("`{}` is made of texts in quotes", key));
        }
      }
    } else {
      wrong(node, fmt::format("`{}` is a text in quotes, or a list of such", key));
    }
  }

  void read_axis(const std::string& name, const toml::node& node) {
    Axis axis{.name = name};
    if (const auto* list = node.as_array()) {
      for (const toml::node& element : *list) axis.values.push_back(value_text(element));
      if (axis.values.empty()) wrong(&node, fmt::format("`{}` has no values", name));
    } else if (const toml::table* range = node.as_table()) {
      read_range(axis, *range);
    } else if (const auto* short_form = node.as_string()) {
      const std::optional<Axis> read = experiment::read_axis(name, short_form->get(), diagnostics_);
      axis = read ? *read : Axis{.name = name, .values = {short_form->get()}};
    } else {
      axis.values = {value_text(node)};
    }
    plan_.vary.push_back(std::move(axis));
  }

  void read_range(Axis& axis, const toml::table& range) {
    keys(range, fmt::format(" in the range of `{}`", axis.name),
         {"from", "to", "step", "points", "scale", "start"});
    constexpr double kAny = -std::numeric_limits<double>::max();
    double step = 0;
    std::int64_t points = 0;
    std::string scale = "linear";
    for (const char* key : {"from", "to"}) {
      if (!range.contains(key)) wrong(&range, fmt::format("`{}` misses `{}`", axis.name, key));
    }
    number(range, "from", axis.low, kAny);
    number(range, "to", axis.high, kAny);
    number(range, "step", step, kAny);
    integer<std::int64_t>(range, "points", points, 2);
    text(range, "scale", scale);
    axis.is_logarithmic = one_of(range, "scale", scale, {"linear", "log"}) == 1;
    if (range.contains("start")) {
      axis.start.emplace();
      number(range, "start", *axis.start, kAny);
    }
    if (axis.is_logarithmic && !(axis.low > 0 && axis.high > 0))
      wrong(&range, fmt::format("`{}`: a logarithmic scale is for positive numbers", axis.name));
    if (range.contains("step")) {
      if (const auto read = experiment::read_axis(
              axis.name, fmt::format("{}:{}:{}", axis.low, axis.high, step), diagnostics_))
        axis.values = read->values;
      return;
    }
    axis.is_range = points == 0;
    if (axis.is_range && !(axis.low < axis.high))
      wrong(&range, fmt::format("`{}`: its end is not behind its beginning", axis.name));
    for (std::int64_t k = 0; k < points; ++k) {
      const double n = static_cast<double>(points - 1), i = static_cast<double>(k);
      const double value = !axis.is_logarithmic ? (axis.low * (n - i) + axis.high * i) / n
                           : k == 0             ? axis.low
                           : k == points - 1    ? axis.high
                                                : axis.low * std::pow(axis.high / axis.low, i / n);
      axis.values.push_back(fmt::format("{}", value));
    }
  }

  void read_drawn(const std::string& name, const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr || table->size() != 1) {
      wrong(&node, fmt::format("`{}` is drawn as in `{{ normal = [0, 1] }}`", name));
      return;
    }
    keys(*table, fmt::format(" for what is drawn"), law_names());
    const auto law = law_named(table->begin()->first.str());
    if (!law) return;
    Drawn drawn{.name = name, .law = *law};
    const toml::node& values = table->begin()->second;
    if (const auto* list = values.as_array()) {
      for (const toml::node& element : *list)
        drawn.arguments.push_back(element.value<double>().value_or(std::nan("")));
    } else {
      drawn.arguments.push_back(values.value<double>().value_or(std::nan("")));
    }
    if (const std::string why = why_not(drawn); !why.empty()) {
      wrong(&values, fmt::format("`{}` of `{}`: {}", law_name(*law), name, why));
      return;
    }
    plan_.random.push_back(std::move(drawn));
  }

  static std::string why_not(const Drawn& drawn) {
    const std::vector<double>& a = drawn.arguments;
    if (a.size() != argument_count(drawn.law))
      return fmt::format("it has {} arguments, and {} are given", argument_count(drawn.law),
                         a.size());
    for (const double v : a) {
      if (!std::isfinite(v)) return "its arguments are numbers";
    }
    switch (drawn.law) {
      case Drawn::Law::Uniform: return a[0] < a[1] ? "" : "its bounds are in ascending order";
      case Drawn::Law::LogUniform:
        return 0 < a[0] && a[0] < a[1] ? "" : "its bounds are positive, in ascending order";
      case Drawn::Law::Normal:
      case Drawn::Law::LogNormal:
        return a[1] >= 0 ? "" : "the second argument is the variance, and not negative";
      case Drawn::Law::Triangle:
        return a[0] <= a[1] && a[1] <= a[2] && a[0] < a[2]
                   ? ""
                   : "its arguments are the least, the likeliest and the largest value";
      case Drawn::Law::Exponential: return a[0] > 0 ? "" : "its mean is positive";
    }
    return "";
  }

  void read_runs(const toml::table& runs) {
    keys(runs, " in `[runs]`",
         {"count", "seed", "sampling", "until-halfwidth", "confidence", "warmup"});
    integer<std::int64_t>(runs, "count", plan_.count, 1);
    integer<std::uint64_t>(runs, "seed", plan_.seed, 0);
    std::string sampling = "random";
    text(runs, "sampling", sampling);
    plan_.sampling =
        static_cast<Sampling>(one_of(runs, "sampling", sampling, {"random", "latin", "sobol"}));
    number(runs, "until-halfwidth", plan_.half_width, 1e-300);
    number(runs, "confidence", plan_.confidence, 1e-300);
    if (!(plan_.confidence < 1)) wrong(&runs, "`confidence` is between 0 and 1");
    number(runs, "warmup", plan_.setting.warmup, 0);
  }

  void read_measures(const toml::table& measures) {
    for (const auto& [key, node] : in_order(measures)) {
      if (const auto* string = node->as_string()) {
        plan_.setting.measures.push_back({key, string->get()});
      } else {
        wrong(node, fmt::format("measure `{}` is a text in quotes", key));
      }
    }
  }

  void read_output(const toml::table& output) {
    keys(output, " in `[output]`", {"table", "store"});
    text(output, "table", plan_.table);
    text(output, "store", plan_.store);
  }

  const std::string& path_;
  Diagnostics& diagnostics_;
  int before_;
  Plan plan_;
};

}  // namespace

std::optional<Plan> read_plan(const std::string& path, Diagnostics& diagnostics) {
  const std::optional<std::string> text = driver::read_file(path, kMostBytes, diagnostics);
  if (!text) return std::nullopt;
  const toml::parse_result parsed = toml::parse(*text, path);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    diagnostics.report({.code = DiagCode::BadOption,
                        .message = fmt::format("{}:{}:{}: {}", path, error.source().begin.line,
                                               error.source().begin.column, error.description()),
                        .help = "plans are written in TOML"});
    return std::nullopt;
  }
  return Reader(path, diagnostics).read(parsed.table());
}

#endif

}  // namespace chi::experiment
