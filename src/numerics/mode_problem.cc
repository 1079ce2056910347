#include "numerics/mode_problem.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <Eigen/QR>

namespace chi::numerics {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A functional as one sparse vector: rates, values and the entries of its jet.
using Key = std::pair<int, int>;  // kind, number
using Vector = std::map<Key, double>;
enum Kind { kRate, kValue, kKnown };

constexpr double kSame = 1e-12;  // factors that differ by no more, relative, are the same number
constexpr double kRank = 1e-9;   // a direction counts as new above this, rows of size one

Vector vector_of(const Functional& f) {
  Vector v;
  for (const auto& [j, a] : f.rate) v[{kRate, j}] += a;
  for (const auto& [j, a] : f.value) v[{kValue, j}] += a;
  for (std::size_t k = 0; k < f.known.size(); ++k) {
    if (f.known[k] != 0) v[{kKnown, static_cast<int>(k)}] += f.known[k];
  }
  std::erase_if(v, [](const auto& entry) { return entry.second == 0; });
  return v;
}

Functional combine(const Functional& a, double p, const Functional& b, double q) {
  const auto sum = [&](const SparseRow& x, const SparseRow& y) {
    std::map<int, double> row;
    for (const auto& [j, v] : x) row[j] += p * v;
    for (const auto& [j, v] : y) row[j] += q * v;
    std::erase_if(row, [](const auto& entry) { return entry.second == 0; });
    return SparseRow(row.begin(), row.end());
  };
  Functional r{.rate = sum(a.rate, b.rate), .value = sum(a.value, b.value)};
  r.known.resize(std::max(a.known.size(), b.known.size()), 0.0);
  for (std::size_t k = 0; k < a.known.size(); ++k) r.known[k] += p * a.known[k];
  for (std::size_t k = 0; k < b.known.size(); ++k) r.known[k] += q * b.known[k];
  return r;
}

/// k with b = k a; none if there is none.
std::optional<double> ratio(const Vector& a, const Vector& b) {
  if (a.empty() || a.size() != b.size()) return std::nullopt;
  const double k = b.begin()->second / a.begin()->second;
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
    if (x->first != y->first) return std::nullopt;
    if (std::abs(y->second - k * x->second) > kSame * std::abs(y->second)) return std::nullopt;
  }
  return k;
}

bool is_same(const Vector& a, const Vector& b) {
  if (a.empty() && b.empty()) return true;
  const std::optional<double> k = ratio(a, b);
  return k && std::abs(*k - 1) <= kSame;
}

/// Rows over numbered columns, equilibrated: units must not decide what is independent.
Eigen::MatrixXd scaled(const std::vector<const Vector*>& rows,
                       const std::map<Key, Eigen::Index>& keys) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()),
                                            static_cast<Eigen::Index>(keys.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [key, v] : *rows[i]) m(static_cast<Eigen::Index>(i), keys.at(key)) = v;
  }
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    for (Eigen::Index j = 0; j < m.cols(); ++j) {
      if (const double size = m.col(j).cwiseAbs().maxCoeff(); size > 0) m.col(j) /= size;
    }
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
      if (const double size = m.row(i).cwiseAbs().maxCoeff(); size > 0) m.row(i) /= size;
    }
  }
  return m;
}

Eigen::Index rank(const Eigen::MatrixXd& m) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(m);
  qr.setThreshold(kRank);
  return qr.rank();
}

std::map<Key, Eigen::Index> columns_of(const std::vector<const Vector*>& rows) {
  std::map<Key, Eigen::Index> keys;
  for (const Vector* v : rows) {
    for (const auto& [key, x] : *v) keys.try_emplace(key, 0);
  }
  Eigen::Index next = 0;
  for (auto& [key, column] : keys) column = next++;
  return keys;
}

bool have_same_span(const std::vector<const Vector*>& a, const std::vector<const Vector*>& b) {
  const std::map<Key, Eigen::Index> keys = columns_of(a);
  if (keys != columns_of(b)) return false;  // a column that only one of them has
  if (keys.empty()) return true;
  std::vector<const Vector*> both = a;
  both.insert(both.end(), b.begin(), b.end());
  const Eigen::MatrixXd m = scaled(both, keys);
  const auto split = static_cast<Eigen::Index>(a.size());
  const Eigen::Index all = rank(m);
  return rank(m.topRows(split)) == all && rank(m.bottomRows(m.rows() - split)) == all;
}

class Completion {
 public:
  Completion(ModeProblem& problem, Law& law) : problem_(problem), law_(law) {}

  void run() {
    const int given = static_cast<int>(law_.pieces.size());
    for (int a = 0; a < given; ++a) {
      for (int b = a + 1; b < given; ++b) join(a, b);
    }
    find_neighbours();
  }

 private:
  const Vector& vector(int f) {  // a map: references stay valid
    const auto [place, is_new] = vectors_.try_emplace(f);
    if (is_new) place->second = vector_of(problem_.functionals[at(f)]);
    return place->second;
  }

  std::vector<const Vector*> points(FacetRef facet) {
    const Piece& piece = law_.pieces[at(facet.piece)];
    std::vector<const Vector*> rows;
    for (const int f : piece.rows) rows.push_back(&vector(f));
    rows.push_back(&vector(piece.conditions[at(facet.condition)]));
    return rows;
  }

  std::vector<FacetRef> beyond(FacetRef facet) {
    std::vector<FacetRef> found;
    for (int b = 0; b < static_cast<int>(law_.pieces.size()); ++b) {
      if (b == facet.piece) continue;
      const int count = static_cast<int>(law_.pieces[at(b)].conditions.size());
      for (int l = 0; l < count; ++l) {
        if (have_same_span(points(facet), points({b, l}))) found.push_back({b, l});
      }
    }
    return found;
  }

  /// Where pieces a and b meet on a surface that neither passes on to another piece.
  void join(int a, int b) {
    const std::vector<int> of_a = law_.pieces[at(a)].conditions,
                           of_b = law_.pieces[at(b)].conditions;
    for (int j = 0; j < static_cast<int>(of_a.size()); ++j) {
      for (int l = 0; l < static_cast<int>(of_b.size()); ++l) {
        const std::optional<double> k = ratio(vector(of_a[at(j)]), vector(of_b[at(l)]));
        if (!k || *k > 0) continue;
        if (!beyond({a, j}).empty() || !beyond({b, l}).empty()) continue;
        if (others_agree(a, j, b, l)) slide(a, j, b, l);
        return;
      }
    }
  }

  /// The pieces lie side by side: apart from the surface they have the same conditions.
  bool others_agree(int a, int j, int b, int l) {
    const std::vector<int>& of_a = law_.pieces[at(a)].conditions;
    const std::vector<int>& of_b = law_.pieces[at(b)].conditions;
    for (int i = 0; i < static_cast<int>(of_a.size()); ++i) {
      if (i != j && opposite(of_a[at(i)], of_b, l)) return false;
    }
    return true;
  }

  bool opposite(int f, const std::vector<int>& among, int but) {
    for (int i = 0; i < static_cast<int>(among.size()); ++i) {
      if (i == but) continue;
      const std::optional<double> k = ratio(vector(f), vector(among[at(i)]));
      if (k && *k < 0) return true;
    }
    return false;
  }

  void slide(int a, int j, int b, int l) {
    const Piece pa = law_.pieces[at(a)], pb = law_.pieces[at(b)];
    if (pa.rows.size() != pb.rows.size()) return;
    Piece piece{.below = a, .above = b, .surface = pb.conditions[at(l)]};
    std::vector<int> below, above = pb.rows;
    for (const int f : pa.rows) {
      const auto same = std::find_if(above.begin(), above.end(),
                                     [&](int q) { return is_same(vector(f), vector(q)); });
      if (same == above.end()) {
        below.push_back(f);
      } else {
        piece.rows.push_back(f);
        above.erase(same);
      }
    }
    piece.rows.push_back(piece.surface);
    for (int i = 0; i < static_cast<int>(pa.conditions.size()); ++i) {
      if (i == j) continue;
      const int f = pa.conditions[at(i)];
      for (const int q : pb.conditions) {
        if (!is_same(vector(f), vector(q))) continue;
        piece.conditions.push_back(f);
        break;
      }
    }
    for (std::size_t i = below.size(); i-- > 0;) {
      above[i] = on_surface(below[i], above[i], piece.surface);
      if (above[i] != below[i]) continue;
      piece.rows.push_back(below[i]);
      below.erase(below.begin() + static_cast<std::ptrdiff_t>(i));
      above.erase(above.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (below.size() == 1) {
      slide_on_row(std::move(piece), below[0], above[0]);
    } else if (below.size() > 1) {
      slide_on_rows(std::move(piece), below, above);
    }
  }

  /// The row above as it is where g = 0: what differs from the row below by a multiple of g is the
  /// same there, as x and -x are at x = 0.
  int on_surface(int below, int above, int surface) {
    const Functional gap =
        combine(problem_.functionals[at(above)], 1, problem_.functionals[at(below)], -1);
    const Functional& g = problem_.functionals[at(surface)];
    const auto without_known = [](const Functional& f) {
      return vector_of({.rate = f.rate, .value = f.value});
    };
    if (gap.rate.empty() && gap.value.empty()) return above;
    const std::optional<double> factor = ratio(without_known(g), without_known(gap));
    if (!factor) return above;
    const Functional reduced = combine(problem_.functionals[at(above)], 1, g, -*factor);
    const Vector rest = vector_of(combine(reduced, 1, problem_.functionals[at(below)], -1));
    const bool is_rest = std::ranges::any_of(rest, [&](const auto& entry) {
      const auto [kind, number] = entry.first;
      const double size = kind == kKnown && at(number) < g.known.size()
                              ? std::abs(*factor * g.known[at(number)])
                              : 0;
      return std::abs(entry.second) > kRank * size;
    });
    return is_rest ? problem_.add(reduced) : below;
  }

  void slide_on_row(Piece piece, int below, int above) {
    const Functional low = problem_.functionals[at(below)], high = problem_.functionals[at(above)];
    const Functional gap = combine(high, 1, low, -1);
    const bool is_number = gap.rate.empty() && gap.value.empty();
    for (const double sign : {1.0, -1.0}) {
      if (is_number && !gap.known.empty() && sign * gap.known[0] > 0) continue;
      Piece one = piece;
      one.conditions.push_back(problem_.add(combine(low, sign, {}, 0)));
      one.conditions.push_back(problem_.add(combine(high, -sign, {}, 0)));
      law_.pieces.push_back(std::move(one));
    }
  }

  void slide_on_rows(Piece piece, const std::vector<int>& below, const std::vector<int>& above) {
    std::vector<double> gaps;
    for (std::size_t i = 0; i < below.size(); ++i) {
      const Functional gap =
          combine(problem_.functionals[at(above[i])], 1, problem_.functionals[at(below[i])], -1);
      if (!gap.rate.empty()) return;  // an edge: the weight is not linear
      double size = gap.known.empty() ? 0.0 : gap.known[0];
      for (const auto& [j, v] : gap.value) size += v * problem_.before[at(j)];  // frozen
      gaps.push_back(size);
    }
    const auto largest = std::max_element(
        gaps.begin(), gaps.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
    if (*largest == 0) return;
    const Functional lead =
        problem_.functionals[at(below[static_cast<std::size_t>(largest - gaps.begin())])];
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (gaps.begin() + static_cast<std::ptrdiff_t>(i) == largest) continue;
      piece.rows.push_back(
          problem_.add(combine(problem_.functionals[at(below[i])], *largest, lead, -gaps[i])));
    }
    const Functional weight = combine(lead, -1 / *largest, {}, 0);
    const int w = problem_.add(weight);
    piece.conditions.push_back(w);
    piece.conditions.push_back(problem_.add(combine({.known = {1.0}}, 1, weight, -1)));
    law_.pieces.push_back(std::move(piece));
  }

  void find_neighbours() {
    for (int a = 0; a < static_cast<int>(law_.pieces.size()); ++a) {
      std::vector<std::vector<FacetRef>> all;
      const int count = static_cast<int>(law_.pieces[at(a)].conditions.size());
      for (int j = 0; j < count; ++j) all.push_back(beyond({a, j}));
      law_.pieces[at(a)].beyond = std::move(all);
    }
  }

  ModeProblem& problem_;
  Law& law_;
  std::map<int, Vector> vectors_;
};

}  // namespace

void complete_law(ModeProblem& problem, Law& law) { Completion(problem, law).run(); }

}  // namespace chi::numerics
