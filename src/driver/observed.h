#pragma once
#include <string>
#include <vector>

#include "code/machine.h"
#include "flat/flat_model.h"
#include "sim/interface/frames.h"

namespace chi::driver {

/// What a run has observed, by the types of the library's `statistics`: a variable of type `tally`,
/// `level`, `counter`, `histogram` or `batches` is summarised whoever fills it.
struct Observed {
  std::string name;
  const char* kind = "";  ///< the name of the type
  struct Figure {
    const char* name = "";
    double value = 0;
  };
  std::vector<Figure> figures;  ///< in the order in which they are shown
};

/// All of the model's, in the order of its variables, as known at `now`. Reads only.
std::vector<Observed> observed(const flat::FlatModel& model, const code::Program& program,
                               const code::Machine& machine, const sim::Frames& frames, double now);

/// Quantile of Student's distribution with `n` degrees of freedom, at least 1; 0 < p < 1.
double student_quantile(double p, double n);

std::string observed_text(const std::vector<Observed>& all);
/// `{"times":{"kind":"tally","n":3,...},...}`
std::string observed_json(const std::vector<Observed>& all);

}  // namespace chi::driver
