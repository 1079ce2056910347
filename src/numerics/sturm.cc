#include "numerics/sturm.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace chi::numerics {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Relative size below which a remainder is taken for rounding error. Double-double carries 2^-102;
// each division loses what the leading coefficients cancel.
constexpr double kNegligible = 0x1p-84;

// Relative size below which a member's value counts as zero.
constexpr double kRounding = 0x1p-92;

struct Window {
  double left = 0.0;
  double right = 0.0;
  int count = 0;
};

class SturmSearch {
 public:
  SturmSearch(const Polynomial& p, RootCollector& collector)
      : p_(p), sequence_(p), collector_(collector) {}

  void run(double from, double to) {
    if (const int sign = sign_after(p_, from); sign != 0) collector_.sign(sign);
    windows_[0] = {from, to, sequence_.count(from, to)};
    size_ = 1;
    while (size_ > 0 && !collector_.full()) visit(windows_[at(--size_)]);
    if (size_ > 0) return collector_.stopped();
    const bool odd = collector_.last_sign() != 0 && sign_at_end_ != collector_.last_sign();
    collector_.finish(odd);
  }

 private:
  void visit(Window w) {
    const int sign_left = sign_at(p_, w.left), sign_right = sign_at(p_, w.right);
    const double middle = w.left + (w.right - w.left) / 2;
    const bool narrowest = middle <= w.left || middle >= w.right;
    if (w.count <= 0) {
      if (sign_right != 0) collector_.sign(sign_right);
      return;
    }
    if (w.count == 1 && sign_left * sign_right < 0) {
      return collector_.crossing(w.left, w.right, sign_left);
    }
    if (narrowest) {
      collector_.zero(w.left, w.right);
      sign_at_end_ = sign_after(p_, w.right);
      if (sign_right != 0) collector_.sign(sign_right);
      return;
    }
    const int left_count = sequence_.count(w.left, middle);
    windows_[at(size_++)] = {middle, w.right, w.count - left_count};
    windows_[at(size_++)] = {w.left, middle, left_count};
  }

  const Polynomial& p_;
  SturmSequence sequence_;
  RootCollector& collector_;
  std::array<Window, 1100> windows_;  // a stack: one per halving; 1074 halvings reach any double
  int size_ = 0;
  int sign_at_end_ = 0;
};

}  // namespace

SturmSequence::SturmSequence(const Polynomial& p) {
  Member& first = members_[0];
  first.degree = p.degree;
  for (int i = 0; i <= p.degree; ++i) first.coefficients[at(i)] = {p.coefficients[at(i)], 0.0};
  length_ = 1;
  if (p.degree == 0) return;
  Member& second = members_[1];
  second.degree = p.degree - 1;
  for (int i = 1; i <= p.degree; ++i) {
    second.coefficients[at(i - 1)] = two_product(i, p.coefficients[at(i)]);
  }
  length_ = 2;
  while (members_[at(length_ - 1)].degree > 0 &&
         append_remainder(members_[at(length_ - 2)], members_[at(length_ - 1)],
                          members_[at(length_)])) {
    ++length_;
  }
  if (members_[at(length_ - 1)].degree > 0) divide_out_common_factor();
}

// At a multiple root the whole sequence vanishes and its signs mean nothing. Divided by the last
// member, which is the greatest common divisor, it counts the same roots, now simple.
void SturmSequence::divide_out_common_factor() {
  const Member divisor = members_[at(length_ - 1)];
  const DoubleDouble lead = divisor.coefficients[at(divisor.degree)];
  for (int k = 0; k < length_; ++k) {
    Member& m = members_[at(k)];
    Member quotient;
    quotient.degree = m.degree - divisor.degree;
    for (int i = quotient.degree; i >= 0; --i) {
      const DoubleDouble q = m.coefficients[at(divisor.degree + i)] / lead;
      quotient.coefficients[at(i)] = q;
      for (int j = 0; j <= divisor.degree; ++j) {
        m.coefficients[at(i + j)] = m.coefficients[at(i + j)] - q * divisor.coefficients[at(j)];
      }
    }
    m = quotient;
  }
}

bool SturmSequence::append_remainder(const Member& dividend, const Member& divisor, Member& out) {
  Member r = dividend;
  double size = 0.0;  // the largest number met: what is left of cancellation is relative to it
  const DoubleDouble lead = divisor.coefficients[at(divisor.degree)];
  for (int i = r.degree - divisor.degree; i >= 0; --i) {
    const DoubleDouble quotient = r.coefficients[at(divisor.degree + i)] / lead;
    for (int j = 0; j <= divisor.degree; ++j) {
      const DoubleDouble product = quotient * divisor.coefficients[at(j)];
      size = std::max({size, magnitude(product), magnitude(r.coefficients[at(i + j)])});
      r.coefficients[at(i + j)] = r.coefficients[at(i + j)] - product;
    }
  }
  r.degree = divisor.degree - 1;
  while (r.degree >= 0 && magnitude(r.coefficients[at(r.degree)]) <= kNegligible * size) --r.degree;
  if (r.degree < 0) return false;
  double largest = 0.0;
  for (int i = 0; i <= r.degree; ++i) largest = std::max(largest, magnitude(r.coefficients[at(i)]));
  const double scale = std::ldexp(1.0, -std::ilogb(largest));
  out.degree = r.degree;
  for (int i = 0; i <= r.degree; ++i)
    out.coefficients[at(i)] = -scaled(r.coefficients[at(i)], scale);
  return true;
}

int SturmSequence::variations_at(double x) const {
  int variations = 0;
  int last = 0;
  for (int k = 0; k < length_; ++k) {
    const Member& m = members_[at(k)];
    DoubleDouble sum = m.coefficients[at(m.degree)];
    double size = magnitude(sum);
    for (int i = m.degree - 1; i >= 0; --i) {
      sum = sum * DoubleDouble{x, 0.0} + m.coefficients[at(i)];
      size += magnitude(m.coefficients[at(i)]);
    }
    if (magnitude(sum) <= kRounding * size) continue;
    const int sign = sum.hi > 0 ? 1 : -1;
    if (last != 0 && sign != last) ++variations;
    last = sign;
  }
  return variations;
}

void isolate_by_sturm(const Polynomial& p, double from, double to, RootCollector& collector) {
  SturmSearch(p, collector).run(from, to);
}

}  // namespace chi::numerics
