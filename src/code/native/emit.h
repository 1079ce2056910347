#pragma once
#include <vector>

#include <llvm-c/Core.h>

#include "code/native/analysis.h"

namespace chi::code::native {

/// Writes the LLVM functions of a program into `module`; returns the one to be called.
LLVMValueRef emit_program(LLVMModuleRef module, const NativeProgram& program, const Cut& cut);

}  // namespace chi::code::native
