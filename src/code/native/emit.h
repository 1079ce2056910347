#pragma once
#include <vector>

#include <llvm-c/Core.h>

#include "code/native/analysis.h"

namespace chi::code::native {

/// Writes a program as LLVM functions, one for each piece, and one that calls those of context 0
/// and is named "chi_formulas".
class ProgramWriter {
 public:
  ProgramWriter(const NativeProgram& program, const Cut& cut);

  /// All into one module.
  void write_all(LLVMModuleRef module);
  /// Piece `k` by itself, named "chi_piece"; all pieces, in order, and then the one that calls
  /// them, each into a module of its own. `pieces` is where the address of every piece is found
  /// when the code runs, and stays there.
  void write_piece(LLVMModuleRef module, std::size_t k, const NativeFunction* pieces);
  void write_main(LLVMModuleRef module, const NativeFunction* pieces);

 private:
  const NativeProgram& program_;
  const Cut& cut_;
  std::size_t straight_ = 0;                     // number of pieces of context 0
  std::vector<std::vector<std::int32_t>> outs_;  // by place: roots not given out yet
};

}  // namespace chi::code::native
