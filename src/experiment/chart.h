#pragma once
#include <string>
#include <vector>

namespace chi::experiment {

/// A curve through points, or the points alone. A coordinate that is no number breaks it.
struct Curve {
  std::string name = {};
  std::vector<double> x = {}, y = {};
  bool as_points = false;
};

/// One pair of axes with curves.
struct Panel {
  std::string x_label = {}, y_label = {};
  bool is_logarithmic = false;  ///< the x axis
  std::vector<Curve> curves = {};
  bool shows_zero = false;  ///< lines at x = 0 and y = 0
};

/// Panels one below the other as one SVG picture: no scripts, no fonts of its own.
std::string chart(const std::string& title, const std::vector<Panel>& panels);

}  // namespace chi::experiment
