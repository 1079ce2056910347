#include <cstdio>
#include <cstdlib>

#include "base/check.h"
#include "diag/render.h"
#include "driver/simulate.h"
#include "random_program.h"
#include "syntax/format.h"
#include "targets.h"

namespace chi::fuzz {
namespace {

struct Ran {
  bool compiles = false;
  bool is_refused = false;  ///< for an error that shows before the run: `7 div 0`, `a.(9)`
  bool failed = false;
  std::string output, report;
  bool operator==(const Ran&) const = default;
};

Ran run(const std::string& text) {
  const SourceFile source("input.chi", text);
  Diagnostics diagnostics;
  driver::SimulationRequest request;
  request.run.end = 5.0;
  request.run.max_actions = 20'000;
  request.run.heap_limit = 16 << 20;
  const driver::Simulation result = driver::simulate(source, request, diagnostics);
  Ran ran{result.ran, !result.ran, !result.ran || result.outcome.failed(), result.output, ""};
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    if (severity_of(diagnostic.code) != Severity::Error) continue;
    ran.report += render_text(diagnostic, source, false);
    ran.is_refused = ran.is_refused && (diagnostic.code == DiagCode::LiteralDivisionByZero ||
                                        diagnostic.code == DiagCode::ConstantIndexRange);
  }
  return ran;
}

/// The program belongs to the report: the bytes say little to a reader.
void require(bool condition, const char* what, const std::string& program, const Ran& ran) {
  if (condition) return;
  std::fprintf(stderr, "%s\n--- program\n%s--- output\n%s\n--- report\n%s\n", what, program.c_str(),
               ran.output.c_str(), ran.report.c_str());
  std::abort();
}

void check_program(Choices& choices) {
  const std::string program = random_program(choices);
  const Ran first = run(program);
  require(first.compiles || first.is_refused, "the program does not compile", program, first);
  require(first.failed == !first.report.empty(), "a failure has a report, and only that", program,
          first);
  Diagnostics diagnostics;
  const auto formatted = syntax::format(SourceFile("input.chi", program), diagnostics);
  require(formatted.has_value(), "the program cannot be formatted", program, first);
  const Ran second = run(*formatted);
  require(second.failed == first.failed && second.output == first.output,
          "the formatted program does something else", *formatted, second);
}

void check_expression(Choices& choices) {
  const TwoWays ways = random_expression_two_ways(choices);
  const Ran constant = run(ways.constant), variable = run(ways.variable);
  require(variable.compiles || variable.is_refused, "the expression does not compile",
          ways.variable, variable);
  // An index that is known to be wrong is refused, also where nobody ever comes.
  if (constant.is_refused) return;
  require(constant.failed == variable.failed, "only one of the two has a value",
          ways.constant + ways.variable, constant.failed ? constant : variable);
  require(constant.failed || constant.output == variable.output, "two values",
          ways.constant + ways.variable, variable);
}

}  // namespace

void statements(std::string_view bytes) {
  Choices choices(bytes);
  if (choices.one_in(2)) {
    check_expression(choices);
  } else {
    check_program(choices);
  }
}

}  // namespace chi::fuzz
