#include "search_command.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "base/doing.h"
#include "base/json_text.h"
#include "driver/write_file.h"
#include "experiment/fit.h"
#include "experiment/optimize.h"
#include "experiment/sensitivity.h"
#include "experiment/table.h"
#include "report.h"
#include "run_settings.h"

namespace chi::cli {
namespace {

using experiment::Axis;
using experiment::Evaluator;
using experiment::Plan;
using experiment::Setting;

/// Differences of runs need runs that are more accurate than what is shown of a single one.
constexpr double kRtol = 1e-10, kAtol = 1e-12;

class SearchRun {
 public:
  SearchRun(const SearchCall& call, Diagnostics& diagnostics)
      : call_(call), plan_(call.settings.plan), setting_(plan_.setting), diagnostics_(diagnostics) {
    const sim::RunOptions defaults;
    if (setting_.run.rtol == defaults.rtol) setting_.run.rtol = kRtol;
    if (setting_.run.atol == defaults.atol) setting_.run.atol = kAtol;
  }

  int operator()() {
    for (const Axis& axis : plan_.vary) {
      if (axis.is_range) continue;
      bad_option(diagnostics_,
                 fmt::format("`{}` is varied over values, and this needs bounds", axis.name));
    }
    if (diagnostics_.has_errors()) return kCallWrong;
    switch (plan_.kind) {
      case experiment::Kind::Fit: return fit();
      case experiment::Kind::Optimize: return optimize();
      default: return sensitivity();
    }
  }

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Axis& axis : plan_.vary) all.push_back(axis.name);
    return all;
  }

  bool needs_vary() {
    if (!plan_.vary.empty()) return true;
    bad_option(diagnostics_, "which parameters are varied is not said", "`--vary k=0:10,c=0:1`");
    return false;
  }

  /// Whether the model can be run with these names and the measures can be read.
  bool can_run(const std::vector<std::string>& all, const std::vector<double>& values) {
    experiment::Point point;
    for (std::size_t i = 0; i < all.size(); ++i)
      point.parameters.emplace_back(all[i], experiment::real_text(values[i]));
    return experiment::Worker(call_.subject, setting_).try_out(point, diagnostics_);
  }

  std::vector<double> middle() const {
    std::vector<double> values;
    for (const Axis& axis : plan_.vary)
      values.push_back(axis.start            ? *axis.start
                       : axis.is_logarithmic ? std::sqrt(axis.low * axis.high)
                                             : 0.5 * (axis.low + axis.high));
    return values;
  }

  void write_table(const std::string& text) {
    if (!plan_.table.empty()) driver::write_file(plan_.table, text, diagnostics_);
  }

  // ---- fit

  int fit() {
    const Doing doing("fitting parameters");
    if (plan_.data.empty()) bad_option(diagnostics_, "there are no data", "`--data FILE.csv`");
    if (!needs_vary() || plan_.data.empty()) return kCallWrong;
    const std::optional<experiment::Data> data = experiment::read_data(plan_.data, diagnostics_);
    if (!data) return kCallWrong;
    setting_.measures.clear();
    setting_.samples = data->samples;
    setting_.run.end = data->samples.times.back();
    if (!can_run(names(), middle())) return kCallWrong;
    const experiment::Fitted found = experiment::fit(call_.subject, setting_, plan_.vary, *data,
                                                     plan_.seed, call_.settings.jobs);
    if (!found.problem.empty()) {
      std::fprintf(stderr, "%s\n", found.problem.c_str());
      return kRunFailed;
    }
    write_table(fit_table(found, *data));
    show(call_.common.json ? fit_json(found, *data) : fit_text(found, *data));
    return found.is_converged ? kSuccess : kRunFailed;
  }

  static std::string fit_table(const experiment::Fitted& found, const experiment::Data& data) {
    std::string text = "time";
    for (const std::string& name : data.samples.names) text += fmt::format(",{0},{0} fitted", name);
    text += '\n';
    const std::size_t n = data.samples.times.size();
    for (std::size_t k = 0; k < n; ++k) {
      text += experiment::cell(data.samples.times[k]);
      for (std::size_t c = 0; c < data.samples.names.size(); ++c)
        text += "," + experiment::cell(data.values[c * n + k]) + "," +
                experiment::cell(found.model[c * n + k]);
      text += '\n';
    }
    return text;
  }

  static std::string direction_text(const std::vector<std::pair<std::string, double>>& direction) {
    std::string text;
    for (const auto& [name, amount] : direction)
      text += fmt::format("{}{} {} {:.3g}", text.empty() ? "" : ", ", name,
                          amount < 0 ? "down by" : "up by", std::abs(amount));
    return text;
  }

  std::string fit_text(const experiment::Fitted& found, const experiment::Data& data) const {
    std::string text;
    for (std::size_t i = 0; i < found.names.size(); ++i) {
      if (std::isnan(found.errors[i])) {
        text += fmt::format("  {}: not determined by the data\n", found.names[i]);
        continue;
      }
      text += fmt::format("  {} = {:.8g} ± {:.2g}{}\n", found.names[i], found.values[i],
                          found.errors[i], found.at_bound[i] != 0 ? "  at its bound" : "");
    }
    for (const auto& direction : found.undetermined) {
      if (direction.size() > 1)
        text += fmt::format("the data do not see {}, all at once\n", direction_text(direction));
    }
    for (std::size_t i = 0; i < found.names.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const double c = found.correlation(i, k);
        if (std::abs(c) > 0.95 && !std::isnan(found.errors[i]) && !std::isnan(found.errors[k]))
          text +=
              fmt::format("{} and {} are correlated: {:.4f}\n", found.names[k], found.names[i], c);
      }
    }
    for (std::size_t c = 0; c < data.samples.names.size(); ++c)
      text += fmt::format("{}: standard deviation of what is left {:.4g}\n", data.samples.names[c],
                          found.noise[c]);
    return text + fmt::format("{} measured values, {} iterations, {} runs{}\n", found.measured,
                              found.iterations, found.runs,
                              found.is_converged ? "" : "; not converged");
  }

  static std::string numbers_json(const std::vector<double>& values) {
    std::string text;
    for (const double v : values) text += (text.empty() ? "" : ",") + json_number(v);
    return "[" + text + "]";
  }

  std::string fit_json(const experiment::Fitted& found, const experiment::Data& data) const {
    std::string parameters, correlation, noise;
    for (std::size_t i = 0; i < found.names.size(); ++i) {
      parameters +=
          fmt::format("{}{}:{{\"value\":{},\"error\":{},\"determined\":{}}}", i > 0 ? "," : "",
                      json_quote(found.names[i]), json_number(found.values[i]),
                      json_number(found.errors[i]), !std::isnan(found.errors[i]));
      std::vector<double> row;
      for (std::size_t k = 0; k < found.names.size(); ++k) row.push_back(found.correlation(i, k));
      correlation += (i > 0 ? "," : "") + numbers_json(row);
    }
    for (std::size_t c = 0; c < data.samples.names.size(); ++c)
      noise += fmt::format("{}{}:{}", c > 0 ? "," : "", json_quote(data.samples.names[c]),
                           json_number(found.noise[c]));
    return fmt::format(
        "{{\"fit\":{{\"parameters\":{{{}}},\"correlation\":[{}],\"noise\":{{{}}},\"measured\":{},"
        "\"runs\":{},\"converged\":{}}}}}\n",
        parameters, correlation, noise, found.measured, found.runs, found.is_converged);
  }

  // ---- optimise

  int optimize() {
    const Doing doing("looking for an optimum");
    if (plan_.objective.empty())
      bad_option(diagnostics_, "what is looked for is not said", "`--minimize 'x(end)'`");
    if (!needs_vary() || plan_.objective.empty()) return kCallWrong;
    setting_.measures = {experiment::measure_of(plan_.objective)};
    for (const std::string& constraint : plan_.constraints) {
      const std::string measure = experiment::constraint_measure(constraint);
      if (measure.empty()) {
        bad_option(diagnostics_, fmt::format("`{}` is no constraint", constraint),
                   "`max(F) < 10`, with `<`, `<=`, `>` or `>=`");
        return kCallWrong;
      }
      setting_.measures.push_back({constraint, measure});
    }
    if (!can_run(names(), middle())) return kCallWrong;
    Evaluator evaluate(call_.subject, setting_, names(), plan_.seed, plan_.count,
                       call_.settings.jobs);
    const auto most = static_cast<std::int64_t>(400 * plan_.vary.size() + 400);
    const experiment::Optimum found =
        experiment::optimize(evaluate, plan_.vary, plan_.is_maximized, most);
    if (!found.problem.empty()) {
      std::fprintf(stderr, "%s\n", found.problem.c_str());
      return kRunFailed;
    }
    std::string header, row, text;
    for (std::size_t i = 0; i < plan_.vary.size(); ++i) {
      header += plan_.vary[i].name + ",";
      row += experiment::cell(found.values[i]) + ",";
      text += fmt::format("  {} = {:.8g}\n", plan_.vary[i].name, found.values[i]);
    }
    write_table(header + "objective\n" + row + experiment::cell(found.objective) + "\n");
    text += fmt::format("{} = {:.8g}\n", plan_.objective, found.objective);
    for (std::size_t i = 0; i < found.constraints.size(); ++i)
      text += fmt::format("{}: {}\n", plan_.constraints[i],
                          found.constraints[i] <= -1e-6
                              ? fmt::format("holds, by {:.4g}", -found.constraints[i])
                          : found.constraints[i] <= 1e-6
                              ? std::string("holds, just so")
                              : fmt::format("is missed by {:.4g}", found.constraints[i]));
    text += fmt::format("{} runs{}{}\n", found.runs,
                        found.failed > 0 ? fmt::format(", {} failed", found.failed) : "",
                        found.is_converged ? "" : "; not converged");
    if (call_.common.json) {
      std::string values;
      for (std::size_t i = 0; i < plan_.vary.size(); ++i)
        values += fmt::format("{}{}:{}", i > 0 ? "," : "", json_quote(plan_.vary[i].name),
                              json_number(found.values[i]));
      text = fmt::format(
          "{{\"optimum\":{{\"parameters\":{{{}}},\"objective\":{},\"constraints\":{},\"feasible\":{"
          "},"
          "\"converged\":{},\"runs\":{}}}}}\n",
          values, json_number(found.objective), numbers_json(found.constraints), found.is_feasible,
          found.is_converged, found.runs);
    }
    show(text);
    return found.is_feasible && found.is_converged ? kSuccess : kRunFailed;
  }

  // ---- sensitivities

  int sensitivity() {
    const Doing doing("finding sensitivities");
    if (!plan_.objective.empty())
      setting_.measures.insert(setting_.measures.begin(), experiment::measure_of(plan_.objective));
    if (setting_.measures.empty()) {
      bad_option(diagnostics_, "what is to be sensitive is not said", "`--of 'x(end)'`");
      return kCallWrong;
    }
    if (plan_.method == "morris" || plan_.method == "sobol") return global();
    if (plan_.method == "local" || plan_.method.empty()) return local();
    bad_option(diagnostics_, fmt::format("`{}` is none of local, morris, sobol", plan_.method));
    return kCallWrong;
  }

  int local() {
    if (plan_.to.empty()) {
      bad_option(diagnostics_, "by which parameters is not said", "`--to k,c`");
      return kCallWrong;
    }
    std::vector<double> values, scales;
    experiment::Parameters& fixed = setting_.fixed;
    for (const std::string& name : plan_.to) {
      const auto given =
          std::find_if(fixed.begin(), fixed.end(), [&](const auto& p) { return p.first == name; });
      double value = 0;
      bool good = given != fixed.end();
      if (good) {
        const std::string& text = given->second;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        good = error == std::errc() && end == text.data() + text.size();
      }
      if (!good) {
        bad_option(diagnostics_, fmt::format("the value of `{}` is not given", name),
                   fmt::format("`-p {}=1.0`: derivatives are those at a point", name));
        return kCallWrong;
      }
      values.push_back(value);
      scales.push_back(value != 0 ? std::abs(value) : 1);
      fixed.erase(given);
    }
    if (!can_run(plan_.to, values)) return kCallWrong;
    Evaluator evaluate(call_.subject, setting_, plan_.to, plan_.seed, plan_.count,
                       call_.settings.jobs);
    auto rows = experiment::derivatives(evaluate, values, scales);
    // Beside the estimate of the differences: what runs of this tolerance can be off.
    for (std::vector<experiment::Derivative>& row : rows) {
      for (experiment::Derivative& d : row)
        d.error = std::max(d.error, 10 * setting_.run.rtol * std::abs(d.value));
    }
    std::string table = "measure,parameter,derivative,error,from_left,from_right,exists\n", text,
                json;
    for (std::size_t m = 0; m < setting_.measures.size(); ++m) {
      const std::string& measure = setting_.measures[m].name;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const experiment::Derivative& d = rows[i][m];
        table += fmt::format("\"{}\",{},{},{},{},{},{}\n", measure, plan_.to[i],
                             experiment::cell(d.exists ? d.value : std::nan("")),
                             experiment::cell(d.error), experiment::cell(d.from_left),
                             experiment::cell(d.from_right), d.exists ? 1 : 0);
        text += d.exists ? fmt::format("  {} by {}: {:.8g} ± {:.1g}\n", measure, plan_.to[i],
                                       d.value, d.error)
                         : fmt::format(
                               "  {} by {}: no derivative; {:.5g} from the left, {:.5g} "
                               "from the right\n",
                               measure, plan_.to[i], d.from_left, d.from_right);
        json += fmt::format("{}{{\"of\":{},\"to\":{},\"value\":{},\"error\":{},\"exists\":{}}}",
                            json.empty() ? "" : ",", json_quote(measure), json_quote(plan_.to[i]),
                            json_number(d.exists ? d.value : std::nan("")), json_number(d.error),
                            d.exists);
      }
    }
    write_table(table);
    show(call_.common.json ? "{\"sensitivity\":[" + json + "]}\n" : text);
    if (evaluate.failed() > 0) tell_failures(evaluate);
    return kSuccess;
  }

  void tell_failures(const Evaluator& evaluate) const {
    if (!call_.common.quiet)
      std::fprintf(stderr, "%lld of %lld runs failed; the last is %s\n",
                   static_cast<long long>(evaluate.failed()),
                   static_cast<long long>(evaluate.runs()), evaluate.last_problem().c_str());
  }

  int global() {
    if (!needs_vary() || !can_run(names(), middle())) return kCallWrong;
    Evaluator evaluate(call_.subject, setting_, names(), plan_.seed, 1, call_.settings.jobs);
    std::string text, json;
    const auto rows = [&](const auto& indices, auto line) {
      for (std::size_t m = 0; m < setting_.measures.size(); ++m) {
        text += setting_.measures[m].name + "\n";
        for (std::size_t i = 0; i < plan_.vary.size(); ++i)
          line(setting_.measures[m].name, plan_.vary[i].name, indices[i][m]);
      }
    };
    std::string table;
    if (plan_.method == "morris") {
      table = "measure,parameter,mean,absolute,spread\n";
      rows(experiment::morris(evaluate, plan_.vary, plan_.count > 0 ? plan_.count : 20, plan_.seed),
           [&](const std::string& measure, const std::string& name, const experiment::Effect& e) {
             text += fmt::format("  {:<12} μ* = {:.5g}, μ = {:.5g}, σ = {:.5g}\n", name, e.absolute,
                                 e.mean, e.spread);
             table +=
                 fmt::format("\"{}\",{},{},{},{}\n", measure, name, e.mean, e.absolute, e.spread);
             json +=
                 fmt::format("{}{{\"of\":{},\"to\":{},\"mean\":{},\"absolute\":{},\"spread\":{}}}",
                             json.empty() ? "" : ",", json_quote(measure), json_quote(name),
                             json_number(e.mean), json_number(e.absolute), json_number(e.spread));
           });
    } else {
      table = "measure,parameter,first,first_half_width,total,total_half_width\n";
      rows(experiment::sobol_indices(evaluate, plan_.vary, plan_.count > 0 ? plan_.count : 256,
                                     plan_.seed),
           [&](const std::string& measure, const std::string& name, const experiment::Index& x) {
             text += fmt::format("  {:<12} first {:.4f} ± {:.4f}, total {:.4f} ± {:.4f}\n", name,
                                 x.first, x.first_half_width, x.total, x.total_half_width);
             table += fmt::format("\"{}\",{},{},{},{},{}\n", measure, name, x.first,
                                  x.first_half_width, x.total, x.total_half_width);
             json += fmt::format(
                 "{}{{\"of\":{},\"to\":{},\"first\":{},\"first_half_width\":{},\"total\":{},"
                 "\"total_half_width\":{}}}",
                 json.empty() ? "" : ",", json_quote(measure), json_quote(name),
                 json_number(x.first), json_number(x.first_half_width), json_number(x.total),
                 json_number(x.total_half_width));
           });
    }
    write_table(table);
    show(call_.common.json ? "{\"sensitivity\":[" + json + "]}\n" : text);
    if (evaluate.failed() > 0) tell_failures(evaluate);
    return kSuccess;
  }

  const SearchCall& call_;
  const Plan& plan_;
  Setting setting_;
  Diagnostics& diagnostics_;
};

}  // namespace

int run_search(const SearchCall& call, Diagnostics& diagnostics) {
  return SearchRun(call, diagnostics)();
}

}  // namespace chi::cli
