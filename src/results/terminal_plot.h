#pragma once
#include <string>

#include "results/recording.h"

namespace chi::results {

/// The variables over time in characters, a panel each, for a terminal of the given size. Lines are
/// drawn in Braille dots, two by four a character. At most as many variables as leave each panel
/// three rows; the last line says what is left out.
std::string terminal_plot(const Trace& trace, int columns, int rows);

}  // namespace chi::results
