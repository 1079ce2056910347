#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "code/formulas.h"
#include "sim/part/conditions.h"

namespace chi::sim {

/// Borders whose difference moves with time alone, as of `time >= t0 + 1e-9` or `sin(w*time) > u`.
/// No integration is in them: their values are exact but for rounding, so the tolerances of the run
/// say nothing about them. Affine ones, rate * time + offset, are due at a time that can be
/// computed: they are time events, told to the ulp however the difference cancels.
class TimeBorders {
 public:
  /// Call when borders were added. `may_move`: variables that can change between events. Enters the
  /// leaves of what it evaluates.
  void prepare(expr::Pool& pool, std::span<const Border> borders, code::FormulaLeaves& leaves,
               code::Boxes* boxes, numerics::FunctionRef<bool(expr::VarRef)> may_move);

  /// Whether the difference of the border moves with time alone, or not at all.
  bool is_of_time(int border) const { return entry(border) >= 0; }

  /// When an affine border is reached, and where its difference goes then.
  struct Due {
    double time = 0;
    int direction = 0;  ///< 1 rising, -1 falling
  };
  /// None if the border is not affine in time, or its rate is zero. O(1).
  std::optional<Due> due(int border, const double* frame);
  /// Times nearer to `due` than this cannot be told from it: deadlines that are added up of steps
  /// fall there.
  static double resolution(double due);
  /// What rounding may leave of the difference of a border of time.
  double rounding(int border, const double* frame);

 private:
  struct Entry {
    std::unique_ptr<code::Formulas> formulas;  // rate and offset, or the rounding size
    bool is_affine = false;
  };
  std::ptrdiff_t entry(int border) const {
    const auto b = static_cast<std::size_t>(border);
    return border >= 0 && b < entry_of_.size() ? entry_of_[b] : -1;
  }

  std::vector<std::ptrdiff_t> entry_of_;  // per border; -1: something else moves in it
  std::vector<Entry> entries_;
};

}  // namespace chi::sim
