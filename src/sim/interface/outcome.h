#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/cancel.h"
#include "code/interpreter.h"
#include "diag/diagnostic.h"
#include "source/span.h"

namespace chi::sim {

/// A process that cannot go on by itself, for reports: what it waits at and what would wake it. Or
/// many that wait at the same statement for the same kind of event.
struct Waiting {
  std::string process;        ///< in quotes; of many all of them: "`M[0..99]`"
  Span span;                  ///< the statement
  std::string cause;          ///< "to send on `a`; `M[1]`, at the other end, waits elsewhere"
  std::string function = {};  ///< in which it is; none: in its own statements
  std::size_t count = 1;
};

// How a run ended.
struct Finished {};  // every process has done its last statement, and nothing is left to integrate
struct EndReached {};  // --end
struct Terminated {};  // `terminate`
struct Interrupted {   // asked to end (base/cancel.h)
  StopCause cause = StopCause::Interrupt;
};
struct Deadlock {                     // all wait, and no event can come
  std::vector<Waiting> waiting = {};  ///< every one is named
};
struct Livelock {  // actions without end, and no time passes
  std::vector<Waiting> active =
      {};                    ///< who acts, and where; `cause` lists the values of its variables
  std::int64_t actions = 0;  ///< more than so many
};
struct RuntimeError {  // an expression or statement of a process failed
  std::string process;
  code::Failure failure;
};
struct NobodyThere {  // a communication whose other side has ended
  std::string process;
  Span span;
  std::string channel;
  std::string partner;  ///< empty: nobody was ever connected there
};

struct ModelFailure {  // the equations cannot be solved or integrated, or a condition has no value
  Diagnostic diagnostic;
};

struct OutOfMemory {  // of the process: an allocation failed
  const char* doing = "";
};

/// A requirement or assertion of the model that did not hold.
struct Violation {
  double time = 0;
  std::string process;
  Span span;           ///< of its condition
  std::string claim;   ///< its text, or the condition as written if it has none
  std::string values;  ///< `x = 3, b = true`: what the condition is made of
};
struct Violated {  // and it was to end the run
  Violation violation;
};

/// Why and when a run ended.
struct Outcome {
  double time = 0;
  std::variant<Finished, EndReached, Terminated, Interrupted, Deadlock, Livelock, RuntimeError,
               NobodyThere, ModelFailure, OutOfMemory, Violated>
      why;
  std::vector<Diagnostic> warnings = {};  ///< what it went on in spite of
  /// What did not hold and when, the last one the reason if it ended the run. No more than
  /// kMostViolations are kept, and all are counted.
  static constexpr std::size_t kMostViolations = 10'000;
  std::vector<Violation> violations = {};
  std::int64_t violation_count = 0;
  bool failed() const { return why.index() > 3; }
};

}  // namespace chi::sim
