#pragma once
#include <string>

#include "results/recording.h"

namespace chi::results {

/// The variables over time in characters, a panel each, for a terminal of the given size. Lines are
/// drawn in Braille dots, two by four a character. At most as many variables as leave each panel
/// three rows; the last line says what is left out. A trace without extent in time is a list of
/// values. `color`: with terminal escapes.
std::string terminal_plot(const Trace& trace, int columns, int rows, bool color = false);

}  // namespace chi::results
