#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "expr/expr.h"
#include "flat/flat_model.h"

namespace chi::experiment {

/// What is gathered of an expression while a run goes on.
enum class Gather : std::uint8_t {
  End,       ///< x(end): its last value
  At,        ///< x(3.5): its value at a time, after what happens then
  Maximum,   ///< max(x), located between the steps
  Minimum,   ///< min(x)
  Mean,      ///< mean(x), over time
  Integral,  ///< integral(x)
  Rms,       ///< rms(x): the root of the mean of its square
  First,     ///< first(b): when b holds first; NaN if it never does
  Count,     ///< count(b): how often b begins to hold
  Settle,    ///< settle(x, 2%): since when x stays that near to its last value
};

struct Gathered {
  Gather gather = Gather::End;
  std::int32_t root = 0;     ///< of Measures::roots: what is looked at
  double argument = 0;       ///< the time of At; the band of Settle
  bool is_relative = false;  ///< the band is a share of the way from the first value to the last
  bool has_kinks = false;    ///< the expression is not smooth where the run is
  std::int32_t first_difference = 0,
               differences = 0;  ///< roots: a - b for relations of a condition
};

/// A number that a run gives: as it was written, and its formula over what is gathered.
struct Measure {
  std::string name;
  std::string text;
};

/// Measures of a model, ready to be gathered (meter.h).
///
/// `roots` are expressions of `over_run`, in which the variable with number s is the scalar at slot
/// s of the flat model, whatever its type; `values` are those of `over_gathered`, a row for each
/// measure, in which variable number g is what `gathered[g]` gives.
struct Measures {
  std::vector<Measure> list;
  std::vector<Gathered> gathered;
  expr::Pool over_run, over_gathered;
  std::vector<expr::ExprId> roots, values;
};

/// What a plan says of a measure: `peak = max(x)`, or just `max(x)`, which names itself.
Measure measure_of(std::string_view text);

/// Reads measures of this model. `constants` are names that stand for a number: parameters.
/// Empty exactly when it reported: a name that the model has not, text that is no measure.
///
/// The language is that of χ expressions over the names that variables have in results
/// (docs/book/studies.md).
struct NamedNumber {
  std::string name;
  double value = 0;
};
std::optional<Measures> read_measures(const std::vector<Measure>& list,
                                      const flat::FlatModel& model,
                                      const std::vector<NamedNumber>& constants,
                                      Diagnostics& diagnostics);

}  // namespace chi::experiment
