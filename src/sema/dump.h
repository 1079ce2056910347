#pragma once
#include <string>

#include "sema/typed_model.h"
#include "syntax/dump.h"

namespace chi::sema {

/// What checking found, for `--dump=typed`: of each definition its tree (syntax/dump.h), in which
/// `:real` behind an expression is its type and `#3` behind a name the declaration that it stands
/// for, and below it these declarations with their types. Wanted are names of definitions.
std::string dump(const TypedModel& model, const syntax::Wanted& wanted = {});

}  // namespace chi::sema
