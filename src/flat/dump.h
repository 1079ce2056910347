#pragma once
#include <string>

#include "flat/flat_model.h"
#include "source/source_file.h"
#include "syntax/dump.h"

namespace chi::flat {

/// The model after instantiation, for `--dump=flat`, a thing a line: instances with their
/// arguments, variables with their slots, channels with both ends, nodes with the terminals at
/// them, and the equations. Wanted are names of instances, variables and channels; an equation is
/// if its instance is, or one of the variables in it.
std::string dump(const FlatModel& model, const SourceFile& source,
                 const syntax::Wanted& wanted = {});

}  // namespace chi::flat
