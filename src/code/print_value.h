#pragma once
#include <cstddef>
#include <string>

#include "code/runtime_type.h"
#include "code/slot.h"

namespace chi::code {

/// Appends `value` as `!e` prints it and `str(e)` gives it: 3, true, 2.0, inf; a string bare, but
/// quoted with \n \t \" \\ inside a structure; [1, 2] (lists and arrays), <1, 2.0>, {a = 1},
/// {1, 2}, {1: "a"}; a distribution as it is made, exponential(2.0). Functions and channels, which
/// have no text in the language, as <function 3> and <channel 3>.
void print_value(const RuntimeTypes& types, const RuntimeType& type, const Slot* value,
                 std::string& text);

/// The same as a literal: a string is quoted wherever it stands.
void print_literal(const RuntimeTypes& types, const RuntimeType& type, const Slot* value,
                   std::string& text);

/// The same for reports: at most about `most` bytes, then "...".
void print_briefly(const RuntimeTypes& types, const RuntimeType& type, const Slot* value,
                   std::size_t most, std::string& text);

/// A real in the shortest form that reads back, with `.0` when it would read as an integer; inf,
/// -inf, nan.
void print_real(double value, std::string& text);

}  // namespace chi::code
