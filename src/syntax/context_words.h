#pragma once
#include "syntax/lexer.h"

namespace chi::syntax {

/// Makes tokens of the words `complements` and `restitution` where they can be no names: behind an
/// operand, before another one, in an element that has a relation. Elsewhere they stay names.
/// Linear in the text, but for elements that have such a word.
void mark_context_words(Tokens& tokens);

}  // namespace chi::syntax
