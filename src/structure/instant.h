#pragma once
#include <cstdint>
#include <vector>

#include "structure/analyse.h"

namespace chi::structure {

/// Equations that hold at one instant, some of them no longer than that: those of an instantaneous
/// equation statement, or of a guard that is open for a steady start.
struct InstantSystem {
  System system = {};
  /// Rows that may hold at the instant only, in groups, of which the last is the likeliest.
  std::vector<std::vector<std::int32_t>> passing = {};
  std::int32_t added = 0;  ///< so many last rows hold at the instant only
  /// What is declared without the added rows; ascending. Variables that only these make unknown are
  /// constant before and after, and have derivative 0.
  std::vector<expr::VarId> declared_to_last = {};
  bool operator==(const InstantSystem&) const = default;
};

/// The IP of an instant. The values in play are x_j^(k), k <= d_j; the rows are those that last,
/// differentiated up to c_i times, and those that pass, as they are.
struct InstantOrder {
  Analysis analysis;  ///< not Pryce's: it has more rows than unknowns
  BlockOrder order;
};

/// Orders the IP of an instant. An equation that lasts has derivatives, among which are the hidden
/// constraints; one that holds at an instant has none. Which last: those that are neither passing
/// nor added, and of these what the IVP of the others lacks, added rows at the very last. As
/// `passing` only says what may be, other groups than the last are tried if the IP is not square.
///
/// Without an IVP that can be analysed, none is differentiated. Costs about as much as `analyse`.
/// Derivation: docs/theory/index-reduction.md.
InstantOrder order_instant(expr::Pool& pool, const InstantSystem& instant);

}  // namespace chi::structure
