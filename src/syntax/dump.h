#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "syntax/ast.h"
#include "syntax/lexer.h"

namespace chi::syntax {

/// Whether what has this name is asked for; empty: everything is.
using Wanted = std::function<bool(std::string_view name)>;

/// The tokens and comments in order, a line each: `3:15  Ident  V`. Wanted are texts of tokens.
std::string dump(const Tokens& tokens, const Wanted& wanted = {});

/// The tree as S-expressions, a definition a line: `(proc P () ((V real 0.0)) ((= V' (- 2 Q)))
/// ())`. Spans and parentheses that only group are left out, so that two texts with the same
/// meaning give the same dump. For `--dump=ast` and for tests.
std::string dump(const Ast& ast);

/// One expression of it.
std::string dump(const Ast& ast, ExprId expr);

/// One definition of it. What `note` says of an expression stands right behind it.
std::string dump(const Ast& ast, const Definition& definition,
                 const std::function<std::string(ExprId)>& note = {});

/// The name of a definition; "xper" if it has none.
std::string_view name_of(const Ast& ast, const Definition& definition);

/// S-expressions laid out for people: a list that does not fit on a line has its elements below
/// each other. Linear in the text.
std::string indented(std::string_view expressions);

}  // namespace chi::syntax
