#pragma once
#include <unordered_map>

#include "sema/typed_model.h"
#include "source/source_file.h"
#include "syntax/ast.h"

namespace chi::driver {

/// Reads what the calls `csv("file", "column")` of a model name, each file once: a path is beside
/// the text that says it. What cannot be read has a problem instead of numbers; nothing is
/// reported.
std::unordered_map<syntax::ExprId, sema::DataColumn> read_data(const syntax::Ast& ast,
                                                               const SourceFile& source);

}  // namespace chi::driver
