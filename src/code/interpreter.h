#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/carried_exception.h"
#include "code/ir.h"
#include "code/machine.h"
#include "code/run_error.h"
#include "code/surroundings.h"

namespace chi::code {

/// Why a routine stopped.
enum class Stop : std::uint8_t {
  Finished,    ///< end of the statements or initialisers
  Terminated,  ///< `terminate`
  Delay,       ///< wants to wait for `duration()`
  Send,        ///< wants to send: `operand()` is the offer
  Receive,     ///< wants to receive: `operand()` is the offer
  Start,       ///< wants a new process: `operand()` is the place of the instruction
  Broken,      ///< a claim does not hold: `operand()` is its number, Machine::told its values
  Select,      ///< waits: `operand()` is the selection
  ValueReady,  ///< the value of a send is in its register
  LongLoop,  ///< still running, after many repetitions: resume it, or find out why; `operand()` is
             ///< the loop's end
  Failed,    ///< `failure()` says why
};

/// What went wrong, where.
struct Failure {
  RunError error = RunError::None;
  Span span;
  std::array<std::int64_t, 2> facts =
      {};                   ///< the index and the length, the negative number: as the error needs
  double real_fact = 0;     ///< the argument outside the domain
  std::string detail = {};  ///< what is wrong with a distribution
  std::vector<const Routine*> calls = {};  ///< functions under way, innermost first
};

/// Runs IR. It knows no processes: it goes on until an instruction needs the scheduler.
class Interpreter {
 public:
  explicit Interpreter(Machine& machine);

  /// Runs `routine` on `frame` from `pc`, which is left behind the last instruction done (on the
  /// one that failed).
  Stop run(const Routine& routine, Slot* frame, std::int32_t& pc);

  /// One instruction of compiled code that is not compiled itself (native_operates): what `run`
  /// does for it. If it fails, nothing has changed, and `run` would fail there.
  RunError operate(const Routine& routine, const Instr& instr, Slot* frame);
  /// The call of a function at `pc`, which is run to its end: Finished or Failed.
  Stop call(const Routine& routine, Slot* frame, std::int32_t pc);

  double duration() const { return duration_; }
  std::int32_t operand() const { return operand_; }
  const Failure& failure() const { return failure_; }

  /// Repetitions of processes since the clock last moved; whoever moves the clock sets it to 0.
  /// Each time it is a multiple of kPatience the process is left to the scheduler, by way of
  /// `LongLoop`.
  ///
  /// What functions do is not counted: a computation may take as long as it likes. Behind
  /// `max_work` repetitions in one run, a function fails with NoProgress when it provably goes
  /// round for ever.
  std::int64_t work = 0;
  std::int64_t max_work = 100'000'000;
  static constexpr std::int64_t kPatience = 1 << 16;
  /// Told now and then while functions compute, so that what was printed before can be shown.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void still_computing() = 0;
  };
  Listener* listener = nullptr;

  /// What was thrown in a function that compiled code called: whoever called that rethrows it.
  CarriedException carried;

  /// The equations around the statements; may stay null if the program asks nothing of them.
  Surroundings* surroundings = nullptr;
  std::int32_t block = -1;  ///< the process instance whose routine `run` runs, for them

 private:
  struct CallFrame {
    const Routine* routine = nullptr;
    Slot* frame = nullptr;
    std::int32_t pc = 0;
    std::int32_t result = 0;
  };
  struct Sorting;

  Stop execute(const Routine* routine, Slot* frame, std::int32_t& pc, std::size_t depth);
  RunError sequence_operation(const Routine& routine, const Instr& instr, Slot* frame);
  RunError changing_operation(const Routine& routine, const Instr& instr, Slot* frame);
  RunError reading_operation(const RuntimeType& type, const Instr& instr, Slot* frame);
  RunError text_operation(const Routine& routine, const Instr& instr, Slot* frame);
  RunError real_function(const Instr& instr, Slot* frame);
  RunError lookup(const Instr& instr, Slot* frame);
  RunError ask(const Instr& instr, Slot* frame);
  RunError ordered(const Routine& routine, const Instr& instr, Slot* frame);
  RunError call_less(const Sorting& sorting, const Slot* a, const Slot* b, bool* less);
  bool push_call(const Routine& callee, const Slot* arguments, const Routine* caller, Slot* frame,
                 std::int32_t pc, std::int32_t result);
  void note_change(std::int64_t slot);
  RunError take_breath();
  RunError repeated(const Routine& routine, const Slot* frame, std::int32_t pc);
  Stop fail(RunError error, const Routine& routine, std::int32_t pc);

  Machine& machine_;
  const Program& program_;
  double duration_ = 0;
  std::int32_t operand_ = 0;
  Failure failure_;
  std::vector<CallFrame> calls_;
  std::unique_ptr<Slot[]> stack_;
  std::size_t stack_top_ = 0;
  std::int64_t patience_ = kPatience;  // repetitions and calls of functions until the next breath
  std::int64_t function_work_ = 0;     // of functions in this run, in steps of kPatience
  /// A state in which a function was.
  struct Seen {
    std::int64_t call = -1;
    std::int32_t pc = -1;
    std::int64_t left = 0;           // repetitions to compare with it
    std::int64_t pause = 0;          // breaths until another is kept
    std::int64_t watch = kPatience;  // repetitions to compare with that
    std::vector<Slot> frame = {};
  };
  Seen seen_;
  std::int64_t pushed_ = 0;          // calls so far: tells one call from the next
  std::vector<double> derivatives_;  // scratch of `ask`
  int nested_ = 0;
  bool failed_inside_ = false;
};

}  // namespace chi::code
