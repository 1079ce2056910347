#pragma once
#include <span>
#include <string>

#include "results/event_log.h"
#include "results/trace.h"

namespace chi::results {

/// The plot as one page that needs nothing else, no network either: panels over one time axis, with
/// zoom, values at the pointer, a list of variables to choose from, and the events. `events` are
/// those of the run, if they are known; otherwise the times that stand twice in the trace are
/// marked. `left_out`: further events, which are not in the page.
///
/// Values are in the page as they are, 8 bytes each, and thinned when they are drawn.
std::string html_plot(const Trace& trace, const std::string& title,
                      std::span<const LoggedEvent> events = {}, std::size_t left_out = 0);

}  // namespace chi::results
