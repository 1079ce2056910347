#include "numerics/root_isolation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "numerics/bernstein_isolation.h"
#include "numerics/root_collector.h"
#include "numerics/root_location.h"
#include "numerics/sturm.h"

namespace chi::numerics {
namespace {

struct DetectionName {
  RootDetection detection = RootDetection::Bernstein;
  std::string_view name = {};
};
constexpr std::array<DetectionName, 4> kNames = {{{RootDetection::Signs, "signs"},
                                                  {RootDetection::Derivative, "derivative"},
                                                  {RootDetection::Bernstein, "bernstein"},
                                                  {RootDetection::Sturm, "sturm"}}};

double size_of(const Polynomial& p) {
  double size = 0.0;
  for (const double c : p.terms()) size += std::abs(c);
  return size;
}

// The linear term outweighs what the others add to the slope anywhere in [0, 1]: there is one root
// at most, and the ends tell. False where that cannot be seen, or where rounding hides a sign.
bool isolate_monotone(const Polynomial& p, double size, const IsolationOptions& options,
                      Isolation& out) {
  if (p.degree < 1 || options.from < 0 || options.to > 1) return false;
  double others = 0;
  for (std::size_t k = 2; k < p.terms().size(); ++k) {
    others += static_cast<double>(k) * std::abs(p.terms()[k]);
  }
  if (!(std::abs(p.terms()[1]) > 1.001 * others)) return false;
  const double left = evaluate(p, options.from), right = evaluate(p, options.to);
  if (!(std::min(std::abs(left), std::abs(right)) > 1e-14 * size)) return false;
  if ((left < 0) == (right < 0)) return true;
  out.found[0] = {options.from, options.to, left < 0 ? RootKind::Rising : RootKind::Falling};
  out.count = 1;
  return true;
}

// Signs of p at points in order: a change between two of them brackets a root.
void collect_sign_changes(const Polynomial& p, std::span<const double> points,
                          RootCollector& collector) {
  if (const int sign = sign_after(p, points[0]); sign != 0) collector.sign(sign);
  int last_sign = sign_at(p, points[0]);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const int sign = sign_at(p, points[i]);
    if (sign == 0) {
      collector.zero(points[i], points[i]);
    } else if (collector.last_sign() == -sign && last_sign != 0) {
      collector.crossing(points[i - 1], points[i], -sign);
    } else {
      collector.sign(sign);
    }
    last_sign = sign;
  }
  collector.finish(true);
}

void isolate_by_signs(const Polynomial& p, double from, double to, RootCollector& collector) {
  const std::array<double, 2> points = {from, to};
  collect_sign_changes(p, points, collector);
}

void isolate_by_derivative(const Polynomial& p, double from, double to, RootCollector& collector) {
  const Polynomial slope = derivative(p);
  if (sign_at(slope, from) * sign_at(slope, to) >= 0)
    return isolate_by_signs(p, from, to, collector);
  const Location extremum = locate(slope, {from, to, RootKind::Rising});
  const std::array<double, 3> points = {from, extremum.right, to};
  collect_sign_changes(p, points, collector);
}

BernsteinForm form_on(const Polynomial& p, double from, double to) {
  return restricted(to_bernstein(p), from, to);
}

double rounding_error(const Polynomial& p) {
  return std::ldexp(bernstein_multiple(p.degree) * size_of(p), -95);
}

void collect(const Polynomial& p, RootDetection method, double from, double to,
             RootCollector& collector) {
  switch (method) {
    case RootDetection::Signs: return isolate_by_signs(p, from, to, collector);
    case RootDetection::Derivative: return isolate_by_derivative(p, from, to, collector);
    case RootDetection::Sturm: return isolate_by_sturm(p, from, to, collector);
    case RootDetection::Bernstein:
      return isolate_by_variations(form_on(p, from, to), rounding_error(p), from, to, collector);
  }
}

// Where |p| first exceeds `noise`, or `to` if nowhere.
double leave_band(Polynomial p, double noise, double from, double to) {
  const double middle = p.coefficients[0];
  double leaves = to;
  for (const double edge : {noise, -noise}) {
    p.coefficients[0] = middle - edge;
    Isolation first;
    RootCollector collector(first, 1);
    collect(p, RootDetection::Bernstein, from, to, collector);
    for (const IsolatedRoot& root : first.roots()) {
      if (is_crossing(root.kind)) leaves = std::min(leaves, locate(p, root).right);
    }
  }
  return leaves;
}

// Extrema on their way to zero that end within the band, sorted into `out`.
void add_near_touches(const Polynomial& p, const IsolationOptions& options, double from,
                      double noise, Isolation& out) {
  const Polynomial slope = derivative(p);
  Isolation extrema;
  RootCollector collector(extrema, kMaxRoots);
  collect(slope, RootDetection::Bernstein, from, options.to, collector);
  for (const IsolatedRoot& extremum : extrema.roots()) {
    if (!is_crossing(extremum.kind)) continue;
    const Location place = locate(slope, extremum);
    const int sign = sign_at(p, place.right);
    const bool minimum = extremum.kind == RootKind::Rising;
    if (sign == 0 || (sign > 0) != minimum) continue;
    if (std::abs(evaluate_accurately(p, place.right)) > noise) continue;
    const IsolatedRoot touch = {place.left, place.right,
                                minimum ? RootKind::TouchFromAbove : RootKind::TouchFromBelow};
    if (out.count == kMaxRoots) {
      out.complete = false;
      return;
    }
    out.found[static_cast<std::size_t>(out.count++)] = touch;
    std::sort(out.found.begin(), out.found.begin() + out.count,
              [](const IsolatedRoot& a, const IsolatedRoot& b) { return a.left < b.left; });
  }
}

}  // namespace

std::string_view name(RootDetection detection) {
  return std::ranges::find(kNames, detection, &DetectionName::detection)->name;
}

std::optional<RootDetection> root_detection_named(std::string_view name) {
  const auto it = std::ranges::find(kNames, name, &DetectionName::name);
  if (it == kNames.end()) return std::nullopt;
  return it->detection;
}

Isolation isolate(const Polynomial& given, const IsolationOptions& options) {
  Isolation out;
  out.defined_until = options.to;
  const double size = size_of(given);
  if (!std::isfinite(size)) {
    out.defined_until = options.from;
    return out;
  }
  if (size <= options.noise) {
    out.zero = true;
    return out;
  }
  if (clearly_without_roots(given, options.noise)) return out;
  const bool counts = options.method >= RootDetection::Bernstein;
  if (counts && options.noise == 0 && isolate_monotone(given, size, options, out)) return out;

  // Scaled to size one, so that double-double arithmetic neither overflows nor underflows.
  const double scale = std::ldexp(1.0, -std::max(std::ilogb(size), -1000));
  Polynomial p = given;
  for (double& c : p.coefficients) c *= scale;
  while (p.degree > 0 && p.coefficients[static_cast<std::size_t>(p.degree)] == 0.0) --p.degree;
  const double noise = options.noise * scale;

  double from = options.from;
  if (noise > 0 && std::abs(evaluate_accurately(p, from)) <= noise) {
    from = leave_band(p, noise, from, options.to);
    if (from >= options.to) {
      out.zero = true;
      return out;
    }
  }
  const bool near_touches = noise > 0 && counts;
  RootCollector collector(out, near_touches ? kMaxRoots : std::min(options.max_roots, kMaxRoots));
  collect(p, options.method, from, options.to, collector);
  if (near_touches) {
    add_near_touches(p, options, from, noise, out);
    if (out.count > options.max_roots) {
      out.count = options.max_roots;
      out.complete = false;
    }
  }
  return out;
}

}  // namespace chi::numerics
