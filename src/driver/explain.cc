#include "driver/explain.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/match.h"
#include "code/print_value.h"

namespace chi::driver {
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
    case RunError::Interrupted:
    case RunError::NoProgress:
    case RunError::Surroundings:
    case RunError::None:
    case RunError::OutOfMemory: break;
  }
  return DiagCode::RunOutOfMemory;
}

/// What the error's sentence leaves open: the numbers.
std::string facts(const code::Failure& failure) {
  switch (failure.error) {
    case RunError::IndexOutOfRange:
      return failure.facts[1] == 0
                 ? fmt::format(": index {} of an empty sequence", failure.facts[0])
                 : fmt::format(": {} is not in 0..{}", failure.facts[0], failure.facts[1] - 1);
    case RunError::NegativeNat: return fmt::format(": it would become {}", failure.facts[0]);
    case RunError::Domain: return fmt::format(": {}", real_text(failure.real_fact));
    case RunError::BadDistribution: return fmt::format(": {}", failure.detail);
    default: return "";
  }
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
    default: return "";
  }
}

Diagnostic run_time_error(const sim::RuntimeError& error, double time) {
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
          .message = fmt::format("{}{}", code::run_error_text(failure.error), facts(failure)),
          .labels = {{failure.span, fmt::format("in {}, at t = {}", where, real_text(time))}},
          .help = help_for(failure.error)};
}

Diagnostic deadlock(const sim::Deadlock& found, double time, const SourceFile& source) {
  std::size_t count = 0;
  std::string list;
  for (const sim::Waiting& w : found.waiting) {
    count += w.count;
    if (!list.empty()) list += '\n';
    list += w.count == 1 ? fmt::format("{} ({}) waits {}", w.process, source.where(w.span), w.cause)
                         : fmt::format("{} ({} processes, {}) wait {}", w.process, w.count,
                                       source.where(w.span), w.cause);
  }
  Diagnostic d{.code = DiagCode::Deadlock,
               .span = found.waiting.front().span,
               .message = fmt::format(
                   "deadlock at t = {}: {} wait{}, and no event can come", real_text(time),
                   count == 1 ? std::string("one process") : fmt::format("{} processes", count),
                   count == 1 ? "s" : "")};
  const sim::Waiting& first = found.waiting.front();
  d.labels.push_back(
      {first.span, fmt::format("{} wait{} here", first.process, first.count == 1 ? "s" : "")});
  d.notes.push_back(std::move(list));
  d.help = "if the model is meant to end like this, let a process that knows say `terminate`";
  return d;
}

Diagnostic livelock(const sim::Livelock& found, double time, const SourceFile& source) {
  Diagnostic d{
      .code = DiagCode::Livelock,
      .span = found.active.front().span,
      .message = fmt::format("livelock at t = {}: more than {} actions, and time does not advance",
                             real_text(time), found.actions)};
  d.labels.push_back(
      {found.active.front().span, fmt::format("{} repeats this", found.active.front().process)});
  for (const sim::Waiting& a : found.active) {
    d.notes.push_back(fmt::format("{} ({}){}{}{}", a.process, source.where(a.span),
                                  a.function.empty() ? "" : fmt::format(", in `{}`", a.function),
                                  a.cause.empty() ? "" : ", with ", a.cause));
  }
  d.help =
      "a repetition that is meant to go on needs a `delta`, a communication that waits, or a guard "
      "that closes";
  return d;
}

Diagnostic nobody_there(const sim::NobodyThere& found, double time) {
  Diagnostic d{.code = DiagCode::NobodyThere, .span = found.span};
  d.message = found.partner.empty()
                  ? fmt::format("`{}` sends on `{}`, from which nobody receives", found.process,
                                found.channel)
                  : fmt::format("`{}` sends on `{}`, but `{}`, who received from it, has finished",
                                found.process, found.channel, found.partner);
  d.labels.push_back({found.span, fmt::format("at t = {}", real_text(time))});
  return d;
}

}  // namespace

Diagnostic explain(const sim::Outcome& outcome, const SourceFile& source) {
  CHI_CHECK(outcome.failed(), "only a failure needs to be explained");
  if (const auto* e = std::get_if<sim::RuntimeError>(&outcome.why))
    return run_time_error(*e, outcome.time);
  if (const auto* e = std::get_if<sim::Deadlock>(&outcome.why))
    return deadlock(*e, outcome.time, source);
  if (const auto* e = std::get_if<sim::Livelock>(&outcome.why))
    return livelock(*e, outcome.time, source);
  if (const auto* failure = std::get_if<sim::ModelFailure>(&outcome.why))
    return failure->diagnostic;
  return nobody_there(std::get<sim::NobodyThere>(outcome.why), outcome.time);
}

bool is_model_error(const sim::Outcome& outcome) {
  const auto* failure = std::get_if<sim::ModelFailure>(&outcome.why);
  return failure != nullptr && outcome.time == 0 &&
         failure->diagnostic.code == DiagCode::SingularEquations;
}

std::string ending(const sim::Outcome& outcome) {
  const std::string time = real_text(outcome.time);
  if (std::holds_alternative<sim::Terminated>(outcome.why))
    return fmt::format("terminated by the model at t = {}", time);
  if (std::holds_alternative<sim::EndReached>(outcome.why))
    return fmt::format("reached the end time t = {}", time);
  if (std::holds_alternative<sim::Interrupted>(outcome.why))
    return fmt::format("interrupted at t = {}", time);
  return fmt::format("all processes finished at t = {}", time);
}

}  // namespace chi::driver
