#pragma once
#include "diag/diagnostic.h"
#include "syntax/ast.h"
#include "syntax/lexer.h"

namespace chi::syntax {

/// Deepest nesting that is read (brackets, `if` in `if`, ...), and the deepest tree, which a chain
/// of operators also makes. Beyond either the parser reports it once and skips, so that no text can
/// exhaust the stack, here or in a later pass that follows the tree.
inline constexpr int kMaxNesting = 500;
inline constexpr int kMaxTreeDepth = 4000;

/// Parses a χ text (language.md §1, §2, §6).
///
/// Always gives a tree. All errors of the text are reported in one go, each once: after an error
/// the parser resumes at the next point where the grammar is certain (separator, closing bracket,
/// definition keyword) and puts an `Error` node in the gap. Linear in the number of tokens.
///
/// `ast` holds the files of the model that were parsed before; this one is added to them.
Ast parse(const Tokens& tokens, Diagnostics& diagnostics, Ast ast = {});

}  // namespace chi::syntax
