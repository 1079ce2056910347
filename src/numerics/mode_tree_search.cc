#include "numerics/mode_tree_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <Eigen/QR>
#include <Eigen/SVD>

#include "base/cancel.h"
#include "numerics/least_distance.h"

namespace chi::numerics {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kRank = 1e-13;
constexpr double kContradiction = 1e-8;  // of rows, relative to their constants

class TreeSearch {
 public:
  TreeSearch(OneStep& step, const Mode& preferred, int most_nodes)
      : step_(step), problem_(step.problem()), preferred_(preferred), most_nodes_(most_nodes) {
    reduce();
    for (const Law& law : problem_.laws) hulls_.push_back(hull(law));
  }

  TreeSearchResult run() {
    Fixed none(problem_.laws.size(), -1);
    const bool all = visit(none);
    result_.is_complete = all && doubtful_ == 0;
    return std::move(result_);
  }

 private:
  using Fixed = std::vector<int>;  // per law: its piece, or -1
  using Signed = std::pair<int, double>;

  /// Eliminates the plain rows: v = w0 + N u, so that functionals of laws become b + B u.
  void reduce() {
    const Index n = step_.size(), count = static_cast<Index>(problem_.functionals.size());
    MatrixXd all = MatrixXd::Zero(count, n);
    VectorXd c(count);
    for (Index f = 0; f < count; ++f) {
      const OneStep::Row& row = step_.row(static_cast<int>(f));
      for (const auto& [j, a] : row.terms) all(f, j) = a;
      c(f) = row.constant;
    }
    all_ = all;
    const Index plain = static_cast<Index>(problem_.plain.size());
    MatrixXd h(plain, n);
    VectorXd right(plain);
    for (Index i = 0; i < plain; ++i) {
      h.row(i) = all.row(problem_.plain[static_cast<std::size_t>(i)]);
      right(i) = -c(problem_.plain[static_cast<std::size_t>(i)]);
    }
    plain_ = h;
    VectorXd w0 = VectorXd::Zero(n);
    MatrixXd kernel = MatrixXd::Identity(n, n);
    if (plain > 0 && n > 0) {  // Eigen factorises no empty matrix
      Eigen::ColPivHouseholderQR<MatrixXd> qr(h.transpose());
      qr.setThreshold(kRank);
      const Index r = qr.rank();
      w0 = h.completeOrthogonalDecomposition().solve(right);
      MatrixXd unit = MatrixXd::Zero(n, n - r);
      for (Index k = 0; k < n - r; ++k) unit(r + k, k) = 1;
      unit.applyOnTheLeft(qr.householderQ());
      kernel = std::move(unit);
    }
    b_ = c + all * w0;
    matrix_ = all * kernel;
    size_ = (all.cwiseAbs() * w0.cwiseAbs() + c.cwiseAbs()).array() + 1e-300;
    largest_ = n > 0 ? w0.cwiseAbs().maxCoeff() : 0;
  }

  /// Functionals, with a sign, that are not negative on any piece of the law.
  std::vector<Signed> hull(const Law& law) {
    std::set<int> all;
    std::map<int, Index> columns;
    for (const Piece& p : law.pieces) {
      all.insert(p.rows.begin(), p.rows.end());
      all.insert(p.conditions.begin(), p.conditions.end());
    }
    for (const int f : all) {
      for (const auto& [j, a] : step_.row(f).terms) {
        columns.try_emplace(j, static_cast<Index>(columns.size()));
      }
    }
    const Index m = static_cast<Index>(columns.size()) + 1;
    const auto vector = [&](int f, double sign) {
      VectorXd v = VectorXd::Zero(m);
      for (const auto& [j, a] : step_.row(f).terms) v(columns.at(j)) = sign * a;
      v(m - 1) = sign * step_.row(f).constant;
      return v;
    };
    std::vector<Signed> found;
    for (const int f : all) {
      for (const double sign : {1.0, -1.0}) {
        const VectorXd target = vector(f, sign);
        const bool holds = std::ranges::all_of(law.pieces, [&](const Piece& p) {
          std::vector<VectorXd> columns_of;
          for (const int r : p.rows) {
            columns_of.push_back(vector(r, 1));
            columns_of.push_back(vector(r, -1));
          }
          for (const int g : p.conditions) columns_of.push_back(vector(g, 1));
          VectorXd one = VectorXd::Zero(m);
          one(m - 1) = 1;
          columns_of.push_back(one);
          std::vector<double> e;
          for (const VectorXd& v : columns_of) e.insert(e.end(), v.data(), v.data() + m);
          const NonNegative x =
              least_squares_non_negative(static_cast<int>(m), static_cast<int>(columns_of.size()),
                                         e, {target.data(), static_cast<std::size_t>(m)});
          double r = 0;
          for (const double y : x.residual) r += y * y;
          return std::sqrt(r) <= 1e-9 * (1 + target.norm());
        });
        if (holds) found.emplace_back(f, sign);
      }
    }
    return found;
  }

  struct Point {
    bool is_feasible = false;
    VectorXd u;
    Certificate certificate;
  };

  MatrixXd rows_of(const std::vector<int>& fs) const {
    MatrixXd m(static_cast<Index>(fs.size()), matrix_.cols());
    for (std::size_t i = 0; i < fs.size(); ++i) m.row(static_cast<Index>(i)) = matrix_.row(fs[i]);
    return m;
  }

  Point feasible(const Fixed& fixed) {
    std::vector<int> rows;
    std::vector<Signed> conditions;
    for (std::size_t k = 0; k < fixed.size(); ++k) {
      if (fixed[k] < 0) {
        conditions.insert(conditions.end(), hulls_[k].begin(), hulls_[k].end());
        continue;
      }
      const Piece& p = problem_.laws[k].pieces[at(fixed[k])];
      rows.insert(rows.end(), p.rows.begin(), p.rows.end());
      for (const int f : p.conditions) conditions.emplace_back(f, 1.0);
    }
    const Index m = matrix_.cols();
    Point point{.is_feasible = true, .u = VectorXd::Zero(m), .certificate = {}};
    MatrixXd z = MatrixXd::Identity(m, m);
    if (!rows.empty()) {
      const MatrixXd a = rows_of(rows);
      VectorXd right(a.rows());
      for (Index i = 0; i < a.rows(); ++i) right(i) = -b_(rows[static_cast<std::size_t>(i)]);
      // Where plain rows leave nothing open, the rows hold or they do not.
      MatrixXd u = MatrixXd::Identity(a.rows(), a.rows()), v = z;
      VectorXd s(0);
      if (m > 0) {
        const Eigen::BDCSVD<MatrixXd> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
        u = svd.matrixU();
        v = svd.matrixV();
        s = svd.singularValues();
      }
      Index r = 0;
      while (r < s.size() && s(r) > kRank * std::max(s(0), 1e-300)) ++r;
      const VectorXd y = u.transpose() * right;
      Index worst = -1;
      for (Index i = r; i < y.size(); ++i) {
        if (worst < 0 || std::abs(y(i)) > std::abs(y(worst))) worst = i;
      }
      if (worst >= 0 && std::abs(y(worst)) > kContradiction * (1 + right.cwiseAbs().maxCoeff())) {
        Certificate c;
        for (std::size_t i = 0; i < rows.size(); ++i) {
          c.emplace_back(rows[i], u(static_cast<Index>(i), worst));
        }
        return {false, {}, with_plain(std::move(c))};
      }
      point.u = v.leftCols(r) * (y.head(r).array() / s.head(r).array()).matrix();
      z = v.rightCols(m - r);
    }
    if (conditions.empty()) return point;
    return within(std::move(point), z, rows, conditions);
  }

  Point within(Point point, const MatrixXd& z, const std::vector<int>& rows,
               const std::vector<Signed>& conditions) {
    const Index count = static_cast<Index>(conditions.size());
    const double most = point.u.size() > 0 ? point.u.cwiseAbs().maxCoeff() : 0;
    MatrixXd a(count, z.cols());
    VectorXd value(count), size(count);
    for (Index i = 0; i < count; ++i) {
      const auto [f, sign] = conditions[static_cast<std::size_t>(i)];
      a.row(i) = sign * matrix_.row(f) * z;
      value(i) = sign * (b_(f) + matrix_.row(f) * point.u);
      size(i) =
          size_(f) + matrix_.row(f).cwiseAbs() * point.u.cwiseAbs() + 1e-4 * (1 + most + largest_);
    }
    a = (a.array().abs() < 1e-12).select(0.0, a);
    if (z.cols() == 0) {
      Index bad = 0;
      (value.array() / size.array()).minCoeff(&bad);
      if (value(bad) >= -1e-10 * size(bad)) return point;
      return {false, {}, with_plain(with_rows({conditions[static_cast<std::size_t>(bad)]}, rows))};
    }
    const VectorXd right = -value - 1e-11 * size;
    LeastDistance y = least_distance(static_cast<int>(count), static_cast<int>(z.cols()),
                                     {a.data(), static_cast<std::size_t>(a.size())},
                                     {right.data(), static_cast<std::size_t>(right.size())});
    if (y.is_feasible) {
      point.u += z * Eigen::Map<const VectorXd>(y.y.data(), z.cols());
      return point;
    }
    const double largest = *std::max_element(y.multipliers.begin(), y.multipliers.end());
    if (largest * 1e-12 * (1 + most + largest_) > 1e-3) {  // no larger than round-off: no proof
      ++doubtful_;
      return point;
    }
    Certificate c;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      if (y.multipliers[i] <= 1e-9 * largest) continue;
      c.emplace_back(conditions[i].first, y.multipliers[i] * conditions[i].second);
    }
    return {false, {}, with_plain(with_rows(std::move(c), rows))};
  }

  /// Adds the multipliers of rows that cancel what is left of a combination of conditions.
  Certificate with_rows(Certificate c, const std::vector<int>& rows) const {
    if (rows.empty()) return c;
    VectorXd rest = VectorXd::Zero(matrix_.cols());
    for (const auto& [f, x] : c) rest -= x * matrix_.row(f).transpose();
    const VectorXd mu = rows_of(rows).transpose().completeOrthogonalDecomposition().solve(rest);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      c.emplace_back(rows[i], mu(static_cast<Index>(i)));
    }
    return c;
  }

  /// The same with the plain rows, in units of the functionals as they were given.
  Certificate with_plain(Certificate c) const {
    VectorXd rest = VectorXd::Zero(all_.cols());
    for (const auto& [f, x] : c) rest -= x * all_.row(f).transpose();
    if (plain_.rows() > 0) {
      const VectorXd mu = plain_.transpose().completeOrthogonalDecomposition().solve(rest);
      for (Index i = 0; i < mu.size(); ++i) {
        c.emplace_back(problem_.plain[static_cast<std::size_t>(i)], mu(i));
      }
    }
    double most = 0;
    for (const auto& [f, x] : c) most = std::max(most, std::abs(x));
    std::erase_if(c, [&](const auto& entry) { return std::abs(entry.second) <= 1e-9 * most; });
    for (auto& [f, x] : c) x /= step_.row_scale(f);
    return c;
  }

  double violation(const Piece& p, const VectorXd& u) const {
    double worst = 0;
    const auto value = [&](int f) { return b_(f) + matrix_.row(f).dot(u); };
    const auto size = [&](int f) { return size_(f) + matrix_.row(f).cwiseAbs().dot(u.cwiseAbs()); };
    for (const int f : p.rows) worst = std::max(worst, std::abs(value(f)) / size(f));
    for (const int f : p.conditions) worst = std::max(worst, -value(f) / size(f));
    return worst;
  }

  /// False: the limit is reached.
  bool visit(Fixed& fixed) {
    check_cancelled();
    if (++result_.nodes > most_nodes_) return false;
    const Point point = feasible(fixed);
    if (!point.is_feasible) {
      result_.certificates.push_back(point.certificate);
      return true;
    }
    int law = -1;
    double most = -1;
    std::vector<std::pair<double, int>> order, best;
    for (std::size_t k = 0; k < fixed.size(); ++k) {
      if (fixed[k] >= 0) continue;
      order.clear();
      const std::vector<Piece>& pieces = problem_.laws[k].pieces;
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        order.emplace_back(violation(pieces[p], point.u), static_cast<int>(p));
      }
      const int mine = preferred_.empty() ? -1 : preferred_[k];
      std::stable_sort(order.begin(), order.end(), [&](const auto& x, const auto& y) {
        if (x.first != y.first) return x.first < y.first;
        return (x.second == mine ? 0 : 1) < (y.second == mine ? 0 : 1);
      });
      if (order.front().first <= most) continue;
      most = order.front().first;
      law = static_cast<int>(k);
      best = order;
    }
    if (law < 0) {
      result_.modes.push_back(fixed);
      return true;
    }
    for (const auto& [violated, piece] : best) {
      fixed[at(law)] = piece;
      const bool goes_on = visit(fixed);
      fixed[at(law)] = -1;
      if (!goes_on) return false;
    }
    return true;
  }

  OneStep& step_;
  const ModeProblem& problem_;
  const Mode& preferred_;
  int most_nodes_;
  MatrixXd all_, plain_, matrix_;
  VectorXd b_, size_;
  double largest_ = 0;
  std::vector<std::vector<Signed>> hulls_;
  int doubtful_ = 0;
  TreeSearchResult result_;
};

}  // namespace

TreeSearchResult search_modes(OneStep& step, const Mode& preferred, int most_nodes) {
  return TreeSearch(step, preferred, most_nodes).run();
}

}  // namespace chi::numerics
