#include "numerics/path_following.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <Eigen/QR>

#include "base/cancel.h"

namespace chi::numerics {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// What follows a path: the point (v, τ) on it, its mode and its direction.
class Path {
 public:
  Path(OneStep& step, unsigned seed) : step_(step), seed_(seed), random_(seed) {}

  Proposal run(const Mode& start) {
    Proposal result;
    const std::optional<Mode> regular = regular_mode(step_, start, seed_);
    if (!regular || !step_.solve(*regular, v_)) {
      result.status = ProposalStatus::Singular;
      return result;
    }
    mode_ = *regular;
    if (!cover()) return solved();
    const int limit = 20 + 6 * static_cast<int>(mode_.size());
    while (pivots_ < limit) {
      check_cancelled();
      if (!find_direction()) return ended(ProposalStatus::Singular);
      const Step next = first_facet();
      const double to_end = direction_.back() > 1e-10 ? (1 - tau_) / direction_.back()
                                                      : std::numeric_limits<double>::infinity();
      // A facet that is reached at τ = 1 only, where a condition is zero in the solution, is not
      // crossed.
      if (std::isfinite(to_end) && to_end * (1 - 1e-9) <= next.length) {
        std::vector<double> v;
        if (step_.solve(mode_, v)) v_ = std::move(v);
        return solved();
      }
      if (!std::isfinite(next.length)) return ended(ProposalStatus::Ray);
      for (std::size_t j = 0; j < v_.size(); ++j) v_[j] += next.length * direction_[j];
      tau_ += next.length * direction_.back();
      if (!cross(next)) return ended(ProposalStatus::Edge);
      ++pivots_;
    }
    return ended(ProposalStatus::Limit);
  }

 private:
  struct Step {
    double length = std::numeric_limits<double>::infinity();
    int law = -1, condition = -1;
  };

  const ModeProblem& problem() const { return step_.problem(); }
  const Piece& piece(std::size_t k) const { return problem().laws[k].pieces[at(mode_[k])]; }
  double shift(int f) const { return shifts_[at(f)]; }
  Proposal ended(ProposalStatus status) const { return {status, mode_, v_, pivots_}; }
  Proposal solved() const { return ended(ProposalStatus::Solved); }
  double shifted(int f) const { return step_.value(f, v_) + (1 - tau_) * shift(f); }

  /// Moves each violated or tied law as a whole, so that its piece holds with room; its rows stay.
  /// Whether there was any.
  bool cover() {
    constexpr double kTied = 1e-9;
    shifts_.assign(problem().functionals.size(), 0.0);
    bool any = false;
    std::uniform_real_distribution<double> share(0.5, 1.5);
    for (std::size_t k = 0; k < mode_.size(); ++k) {
      const Piece& mine = piece(k);
      double scale = 1e-6;
      for (const int f : mine.conditions) scale = std::max(scale, std::abs(step_.value(f, v_)));
      std::vector<double> target(mine.rows.size(), 0.0);
      bool is_covered = false;
      for (const int f : mine.conditions) {
        const double value = step_.value(f, v_);
        const bool is_free = value > kTied * (1 + std::abs(step_.row(f).constant));
        target.push_back(is_free ? 0.0 : std::max(-value, 0.0) + scale * share(random_));
        is_covered = is_covered || !is_free;
      }
      if (!is_covered) continue;
      any = true;
      move_law(k, target);
    }
    return any;
  }

  void move_law(std::size_t k, const std::vector<double>& target) {
    std::vector<int> mine = piece(k).rows;
    mine.insert(mine.end(), piece(k).conditions.begin(), piece(k).conditions.end());
    std::map<int, Eigen::Index> columns;
    for (const int f : mine) {
      for (const auto& [j, a] : step_.row(f).terms) {
        columns.try_emplace(j, static_cast<Eigen::Index>(columns.size()));
      }
    }
    const auto rows = static_cast<Eigen::Index>(mine.size());
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(rows, static_cast<Eigen::Index>(columns.size()));
    Eigen::VectorXd t(rows);
    for (Eigen::Index i = 0; i < rows; ++i) {
      t(i) = target[static_cast<std::size_t>(i)];
      for (const auto& [j, a] : step_.row(mine[static_cast<std::size_t>(i)]).terms) {
        m(i, columns.at(j)) = a;
      }
    }
    const Eigen::VectorXd d = m.completeOrthogonalDecomposition().solve(t);
    std::set<int> all;
    for (const Piece& p : problem().laws[k].pieces) {
      all.insert(p.rows.begin(), p.rows.end());
      all.insert(p.conditions.begin(), p.conditions.end());
    }
    for (const int f : all) {
      double sum = 0;
      for (const auto& [j, a] : step_.row(f).terms) {
        const auto place = columns.find(j);
        if (place != columns.end()) sum += a * d(place->second);
      }
      shifts_[at(f)] = sum;
    }
  }

  /// The kernel of [rows | -shift], along which the path goes on: with one more row, the direction
  /// before, the system is regular unless the path turns back on itself.
  bool find_direction() {
    const int n = step_.size();
    const bool is_first = direction_.empty();
    if (is_first) {
      direction_.assign(at(n) + 1, 0.0);
      direction_.back() = 1;
    }
    if (!solver_) make_bordered();
    step_.fill(mode_, values_);
    std::vector<int> rows;
    step_.rows_of(mode_, rows);
    std::fill(bordered_.begin(), bordered_.end(), 0.0);
    for (std::size_t e = 0; e < values_.size(); ++e) bordered_[at(inner_[e])] = values_[e];
    for (std::size_t i = 0; i < rows.size(); ++i) bordered_[at(last_column_[i])] = -shift(rows[i]);
    std::vector<double> next;
    for (int attempt = 0; attempt < 3; ++attempt) {
      for (std::size_t j = 0; j < direction_.size(); ++j) {
        bordered_[at(last_row_[j])] = attempt == 0 ? direction_[j] : normal_(random_);
      }
      if (solver_->factor(bordered_) != FactorStatus::Ok) continue;
      next.assign(direction_.size(), 0.0);
      next.back() = 1;
      solver_->solve(next);
      double size = 0;
      for (const double x : next) size += x * x;
      size = std::sqrt(size);
      if (!std::isfinite(size) || size > 1e9) continue;
      for (double& x : next) x /= size;
      direction_ = std::move(next);
      orient();
      return true;
    }
    return false;
  }

  /// So that the facet that was entered is left behind.
  void orient() {
    if (entered_law_ < 0) return;
    const int f = piece(at(entered_law_)).conditions[at(entered_condition_)];
    if (rate(f) < 0) {
      for (double& x : direction_) x = -x;
    }
  }

  double rate(int f) const {
    double sum = -shift(f) * direction_.back();
    for (const auto& [j, a] : step_.row(f).terms) sum += a * direction_[at(j)];
    return sum;
  }

  double size_of_rate(int f) const {
    double sum = std::abs(shift(f) * direction_.back());
    for (const auto& [j, a] : step_.row(f).terms) sum += std::abs(a * direction_[at(j)]);
    return sum;
  }

  Step first_facet() const {
    constexpr double kStill = 1e-12;
    Step first;
    for (std::size_t k = 0; k < mode_.size(); ++k) {
      const std::vector<int>& conditions = piece(k).conditions;
      for (std::size_t j = 0; j < conditions.size(); ++j) {
        if (static_cast<int>(k) == entered_law_ && static_cast<int>(j) == entered_condition_) {
          continue;
        }
        const int f = conditions[j];
        const double r = rate(f);
        if (r >= -kStill * size_of_rate(f) - 1e-300) continue;
        const double length = std::max(shifted(f), 0.0) / -r;
        if (length < first.length) first = {length, static_cast<int>(k), static_cast<int>(j)};
      }
    }
    return first;
  }

  /// The law goes to the piece beyond; of several, to the one whose other conditions hold.
  bool cross(const Step& next) {
    const std::vector<FacetRef>& beyond = piece(at(next.law)).beyond[at(next.condition)];
    if (beyond.empty()) return false;
    double most = -std::numeric_limits<double>::infinity();
    FacetRef best;
    for (const FacetRef& facet : beyond) {
      const std::vector<int>& conditions =
          problem().laws[at(next.law)].pieces[at(facet.piece)].conditions;
      double slack = 0;
      for (int j = 0; j < static_cast<int>(conditions.size()); ++j) {
        if (j != facet.condition) slack = std::min(slack, shifted(conditions[at(j)]));
      }
      if (slack > most) {
        most = slack;
        best = facet;
      }
    }
    mode_[at(next.law)] = best.piece;
    entered_law_ = next.law;
    entered_condition_ = best.condition;
    return true;
  }

  void make_bordered() {
    const SparsePattern& inner = step_.pattern();
    const int n = step_.size();
    PatternBuilder builder(n + 1, n + 1);
    for (int j = 0; j < n; ++j) {
      for (int e = inner.column_starts[at(j)]; e < inner.column_starts[at(j) + 1]; ++e) {
        builder.add(inner.row_indices[at(e)], j);
      }
      builder.add(j, n);
      builder.add(n, j);
    }
    builder.add(n, n);
    SparsePattern pattern = builder.build();
    for (int j = 0; j < n; ++j) {
      for (int e = inner.column_starts[at(j)]; e < inner.column_starts[at(j) + 1]; ++e) {
        inner_.push_back(find_entry(pattern, inner.row_indices[at(e)], j));
      }
      last_column_.push_back(find_entry(pattern, j, n));
    }
    for (int j = 0; j <= n; ++j) last_row_.push_back(find_entry(pattern, n, j));
    values_.resize(at(inner.nonzeros()));
    bordered_.resize(at(pattern.nonzeros()));
    solver_.emplace(std::move(pattern));
  }

  OneStep& step_;
  unsigned seed_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  Mode mode_;
  std::vector<double> v_, shifts_, direction_;
  double tau_ = 0;
  int pivots_ = 0, entered_law_ = -1, entered_condition_ = -1;
  std::optional<LinearSolver> solver_;
  std::vector<double> values_, bordered_;
  std::vector<int> inner_, last_column_, last_row_;
};

}  // namespace

Proposal follow_path(OneStep& step, const Mode& start, unsigned seed) {
  if (!step.is_square()) return {.status = ProposalStatus::Singular};
  return Path(step, seed).run(start);
}

}  // namespace chi::numerics
