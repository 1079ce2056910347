#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "driver/inspection.h"

namespace chi::driver {

/// The values of all variables and derivatives at the end of a run that went to the end time 0.
struct InitialValues {
  enum class Kind : std::uint8_t { Real, Integer, Boolean };
  struct Value {
    std::string name;  ///< as in results; x', x'' for derivatives
    Kind kind = Kind::Real;
    double value = 0;
    bool is_unknown = false;  ///< the equations determined it
  };
  double time = 0;
  std::vector<Value> values;  ///< every variable with its derivatives, in the order of declaration
  std::int64_t iterations = 0;  ///< of Newton's method
};

/// Requires that the run did not fail.
InitialValues initial_values(Inspection& inspection);

/// `name = value`, a line each, derivatives behind their variables.
std::string to_text(const InitialValues& values);
/// {"time":..., "values":{NAME: value, "x'": ...}, "iterations":...}, one line.
std::string to_json(const InitialValues& values);

}  // namespace chi::driver
