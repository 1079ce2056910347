#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "numerics/bernstein_isolation.h"
#include "numerics/chebyshev_piece.h"
#include "numerics/extremum.h"
#include "numerics/root_collector.h"
#include "numerics/root_isolation.h"
#include "numerics/root_location.h"

namespace chi::numerics {
namespace {

constexpr int kMaxDepth = 12;       // halvings of the window
constexpr double kAccurate = 1e-9;  // interpolation error, relative, that needs no halving
constexpr double kFloor = 8 * std::numeric_limits<double>::epsilon();  // rounding in g, relative

// A place where g is known, in order along the window.
struct Node {
  double x = 0.0;
  double value = 0.0;
  double near = 0.0;   // |value| below this: an extremum here may hide roots
  double floor = 0.0;  // |value| below this counts as zero
};

int sign_of(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

// Receives the nodes from left to right; between two of them g is monotone, so far as is known.
class NodeReader {
 public:
  NodeReader(FunctionRef<double(double)> g, Isolation& out, int max_roots)
      : g_(g), out_(out), collector_(out, max_roots) {}

  void read(const Node& node) {
    if (in_band_) {
      if (std::abs(node.value) <= node.floor) return;
      in_band_ = false;
      collector_.sign(sign_of(node.value));
    } else if (seen_ > 0 && node.x <= last_.x) {  // the end of a piece begins the next one
      last_.near = std::max(last_.near, node.near);
      return;
    } else {
      step_to(node);
    }
    before_ = last_;
    last_ = node;
    ++seen_;
  }

  void finish() { collector_.finish(true); }
  bool full() const { return collector_.full(); }
  void stopped() { collector_.stopped(); }

 private:
  void step_to(const Node& node) {
    const int sign = sign_of(node.value), last_sign = sign_of(last_.value);
    if (seen_ > 1 && sign == last_sign) look_between(before_, last_, node);
    if (sign == 0) {
      if (last_sign == 0) return;  // on a stretch of zeros, whose beginning is already reported
      const Location start = locate({.value = g_}, {last_.x, node.x, last_.value, 0.0});
      out_.evaluations += start.evaluations;
      collector_.zero(start.left, start.right);
    } else if (last_sign == -sign) {
      collector_.crossing(last_.x, node.x, last_sign);
    } else {
      collector_.sign(sign);
    }
  }

  // Does g reach zero between three nodes of equal sign, the middle one the smallest and near zero?
  void look_between(const Node& a, const Node& b, const Node& c) {
    const int sign = sign_of(b.value);
    if (sign == 0 || sign_of(a.value) != sign) return;
    const double size = std::abs(b.value);
    if (size > b.near || size > std::abs(a.value) || size > std::abs(c.value)) return;
    const Extremum least = minimize_until_negative([&](double x) { return sign * g_(x); }, a.x, b.x,
                                                   c.x, sign * b.value);
    out_.evaluations += least.evaluations;
    if (least.value < 0) {
      collector_.crossing(a.x, least.x, sign);
      collector_.crossing(least.x, c.x, -sign);
    } else if (least.value <= b.floor) {
      collector_.zero(least.x, least.x);
      collector_.sign(sign);
    }
  }

  FunctionRef<double(double)> g_;
  Isolation& out_;
  RootCollector collector_;
  bool in_band_ = true;  // g has not yet left zero
  int seen_ = 0;
  Node before_;
  Node last_;
};

class FunctionSearch {
 public:
  FunctionSearch(FunctionRef<double(double)> g, const IsolationOptions& options, Isolation& out)
      : g_(g),
        options_(options),
        out_(out),
        reader_(g, out, std::min(options.max_roots, kMaxRoots)) {}

  void run() {
    struct Part {
      double left = 0.0, right = 0.0;
      int depth = 0;
    };
    std::array<Part, kMaxDepth + 2> parts;  // a stack: the leftmost part on top
    int size = 0;
    parts[static_cast<std::size_t>(size++)] = {options_.from, options_.to, 0};
    while (size > 0 && !reader_.full()) {
      const Part part = parts[static_cast<std::size_t>(--size)];
      const ChebyshevPiece piece = interpolate(g_, part.left, part.right);
      out_.evaluations += piece.evaluations;
      if (!piece.defined) return meet_border(part.left, part.right);
      if (piece.size <= std::max(options_.noise, options_.resolution)) {
        reader_.read({piece.left, piece.value_left, 0.0, options_.noise});
        if (!reader_.full()) reader_.read({piece.right, piece.value_right, 0.0, options_.noise});
        continue;
      }
      const bool clear = is_clear(piece);
      if (!clear && piece.error > kAccurate * piece.size && part.depth < kMaxDepth) {
        const double middle = part.left + (part.right - part.left) / 2;
        parts[static_cast<std::size_t>(size++)] = {middle, part.right, part.depth + 1};
        parts[static_cast<std::size_t>(size++)] = {part.left, middle, part.depth + 1};
        continue;
      }
      read_piece(piece, !clear);
    }
    size > 0 ? reader_.stopped() : reader_.finish();
  }

  /// The last defined and the first undefined place, if g turned out to be undefined somewhere.
  const std::optional<Location>& border() const { return border_; }

  void run_signs(bool with_extremum) {
    const double from = options_.from, to = options_.to, delta = 1e-6 * (to - from);
    const double at_from = value(from), at_to = value(to);
    const double floor =
        std::max(options_.noise, kFloor * std::max(std::abs(at_from), std::abs(at_to)));
    if (!std::isfinite(at_from) || !std::isfinite(at_to)) return meet_border(from, to);
    reader_.read({from, at_from, 0.0, floor});
    if (with_extremum) {
      const double rise_from = value(from + delta) - at_from, rise_to = at_to - value(to - delta);
      if (sign_of(rise_from) * sign_of(rise_to) < 0) {
        const double flip = rise_from < 0 ? 1.0 : -1.0, start = from + (to - from) / 2;
        const Extremum extremum =
            minimize_until_negative([&](double x) { return flip * sign_of(at_from) * g_(x); }, from,
                                    start, to, flip * sign_of(at_from) * value(start));
        out_.evaluations += extremum.evaluations;
        reader_.read({extremum.x, value(extremum.x), 0.0, floor});
      }
    }
    reader_.read({to, at_to, 0.0, floor});
    reader_.finish();
  }

 private:
  double value(double x) {
    ++out_.evaluations;
    return g_(x);
  }

  double band(const ChebyshevPiece& piece) const {
    return std::max(options_.noise, kFloor * piece.size);
  }

  bool is_clear(const ChebyshevPiece& piece) const {
    const double margin = piece.error + band(piece);
    const double first = piece.form.coefficients[0].hi;
    for (int j = 0; j <= piece.form.degree; ++j) {
      const double b = piece.form.coefficients[static_cast<std::size_t>(j)].hi;
      if (std::abs(b) <= margin || (b > 0) != (first > 0)) return false;
    }
    return true;
  }

  // The ends of the piece and, if it may have roots, the extrema of its interpolant.
  void read_piece(const ChebyshevPiece& piece, bool with_extrema) {
    const double floor = band(piece), near = 8 * (piece.error + floor);
    reader_.read({piece.left, piece.value_left, near, floor});
    if (with_extrema) {
      const BernsteinForm slope = derivative(piece.form);
      Isolation extrema;
      RootCollector collector(extrema, kMaxRoots);
      isolate_by_variations(slope, kFloor * piece.size, 0.0, 1.0, collector);
      for (const IsolatedRoot& root : extrema.roots()) {
        if (reader_.full()) return;
        const auto slope_at = [&](double s) { return evaluate(slope, s); };
        const Location place =
            locate({.value = slope_at}, root.left, root.right, {.tolerance = 1e-9});
        const double x = piece.left + (piece.right - piece.left) * place.right;
        if (x > piece.left && x < piece.right) reader_.read({x, value(x), near, floor});
      }
    }
    if (!reader_.full()) reader_.read({piece.right, piece.value_right, near, floor});
  }

  // g is undefined somewhere in [left, right]: finds where that begins.
  void meet_border(double left, double right) {
    const auto defined = [&](double x) { return std::isfinite(value(x)) ? 1.0 : -1.0; };
    border_ = {.left = left, .right = left};
    if (defined(left) < 0) return;
    const double step = (right - left) / 64;
    double good = left;
    for (double x = left + step; x < right && defined(x) > 0; x += step) good = x;
    border_ = locate({.value = defined}, {good, std::min(right, good + step), 1.0, -1.0},
                     {.method = RootFinder::Bisection, .tolerance = 1e-9 * step});
  }

  FunctionRef<double(double)> g_;
  const IsolationOptions& options_;
  Isolation& out_;
  NodeReader reader_;
  std::optional<Location> border_;
};

}  // namespace

Isolation isolate(FunctionRef<double(double)> g, const IsolationOptions& options) {
  constexpr int kMaxBorders = 8;  // undefined stretches, each met further left than the last
  IsolationOptions window = options;
  double defined_until = options.to;
  int evaluations = 0;
  Isolation out;
  for (int i = 0; i < kMaxBorders && window.to > window.from; ++i) {
    out = {};
    FunctionSearch search(g, window, out);
    switch (options.method) {
      case RootDetection::Signs: search.run_signs(false); break;
      case RootDetection::Derivative: search.run_signs(true); break;
      case RootDetection::Bernstein:
      case RootDetection::Sturm: search.run(); break;
    }
    evaluations += out.evaluations;
    if (!search.border()) break;
    window.to = search.border()->left;
    defined_until = search.border()->right;
    out = {};
  }
  out.defined_until = defined_until;
  out.evaluations = evaluations;
  return out;
}

}  // namespace chi::numerics
