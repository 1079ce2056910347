#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "code/formulas.h"
#include "code/formulas_contexts.h"
#include "code/formulas_terms.h"

namespace chi::code {

/// What an instruction of a `FormulaProgram` does. `s` is the scratch array, `f` the frame.
/// Operands `a` and `b` are places: s[a] for a >= 0 and f[~a] below; the four forms of an
/// arithmetic operation tell which in advance. `dst` is always in s.
enum class FormulaCode : std::uint8_t {
  End,
  Return,   ///< from a shared context
  Demand,   ///< runs shared context `a`, whose code starts at `b`, if it has not run
  Jump,     ///< to `b`
  Branch,   ///< to `b` if a is false. Faulty a: dst is, too, and on after the `if`
  AndThen,  ///< dst = a; to `b` if false
  OrElse,   ///< dst = a; to `b` if true
  Copy,     ///< dst = a
  Select,   ///< dst = a ? the a : the b of the next instruction, a `Pair`
  Pair,     ///<
  Call,     ///< dst = `calls[a]`
  NoAlternative,
  Not,
  Unary,  ///< dst = op(a), by apply_unary
  Neg,
  Abs,
  Sqrt,
  Exp,
  Sin,
  Cos,
  Square,
  Cube,
  IntPower,  ///< dst = a^b, b the number
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Binary,  ///< dst = a op b, by apply_binary
  Min,
  Max,
  // Four forms each: where a and b stand.
  AddSS,
  AddSF,
  AddFS,
  AddFF,
  SubSS,
  SubSF,
  SubFS,
  SubFF,
  MulSS,
  MulSF,
  MulFS,
  MulFF,
  DivSS,
  DivSF,
  DivFS,
  DivFF,
};

struct FormulaInstruction {
  FormulaCode code = FormulaCode::End;
  expr::Op op = expr::Op::Constant;
  std::int32_t dst = -1;
  std::int32_t a = -1;
  std::int32_t b = -1;
};
static_assert(sizeof(FormulaInstruction) == 16);

struct FormulaCall {
  std::int32_t box = -1;
  std::int32_t first = -1;  ///< of its arguments' places in `arguments`
  std::int32_t count = 0;
};

/// Straight code with forward jumps; after `End` the shared contexts, each up to a `Return`.
struct FormulaProgram {
  std::vector<FormulaInstruction> code;
  std::vector<expr::ExprId> where;  ///< the node, by instruction
  std::vector<double> constants;    ///< the first places of s
  std::vector<std::int32_t> roots;  ///< places
  std::vector<FormulaCall> calls;
  std::vector<std::int32_t> arguments;  ///< places
  std::vector<Box> boxes;
  std::int32_t places = 0;  ///< of s, constants included
  std::int32_t shared = 0;  ///< number of shared contexts
};

/// Places are reused once all uses of a term have been written.
FormulaProgram write_program(Terms terms, const Contexts& contexts, FormulaLeaves& leaves);

}  // namespace chi::code
