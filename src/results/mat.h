#pragma once
#include <string>

#include "base/text_sink.h"
#include "results/trace.h"

namespace chi::results {

/// The trace as a MATLAB level 4 file with the matrices of a Modelica trajectory, as Dymola and
/// OpenModelica write it, stored transposed ("binTrans"):
///
///     Aclass       4 x 11 characters: "Atrajectory", "1.1", "", "binTrans"
///     name         a column a variable, "time" first
///     description  the same shape; empty
///     dataInfo     4 x variables, int32: matrix (0: time, 1, 2), row in it, interpolation, 0: and
///                  beyond the ends
///     data_1       what never changes in the run: start and end time, then a row each of two
///                  values
///     data_2       time, then a row a variable; a column an output point, two at an event
///
/// Bytes are little-endian on every machine. Format: The MathWorks, "MAT-File Format", level 4; P.
/// Fritzson et al., OpenModelica System Documentation, "The Matlab file format".
bool write_mat(const Trace& trace, const TextSink& sink);
std::string mat_text(const Trace& trace);

}  // namespace chi::results
