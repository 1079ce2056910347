#pragma once
#include <span>
#include <string>

#include "diag/diagnostic.h"
#include "results/event_log.h"
#include "results/trace.h"
#include "run_settings.h"

namespace chi::cli {

/// Draws the trace: to a file, or in the terminal, as wide and high as that is. `events_left_out`:
/// how many events there were besides `events`.
void draw_plot(const results::Trace& trace, const std::string& title, PlotKind kind,
               const std::string& file, Color color, std::span<const results::LoggedEvent> events,
               std::size_t events_left_out, Diagnostics& diagnostics);

}  // namespace chi::cli
