#include "structure/dependencies.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <unordered_map>

#include "base/cancel.h"
#include "structure/rational.h"

namespace chi::structure {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Rows that have a column of their own cannot be part of a dependency; without them others get one.
class Peeling {
 public:
  Peeling(const IntegerRows& rows, const std::vector<char>& counts, std::vector<char> taken)
      : rows_(rows),
        counts_(counts),
        alive_(std::move(taken)),
        count_(counts.size(), 0),
        row_sum_(counts.size(), 0) {}

  std::vector<char> run() {
    for (std::int32_t r = 0; r < rows_.rows(); ++r) {
      if (alive_[at(r)]) tell(r, +1);
    }
    std::vector<std::int32_t> single;
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(counts_.size()); ++c) {
      if (count_[at(c)] == 1) single.push_back(c);
    }
    while (!single.empty()) {
      const std::int32_t c = single.back();
      single.pop_back();
      if (count_[at(c)] != 1) continue;
      const auto r = static_cast<std::int32_t>(row_sum_[at(c)]);  // the only one left
      alive_[at(r)] = 0;
      tell(r, -1);
      for (std::int32_t k = rows_.row_start[at(r)]; k < rows_.row_start[at(r) + 1]; ++k) {
        if (count_[at(rows_.column[at(k)])] == 1) single.push_back(rows_.column[at(k)]);
      }
    }
    return std::move(alive_);
  }

 private:
  void tell(std::int32_t r, int sign) {
    for (std::int32_t k = rows_.row_start[at(r)]; k < rows_.row_start[at(r) + 1]; ++k) {
      const std::int32_t c = rows_.column[at(k)];
      if (!counts_[at(c)]) continue;
      count_[at(c)] += sign;
      row_sum_[at(c)] += sign * static_cast<std::int64_t>(r);
    }
  }

  const IntegerRows& rows_;
  const std::vector<char>& counts_;
  std::vector<char> alive_;
  std::vector<std::int32_t> count_;    // rows alive that have the column
  std::vector<std::int64_t> row_sum_;  // the sum of their numbers
};

class Elimination {
 public:
  Elimination(const IntegerRows& rows, const std::vector<char>& counts,
              const std::vector<char>& alive)
      : counts_(counts), count_(counts.size(), 0), rows_with_(counts.size()) {
    for (std::int32_t r = 0; r < rows.rows(); ++r) {
      if (!alive[at(r)]) continue;
      const auto local = static_cast<std::int32_t>(work_.size());
      work_.push_back({});
      Row& row = work_.back();
      row.version = static_cast<std::int32_t>(versions_.size());
      versions_.push_back({.origin = r});
      for (std::int32_t k = rows.row_start[at(r)]; k < rows.row_start[at(r) + 1]; ++k) {
        row.entries.emplace(rows.column[at(k)], rows.coefficient[at(k)]);
        enter(rows.column[at(k)], local);
      }
      budget_ += 1000 + 100 * static_cast<std::int64_t>(row.entries.size());
    }
  }

  std::vector<Dependency> run() {
    for (std::int32_t r = 0; r < static_cast<std::int32_t>(work_.size()); ++r) look_at(r);
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(count_.size()); ++c) queue_up(c);
    while (!queue_.empty() && budget_ > 0) {
      check_cancelled();
      const auto [count, c] = queue_.top();
      queue_.pop();
      if (count != count_[at(c)]) continue;
      eliminate(c);
    }
    return std::move(found_);
  }

 private:
  struct Row {
    std::unordered_map<std::int32_t, std::int64_t> entries;
    std::int32_t counting = 0;  // entries in columns that count
    std::int32_t version = 0;
    bool alive = true;
  };
  // How a row came about: (a * previous + b * pivot) / divisor, or an original row.
  struct Version {
    std::int32_t origin = -1;
    std::int32_t previous = -1, pivot = -1;
    std::int64_t a = 1, b = 0, divisor = 1;
  };

  void enter(std::int32_t c, std::int32_t r) {
    if (!counts_[at(c)]) return;
    ++count_[at(c)];
    ++work_[at(r)].counting;
    rows_with_[at(c)].push_back(r);
  }
  void leave(std::int32_t c, std::int32_t r) {
    if (!counts_[at(c)]) return;
    --count_[at(c)];
    --work_[at(r)].counting;
    queue_up(c);
  }
  void queue_up(std::int32_t c) {
    if (count_[at(c)] > 0) queue_.push({count_[at(c)], c});
  }
  void remove(std::int32_t r) {
    Row& row = work_[at(r)];
    row.alive = false;
    for (const auto& [c, value] : row.entries) leave(c, r);
    row.entries.clear();
  }

  // A row without an entry that counts is a dependency.
  void look_at(std::int32_t r) {
    Row& row = work_[at(r)];
    if (!row.alive || row.counting > 0) return;
    found_.push_back(explain(row));
    remove(r);
  }

  void eliminate(std::int32_t c) {
    std::vector<std::int32_t> rows;
    for (const std::int32_t r : rows_with_[at(c)]) {
      if (work_[at(r)].alive && work_[at(r)].entries.contains(c)) rows.push_back(r);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const std::int32_t pivot =
        *std::min_element(rows.begin(), rows.end(), [&](std::int32_t a, std::int32_t b) {
          return work_[at(a)].entries.size() < work_[at(b)].entries.size();
        });
    for (const std::int32_t r : rows) {
      if (r == pivot) continue;
      if (add_pivot(r, pivot, c)) {
        look_at(r);
      } else {
        remove(r);
      }
    }
    remove(pivot);
    rows_with_[at(c)] = {};
  }

  // Row := a * row + b * pivot without an entry in column c. False if a number gets too large.
  bool add_pivot(std::int32_t r, std::int32_t pivot, std::int32_t c) {
    Row& row = work_[at(r)];
    const Row& other = work_[at(pivot)];
    std::int64_t a = other.entries.at(c), b = row.entries.at(c);
    const std::int64_t g = a < 0 ? -std::gcd(a, b) : std::gcd(a, b);
    a /= g;
    b /= -g;
    budget_ -= static_cast<std::int64_t>(other.entries.size());
    if (a != 1) {
      budget_ -= static_cast<std::int64_t>(row.entries.size());
      for (auto& [column, value] : row.entries) {
        if (!product(value, a, value)) return false;
      }
    }
    for (const auto& [column, value] : other.entries) {
      std::int64_t part = 0;
      if (!product(value, b, part)) return false;
      const auto [place, is_new] = row.entries.try_emplace(column, 0);
      if (is_new) {
        enter(column, r);
        queue_up(column);
      }
      if (!sum(place->second, part, place->second)) return false;
      if (place->second == 0) {
        row.entries.erase(place);
        leave(column, r);
      }
    }
    const std::int64_t divisor = a == 1 ? 1 : divide_out(row);
    versions_.push_back({-1, row.version, other.version, a, b, divisor});
    row.version = static_cast<std::int32_t>(versions_.size()) - 1;
    return true;
  }

  static std::int64_t divide_out(Row& row) {
    std::int64_t common = 0;
    for (const auto& [column, value] : row.entries) common = std::gcd(common, value);
    if (common <= 1) return 1;
    for (auto& [column, value] : row.entries) value /= common;
    return common;
  }

  // Goes back through the versions, the last first.
  Dependency explain(const Row& row) const {
    Dependency found;
    std::unordered_map<std::int32_t, Rational> weight{{row.version, {1, 1, true}}};
    std::priority_queue<std::int32_t> open;
    open.push(row.version);
    std::vector<std::pair<std::int32_t, Rational>> of;
    const auto pass = [&](std::int32_t to, const Rational& w) {
      const auto [place, is_new] = weight.try_emplace(to, Rational{});
      place->second = plus(place->second, w);
      if (is_new) open.push(to);
    };
    while (!open.empty()) {
      const std::int32_t v = open.top();
      open.pop();
      const Version& version = versions_[at(v)];
      const Rational w = weight[v];
      if (version.origin >= 0) {
        if (w.num != 0 || !w.ok) of.push_back({version.origin, w});
        continue;
      }
      const Rational part = times(w, {1, version.divisor, true});
      pass(version.previous, times(part, {version.a, 1, true}));
      pass(version.pivot, times(part, {version.b, 1, true}));
    }
    std::sort(of.begin(), of.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::int32_t first = row.version;
    while (versions_[at(first)].origin < 0) first = versions_[at(first)].previous;
    found.row = versions_[at(first)].origin;
    const std::int64_t scale = write_whole(of, found);
    for (const auto& [c, value] : row.entries) {
      found.rest.push_back({c, value});
      if (!product(value, scale, found.rest.back().second)) found.has_coefficients = false;
    }
    std::sort(found.rest.begin(), found.rest.end());
    if (!found.has_coefficients) {
      for (auto& [r, coefficient] : found.of) coefficient = 0;
    }
    return found;
  }

  // Returns the common denominator, by which everything was multiplied.
  static std::int64_t write_whole(const std::vector<std::pair<std::int32_t, Rational>>& of,
                                  Dependency& found) {
    std::int64_t common = 1;
    bool ok = true;
    for (const auto& [r, w] : of) {
      ok = ok && w.ok && product(common, w.den / std::gcd(common, w.den), common);
    }
    for (const auto& [r, w] : of) {
      found.of.push_back({r, 0});
      ok = ok && product(w.num, common / w.den, found.of.back().second);
    }
    found.has_coefficients = ok;
    return ok ? common : 1;
  }

  const std::vector<char>& counts_;
  std::vector<Row> work_;
  std::vector<std::int32_t> count_;                   // per column
  std::vector<std::vector<std::int32_t>> rows_with_;  // per column; some no longer have it
  std::priority_queue<std::pair<std::int32_t, std::int32_t>,
                      std::vector<std::pair<std::int32_t, std::int32_t>>, std::greater<>>
      queue_;  // entries and column; outdated ones are skipped
  std::vector<Version> versions_;
  std::int64_t budget_ = 1'000'000;
  std::vector<Dependency> found_;
};

// All coefficients that count are 1 and -1.
bool is_unit(const IntegerRows& rows, std::int32_t r, const std::vector<char>& counts) {
  for (std::int32_t k = rows.row_start[at(r)]; k < rows.row_start[at(r) + 1]; ++k) {
    const std::int64_t value = rows.coefficient[at(k)];
    if (counts[at(rows.column[at(k)])] && value != 1 && value != -1) return false;
  }
  return true;
}

std::vector<Dependency> find_among(const IntegerRows& rows, const std::vector<char>& counts,
                                   const std::vector<char>& taken) {
  const std::vector<char> alive = Peeling(rows, counts, taken).run();
  if (std::find(alive.begin(), alive.end(), 1) == alive.end()) return {};
  return Elimination(rows, counts, alive).run();
}

}  // namespace

std::vector<Dependency> find_dependencies(const IntegerRows& rows,
                                          const std::vector<char>& counts) {
  // The balances of a network first, before equations with other coefficients are mixed in.
  std::vector<char> taken(at(rows.rows()), 1);
  for (std::int32_t r = 0; r < rows.rows(); ++r) taken[at(r)] = is_unit(rows, r, counts);
  std::vector<Dependency> found = find_among(rows, counts, taken);
  std::fill(taken.begin(), taken.end(), 1);
  for (const Dependency& dependency : found) taken[at(dependency.row)] = 0;
  for (Dependency& dependency : find_among(rows, counts, taken)) {
    found.push_back(std::move(dependency));
  }
  return found;
}

}  // namespace chi::structure
