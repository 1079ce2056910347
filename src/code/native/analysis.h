#pragma once
#include <cstdint>
#include <vector>

#include "code/native/native.h"

namespace chi::code::native {

/// How a program is cut into functions, because compilers take more than linear time for long ones.
struct Cut {
  struct Piece {
    std::int32_t begin = 0, end = 0;  ///< instructions
    std::int32_t shared = -1;         ///< the shared context it is, or -1: a piece of context 0
  };
  std::vector<Piece> pieces;  ///< those of context 0 first, in order
  /// By place: it is read in another function than the one that computes it, so it is kept in the
  /// scratch array; others only live in registers.
  std::vector<char> kept;
};

/// Pieces of context 0 have about `size` instructions; a branch is never cut.
Cut cut_program(const NativeProgram& program, std::int32_t size);

/// The places that an instruction reads: calls `read(place)` for each.
template <class Read>
void for_each_read(const NativeProgram& program, std::int32_t at, Read read) {
  const FormulaInstruction& in = program.code[at];
  switch (in.code) {
    case FormulaCode::End:
    case FormulaCode::Return:
    case FormulaCode::Demand:
    case FormulaCode::Jump:
    case FormulaCode::NoAlternative: return;
    case FormulaCode::Call: {
      const FormulaCall& call = program.calls[in.a];
      for (std::int32_t i = 0; i < call.count; ++i) read(program.arguments[call.first + i]);
      return;
    }
    case FormulaCode::Pair:
      read(in.a);
      read(in.b);
      return;
    default: read(in.a);
  }
  if (expr::is_binary(in.op) || expr::is_relation(in.op)) read(in.b);
}

}  // namespace chi::code::native
