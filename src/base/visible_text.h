#pragma once
#include <string>
#include <string_view>

namespace chi {

/// Whether a character does something else than be seen: it moves a cursor or colours (control
/// characters, escape), turns the direction of what stands around it, breaks a line, or hides.
/// Texts that people look at must not have it from names, values, strings and files, where somebody
/// else wrote it.
bool is_unseen(char32_t c);

/// Text for people: unseen characters as `<U+202E>`, bytes that are no UTF-8 as `<FF>`. Lines and
/// tabs stay.
std::string visible_text(std::string_view text);
/// The same of what has to stay on one line, and within one column: a name, a file.
std::string visible_line(std::string_view text);

}  // namespace chi
