#include "structure/pivoting.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "base/cancel.h"

namespace chi::structure {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr int kDense = 200;            // rows; above that sparse
constexpr double kThreshold = 0.1;     // of the largest in its row is enough in a sparse matrix
constexpr double kNegligible = 1e-11;  // of the entries of the scaled matrix

// Largest entry 1 in each row; what is not finite counts as 0.
NumberRows scaled(NumberRows matrix) {
  for (int r = 0; r < matrix.rows(); ++r) {
    double largest = 0;
    const std::int32_t begin = matrix.row_start[at(r)], end = matrix.row_start[at(r) + 1];
    for (std::int32_t k = begin; k < end; ++k) {
      double& value = matrix.value[at(k)];
      if (!std::isfinite(value)) value = 0;
      largest = std::max(largest, std::fabs(value));
    }
    for (std::int32_t k = begin; k < end && largest > 0; ++k) matrix.value[at(k)] /= largest;
  }
  return matrix;
}

// QR with column pivoting; columns are stored one after the other.
class DenseChoice {
 public:
  DenseChoice(const NumberRows& matrix, const std::vector<double>& good_enough)
      : rows_(at(matrix.rows())),
        good_enough_(good_enough),
        a_(rows_ * at(matrix.columns), 0.0),
        norm_(at(matrix.columns), 0.0),
        taken_(at(matrix.columns), 0) {
    for (int r = 0; r < matrix.rows(); ++r) {
      for (std::int32_t k = matrix.row_start[at(r)]; k < matrix.row_start[at(r) + 1]; ++k) {
        a_[at(matrix.column[at(k)]) * rows_ + at(r)] = matrix.value[at(k)];
      }
    }
  }

  std::vector<std::int32_t> run() {
    std::vector<std::int32_t> chosen;
    for (std::size_t step = 0; step < rows_; ++step) {
      const std::int32_t column = best(step);
      if (column < 0) break;
      taken_[at(column)] = 1;
      chosen.push_back(column);
      reflect(at(column), step);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

 private:
  std::int32_t best(std::size_t step) {
    double largest = 0;
    for (std::size_t c = 0; c < norm_.size(); ++c) {
      if (taken_[c]) continue;
      norm_[c] = 0;
      for (std::size_t r = step; r < rows_; ++r) norm_[c] += entry(c, r) * entry(c, r);
      norm_[c] = std::sqrt(norm_[c]);
      largest = std::max(largest, norm_[c]);
    }
    if (!(largest > kNegligible)) return -1;
    std::int32_t found = -1;
    for (std::size_t c = 0; c < norm_.size(); ++c) {
      if (taken_[c] || norm_[c] < good_enough_[c] * largest) continue;
      const bool is_better =
          found < 0 || good_enough_[c] < good_enough_[at(found)] ||
          (good_enough_[c] == good_enough_[at(found)] && norm_[c] > norm_[at(found)]);
      if (is_better) found = static_cast<std::int32_t>(c);
    }
    return found;
  }

  double& entry(std::size_t c, std::size_t r) { return a_[c * rows_ + r]; }

  // Makes the entries of column c below row `step` zero, in effect: nothing looks at them again.
  void reflect(std::size_t c, std::size_t step) {
    std::vector<double> v(a_.begin() + static_cast<std::ptrdiff_t>(c * rows_ + step),
                          a_.begin() + static_cast<std::ptrdiff_t>((c + 1) * rows_));
    v[0] += v[0] < 0 ? -norm_[c] : norm_[c];
    double square = 0;
    for (const double x : v) square += x * x;
    for (std::size_t other = 0; other < norm_.size(); ++other) {
      if (taken_[other]) continue;
      double dot = 0;
      for (std::size_t k = 0; k < v.size(); ++k) dot += v[k] * entry(other, step + k);
      if (dot == 0) continue;
      const double factor = 2 * dot / square;
      for (std::size_t k = 0; k < v.size(); ++k) entry(other, step + k) -= factor * v[k];
    }
  }

  const std::size_t rows_;
  const std::vector<double>& good_enough_;
  std::vector<double> a_;
  std::vector<double> norm_;
  std::vector<char> taken_;
};

class SparseChoice {
 public:
  SparseChoice(const NumberRows& matrix, const std::vector<double>& good_enough)
      : good_enough_(good_enough),
        rows_(at(matrix.rows())),
        alive_(at(matrix.rows()), 1),
        rows_with_(at(matrix.columns)),
        count_(at(matrix.columns), 0) {
    for (int r = 0; r < matrix.rows(); ++r) {
      for (std::int32_t k = matrix.row_start[at(r)]; k < matrix.row_start[at(r) + 1]; ++k) {
        if (matrix.value[at(k)] == 0) continue;
        rows_[at(r)].push_back({matrix.column[at(k)], matrix.value[at(k)]});
        enter(matrix.column[at(k)], r);
      }
      std::sort(rows_[at(r)].begin(), rows_[at(r)].end());
    }
  }

  std::vector<std::int32_t> run() {
    std::vector<std::int32_t> chosen;
    for (std::int32_t r = 0; r < static_cast<std::int32_t>(rows_.size()); ++r) queue_up(r);
    while (!queue_.empty()) {
      check_cancelled();
      const auto [length, r] = queue_.top();
      queue_.pop();
      if (!alive_[at(r)] || length != rows_[at(r)].size()) continue;
      const std::int32_t column = pivot_of(r);
      if (column < 0) return chosen;  // the row is zero: too few columns
      eliminate(r, column);
      chosen.push_back(column);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

 private:
  using Entry = std::pair<std::int32_t, double>;
  using Row = std::vector<Entry>;  // ascending by column

  void enter(std::int32_t c, std::int32_t r) {
    ++count_[at(c)];
    rows_with_[at(c)].push_back(r);
  }
  void queue_up(std::int32_t r) { queue_.push({rows_[at(r)].size(), r}); }

  std::int32_t pivot_of(std::int32_t r) const {
    double largest = 0;
    for (const Entry& e : rows_[at(r)]) largest = std::max(largest, std::fabs(e.second));
    if (!(largest > kNegligible)) return -1;
    std::int32_t best = -1;
    const auto rank = [&](std::int32_t c) { return std::pair{good_enough_[at(c)], count_[at(c)]}; };
    for (const auto& [c, value] : rows_[at(r)]) {
      if (std::fabs(value) < std::min(good_enough_[at(c)], kThreshold) * largest) continue;
      if (best < 0 || rank(c) < rank(best)) best = c;
    }
    return best;
  }

  static Row::const_iterator find(const Row& row, std::int32_t c) {
    const auto place = std::lower_bound(row.begin(), row.end(), Entry{c, -HUGE_VAL});
    return place != row.end() && place->first == c ? place : row.end();
  }

  void eliminate(std::int32_t pivot, std::int32_t column) {
    alive_[at(pivot)] = 0;
    const Row& source = rows_[at(pivot)];
    const double value = find(source, column)->second;
    for (const Entry& e : source) --count_[at(e.first)];
    std::vector<std::int32_t> targets = std::move(rows_with_[at(column)]);
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (const std::int32_t r : targets) {
      if (!alive_[at(r)]) continue;
      const auto place = find(rows_[at(r)], column);
      if (place == rows_[at(r)].end()) continue;
      subtract(r, source, place->second / value, column);
      queue_up(r);
    }
  }

  // Row r := r - factor * source, without the column.
  void subtract(std::int32_t r, const Row& source, double factor, std::int32_t column) {
    Row merged;
    const Row& row = rows_[at(r)];
    auto a = row.begin();
    for (const auto& [c, value] : source) {
      while (a != row.end() && a->first < c) merged.push_back(*a++);
      const bool is_new = a == row.end() || a->first != c;
      const double before = is_new ? 0.0 : (a++)->second;
      const double after = before - factor * value;
      if (c != column && std::fabs(after) > kRounding * std::fabs(before)) {
        merged.push_back({c, after});
        if (is_new) enter(c, r);
      } else if (!is_new) {
        --count_[at(c)];
      }
    }
    merged.insert(merged.end(), a, row.end());
    rows_[at(r)] = std::move(merged);
  }

  static constexpr double kRounding = 1e-14;  // what remains of a difference of equal numbers

  const std::vector<double>& good_enough_;
  std::vector<Row> rows_;
  std::vector<char> alive_;
  std::vector<std::vector<std::int32_t>> rows_with_;  // some no longer have it
  std::vector<std::int32_t> count_;
  std::priority_queue<std::pair<std::size_t, std::int32_t>,
                      std::vector<std::pair<std::size_t, std::int32_t>>, std::greater<>>
      queue_;  // by length; outdated ones are skipped
};

}  // namespace

std::vector<std::int32_t> regular_columns(const NumberRows& matrix,
                                          const std::vector<double>& good_enough) {
  const NumberRows rows = scaled(matrix);
  if (rows.rows() <= kDense && matrix.columns <= 2 * kDense) {
    return DenseChoice(rows, good_enough).run();
  }
  return SparseChoice(rows, good_enough).run();
}

}  // namespace chi::structure
