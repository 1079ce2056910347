// χ inside a C++ program: what is wrong with a text, consistent initial values, the structure of
// the equations, and results as files.
#include <cstdio>
#include <string>

#include "diag/render.h"
#include "driver/analyse.h"
#include "driver/compile.h"
#include "driver/initial_values.h"
#include "driver/simulate.h"
#include "results/html_plot.h"
#include "results/write_trace.h"

namespace {

const char* const kPendulum = R"(
proc Pendulum(L: real) =
|[ x: real := 1.0, y, vx, vy: real := 0.0, T: real
 | |T, x, vx|
 , x' = vx, y' = vy
 , vx' = T*x, vy' = T*y - 9.8
 , x^2 + y^2 = L^2
]|
)";

/// Errors have a code, a place in the text and a message; `render_text` draws them as `chi` does.
void show_errors() {
  const chi::SourceFile source("wrong.chi", "proc P() = |[ x: real | x' = z ]|");
  chi::Diagnostics diagnostics;
  chi::driver::check(source, diagnostics);
  for (const chi::Diagnostic& d : diagnostics.sorted())
    std::printf("%s at %s: %s\n", std::string(code_text(d.code)).c_str(),
                source.where(*d.span).c_str(), d.message.c_str());
}

}  // namespace

int main() {
  show_errors();

  const chi::SourceFile source("pendulum.chi", kPendulum);
  chi::Diagnostics diagnostics;
  chi::flat::Request request;
  request.params = {{"L", "1.0"}};
  auto compiled = chi::driver::compile(source, request, {}, diagnostics);
  if (!compiled) return 1;

  // A run to time 0 stops where time would pass: all values are consistent there.
  chi::sim::RunOptions options;
  options.end = 0;
  chi::driver::Inspection start(*compiled, options);
  start.run();
  for (const auto& value : chi::driver::initial_values(start).values)
    if (value.name == "T" || value.name == "vy'")
      std::printf("%s = %g\n", value.name.c_str(), value.value);

  const chi::driver::ModelStructure structure = chi::driver::analyse(start, source, false);
  std::printf("index %d, %d degrees of freedom\n", structure.parts[0].index,
              structure.parts[0].degrees_of_freedom);

  chi::driver::SimulationRequest run;
  run.parameters = {{"L", "1.0"}};
  run.run.end = 2.0;
  run.run.rtol = 1e-8;
  run.variables = {"x", "y"};
  const chi::driver::Simulation simulation = chi::driver::simulate(source, run, diagnostics);
  const std::string csv = chi::results::trace_text(simulation.trace, "pendulum.csv");
  const std::string page = chi::results::html_plot(simulation.trace, "pendulum");
  std::printf("%zu rows; %s\n", simulation.trace.rows(), csv.substr(0, csv.find('\n')).c_str());
  return page.empty() ? 1 : 0;
}
