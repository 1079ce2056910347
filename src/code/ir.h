#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id.h"
#include "code/runtime_type.h"
#include "code/slot.h"
#include "sema/decl_id.h"
#include "sema/lookup_table.h"
#include "sema/value.h"
#include "source/span.h"
#include "syntax/ast.h"

/// The one intermediate form of everything that is executed: statements, functions, equations.
/// Typed registers in a frame of slots; straight code and jumps. The interpreter runs it as it is;
/// a compiler may translate it.
namespace chi::code {

enum class Op : std::uint16_t {
#define CHI_OP(name, kinds) name,
#include "code/ops.def"
#undef CHI_OP
};
std::string_view op_text(Op op);
/// A function of one or two reals beyond arithmetic: Floor, ..., Atan2 and expr/elementary.def.
constexpr bool is_real_function(Op op) { return op >= Op::Floor && op < Op::Time; }
std::string_view op_kinds(Op op);  ///< what a, b and c are; see ops.def

/// One instruction. Registers are slots of the frame.
struct Instr {
  Op op = Op::Fail;
  std::uint16_t n = 0;
  std::int32_t a = 0, b = 0, c = 0;
};
static_assert(sizeof(Instr) == 16);

/// One way in which a waiting process can go on. One line of the cache.
struct alignas(64) Offer {
  enum class Kind : std::uint8_t { Immediate, Send, Receive, Delay };
  Kind kind = Kind::Immediate;
  std::int32_t guard = -1;    ///< register of its truth when the selection is entered; -1: true
  std::int32_t ready = -1;    ///< Immediate: register of the awaited condition's truth; -1: true
  std::int32_t channel = -1;  ///< Send, Receive: register of the channel's number
  std::int32_t value =
      -1;  ///< Send: register of the value; Receive: of where it goes; -1 on a void channel
  std::int32_t value_pc =
      -1;  ///< Send: code that puts the value there when the communication happens; -1: none needed
  bool managed = false;        ///< Send: the value holds references
  bool value_owned = false;    ///< Send: the value was made for the receiver, who takes it over
  std::int32_t deadline = -1;  ///< Delay: register of the time at which it passes
  std::int32_t body_pc = -1;   ///< where the process goes on, for offers of a selection
  std::int32_t slots = 0;
  TypeRef type = {};
  Span span = {};  ///< of the event, or of the guard
};

static_assert(sizeof(Offer) == 64);

/// A shared variable: the register that holds its slot number, and how many slots it has.
struct Watched {
  std::int32_t reg = 0;
  std::int32_t slots = 0;
};

/// A condition that the evaluation of a selection may come to, a row of Program::conditions. What
/// was not come to (`and`, `or`, a closed guard) does not matter until something else changes, so
/// only those that were are watched while the process waits.
struct Noted {
  std::int32_t condition = 0;
  std::int32_t reg = 0;     ///< register: whether it was come to
  std::int32_t offer = -1;  ///< which alternative it belongs to, counted from 0; -1: a `nabla`'s
  bool guard = false;       ///< it stands in the alternative's guard, not in its `nabla`
};

/// A process whose end is waited for (`finish h`): the register that holds its number.
struct Ending {
  std::int32_t reg = 0;
  std::int32_t offer = -1;  ///< which alternative, counted from 0; -1: the statement itself
};

/// A selective waiting, or a `nabla` (no offers but one immediate).
struct Selection {
  std::int32_t first_offer = 0, offers = 0;
  std::int32_t retry_pc = -1;  ///< evaluates guards and channels anew, without restarting delays
  std::int32_t closed_pc =
      -1;             ///< where to go when no guard is open (the end of a repetition); -1: an error
  bool waits = true;  ///< false: a selection without events, in which an open guard is needed now
  std::vector<std::int32_t> deadlines =
      {};                              ///< registers of times at which a condition may come true
  std::vector<Watched> watched = {};   ///< shared variables that guards and conditions read
  std::vector<Noted> conditions = {};  ///< state events to look for, in models with equations
  std::vector<Ending> ends = {};       ///< processes whose end is waited for
  Span span = {};
};

/// Where in a frame a random stream lies: seeded per instance from the run's seed and the place's
/// name.
struct StreamPlace {
  std::int32_t reg = 0;
  std::string name;  ///< variable's name, or a number for `sample` of a distribution without a name
};

using RoutineId = Id<struct RoutineTag>;

/// `start P(...)`: the code of P, and per parameter the registers that its value is moved from.
struct StartSite {
  struct Argument {
    std::int32_t reg = 0;
    std::int32_t slots = 0;
    /// Of every `stride` slots the first `copied`: those of distributions that are not their
    /// streams. 0: all.
    std::int32_t stride = 0, copied = 0;
  };
  RoutineId body = {};
  std::vector<Argument> arguments = {};
  bool keeps_handle = false;  ///< somebody may wait for its end
};

/// A requirement of a body's equations: code that waits until it does not hold, tells, waits until
/// it holds again, and so on. It runs on the frame of the instance as a process of its own.
struct Monitor {
  std::int32_t pc = -1;
};

/// The code of one body (a process's or system's), or of one function. Frame: locals, parameters,
/// constants, temporaries, in this order; a function's parameters come before its locals.
struct Routine {
  std::string name;
  std::vector<Instr> code;
  std::vector<Span> spans;     ///< per instruction: the text it comes from
  std::vector<TypeRef> types;  ///< what `t` operands and `Instr::n` count
  std::vector<Offer> offers;
  std::vector<Selection> selections;
  std::vector<StartSite> starts;
  std::vector<Monitor> monitors;
  std::vector<StreamPlace> streams;
  std::vector<std::int32_t> local_offsets;  ///< per local: its first register
  std::vector<std::int32_t> param_offsets;  ///< per parameter
  std::vector<std::pair<std::int32_t, std::int32_t>>
      constants;                    ///< register and index into Program::constants
  std::int32_t init_pc = 0;         ///< initialisers, then Finish
  std::int32_t main_pc = -1;        ///< statements; -1: a system, or a process that has none
  std::int32_t variable_slots = 0;  ///< locals and parameters
  std::int32_t frame_slots = 0;
  std::int32_t parameter_slots = 0;  ///< functions: arguments come first in the frame
  std::int32_t result_slots = 0;     ///< functions
};

/// A value that is there before the run; it is made once, and frames refer to it.
struct Constant {
  sema::Value value;
  TypeRef runtime;
};

/// Unwinding indices around a place in the text, outermost first (flat::Indices).
using UnwindingIndices = std::vector<std::pair<sema::DeclId, std::int64_t>>;

/// What a process wants of the truth of a condition.
enum class Wanted : std::uint8_t {
  Either,   ///< a plain use: the truth at this instant
  True,     ///< it waits for it in a `nabla`. At the event that makes the relation true just after
            ///< this instant it is over, so that counts as true (`nabla x > 3` passes at x = 3);
  False,    ///< the same under a `not`
  Lasting,  ///< a guard while the process waits: the truth at this instant and, when time is about
            ///< to pass, what holds from now on
};

/// A condition with relations over variables that equations may determine, or over `time`: the
/// surroundings evaluate it, with the tolerance band of events, and look for its state events
/// (flat::StatementEquations::condition translates it for a process instance).
///
/// `and`, `or` and `not` of a statement's condition are code around conditions, so each of these is
/// a single relation in nearly all cases, else a call of a boolean function.
struct Condition {
  RoutineId body;
  syntax::ExprId source;
  UnwindingIndices indices = {};
  Wanted wanted = Wanted::Either;
};

/// A derivative or a `delay` in a statement (flat::StatementEquations::value translates it,
/// substitutes applied).
struct AskedValue {
  RoutineId body;
  syntax::ExprId source;
  UnwindingIndices indices = {};
  std::int32_t count = 1;  ///< number of its scalars
};

/// Instantaneous equations.
struct InstantEquations {
  RoutineId body;
  syntax::StatId source;  ///< a syntax::Instant
  UnwindingIndices indices = {};
};

/// `require b, "text"` or `assert b, "text"`: what Op::Broken says does not hold.
struct Claim {
  syntax::ExprId condition;
  syntax::ExprId text;             ///< a string, or none
  std::vector<std::string> names;  ///< of the values that Op::TellValue tells
};

/// All code of one model.
struct Program {
  Program(const sema::Types& model_types, const Interner& symbols) : types(model_types, symbols) {}
  RuntimeTypes types;
  std::vector<Constant> constants;
  Table<RoutineId, Routine> functions;
  std::vector<RoutineId>
      function_of_decl;              ///< by a function value, which is its declaration's number
  Table<RoutineId, Routine> bodies;  ///< same order as flat::FlatModel::bodies

  // What statements ask of the equations, per body: by number in the instructions Holds, Value and
  // Instant. Empty in models without equations.
  std::vector<Condition> conditions;
  std::vector<AskedValue> values;
  std::vector<InstantEquations> instants;

  std::vector<Claim> claims;  ///< by number in TellValue and Broken

  /// What `interpolate` made, by number in Op::Lookup, and the function that looks each up.
  std::shared_ptr<const sema::LookupTables> tables = {};
  std::vector<RoutineId> table_functions = {};
  /// The routine of a function as a value.
  RoutineId function_of(std::int64_t value) const {
    const std::int64_t table = value - sema::LookupTables::kFirst;
    return table >= 0 ? table_functions[static_cast<std::size_t>(table)]
                      : function_of_decl[static_cast<std::size_t>(value)];
  }

  /// Places at which a process is started that would ask something of the equations: none in a
  /// model that may run.
  std::vector<Span> refused_starts;
};

}  // namespace chi::code
