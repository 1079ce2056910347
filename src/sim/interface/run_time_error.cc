#include "sim/interface/run_time_error.h"

#include <fmt/format.h>

#include "code/print_value.h"

namespace chi::sim {
namespace {

using code::RunError;

std::string real_text(double value) {
  std::string text;
  code::print_real(value, text);
  return text;
}

DiagCode code_of(RunError error) {
  switch (error) {
    case RunError::IndexOutOfRange: return DiagCode::RunIndexOutOfRange;
    case RunError::EmptyList: return DiagCode::RunEmptyList;
    case RunError::EmptySet: return DiagCode::RunEmptySet;
    case RunError::MissingKey: return DiagCode::RunMissingKey;
    case RunError::Overflow: return DiagCode::RunOverflow;
    case RunError::DivisionByZero: return DiagCode::RunDivisionByZero;
    case RunError::NegativeNat: return DiagCode::RunNegativeNat;
    case RunError::Domain: return DiagCode::RunDomainError;
    case RunError::ZeroStep: return DiagCode::RunZeroStep;
    case RunError::BadDistribution: return DiagCode::RunBadDistribution;
    case RunError::NoOpenGuard: return DiagCode::RunNoOpenGuard;
    case RunError::NoReturn: return DiagCode::RunNoReturn;
    case RunError::RecursionTooDeep: return DiagCode::RunRecursionTooDeep;
    case RunError::NoProcess: return DiagCode::RunNoProcess;
    case RunError::FinishedTwice: return DiagCode::RunFinishedTwice;
    case RunError::TooManyProcesses: return DiagCode::RunTooManyProcesses;
    case RunError::OutsideTable: return DiagCode::RunOutsideTable;
    case RunError::Interrupted:
    case RunError::NoProgress:
    case RunError::Surroundings:
    case RunError::None:
    case RunError::OutOfMemory: break;
  }
  return DiagCode::RunOutOfMemory;
}

std::string help_for(RunError error) {
  switch (error) {
    case RunError::NoOpenGuard:
      return "add an alternative for the missing case, for instance `true -> skip` as the last one";
    case RunError::EmptyList: return "guard it with `len(xs) > 0`";
    case RunError::MissingKey: return "ask with `k in d` first";
    case RunError::RecursionTooDeep:
      return "does the recursion end? A repetition `*[ ... ]` needs no stack";
    case RunError::NegativeNat: return "declare the variable `int`, or guard the subtraction";
    case RunError::NoProcess: return "write `h := start P(...)` before `finish h`";
    case RunError::FinishedTwice: return "`finish h` once for each `h := start P(...)`";
    case RunError::TooManyProcesses:
      return "do they wait for something that does not come? What waits in a queue may be a value "
             "in a list";
    case RunError::OutsideTable:
      return "a further argument says what it is there: `\"hold\"` the outermost value, or "
             "`\"extend\"` it";
    default: return "";
  }
}

}  // namespace

Diagnostic explain_run_time_error(const RuntimeError& error, double time) {
  const code::Failure& failure = error.failure;
  std::string where = error.process.empty() ? std::string("the declarations of the part that runs")
                                            : fmt::format("process `{}`", error.process);
  constexpr std::size_t kMaxCalls = 4;  // of a deep recursion the ends suffice
  for (std::size_t i = failure.calls.size(); i-- > 0;) {
    const bool deep = failure.calls.size() > kMaxCalls;
    if (deep && i + 2 == failure.calls.size())
      where += fmt::format(", ... ({} calls)", failure.calls.size() - 2);
    if (deep && i > 0 && i + 1 < failure.calls.size()) continue;
    where += fmt::format(", in `{}`", failure.calls[i]->name);
  }
  return {.code = code_of(failure.error),
          .span = failure.span,
          .message = code::failure_text(failure),
          .labels = {{failure.span, fmt::format("in {}, at t = {}", where, real_text(time))}},
          .help = help_for(failure.error)};
}

}  // namespace chi::sim
