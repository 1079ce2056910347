#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "sim/events/part_run.h"
#include "sim/events/tolerances.h"

// Functions that only statements can compute may have corners, as a table with straight lines
// between its points has, and no relation tells where. The error test of an integrator sees a
// corner only if it lies well between the few points that it looks at. So a window ends at a corner
// that moves the states by more than the tolerance; the next one begins there.
namespace chi::sim {
namespace {

using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr std::size_t kCells = 16;  // of a window, in which a corner is looked for
constexpr int kHalvings = 15;       // of four of them: where it is

/// Of (x - corner) behind a corner at θ in [0, 1], what the weights of one step miss of its
/// integral: this much at most, with dopri5, rkf45 and Radau.
double missed(double theta) { return std::min({0.025, 0.12 * theta, 0.12 * (1 - theta)}); }

double bend(double left, double middle, double right) {
  return std::abs(left - 2 * middle + right);
}

/// How far the first and the last value are from the polynomial through the others.
double unevenness(const std::array<double, PartRun::kLookPlaces.size()>& value) {
  constexpr auto& places = PartRun::kLookPlaces;
  double most = 0;
  for (const std::size_t end : {std::size_t{0}, places.size() - 1}) {
    double expected = 0;
    for (std::size_t i = 1; i + 1 < places.size(); ++i) {
      double factor = 1;
      for (std::size_t j = 1; j + 1 < places.size(); ++j) {
        if (j != i) factor *= (places[end] - places[j]) / (places[i] - places[j]);
      }
      expected += factor * value[i];
    }
    most = std::max(most, std::abs(value[end] - expected));
  }
  return most;
}

/// Where fourth differences are largest, and much larger than elsewhere: there is a corner among
/// the next four cells. None if the values are those of a smooth function.
std::optional<std::size_t> find_cells(const std::array<double, kCells + 1>& value) {
  std::array<double, kCells - 3> differences{}, ascending{};
  for (std::size_t k = 0; k < differences.size(); ++k) {
    differences[k] =
        std::abs(value[k] - 4 * value[k + 1] + 6 * value[k + 2] - 4 * value[k + 3] + value[k + 4]);
  }
  ascending = differences;
  std::ranges::sort(ascending);
  if (!(ascending.back() > tolerance::kMuchLarger * ascending[ascending.size() / 2]))
    return std::nullopt;
  return std::ranges::max_element(differences) - differences.begin();
}

}  // namespace

/// A corner in the window, if its values say that there may be one.
std::optional<double> PartRun::find_corner(const Tracked& track, const Looks& looks) {
  double size = 0;
  for (const double value : looks) size = std::max(size, std::abs(value));
  const double least = 10 * (workshop_.options.rtol * size + workshop_.options.atol);
  if (!(unevenness(looks) > least)) return std::nullopt;
  const double cell = (reached_ - from_) / kCells;
  std::array<double, kCells + 1> value{};
  for (std::size_t k = 0; k <= kCells; ++k) {
    value[k] = difference_at(track, k == kCells ? reached_ : from_ + cell * static_cast<double>(k));
    if (std::isnan(value[k])) return std::nullopt;
  }
  const std::optional<std::size_t> first = find_cells(value);
  if (!first) return std::nullopt;
  std::array<double, 5> g{};
  std::copy_n(&value[*first], g.size(), g.begin());
  double left = from_ + cell * static_cast<double>(*first), length = 4 * cell;
  double begin = 0, end = 0;
  for (int halving = 0; halving < kHalvings; ++halving) {
    const std::array bends{bend(g[0], g[1], g[2]), bend(g[1], g[2], g[3]), bend(g[2], g[3], g[4])};
    const auto most = std::ranges::max_element(bends);
    const auto k = static_cast<std::size_t>(most - bends.begin());
    end = *most;
    if (halving == 0) begin = end;
    left += 0.25 * length * static_cast<double>(k);
    length *= 0.5;
    g = {g[k], difference_at(track, left + 0.25 * length), g[k + 1],
         difference_at(track, left + 0.75 * length), g[k + 2]};
  }
  // A corner bends in proportion to the length, a smooth function to its square, noise as it likes.
  const double shorter = std::pow(0.5, kHalvings - 1);
  if (!(end > tolerance::kShrinksAtLeast * shorter * begin &&
        end < tolerance::kShrinksAtMost * shorter * begin))
    return std::nullopt;
  return left + 0.5 * length;
}

/// Whether a corner there moves a state by more than the tolerance.
bool PartRun::matters(double corner) {
  const double h = reached_ - from_;
  const double step = std::min({tolerance::kBesideCorner * h, corner - from_, reached_ - corner});
  if (!(step > 0)) return false;
  const std::span<const VarRef> states = motion_->states();
  std::array<std::vector<double>, 3> slopes;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    if (!solved_at(corner + step * (static_cast<double>(k) - 1))) return false;
    for (const VarRef x : states) {
      slopes[k].push_back(search_frame_[at(part_.place({x.var, x.order + 1}))]);
    }
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    const double turn = bend(slopes[0][i], slopes[1][i], slopes[2][i]) / step;
    const double allowed =
        workshop_.options.rtol * std::abs(motion_->y()[i]) + workshop_.options.atol;
    if (turn * h * h * missed((corner - from_) / h) > allowed) return true;
  }
  return false;
}

}  // namespace chi::sim
