#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "base/json_text.h"
#include "driver/explain.h"
#include "driver/inspection.h"
#include "driver/read_model.h"
#include "driver/write_file.h"
#include "experiment/chart.h"
#include "experiment/frequency.h"
#include "options.h"
#include "report.h"
#include "run_settings.h"

namespace chi::cli {
namespace {

using experiment::Complex;
using experiment::LinearModel;
using experiment::Matrix;

constexpr double kPi = 3.14159265358979323846;

std::string complex_text(Complex z) {
  if (z.imag() == 0) return fmt::format("{:.6g}", z.real());
  return fmt::format("{:.6g} {} {:.6g}i", z.real(), z.imag() < 0 ? '-' : '+', std::abs(z.imag()));
}

void add_matrix(std::string& text, std::string_view name, const Matrix& m,
                const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
  constexpr std::size_t kMost = 20;
  if (m.rows == 0 || m.columns == 0) return;
  if (m.rows > kMost || m.columns > kMost) {
    text += fmt::format("{}: {} x {} (all of it with --json)\n", name, m.rows, m.columns);
    return;
  }
  text += fmt::format("{}\n{:>14}", name, "");
  for (const std::string& column : columns) text += fmt::format(" {:>12}", column);
  text += '\n';
  for (std::size_t i = 0; i < m.rows; ++i) {
    text += fmt::format("{:>14}", rows[i]);
    for (std::size_t k = 0; k < m.columns; ++k) text += fmt::format(" {:>12.6g}", m(i, k));
    text += '\n';
  }
}

std::vector<std::string> derivatives(const std::vector<std::string>& states) {
  std::vector<std::string> names;
  for (const std::string& state : states) names.push_back(state + "'");
  return names;
}

std::string for_people(const LinearModel& m) {
  std::string text = fmt::format("linearised at t = {:.6g}, {} states\n", m.time, m.states.size());
  add_matrix(text, "A", m.a, derivatives(m.states), m.states);
  add_matrix(text, "B", m.b, derivatives(m.states), m.inputs);
  add_matrix(text, "C", m.c, m.outputs, m.states);
  add_matrix(text, "D", m.d, m.outputs, m.inputs);
  text += "eigenvalues\n";
  for (const Complex z : experiment::eigenvalues(m)) {
    const double size = std::abs(z);
    text += fmt::format("  {:<28}", complex_text(z));
    if (z.imag() != 0)
      text += fmt::format("  {:.6g} rad/s, damping {:.4g}", size, -z.real() / size);
    if (z.real() > 1e-9 * std::max(1.0, size)) text += "  unstable";
    text += '\n';
  }
  const auto add_hidden = [&](std::string_view what, const std::vector<Complex>& values) {
    for (const Complex z : values) text += fmt::format("  {} is {}\n", complex_text(z), what);
  };
  if (!m.inputs.empty()) add_hidden("moved by no input", experiment::uncontrollable(m));
  if (!m.outputs.empty()) add_hidden("seen in no output", experiment::unobservable(m));
  if (m.inputs.size() == 1 && m.outputs.size() == 1) {
    const experiment::Margins margins = experiment::margins(m, 0, 0);
    if (margins.gain)
      text += fmt::format("gain margin {:.6g} ({:.4g} dB) at {:.6g} rad/s\n", *margins.gain,
                          20 * std::log10(*margins.gain), *margins.phase_crossover);
    if (margins.phase)
      text += fmt::format("phase margin {:.6g} degrees at {:.6g} rad/s\n", *margins.phase,
                          *margins.gain_crossover);
  }
  return text;
}

std::string names_json(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + json_quote(name);
  return "[" + text + "]";
}

std::string matrix_json(const Matrix& m) {
  std::string text = "[";
  for (std::size_t i = 0; i < m.rows; ++i) {
    text += i > 0 ? ",[" : "[";
    for (std::size_t k = 0; k < m.columns; ++k) text += (k > 0 ? "," : "") + json_number(m(i, k));
    text += "]";
  }
  return text + "]";
}

std::string for_programs(const LinearModel& m) {
  std::string poles;
  for (const Complex z : experiment::eigenvalues(m))
    poles += fmt::format("{}[{},{}]", poles.empty() ? "" : ",", json_number(z.real()),
                         json_number(z.imag()));
  Matrix e(m.states.size(), m.states.size());
  for (std::size_t i = 0; i < m.states.size(); ++i) e(i, i) = 1;
  std::string text = fmt::format(
      "{{\"time\":{},\"states\":{},\"inputs\":{},\"outputs\":{},\"E\":{},\"A\":{},\"B\":{},\"C\":{}"
      ","
      "\"D\":{},\"eigenvalues\":[{}]",
      json_number(m.time), names_json(m.states), names_json(m.inputs), names_json(m.outputs),
      matrix_json(e), matrix_json(m.a), matrix_json(m.b), matrix_json(m.c), matrix_json(m.d),
      poles);
  if (m.inputs.size() == 1 && m.outputs.size() == 1) {
    const experiment::Margins margins = experiment::margins(m, 0, 0);
    const auto number = [](const std::optional<double>& v) {
      return v ? json_number(*v) : std::string("null");
    };
    text += fmt::format(
        ",\"gain_margin\":{},\"phase_crossover\":{},\"phase_margin\":{},\"gain_crossover\":{}",
        number(margins.gain), number(margins.phase_crossover), number(margins.phase),
        number(margins.gain_crossover));
  }
  return text + "}\n";
}

/// For each pair of input and output, a curve.
template <class Add>
void for_pairs(const LinearModel& m, Add add) {
  for (std::size_t i = 0; i < m.inputs.size(); ++i) {
    for (std::size_t k = 0; k < m.outputs.size(); ++k)
      add(i, k, fmt::format("{} to {}", m.inputs[i], m.outputs[k]));
  }
}

std::string bode(const LinearModel& m, const std::string& title) {
  std::vector<experiment::Panel> panels(2);
  panels[0] = {.x_label = "rad/s", .y_label = "gain, dB", .is_logarithmic = true};
  panels[1] = {.x_label = "rad/s", .y_label = "phase, degrees", .is_logarithmic = true};
  for_pairs(m, [&](std::size_t i, std::size_t k, const std::string& name) {
    const experiment::Response r = experiment::frequency_response(m, i, k, 400);
    std::vector<double> gain;
    for (const Complex g : r.value) gain.push_back(20 * std::log10(std::abs(g)));
    panels[0].curves.push_back({name, r.omega, gain});
    panels[1].curves.push_back({name, r.omega, r.phase});
  });
  return experiment::chart(title, panels);
}

std::string nyquist(const LinearModel& m, const std::string& title) {
  experiment::Panel panel{.x_label = "real part", .y_label = "imaginary part", .shows_zero = true};
  for_pairs(m, [&](std::size_t i, std::size_t k, const std::string& name) {
    const experiment::Response r = experiment::frequency_response(m, i, k, 2000);
    experiment::Curve curve{.name = name};
    for (const double sign : {1.0, -1.0}) {
      for (const Complex g : r.value) {
        const bool shown = std::abs(g) < 1e3;
        curve.x.push_back(shown ? g.real() : std::nan(""));
        curve.y.push_back(sign * g.imag());
      }
      curve.x.push_back(std::nan(""));
      curve.y.push_back(0);
    }
    panel.curves.push_back(std::move(curve));
  });
  panel.curves.push_back({"-1", {-1}, {0}, true});
  return experiment::chart(title, {panel});
}

std::string step(const LinearModel& m, const std::string& title) {
  double slowest = 0;
  for (const Complex z : experiment::eigenvalues(m)) {
    if (std::abs(z.real()) > 1e-9 * std::abs(z))
      slowest = std::max(slowest, 1 / std::abs(z.real()));
    else if (std::abs(z) > 0)
      slowest = std::max(slowest, 2 * kPi / std::abs(z));
  }
  const double end = slowest > 0 ? 6 * slowest : 10;
  experiment::Panel panel{.x_label = "time after the step", .y_label = "change"};
  for_pairs(m, [&](std::size_t i, std::size_t k, const std::string& name) {
    const experiment::StepResponse r = experiment::step_response(m, i, k, end, 600);
    panel.curves.push_back({name, r.time, r.value});
  });
  return experiment::chart(title, {panel});
}

std::string locus(const LinearModel& m, const std::string& title) {
  experiment::Panel panel{.x_label = "real part", .y_label = "imaginary part", .shows_zero = true};
  for_pairs(m, [&](std::size_t i, std::size_t k, const std::string& name) {
    const experiment::Locus l = experiment::root_locus(m, i, k, 300);
    experiment::Curve curve{.name = name, .as_points = true};
    for (const std::vector<Complex>& poles : l.poles) {
      for (const Complex z : poles) {
        curve.x.push_back(z.real());
        curve.y.push_back(z.imag());
      }
    }
    panel.curves.push_back(std::move(curve));
  });
  return experiment::chart(title, {panel});
}

using Drawing = std::string (*)(const LinearModel&, const std::string&);
struct Picture {
  const char* option;
  const std::optional<std::string>* file;
  Drawing draw;
};

}  // namespace

int linearize_command(const LinearizeOptions& options) {
  const RunCommandOptions& call = options.run;
  Diagnostics diagnostics;
  std::optional<SourceFile> source;
  const auto report = [&](int code) {
    print(diagnostics, source ? &*source : nullptr, call.common);
    return code;
  };
  RunCommandOptions run = call;
  run.end.reset();
  std::optional<RunSettings> settings = run_settings(run, diagnostics);
  double at = 0;
  if (call.end) {
    const std::string& word = *call.end;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), at);
    if (error != std::errc() || end != word.data() + word.size() || !(at >= 0) ||
        !std::isfinite(at))
      bad_option(diagnostics, fmt::format("`--at {}` is not a time of a run", word));
  }
  const Picture pictures[] = {{"--bode", &options.bode, bode},
                              {"--nyquist", &options.nyquist, nyquist},
                              {"--step-response", &options.step_response, step},
                              {"--root-locus", &options.root_locus, locus}};
  std::vector<std::string> written;
  for (const Picture& picture : pictures) {
    if (!*picture.file) continue;
    written.push_back(**picture.file);
    if (!written.back().ends_with(".svg"))
      bad_option(diagnostics,
                 fmt::format("`{} {}`: it is written as .svg", picture.option, written.back()));
    driver::can_write_file(written.back(), diagnostics);
    if (options.inputs.empty() || options.outputs.empty())
      bad_option(diagnostics, fmt::format("`{}` needs `--inputs` and `--outputs`", picture.option));
  }
  check_written(call.file, written, diagnostics);
  if (!settings || diagnostics.has_errors()) return report(kCallWrong);
  settings->run.end = at;
  source = driver::read_model(call.file, driver::import_folders(call.common.include, diagnostics),
                              diagnostics);
  if (!source) return report(exit_code(diagnostics));
  std::optional<driver::Compiled> compiled = driver::compile(
      *source, settings->request, {.random_choice = settings->run.random_choice}, diagnostics);
  if (!compiled) return report(exit_code(diagnostics));
  driver::Inspection inspection(*compiled, settings->run);
  const sim::Outcome& outcome = inspection.run();
  if (outcome.failed()) {
    diagnostics.report(driver::explain(outcome, *source));
    return report(driver::is_model_error(outcome) ? kModelWrong : kRunFailed);
  }
  const auto linear =
      experiment::linearize(inspection, options.inputs, options.outputs, diagnostics);
  if (!linear) return report(exit_code(diagnostics));
  const std::string title = std::filesystem::path(call.file).filename().string();
  for (const Picture& picture : pictures) {
    if (*picture.file)
      driver::write_file(**picture.file, picture.draw(*linear, title), diagnostics);
  }
  report(kSuccess);
  show(call.common.json ? for_programs(*linear) : for_people(*linear));
  return exit_code(diagnostics);
}

}  // namespace chi::cli
