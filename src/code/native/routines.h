#pragma once
#include <cstdint>

#include "code/ir.h"

// The border between the routines of processes and their compiler (native.h has that of formulas).
namespace chi::code {

/// Changes whenever anything below does, or Instr, Op, Offer, Selection, RuntimeType.
inline constexpr std::uint32_t kNativeRoutinesVersion = 4;

/// What becomes of a process after compiled code, or after something that it calls. The code comes
/// back with a place, as `native_result` packs the two.
enum class NativeStop : std::uint32_t {
  GoOn,
  Wait,        ///< the process waits; it goes on from there
  End,         ///< the run is over
  Interpret,   ///< the instruction there is not compiled, or fails: the interpreter has to do it
  ValueReady,  ///< Op::EndValue
  Failed,      ///< in a function; the interpreter says why
};
constexpr std::uint64_t native_result(NativeStop stop, std::int32_t pc) {
  return std::uint64_t{static_cast<std::uint32_t>(stop)} << 32 | static_cast<std::uint32_t>(pc);
}
constexpr NativeStop native_stop(std::uint64_t result) {
  return static_cast<NativeStop>(result >> 32);
}
constexpr std::int32_t native_pc(std::uint64_t result) { return static_cast<std::int32_t>(result); }

/// One routine, compiled. All state is in the frame, always: any instruction can be left to the
/// interpreter, which goes on from the place in the result. A place where compiled code cannot
/// begin comes back at once, to be interpreted.
using NativeBody = std::uint64_t (*)(void* scheduler, Slot* frame, std::int32_t pc,
                                     std::int32_t process);

/// Whether a selection waits for others to communicate, and for nothing else. `offers`: the
/// routine's.
inline bool waits_for_partners(const Selection& selection, const Offer* offers) {
  if (!selection.deadlines.empty() || !selection.watched.empty() || !selection.conditions.empty() ||
      !selection.ends.empty())
    return false;
  for (std::int32_t i = 0; i < selection.offers; ++i) {
    const Offer::Kind kind = offers[selection.first_offer + i].kind;
    if (kind != Offer::Kind::Send && kind != Offer::Kind::Receive) return false;
  }
  return true;
}

/// What compiled code calls, so that it does what the interpreter and the scheduler do by the very
/// functions that they use. Those that return a RunError as a number have changed nothing when it
/// is not None; the interpreter then does the instruction again, and tells.
struct NativeActions {
  /// On the channel with that number.
  NativeStop (*send)(void* scheduler, std::int32_t process, const Offer* offer,
                     std::int64_t channel) = nullptr;
  /// The same when a process waits there to receive, and the code of the offer's value has been
  /// run. The value may be computed again.
  NativeStop (*send_computed)(void* scheduler, std::int32_t process, const Offer* offer,
                              std::int64_t channel) = nullptr;
  NativeStop (*receive)(void* scheduler, std::int32_t process, const Offer* offer,
                        std::int64_t channel) = nullptr;
  void (*delay)(void* scheduler, std::int32_t process,
                double duration) = nullptr;  ///< positive; it waits
  /// A selection; with the place where the process goes on.
  std::uint64_t (*select)(void* scheduler, std::int32_t process, std::int32_t selection,
                          std::int32_t behind) = nullptr;
  /// The same for one in which nothing is possible now.
  std::uint64_t (*wait)(void* scheduler, std::int32_t process, std::int32_t selection,
                        std::int32_t behind) = nullptr;
  /// The same for a selection that `waits_for_partners`.
  std::uint64_t (*wait_for_partners)(void* scheduler, std::int32_t process,
                                     const Selection* selection, std::int32_t number,
                                     std::int32_t behind) = nullptr;
  /// An alternative of a selection happens, which is possible: the process goes on in its body.
  NativeStop (*take)(void* scheduler, std::int32_t process, const Offer* offer) = nullptr;
  /// Any instruction that `native_operates` names.
  std::uint32_t (*operate)(void* interpreter, const Routine* routine, const Instr* in,
                           Slot* frame) = nullptr;
  NativeStop (*call)(void* interpreter, const Routine* routine, Slot* frame,
                     std::int32_t pc) = nullptr;
  std::uint32_t (*sample)(void* blocks, Slot* distribution, Slot* value) = nullptr;
  std::uint32_t (*list_push)(void* heap, const RuntimeType* element, Slot* list,
                             Slot* value) = nullptr;
  std::uint32_t (*list_head)(const RuntimeType* element, const Slot* list, Slot* value) = nullptr;
  std::uint32_t (*list_tail)(void* heap, const RuntimeType* element, Slot* list) = nullptr;
  double (*least)(double, double) = nullptr;
  double (*greatest)(double, double) = nullptr;
};

/// The run that the code is for; addresses that stay as they are.
struct NativeRunView {
  NativeActions actions;
  void* interpreter = nullptr;
  void* heap = nullptr;
  void* blocks = nullptr;
  const double* time = nullptr;
  Slot* memory = nullptr;
  const std::int32_t* watchers = nullptr;  ///< of the first `watched` slots of memory
  std::int64_t watched = 0;
  /// Whether code may look itself which alternative is possible, and takes the first. On a channel:
  /// if somebody waits at its other end, whose number is then not negative. These are the numbers
  /// of senders and receivers, one in `channel_stride` bytes for each channel.
  bool takes_first = false;
  bool tells = false;  ///< somebody is told what is selected
  const std::int32_t* senders = nullptr;
  const std::int32_t* receivers = nullptr;
  std::int64_t channel_stride = 0;
  std::int64_t* work = nullptr;  ///< repetitions; one that is a multiple of `patience` is left to
  std::int64_t patience = 0;     ///< the interpreter
};

/// A register that always holds the same slot.
struct NativeConstant {
  std::int32_t reg = 0;
  std::int64_t bits = 0;
};

/// A `Routine`, seen from the library.
struct NativeRoutine {
  const Routine* routine = nullptr;  ///< only to be passed on
  const Instr* code = nullptr;
  std::int32_t code_size = 0;
  std::int32_t main_pc = 0;
  const Offer* offers = nullptr;
  std::int32_t offers_size = 0;
  const Selection* selections = nullptr;
  const NativeConstant* constants = nullptr;
  std::int32_t constants_size = 0;
  const RuntimeType* const* types = nullptr;  ///< what `Instr::n` counts
};

/// Whether an instruction is done by `NativeActions::operate`: it goes on behind itself, and has no
/// effect when it fails.
constexpr bool native_operates(Op op) {
  if (op == Op::PowReal) return true;
  if (is_real_function(op)) return true;
  if (op >= Op::EqValue && op <= Op::FixedText) return true;
  if (op >= Op::ConcatText && op <= Op::DictValues)
    return op != Op::ListSort && op != Op::ListInsert;
  return op == Op::MoveN || op == Op::Clear || op == Op::LoadConstant || op == Op::Retain ||
         op == Op::Release || op == Op::LoadAt || op == Op::DivInt || op == Op::ModInt ||
         op == Op::PowInt || op == Op::MakeDistribution || op == Op::SampleAt;
}

#ifndef CHI_NATIVE_EXPORT
#define CHI_NATIVE_EXPORT __attribute__((visibility("default")))
#endif
extern "C" {
CHI_NATIVE_EXPORT std::uint32_t chi_native_routines_version();
/// A handle of compiled code, or null if it could not be compiled.
CHI_NATIVE_EXPORT void* chi_native_compile_routines(const NativeRunView* run,
                                                    const NativeRoutine* routines,
                                                    std::int32_t count);
CHI_NATIVE_EXPORT NativeBody chi_native_body(void* handle, std::int32_t routine);
CHI_NATIVE_EXPORT void chi_native_release_routines(void* handle);
}

}  // namespace chi::code
