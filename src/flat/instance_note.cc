#include "flat/instance_note.h"

#include <fmt/format.h>

namespace chi::flat {

void report_for_instance(const Diagnostics& found, const Block& block, Diagnostics& diagnostics) {
  for (Diagnostic d : found.all()) {
    if (!block.path.empty()) d.labels.push_back({block.span, fmt::format("in `{}`", block.path)});
    diagnostics.report(std::move(d));
  }
}

}  // namespace chi::flat
