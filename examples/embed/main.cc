// χ inside a C++ program: a parameter study of a bouncing ball, one simulation for each coefficient
// of restitution.
#include <cstdio>
#include <string>

#include "diag/render.h"
#include "driver/simulate.h"

namespace {

const char* const kBall = R"(
proc Ball(e: real) =
|[ y: real := 1.0, v: real := 0.0
 | y' = v, v' = -9.81
 | *[ nabla y <= 0 and v < 0; v := -e*v ]
]|
)";

}  // namespace

int main() {
  const chi::SourceFile source("ball.chi", kBall);
  for (const char* const e : {"0.9", "0.7", "0.5"}) {
    chi::driver::SimulationRequest request;
    request.parameters = {{"e", e}};
    request.run.end = 1.0;
    request.grid.points = 101;
    chi::Diagnostics diagnostics;
    const chi::driver::Simulation simulation = chi::driver::simulate(source, request, diagnostics);
    if (diagnostics.has_errors()) {
      std::fputs(chi::render_text(diagnostics.all().front(), source, false).c_str(), stderr);
      return 1;
    }
    const chi::results::Trace& trace = simulation.trace;
    std::size_t y = 0;
    while (trace.names[y] != "y") ++y;
    std::printf("e = %s: y(1) = %.6f after %zu rows\n", e, trace.columns[y].back(), trace.rows());
  }
  return 0;
}
