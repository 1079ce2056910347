#include "code/native/analysis.h"

#include <algorithm>

namespace chi::code::native {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool jumps(FormulaCode code) {
  return code == FormulaCode::Jump || code == FormulaCode::Branch || code == FormulaCode::AndThen ||
         code == FormulaCode::OrElse;
}

// The pieces, in the order in which shared contexts are numbered: that of their code.
std::vector<Cut::Piece> pieces_of(const NativeProgram& program, std::int32_t size) {
  std::vector<Cut::Piece> pieces;
  std::int32_t begin = 0, branch_end = 0, shared = -1;
  for (std::int32_t i = 0; i < program.code_size; ++i) {
    const FormulaInstruction& in = program.code[i];
    const bool last = in.code == FormulaCode::End || in.code == FormulaCode::Return;
    const bool inside = i < branch_end || in.code == FormulaCode::Pair;
    if (last || (shared < 0 && !inside && i - begin >= size)) {
      pieces.push_back({begin, i, shared});
      begin = last ? i + 1 : i;
    }
    if (last) ++shared;
    if (jumps(in.code)) branch_end = std::max(branch_end, in.b);
  }
  return pieces;
}

}  // namespace

Cut cut_program(const NativeProgram& program, std::int32_t size) {
  Cut cut{pieces_of(program, size), std::vector<char>(at(program.places), 0)};
  std::vector<std::int32_t> computed_in(at(program.places), -1);
  for (std::size_t k = 0; k < cut.pieces.size(); ++k) {
    const auto piece = static_cast<std::int32_t>(k);
    for (std::int32_t i = cut.pieces[k].begin; i < cut.pieces[k].end; ++i) {
      const FormulaInstruction& in = program.code[i];
      for_each_read(program, i, [&](std::int32_t place) {
        if (place < program.constants_size) return;  // or in the frame
        if (computed_in[at(place)] != piece || in.code == FormulaCode::Call)
          cut.kept[at(place)] = 1;
      });
      if (in.dst >= 0) computed_in[at(in.dst)] = piece;
    }
  }
  return cut;
}

}  // namespace chi::code::native
