#include "numerics/root_location.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "numerics/root_proposal.h"

namespace chi::numerics {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

struct FinderName {
  RootFinder finder = RootFinder::Toms748;
  std::string_view name = {};
};
constexpr std::array<FinderName, 8> kNames = {{{RootFinder::Toms748, "toms748"},
                                               {RootFinder::Itp, "itp"},
                                               {RootFinder::RegulaFalsi, "regula-falsi"},
                                               {RootFinder::GoldenSection, "golden-section"},
                                               {RootFinder::Bisection, "bisection"},
                                               {RootFinder::CubicHermite, "cubic-hermite"},
                                               {RootFinder::InverseHermite, "inverse-hermite"},
                                               {RootFinder::Polynomial, "polynomial"}}};

// The frame that all methods share: it keeps the bracket, guards proposals and decides when to
// halve.
class Search {
 public:
  Search(const RootFunction& g, const Bracket& b, const LocationOptions& options)
      : g_(g), tolerance_(options.tolerance) {
    result_.left = b.left;
    result_.right = b.right;
    result_.value_left = b.value_left;
    result_.value_right = b.value_right;
    proposal_.method = usable(options.method);
  }

  Location run() {
    const double first_left = result_.value_left;
    old_sign_ = first_left > 0 ? 1 : -1;
    if (!(first_left != 0) || !beyond(result_.value_right)) {
      result_.bracketed = false;
      return result_;
    }
    double width_then = width();
    int since = 0;
    while (width() > limit()) {
      const bool slow = since >= 3;
      take(slow ? middle() : guarded(propose()), slow);
      ++since;
      if (width() <= width_then / 2) {
        width_then = width();
        since = 0;
      }
    }
    result_.undefined = std::isnan(result_.value_right);
    return result_;
  }

 private:
  RootFinder usable(RootFinder wanted) const {
    const bool needs_slope =
        wanted == RootFinder::CubicHermite || wanted == RootFinder::InverseHermite;
    const bool lacking = (needs_slope && !g_.slope) ||
                         (wanted == RootFinder::Polynomial && g_.polynomial == nullptr);
    return lacking ? RootFinder::Toms748 : wanted;
  }

  bool beyond(double value) const { return !(old_sign_ > 0 ? value > 0 : value < 0); }
  double width() const { return result_.right - result_.left; }
  double limit() const {
    const double size = std::max(std::abs(result_.left), std::abs(result_.right));
    return std::max({tolerance_, kEpsilon * size, std::numeric_limits<double>::denorm_min()});
  }
  double middle() const { return result_.left + width() / 2; }

  // Far enough from both ends to close the bracket from the other side once an end is the root.
  double guarded(double x) const {
    const double low = result_.left + limit() * 0.75, high = result_.right - limit() * 0.75;
    if (!(x >= result_.left) || !(x <= result_.right) || !(low < high)) return middle();
    return std::clamp(x, low, high);
  }

  double propose() {
    // Nothing can be interpolated from a zero or a NaN: an exact hit is closed in from the left.
    if (result_.value_right == 0.0) return result_.right - limit() * 0.75;
    if (std::isnan(result_.value_right)) return middle();
    if (proposal_.wants_slopes()) provide_slopes();
    return proposal_.next({result_.left, result_.right, result_.value_left, result_.value_right},
                          limit(), g_.polynomial);
  }

  void provide_slopes() {
    if (!std::isfinite(proposal_.slope_left)) {
      proposal_.slope_left = g_.slope(result_.left);
      ++result_.slope_evaluations;
    }
    if (!std::isfinite(proposal_.slope_right)) {
      proposal_.slope_right = g_.slope(result_.right);
      ++result_.slope_evaluations;
    }
  }

  void take(double x, bool halving) {
    if (!(x > result_.left) || !(x < result_.right)) x = middle();
    const double value = g_.value(x);
    ++result_.evaluations;
    const bool moved_right = beyond(value);
    proposal_.observe({result_.left, result_.right, result_.value_left, result_.value_right},
                      moved_right, halving);
    if (moved_right) {
      result_.right = x;
      result_.value_right = value;
    } else {
      result_.left = x;
      result_.value_left = value;
    }
  }

  const RootFunction& g_;
  double tolerance_ = 0.0;
  int old_sign_ = 1;
  Location result_;
  RootProposal proposal_;
};

}  // namespace

std::string_view name(RootFinder finder) {
  return std::ranges::find(kNames, finder, &FinderName::finder)->name;
}

std::optional<RootFinder> root_finder_named(std::string_view name) {
  const auto it = std::ranges::find(kNames, name, &FinderName::name);
  if (it == kNames.end()) return std::nullopt;
  return it->finder;
}

Location locate(const RootFunction& g, const Bracket& bracket, const LocationOptions& options) {
  return Search(g, bracket, options).run();
}

Location locate(const RootFunction& g, double left, double right, const LocationOptions& options) {
  Location found = locate(g, {left, right, g.value(left), g.value(right)}, options);
  found.evaluations += 2;
  return found;
}

// Newton's method, in plain arithmetic but for the last step, mostly ends beside a simple root: two
// neighbours are the bracket. None where it leaves the one given, or where they do not confirm it.
static std::optional<Bracket> narrow(const Polynomial& p, const Polynomial& slope,
                                     const IsolatedRoot& root) {
  const double left = evaluate(p, root.left), right = evaluate(p, root.right);
  double x = root.left - left * (root.right - root.left) / (right - left);
  double gradient = 0;
  for (int i = 0; i < 6; ++i) {
    if (!(x > root.left && x < root.right)) return std::nullopt;
    gradient = evaluate(slope, x);
    const double step = evaluate(p, x) / gradient;
    x -= step;
    if (std::abs(step) <= kEpsilon * std::abs(x)) break;
  }
  x -= evaluate_accurately(p, x) / gradient;
  const int rises = root.kind == RootKind::Rising ? 1 : -1;
  const double value = evaluate_accurately(p, x);
  const bool ahead = rises * value < 0;
  const double other = std::nextafter(x, ahead ? root.right : root.left);
  const double beyond = evaluate_accurately(p, other);
  const Bracket b = ahead ? Bracket{x, other, value, beyond} : Bracket{other, x, beyond, value};
  if (!(b.left >= root.left && b.right <= root.right && b.left < b.right)) return std::nullopt;
  if (!(rises * b.value_left < 0 && rises * b.value_right >= 0)) return std::nullopt;
  return b;
}

Location locate(const Polynomial& p, const IsolatedRoot& root, const LocationOptions& options) {
  const Polynomial slope = derivative(p);
  const Polynomial& target = is_crossing(root.kind) ? p : slope;
  const Polynomial target_slope = derivative(target);
  const auto value = [&](double x) {
    return is_crossing(root.kind) ? evaluate_accurately(p, x)
                                  : evaluate_derivative_accurately(p, x);
  };
  const auto value_slope = [&](double x) { return evaluate(target_slope, x); };
  const RootFunction g = {.value = value, .slope = value_slope, .polynomial = &target};
  if (is_crossing(root.kind) && options.method == RootFinder::Toms748) {
    if (const auto bracket = narrow(p, slope, root)) {
      Location found = locate(g, *bracket, options);
      found.evaluations += 3;
      return found;
    }
  }
  Location found = locate(g, root.left, root.right, options);
  if (!is_crossing(root.kind)) {
    found.value_left = evaluate_accurately(p, found.left);
    found.value_right = evaluate_accurately(p, found.right);
  }
  return found;
}

}  // namespace chi::numerics
