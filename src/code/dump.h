#pragma once
#include <string>

#include "code/ir.h"
#include "source/source_file.h"
#include "syntax/dump.h"

namespace chi::code {

/// The code of all functions and bodies, for `--dump=ir`: of each routine its frame, then an
/// instruction a line with its operands as `ops.def` tells them, r3 a register, k0 a constant, and
/// where the line that it comes from stands. Wanted are names of routines.
std::string dump(const Program& program, const SourceFile& source,
                 const syntax::Wanted& wanted = {});

}  // namespace chi::code
