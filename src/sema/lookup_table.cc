#include "sema/lookup_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sema/value.h"

namespace chi::sema {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Behind all numbers that a model computes with, and finite: differences with it have a value.
constexpr double kFar = 1e300;

std::string axis_problem(const std::vector<double>& x, std::string_view which) {
  if (x.size() < 2) return fmt::format("{} has {} number, and two are needed", which, x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) return fmt::format("{} has {} at {}", which, real_text(x[i]), i);
    if (i > 0 && !(x[i] > x[i - 1])) {
      return fmt::format("{} does not rise: it has {} at {} and {} at {}", which,
                         real_text(x[i - 1]), i - 1, real_text(x[i]), i);
    }
  }
  return "";
}

/// The three-point formula at an end, kept within the shape of the data: Fritsch and Butland, "A
/// method for constructing local monotone piecewise cubic interpolants", SIAM J. Sci. Stat. Comput.
/// 5(2), 1984.
double end_slope(double h0, double h1, double d0, double d1) {
  const double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0) return 0;
  return d0 * d1 <= 0 && std::abs(slope) > 3 * std::abs(d0) ? 3 * d0 : slope;
}

/// Slopes of the data in a row: z[k * stride] at x[k].
struct Row {
  const double* z;
  std::size_t stride;
  double operator[](std::size_t k) const { return z[k * stride]; }
};

void pchip_slopes(const std::vector<double>& x, Row z, double* out, std::size_t stride) {
  const std::size_t n = x.size();
  const auto h = [&](std::size_t k) { return x[k + 1] - x[k]; };
  const auto d = [&](std::size_t k) { return (z[k + 1] - z[k]) / h(k); };
  if (n == 2) {
    out[0] = out[stride] = d(0);
    return;
  }
  out[0] = end_slope(h(0), h(1), d(0), d(1));
  out[(n - 1) * stride] = end_slope(h(n - 2), h(n - 3), d(n - 2), d(n - 3));
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double left = d(k - 1), right = d(k);
    const double w1 = 2 * h(k) + h(k - 1), w2 = h(k) + 2 * h(k - 1);
    out[k * stride] = left * right <= 0 ? 0 : (w1 + w2) / (w1 / left + w2 / right);
  }
}

/// The cubic spline whose third derivative goes on at the second datum from each end ("not a
/// knot"): de Boor, "A Practical Guide to Splines", 1978, chapter IV.
void spline_slopes(const std::vector<double>& x, Row z, double* out, std::size_t stride) {
  const std::size_t n = x.size();
  const auto h = [&](std::size_t k) { return x[k + 1] - x[k]; };
  const auto d = [&](std::size_t k) { return (z[k + 1] - z[k]) / h(k); };
  if (n == 2) {
    out[0] = out[stride] = d(0);
    return;
  }
  if (n == 3) {  // a parabola
    const double bend = (d(1) - d(0)) / (h(0) + h(1));
    out[0] = d(0) - h(0) * bend;
    out[stride] = d(0) + h(0) * bend;
    out[2 * stride] = d(1) + h(1) * bend;
    return;
  }
  // lower s[k-1] + diagonal s[k] + upper s[k+1] = right, eliminated from the first row on.
  std::vector<double> upper(n), right(n);
  const double first = h(0) + h(1);
  upper[0] = first / h(1);
  right[0] = ((h(0) + 2 * first) * h(1) * d(0) + h(0) * h(0) * d(1)) / first / h(1);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double pivot = 2 * (h(k - 1) + h(k)) - h(k) * upper[k - 1];
    upper[k] = h(k - 1) / pivot;
    right[k] = (3 * (h(k) * d(k - 1) + h(k - 1) * d(k)) - h(k) * right[k - 1]) / pivot;
  }
  const double a = h(n - 2), b = h(n - 3), last = a + b;
  const double end = (a * a * d(n - 3) + (2 * last + a) * b * d(n - 2)) / last;
  double s = (end - last * right[n - 2]) / (b - last * upper[n - 2]);
  out[(n - 1) * stride] = s;
  for (std::size_t k = n - 1; k-- > 0;) {
    s = right[k] - upper[k] * s;
    out[k * stride] = s;
  }
}

/// Weights of z0, z1, h z0', h z1' in the derivative of order `order` by t = (x - x0) / h, times
/// h^order.
void hermite(int order, double t, double weights[4]) {
  switch (order) {
    case 0:
      weights[0] = (1 + 2 * t) * (1 - t) * (1 - t);
      weights[1] = t * t * (3 - 2 * t);
      weights[2] = t * (1 - t) * (1 - t);
      weights[3] = t * t * (t - 1);
      return;
    case 1:
      weights[0] = 6 * t * (t - 1);
      weights[1] = 6 * t * (1 - t);
      weights[2] = (1 - t) * (1 - 3 * t);
      weights[3] = t * (3 * t - 2);
      return;
    case 2:
      weights[0] = 12 * t - 6;
      weights[1] = 6 - 12 * t;
      weights[2] = 6 * t - 4;
      weights[3] = 6 * t - 2;
      return;
    case 3:
      weights[0] = 12;
      weights[1] = -12;
      weights[2] = weights[3] = 6;
      return;
    default: weights[0] = weights[1] = weights[2] = weights[3] = 0;
  }
}

std::size_t index_below(const std::vector<double>& x, double v) {
  const auto above = std::upper_bound(x.begin(), x.end(), v);
  return above == x.begin() ? 0 : static_cast<std::size_t>(above - x.begin()) - 1;
}

}  // namespace

std::string LookupTable::problem(const Data& data) {
  if (std::string p = axis_problem(data.x, "the first list"); !p.empty()) return p;
  const bool two = !data.y.empty();
  if (two) {
    if (std::string p = axis_problem(data.y, "the second list"); !p.empty()) return p;
  }
  const std::size_t wanted = data.x.size() * (two ? data.y.size() : 1);
  if (data.z.size() != wanted) {
    return fmt::format("{} values for {} places", data.z.size(), wanted);
  }
  const auto bad = std::ranges::find_if(data.z, [](double z) { return !std::isfinite(z); });
  if (bad == data.z.end()) return "";
  return fmt::format("the values have {} at {}", real_text(*bad), bad - data.z.begin());
}

LookupTable::LookupTable(Data data, Span span)
    : data_(std::move(data)), span_(span), columns_(data_.y.empty() ? 1 : data_.y.size()) {
  if (is_cubic()) make_slopes();
}

void LookupTable::make_slopes() {
  const auto slopes = data_.method == Method::Pchip ? pchip_slopes : spline_slopes;
  const std::size_t rows = data_.x.size();
  zx_.resize(data_.z.size());
  for (std::size_t j = 0; j < columns_; ++j)
    slopes(data_.x, {data_.z.data() + j, columns_}, zx_.data() + j, columns_);
  if (arity() == 1) return;
  zy_.resize(data_.z.size());
  zxy_.resize(data_.z.size());
  for (std::size_t i = 0; i < rows; ++i) {
    slopes(data_.y, {data_.z.data() + i * columns_, 1}, zy_.data() + i * columns_, 1);
    slopes(data_.y, {zx_.data() + i * columns_, 1}, zxy_.data() + i * columns_, 1);
  }
}

std::string LookupTable::range_text(int a) const {
  return fmt::format("from {} to {}", real_text(axis(a).front()), real_text(axis(a).back()));
}

int LookupTable::outside(const double* arguments) const {
  for (int a = 0; a < arity(); ++a) {
    const bool inside = arguments[a] >= axis(a).front() && arguments[a] <= axis(a).back();
    if (!inside) return a;
  }
  return -1;
}

std::optional<double> LookupTable::value(const double* arguments) const {
  if (data_.outside == Outside::Error && outside(arguments) >= 0) return std::nullopt;
  double pieces[2] = {0, 0};
  for (int a = 0; a < arity(); ++a) {
    if (std::isnan(arguments[a])) return std::nullopt;
    pieces[a] = piece(a, arguments[a], 0);
  }
  if (is_cubic()) return cubic(0, 0, pieces, arguments);
  double sum = 0;
  const double dx = arguments[0] - corner(0, pieces[0]);
  const double dy = arity() == 2 ? arguments[1] - corner(1, pieces[1]) : 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < arity(); ++j) {
      const double c = coefficient(i, j, pieces[0], pieces[1]);
      if (c != 0) sum += c * (i == 0 ? 1 : dx) * (j == 0 ? 1 : dy);
    }
  }
  return sum;
}

std::int64_t LookupTable::pieces(int a) const {
  const auto n = static_cast<std::int64_t>(axis(a).size());
  return is_cubic() ? 1 : data_.method == Method::Previous ? n : n - 1;
}

double LookupTable::piece(int a, double v, double margin) const {
  if (std::isnan(v)) return kNan;
  const auto last = static_cast<double>(pieces(a) - 1);
  if (v < lower(a, 0, margin)) return -1;
  if (v > upper(a, last, margin)) return last + 1;
  if (is_cubic()) return 0;
  return std::min(last, static_cast<double>(index_below(axis(a), v)));
}

double LookupTable::lower(int a, double piece, double margin) const {
  const std::vector<double>& x = axis(a);
  if (piece < 0) return -kFar;
  if (piece == 0) {
    if (data_.outside == Outside::Error) return x.front() - margin;
    if (data_.outside == Outside::Extend || data_.method == Method::Previous) return -kFar;
    return x.front();
  }
  const std::int64_t count = pieces(a);
  if (piece >= static_cast<double>(count)) return upper(a, static_cast<double>(count - 1), margin);
  return x[static_cast<std::size_t>(piece)];
}

double LookupTable::upper(int a, double piece, double margin) const {
  const std::vector<double>& x = axis(a);
  if (piece < 0) return lower(a, 0, margin);
  const std::int64_t count = pieces(a);
  if (piece >= static_cast<double>(count)) return kFar;
  if (piece < static_cast<double>(count - 1)) return x[static_cast<std::size_t>(piece) + 1];
  if (data_.outside == Outside::Error) return x.back() + margin;
  if (data_.outside == Outside::Extend || data_.method == Method::Previous) return kFar;
  return x.back();
}

LookupTable::Place LookupTable::place(int a, double piece) const {
  const std::size_t n = axis(a).size();
  const auto count = static_cast<double>(pieces(a));
  if (piece < 0) return {0, true, data_.outside == Outside::Error};
  if (piece >= count) return {n - 1, true, data_.outside == Outside::Error};
  return {static_cast<std::size_t>(piece), data_.method == Method::Previous, false};
}

double LookupTable::corner(int a, double piece) const {
  if (std::isnan(piece)) return kNan;
  return axis(a)[place(a, piece).index];
}

double LookupTable::coefficient(int i, int j, double piece_x, double piece_y) const {
  if (std::isnan(piece_x) || std::isnan(piece_y)) return kNan;
  const Place p = place(0, piece_x);
  const Place q = arity() == 2 ? place(1, piece_y) : Place{0, true, false};
  if (p.is_error || q.is_error) return kNan;
  if ((i > 0 && p.is_held) || (j > 0 && q.is_held)) return 0;
  const auto along_x = [&](std::size_t column) {
    if (i == 0) return at(p.index, column);
    return (at(p.index + 1, column) - at(p.index, column)) /
           (data_.x[p.index + 1] - data_.x[p.index]);
  };
  if (j == 0) return along_x(q.index);
  return (along_x(q.index + 1) - along_x(q.index)) / (data_.y[q.index + 1] - data_.y[q.index]);
}

double LookupTable::cubic(int i, int j, const double* pieces, const double* point) const {
  const int order[2] = {i, j};
  std::size_t index[2] = {0, 0};
  double weights[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
  double width[2] = {1, 1};
  for (int a = 0; a < arity(); ++a) {
    if (std::isnan(pieces[a]) || std::isnan(point[a])) return kNan;
    const Place p = place(a, pieces[a]);
    if (p.is_error) return kNan;
    if (p.is_held && order[a] > 0) return 0;
    const std::vector<double>& x = axis(a);
    const double v = p.is_held ? x[p.index] : point[a];
    index[a] = std::min(index_below(x, v), x.size() - 2);
    width[a] = x[index[a] + 1] - x[index[a]];
    hermite(order[a], (v - x[index[a]]) / width[a], weights[a]);
    for (double& w : weights[a]) w /= std::pow(width[a], order[a]);
  }
  const auto along_x = [&](const std::vector<double>& z, const std::vector<double>& slope,
                           std::size_t column) {
    const std::size_t low = index[0] * columns_ + column, high = low + columns_;
    return weights[0][0] * z[low] + weights[0][1] * z[high] +
           width[0] * (weights[0][2] * slope[low] + weights[0][3] * slope[high]);
  };
  if (arity() == 1) return along_x(data_.z, zx_, 0);
  const std::size_t c = index[1];
  return weights[1][0] * along_x(data_.z, zx_, c) + weights[1][1] * along_x(data_.z, zx_, c + 1) +
         width[1] *
             (weights[1][2] * along_x(zy_, zxy_, c) + weights[1][3] * along_x(zy_, zxy_, c + 1));
}

DeclId LookupTables::add(LookupTable::Data data, Span span) {
  for (std::int32_t i = 0; i < size(); ++i) {
    if (tables_[static_cast<std::size_t>(i)]->data() == data) return function(i);
  }
  tables_.push_back(std::make_unique<LookupTable>(std::move(data), span));
  return function(size() - 1);
}

}  // namespace chi::sema
