#include "numerics/bernstein_isolation.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace chi::numerics {
namespace {

constexpr int kMaxDepth = 100;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

double rounded_down(DoubleDouble x) {
  return x.lo < 0 ? std::nextafter(x.hi, -std::numeric_limits<double>::infinity()) : x.hi;
}
double rounded_up(DoubleDouble x) {
  return x.lo > 0 ? std::nextafter(x.hi, std::numeric_limits<double>::infinity()) : x.hi;
}

// A stretch of the window, with p = (a positive function) times `form` on it.
struct Piece {
  BernsteinForm form = {};
  DoubleDouble start = {};
  int depth = 0;
  bool zero_at_start = false;  // p vanishes there; already divided out of `form`
  bool zero_at_end = false;
};

class VariationSearch {
 public:
  VariationSearch(double error, double from, double to, RootCollector& collector)
      : error_(error), from_(from), to_(to), collector_(collector) {}

  void run(const BernsteinForm& form) {
    Piece& whole = pieces_[0];
    whole.form = form;
    whole.start = {};
    size_ = 1;
    int end_multiplicity = divide_out_end(whole);
    while (size_ > 0 && !collector_.full()) visit(pieces_[at(--size_)]);
    if (size_ > 0) return collector_.stopped();
    if (end_multiplicity > 0) collector_.zero(to_, to_);
    collector_.finish(end_multiplicity % 2 == 1);
  }

 private:
  // `piece` is the top of the stack, whose place its halves may take.
  void visit(Piece& piece) {
    if (is_zero(piece.form)) {
      collector_.zero(rounded_down(place(piece.start)), rounded_up(place(end(piece))));
      return;
    }
    divide_out_start(piece);
    if (piece.zero_at_start) {
      const DoubleDouble start = place(piece.start);
      collector_.zero(rounded_down(start), rounded_up(start));
    }
    divide_out_end(piece);
    const int variations = sign_variations(piece.form, error_);
    const int sign_at_start = piece.form.coefficients[0].hi > 0 ? 1 : -1;
    if (variations == 0) return collector_.sign(sign_at_start);
    // A bracket whose end is itself a root would be useless, so halve until the root parts from it.
    const bool clean = !piece.zero_at_start && !piece.zero_at_end;
    const bool deepest = piece.depth == kMaxDepth;
    if (variations == 1 && (clean || deepest)) {
      const double left = rounded_down(place(piece.start)), right = rounded_up(place(end(piece)));
      return collector_.crossing(left, right, sign_at_start);
    }
    if (deepest) {
      return collector_.zero(rounded_down(place(piece.start)), rounded_up(place(end(piece))));
    }
    halve(piece);
  }

  void halve(Piece& piece) {
    Piece& left = pieces_[at(size_ + 1)];
    Piece right;
    split_in_half(piece.form, left.form, right.form);
    left.depth = right.depth = piece.depth + 1;
    left.start = piece.start;
    right.start = end(left);
    const bool zero_between = std::abs(right.form.coefficients[0].hi) <= error_;
    left.zero_at_start = piece.zero_at_start;
    left.zero_at_end = zero_between;
    right.zero_at_start = zero_between;
    right.zero_at_end = piece.zero_at_end;
    piece = right;
    size_ += 2;
  }

  bool is_zero(const BernsteinForm& form) const {
    for (int j = 0; j <= form.degree; ++j) {
      if (magnitude(form.coefficients[at(j)]) > error_) return false;
    }
    return true;
  }

  void divide_out_start(Piece& piece) const {
    while (piece.form.degree > 0 && magnitude(piece.form.coefficients[0]) <= error_) {
      piece.form = divided_by_x(piece.form);
      piece.zero_at_start = true;
    }
  }

  int divide_out_end(Piece& piece) const {
    int multiplicity = 0;
    while (piece.form.degree > 0 &&
           magnitude(piece.form.coefficients[at(piece.form.degree)]) <= error_) {
      piece.form = divided_by_one_minus_x(piece.form);
      piece.zero_at_end = true;
      ++multiplicity;
    }
    return multiplicity;
  }

  DoubleDouble end(const Piece& piece) const {
    return piece.start + DoubleDouble{std::ldexp(1.0, -piece.depth), 0.0};
  }
  DoubleDouble place(DoubleDouble s) const {
    return DoubleDouble{from_, 0.0} + two_sum(to_, -from_) * s;
  }

  double error_ = 0.0;
  double from_ = 0.0;
  double to_ = 0.0;
  RootCollector& collector_;
  std::array<Piece, kMaxDepth + 3> pieces_;  // a stack: the leftmost piece on top
  int size_ = 0;
};

}  // namespace

bool clearly_without_roots(const Polynomial& p, double noise) {
  const BernsteinWeights& weights = bernstein_weights(p.degree);
  double size = 0.0;
  for (const double c : p.terms()) size += std::abs(c);
  const double bound = noise + (p.degree + 2) * std::numeric_limits<double>::epsilon() * size;
  int last = 0;
  for (int j = 0; j <= p.degree; ++j) {
    double b = 0.0;
    for (int i = 0; i <= j; ++i) b += weights[at(j)][at(i)] * p.coefficients[at(i)];
    const int sign = b > bound ? 1 : b < -bound ? -1 : 0;
    if (sign == 0 || (last != 0 && sign != last)) return false;
    last = sign;
  }
  return true;
}

void isolate_by_variations(const BernsteinForm& form, double error, double from, double to,
                           RootCollector& collector) {
  VariationSearch(error, from, to, collector).run(form);
}

}  // namespace chi::numerics
