#pragma once
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <vector>

#include "numerics/polynomial.h"

namespace chi::numerics::testing {

/// Sturm's theorem in exact integer arithmetic on the very doubles of a polynomial: the referee of
/// the tests of root isolation. Slow, and never wrong.
class ExactRoots {
 public:
  explicit ExactRoots(const Polynomial& p) {
    for (const double c : p.terms()) whole_.push_back(integer_of(c, 1100));
    trim(whole_);
    reduce(whole_);
    build(whole_);
    // Sturm's theorem needs the ends of the interval not to be multiple roots: make all simple.
    if (!members_.back().empty() && members_.back().size() > 1) {
      build(quotient(whole_, members_.back()));
    }
  }

  bool is_zero() const { return whole_.empty(); }

  /// Distinct roots in (a, b], for a <= b.
  int count(double a, double b) const { return variations(a) - variations(b); }

  int sign_at(double x) const { return sign(whole_, x); }

 private:
  using Integer = boost::multiprecision::cpp_int;

  void build(const std::vector<Integer>& first) {
    members_ = {first};
    std::vector<Integer> second;
    for (std::size_t i = 1; i < first.size(); ++i) second.push_back(first[i] * static_cast<int>(i));
    if (second.empty()) return;
    reduce(second);
    members_.push_back(second);
    while (members_.back().size() > 1) {
      std::vector<Integer> r = negated_remainder(members_[members_.size() - 2], members_.back());
      if (r.empty()) break;
      reduce(r);
      members_.push_back(r);
    }
  }

  // A positive or negative multiple of a / b, which divide.
  static std::vector<Integer> quotient(std::vector<Integer> a, const std::vector<Integer>& b) {
    std::vector<Integer> q(a.size() - b.size() + 1);
    for (std::size_t i = q.size(); i-- > 0;) {
      const Integer lead = b.back();
      for (Integer& c : a) c *= lead;
      for (Integer& c : q) c *= lead;
      q[i] = a[i + b.size() - 1] / lead;
      for (std::size_t j = 0; j < b.size(); ++j) a[i + j] -= q[i] * b[j];
    }
    reduce(q);
    return q;
  }

  static Integer integer_of(double x, int shift) {  // x 2^shift
    int exponent = 0;
    const auto mantissa = static_cast<long long>(std::ldexp(std::frexp(x, &exponent), 53));
    Integer value = mantissa;
    const int total = exponent - 53 + shift;
    return total >= 0 ? Integer(value << total) : Integer(value >> -total);
  }

  static void trim(std::vector<Integer>& p) {
    while (!p.empty() && p.back() == 0) p.pop_back();
  }

  static void reduce(std::vector<Integer>& p) {
    Integer divisor = 0;
    for (const Integer& c : p) divisor = boost::multiprecision::gcd(divisor, c);
    if (divisor > 1) {
      for (Integer& c : p) c /= divisor;
    }
  }

  static std::vector<Integer> negated_remainder(std::vector<Integer> r,
                                                const std::vector<Integer>& divisor) {
    const Integer& lead = divisor.back();
    while (r.size() >= divisor.size()) {
      const Integer top = lead > 0 ? r.back() : Integer(-r.back());
      const std::size_t shift = r.size() - divisor.size();
      for (Integer& c : r) c *= lead > 0 ? lead : Integer(-lead);
      for (std::size_t j = 0; j < divisor.size(); ++j) r[shift + j] -= top * divisor[j];
      r.pop_back();
      trim(r);
    }
    for (Integer& c : r) c = -c;
    return r;
  }

  static int sign(const std::vector<Integer>& p, double x) {
    int exponent = 0;
    const auto m = static_cast<long long>(std::ldexp(std::frexp(x, &exponent), 53));
    const int shift = 53 - exponent;  // x = m / 2^shift, shift >= 0 for |x| <= 1
    Integer sum = 0;
    for (std::size_t i = p.size(); i-- > 0;) {
      sum = sum * m + (p[i] << (shift * static_cast<int>(p.size() - 1 - i)));
    }
    return sum > 0 ? 1 : sum < 0 ? -1 : 0;
  }

  int variations(double x) const {
    int count = 0, last = 0;
    for (const auto& member : members_) {
      const int s = sign(member, x);
      if (s == 0) continue;
      if (last != 0 && s != last) ++count;
      last = s;
    }
    return count;
  }

  std::vector<Integer> whole_;
  std::vector<std::vector<Integer>> members_;
};

}  // namespace chi::numerics::testing
