#include "code/run_error.h"

#include <fmt/format.h>

#include "code/interpreter.h"
#include "code/print_value.h"

namespace chi::code {
namespace {

/// What the error's sentence leaves open: the numbers.
std::string facts(const Failure& failure) {
  switch (failure.error) {
    case RunError::IndexOutOfRange:
      return failure.facts[1] == 0
                 ? fmt::format(": index {} of an empty sequence", failure.facts[0])
                 : fmt::format(": {} is not in 0..{}", failure.facts[0], failure.facts[1] - 1);
    case RunError::NegativeNat: return fmt::format(": it would become {}", failure.facts[0]);
    case RunError::Domain: {
      std::string text = ": ";
      print_real(failure.real_fact, text);
      return text;
    }
    case RunError::FinishedTwice: return fmt::format(": number {}", failure.facts[0]);
    case RunError::TooManyProcesses: return fmt::format(": {}", failure.facts[0]);
    case RunError::BadDistribution: return fmt::format(": {}", failure.detail);
    case RunError::OutsideTable: {
      std::string text = " at ";
      print_real(failure.real_fact, text);
      return fmt::format("{}: they go {}", text, failure.detail);
    }
    default: return "";
  }
}

}  // namespace

std::string failure_text(const Failure& failure) {
  return std::string(run_error_text(failure.error)) + facts(failure);
}

std::string_view run_error_text(RunError error) {
  switch (error) {
    case RunError::None: return "no error";
    case RunError::IndexOutOfRange: return "the index is out of range";
    case RunError::EmptyList: return "the list is empty";
    case RunError::EmptySet: return "the set is empty";
    case RunError::MissingKey: return "the dictionary has no such key";
    case RunError::Overflow: return "the result does not fit in a 64-bit integer";
    case RunError::DivisionByZero: return "division by zero";
    case RunError::NegativeNat: return "a `nat` cannot be negative";
    case RunError::Domain: return "the argument is outside the domain of the function";
    case RunError::ZeroStep: return "the step of a range cannot be zero";
    case RunError::BadDistribution: return "these arguments make no distribution";
    case RunError::NoOpenGuard: return "no guard is open";
    case RunError::NoReturn: return "the function ends without `ret`";
    case RunError::RecursionTooDeep: return "the functions call each other too deeply";
    case RunError::Interrupted: return "interrupted";
    case RunError::NoProgress: return "the functions go on and on";
    case RunError::Surroundings: return "the equations cannot be solved";
    case RunError::NoProcess:
      return "this `inst` stands for no process: nothing was started for it";
    case RunError::FinishedTwice: return "the end of this process was waited for before";
    case RunError::TooManyProcesses: return "too many started processes have not ended";
    case RunError::OutsideTable: return "`interpolate` is asked outside its data,";
    case RunError::OutOfMemory: return "the model's lists, sets and strings need too much memory";
  }
  return "";
}

}  // namespace chi::code
