#pragma once
#include <cstdint>
#include <string_view>

namespace chi::code {

/// Why an operation of a running model failed. The caller knows the source position and, where it
/// helps, the numbers involved.
enum class RunError : std::uint8_t {
  None,
  IndexOutOfRange,
  EmptyList,  ///< hd, tl, hr or tr of []
  EmptySet,   ///< pick of {}
  MissingKey,
  Overflow,
  DivisionByZero,
  NegativeNat,
  Domain,           ///< a mathematical function outside its domain, or NaN to integer
  ZeroStep,         ///< range(a, b, 0)
  BadDistribution,  ///< `distribution_problem` says what is wrong with the arguments
  NoOpenGuard,      ///< a selection or guarded expression none of whose guards holds
  NoReturn,         ///< a function that ends without `ret`
  RecursionTooDeep,
  Interrupted,       ///< asked to stop in the middle of a function
  NoProgress,        ///< a function goes round for ever
  Surroundings,      ///< the equations cannot be solved; who integrates them knows why
  NoProcess,         ///< `finish` of an `inst` that stands for no process
  FinishedTwice,     ///< or for one whose end was waited for before
  TooManyProcesses,  ///< started and not yet ended
  OutsideTable,      ///< looked up outside the data of an `interpolate`
  OutOfMemory,       ///< the heap's limit, or a sequence of more than kMaxLength elements
};

/// The sentence used in diagnostics, without position, capital or full stop.
std::string_view run_error_text(RunError error);

struct Failure;
/// The sentence of its error, with the numbers.
std::string failure_text(const Failure& failure);

}  // namespace chi::code
