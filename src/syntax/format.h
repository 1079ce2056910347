#pragma once
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "source/source_file.h"

namespace chi::syntax {

/// A χ text with its spacing, indentation and operators in the house form.
///
/// Where lines end is the author's choice and is kept, but for lines of more than about 100
/// columns, which are broken in front of a separator or operator, and runs of blank lines, of which
/// one stays. Inside brackets a line that begins with a separator (`,` `;` `|` `||` `->`) stands
/// under the bracket, any other behind it. Unicode twins become ASCII. The tokens are those of the
/// text, in the same order, and every comment stays between the same tokens; so the meaning is the
/// same, and formatting a formatted text changes nothing. Empty exactly when the text has syntax
/// errors, which are reported.
std::optional<std::string> format(const SourceFile& source, Diagnostics& diagnostics);

}  // namespace chi::syntax
