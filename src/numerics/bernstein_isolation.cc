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

// A stretch of the window. At an end where p cannot be told from zero the coefficient is left out
// of the sign variations, which for an exact zero amounts to dividing it out; a zero that is only
// near the end then keeps the variations up until the pieces are so small that all is zero.
struct Piece {
  BernsteinForm form = {};
  DoubleDouble start = {};
  int depth = 0;
};

class VariationSearch {
 public:
  VariationSearch(double error, double from, double to, RootCollector& collector)
      : error_(error), from_(from), to_(to), collector_(collector) {}

  void run(const BernsteinForm& form) {
    pieces_[0] = {.form = form};  // the one of the search before is still there
    size_ = 1;
    while (size_ > 0 && !collector_.full()) visit(pieces_[at(--size_)]);
    if (size_ > 0) return collector_.stopped();
    int multiplicity = 0;  // of the end of the window as a root
    while (multiplicity <= form.degree && is_zero(form, form.degree - multiplicity)) ++multiplicity;
    if (multiplicity > 0) collector_.zero(to_, to_);
    collector_.finish(multiplicity % 2 == 1);
  }

 private:
  // `piece` is the top of the stack, whose place its halves may take.
  void visit(Piece& piece) {
    const DoubleDouble start = place(piece.start);
    if (is_zero(piece.form, 0)) collector_.zero(rounded_down(start), rounded_up(start));
    const int sign = first_sign(piece.form);
    const bool deepest = piece.depth == kMaxDepth;
    const int variations = sign_variations(piece.form, error_);
    if (sign == 0 || (deepest && variations > 1)) {
      return collector_.zero(rounded_down(start), rounded_up(place(end(piece))));
    }
    const bool doubtful = !deepest && is_doubtful(piece.form);
    if (variations == 0 && !doubtful) return collector_.sign(sign);
    // A bracket whose end is itself a root would be useless, so halve until the root parts from it.
    const bool clean = !is_zero(piece.form, 0) && !is_zero(piece.form, piece.form.degree);
    if (variations == 1 && ((clean && !doubtful) || deepest)) {
      return collector_.crossing(rounded_down(start), rounded_up(place(end(piece))), sign);
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
    piece = right;
    size_ += 2;
  }

  bool is_zero(const BernsteinForm& form, int j) const {
    return magnitude(form.coefficients[at(j)]) <= error_;
  }

  // Whether the number of variations depends on the signs of coefficients that have none: those
  // between equal signs, and those with a neighbour of their kind.
  bool is_doubtful(const BernsteinForm& form) const {
    for (int j = 0; j < form.degree; ++j) {
      if (!is_zero(form, j)) continue;
      if (is_zero(form, j + 1)) return true;
      if (j == 0) continue;
      if (form.coefficients[at(j - 1)].hi * form.coefficients[at(j + 1)].hi > 0) return true;
    }
    return false;
  }

  // The sign just right of the start: that of the first coefficient that has one.
  int first_sign(const BernsteinForm& form) const {
    for (int j = 0; j <= form.degree; ++j) {
      if (!is_zero(form, j)) return form.coefficients[at(j)].hi > 0 ? 1 : -1;
    }
    return 0;
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
  // A stack: the leftmost piece on top. Kept, since setting it to zero would cost more than most
  // searches.
  using Pieces = std::array<Piece, kMaxDepth + 3>;
  static Pieces& kept_pieces() {
    static thread_local Pieces pieces;
    return pieces;
  }
  Pieces& pieces_ = kept_pieces();
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
