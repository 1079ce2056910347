#pragma once
#include <cstddef>
#include <vector>

namespace chi::sim {

/// What the located events of an instant tell the search for the next mode: which borders were
/// reached, how well that was located, and whether events crowd there. It holds for the time of the
/// last event; at any other time nothing is known.
class Arrival {
 public:
  /// More borders; of the new ones nothing is known.
  void resize(std::size_t borders);

  /// The border was crossed, or touched (`grazes`), at `time`; the difference had this value where
  /// the event was located. `is_close`: the motion had not left it by more than the tolerance.
  void touch(int border, double time, double value, bool grazes, bool is_close);
  /// Who integrates says that there is a border in its way.
  void crowd(double time);
  /// The events of the last time are over.
  void forget();

  /// The half width in which values of the border count as zero because they were located there.
  double band(int border, double time) const;
  bool grazes(int border, double time) const;
  /// Whether a border was touched again and again, and never left any further than its tolerance;
  /// or `crowd` said so.
  bool is_crowded(double time) const { return is_crowded_ && time == time_; }

  /// The motion was on the border when its side was decided, and was not seen to leave it since.
  bool departs(int border) const { return borders_[static_cast<std::size_t>(border)].departs; }
  void set_departs(int border, bool departs) {
    borders_[static_cast<std::size_t>(border)].departs = departs;
  }

 private:
  static constexpr int kCrowd = 4;  // touches, one close after the other, that are too many
  struct Border {
    double band = 0;
    bool grazes = false;
    bool departs = false;
    int crowd = 0;  // the last touches, one so close after the other
  };
  std::vector<Border> borders_;
  double time_ = -1;
  bool is_crowded_ = false;
};

}  // namespace chi::sim
