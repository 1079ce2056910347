#pragma once
#include <array>

#include "numerics/polynomial.h"
#include "numerics/root_collector.h"

namespace chi::numerics {

/// The Sturm sequence p, p', -rem(p, p'), ... of Cellier & Kofman [P9.2], in double-double, each
/// member scaled to size one. A remainder that is rounding error ends it: the last member is then
/// the greatest common divisor, and multiple roots count once.
class SturmSequence {
 public:
  explicit SturmSequence(const Polynomial& p);

  int length() const { return length_; }
  int variations_at(double x) const;  ///< sign changes along the sequence, zeros left out
  /// Distinct roots in (a, b]; requires a < b. Reliable while the roots are some 1e-7 apart.
  int count(double a, double b) const { return variations_at(a) - variations_at(b); }

 private:
  struct Member {
    int degree = 0;
    std::array<DoubleDouble, kMaxDegree + 1> coefficients = {};
  };
  void divide_out_common_factor();
  static bool append_remainder(const Member& dividend, const Member& divisor, Member& out);

  std::array<Member, kMaxDegree + 2> members_ = {};
  int length_ = 0;
};

/// Reports the roots of p in (from, to] by bisection on Sturm counts.
void isolate_by_sturm(const Polynomial& p, double from, double to, RootCollector& collector);

}  // namespace chi::numerics
