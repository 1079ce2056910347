#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "driver/inspection.h"

namespace chi::driver {

/// The values of all variables and derivatives at the end of a run that went to the end time 0:
/// scalars one by one; strings, lists, sets, dictionaries and distributions as wholes.
struct InitialValues {
  enum class Kind : std::uint8_t { Real, Integer, Boolean, Other };
  struct Value {
    std::string name;  ///< as in results; x', x'' for derivatives
    Kind kind = Kind::Real;
    double value = 0;         ///< of a number or a truth value
    bool is_unknown = false;  ///< the equations determined it
    std::string text;         ///< as χ writes it
    std::string json;
    std::string unit = {};  ///< that value, text and json are in; "" if it has none
  };
  double time = 0;
  std::vector<Value> values;  ///< every variable with its derivatives, in the order of declaration
  std::int64_t iterations = 0;  ///< of Newton's method
};

/// Requires that the run did not fail.
InitialValues initial_values(Inspection& inspection);

/// `name = value [unit]`, a line each, derivatives behind their variables.
std::string to_text(const InitialValues& values);
/// {"time":..., "values":{NAME: value, "x'": ...}, "iterations":..., "units":{NAME: unit}}, one
/// line; without "units" where there are none.
std::string to_json(const InitialValues& values);

}  // namespace chi::driver
