#include "driver/explain.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/match.h"
#include "code/print_value.h"
#include "sim/interface/run_time_error.h"

namespace chi::driver {
namespace {

std::string real_text(double value) {
  std::string text;
  code::print_real(value, text);
  return text;
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

/// "a requirement" or "a requirement: over-voltage".
std::string claim_text(const sim::Violation& v) {
  return v.claim.empty() ? std::string("a requirement does not hold")
                         : fmt::format("a requirement does not hold: {}", v.claim);
}

Diagnostic violated(const sim::Violation& v) {
  Diagnostic d{.code = DiagCode::RequirementBroken,
               .span = v.span,
               .message = fmt::format("{}, at t = {}", claim_text(v), real_text(v.time))};
  d.labels.push_back(
      {v.span, fmt::format("in `{}`{}{}", v.process, v.values.empty() ? "" : ", with ", v.values)});
  d.help = "`--requirements warn` reports it and goes on";
  return d;
}

}  // namespace

std::vector<Diagnostic> violation_warnings(const sim::Outcome& outcome) {
  constexpr std::size_t kMostTimes = 20;
  struct Group {
    Diagnostic diagnostic = {};
    std::size_t times = 0;
    std::string list = {};
  };
  std::vector<Group> groups;
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> number;
  for (const sim::Violation& v : outcome.violations) {
    const auto [found, is_new] = number.try_emplace({v.span.begin, v.process}, groups.size());
    if (is_new) {
      groups.push_back({{.code = DiagCode::RequirementWarning,
                         .span = v.span,
                         .message = claim_text(v),
                         .labels = {{v.span, fmt::format("in `{}`", v.process)}}}});
    }
    Group& group = groups[found->second];
    if (++group.times > kMostTimes) continue;
    group.list += fmt::format("{}at t = {}{}{}", group.list.empty() ? "" : "\n", real_text(v.time),
                              v.values.empty() ? "" : ", with ", v.values);
  }
  std::vector<Diagnostic> result;
  for (Group& group : groups) {
    if (group.times > kMostTimes) {
      group.list +=
          fmt::format("\nand {} times more, which the event log lists", group.times - kMostTimes);
    }
    group.diagnostic.notes.push_back(std::move(group.list));
    result.push_back(std::move(group.diagnostic));
  }
  const auto kept = static_cast<std::int64_t>(outcome.violations.size());
  if (outcome.violation_count > kept && !result.empty()) {
    result.back().notes.push_back(fmt::format("{} more that were broken later are in the event log",
                                              outcome.violation_count - kept));
  }
  return result;
}

Diagnostic explain(const sim::Outcome& outcome, const SourceFile& source) {
  CHI_CHECK(outcome.failed(), "only a failure needs to be explained");
  if (const auto* e = std::get_if<sim::RuntimeError>(&outcome.why))
    return sim::explain_run_time_error(*e, outcome.time);
  if (const auto* e = std::get_if<sim::Deadlock>(&outcome.why))
    return deadlock(*e, outcome.time, source);
  if (const auto* e = std::get_if<sim::Livelock>(&outcome.why))
    return livelock(*e, outcome.time, source);
  if (const auto* failure = std::get_if<sim::ModelFailure>(&outcome.why))
    return failure->diagnostic;
  if (const auto* found = std::get_if<sim::NobodyThere>(&outcome.why))
    return nobody_there(*found, outcome.time);
  if (const auto* found = std::get_if<sim::Violated>(&outcome.why))
    return violated(found->violation);
  return out_of_memory(fmt::format("{} at t = {}", std::get<sim::OutOfMemory>(outcome.why).doing,
                                   real_text(outcome.time)));
}

Diagnostic out_of_memory(std::string_view doing) {
  return {.code = DiagCode::RunOutOfMemory,
          .message = fmt::format("out of memory while {}", doing),
          .help =
              "record less (`--vars`, `--points`), make the model smaller, or give it more "
              "memory: `--max-memory`, `ulimit -v` and the machine set the limit"};
}

Diagnostic time_limit(std::string_view doing) {
  return {.code = DiagCode::TimeLimit,
          .message = fmt::format("the time limit is over while {}", doing),
          .help = "`--max-time` sets it"};
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
  if (const auto* asked = std::get_if<sim::Interrupted>(&outcome.why)) {
    return fmt::format(
        "{} at t = {}",
        asked->cause == StopCause::TimeLimit ? "the time limit ended the run" : "interrupted",
        time);
  }
  return fmt::format("all processes finished at t = {}", time);
}

}  // namespace chi::driver
