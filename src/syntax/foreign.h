#pragma once
#include <string_view>

namespace chi::syntax {

/// What stands where a word is not understood.
enum class Wanting { Definition, Statement, Equation, Value, Type };

/// What χ writes for a word of another language (Modelica, Matlab, Python, C), as the help of a
/// diagnostic; empty if the word is none of theirs. A word may be a good name in χ, so it is asked
/// only about what has not been understood.
std::string_view foreign_word(std::string_view word, Wanting wanting);

}  // namespace chi::syntax
