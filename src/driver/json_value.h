#pragma once
#include <string>

#include "code/runtime_type.h"
#include "code/slot.h"

namespace chi::driver {

/// Appends a value of the run as JSON: numbers as `json_real` writes them, strings, truth values;
/// lists, arrays, tuples and sets as arrays, records as objects, a dictionary as an array of pairs
/// [key, value], since keys may be anything; a distribution as the string that χ prints.
void append_json_value(const code::RuntimeTypes& types, const code::RuntimeType& type,
                       const code::Slot* value, std::string& text);

}  // namespace chi::driver
