#pragma once
#include <llvm-c/Core.h>

#include "code/native/routines.h"

namespace chi::code::native {

/// Writes the LLVM function of a routine (a NativeBody) into `module`.
void emit_routine(LLVMModuleRef module, const char* name, const NativeRunView& run,
                  const NativeRoutine& routine);

}  // namespace chi::code::native
