#include "sim/modes/arrival.h"

#include <algorithm>
#include <cmath>

namespace chi::sim {

void Arrival::resize(std::size_t borders) { borders_.resize(borders); }

void Arrival::touch(int border, double time, double value, bool grazes, bool is_close) {
  if (time != time_) forget();
  Border& touched = borders_[static_cast<std::size_t>(border)];
  touched.crowd = is_close ? touched.crowd + 1 : 0;
  is_crowded_ = is_crowded_ || touched.crowd >= kCrowd;
  time_ = time;
  touched.grazes = grazes;
  touched.band = std::max(touched.band, 2 * std::abs(value));
}

void Arrival::crowd(double time) {
  if (time != time_) forget();
  time_ = time;
  is_crowded_ = true;
}

void Arrival::forget() {
  for (Border& border : borders_) {
    border.band = 0;
    border.grazes = false;
  }
  is_crowded_ = false;
}

double Arrival::band(int border, double time) const {
  return time == time_ ? borders_[static_cast<std::size_t>(border)].band : 0;
}

bool Arrival::grazes(int border, double time) const {
  return borders_[static_cast<std::size_t>(border)].grazes && time == time_;
}

}  // namespace chi::sim
