#include "graph/assignment.h"

#include <limits>

#include "graph/transversal.h"

namespace chi::graph {
namespace {

// Rows are assigned one at a time along a shortest path in reduced costs C_ij - u_i - v_j >= 0. Row
// and column n are the place to start from: an extra column holding the row to be assigned.
class ShortestPaths {
 public:
  explicit ShortestPaths(const CostMatrix& cost)
      : cost_(cost),
        n_(static_cast<std::size_t>(cost.n())),
        u_(n_ + 1, 0),
        v_(n_ + 1, 0),
        row_of_(n_ + 1, n_),
        came_from_(n_ + 1, n_) {}

  std::vector<int> run() {
    for (std::size_t row = 0; row < n_; ++row) assign(row);
    std::vector<int> equation_of;
    for (std::size_t j = 0; j < n_; ++j) equation_of.push_back(static_cast<int>(row_of_[j]));
    return equation_of;
  }

 private:
  void assign(std::size_t row) {
    std::vector<std::int64_t> distance(n_ + 1, std::numeric_limits<std::int64_t>::max());
    std::vector<std::uint8_t> done(n_ + 1, 0);
    row_of_[n_] = row;
    std::size_t column = n_;
    while (row_of_[column] != n_) column = nearest(column, distance, done);
    while (column != n_) {  // shift the rows along the path
      row_of_[column] = row_of_[came_from_[column]];
      column = came_from_[column];
    }
    row_of_[n_] = n_;
  }

  // Settles `column`, and gives the nearest unsettled one, all distances measured from there.
  std::size_t nearest(std::size_t column, std::vector<std::int64_t>& distance,
                      std::vector<std::uint8_t>& done) {
    done[column] = 1;
    const std::size_t row = row_of_[column];
    std::size_t next = n_;
    for (std::size_t j = 0; j < n_; ++j) {
      if (done[j]) continue;
      const std::int64_t reduced =
          cost_(static_cast<int>(row), static_cast<int>(j)) - u_[row] - v_[j];
      if (reduced < distance[j]) {
        distance[j] = reduced;
        came_from_[j] = column;
      }
      if (next == n_ || distance[j] < distance[next]) next = j;
    }
    const std::int64_t step = distance[next];
    for (std::size_t j = 0; j <= n_; ++j) {
      if (done[j]) {
        u_[row_of_[j]] += step;
        v_[j] -= step;
      } else if (j != n_) {
        distance[j] -= step;
      }
    }
    return next;
  }

  const CostMatrix& cost_;
  std::size_t n_;
  std::vector<std::int64_t> u_;
  std::vector<std::int64_t> v_;
  std::vector<std::size_t> row_of_;     // per column; n if none
  std::vector<std::size_t> came_from_;  // per column: the column before it on the path
};

}  // namespace

CostMatrix cost_matrix(const Signature& dependencies) {
  const Bipartite& pattern = dependencies.pattern;
  CostMatrix cost(pattern.num_eqs());
  int highest = 1;
  for (const int order : dependencies.order) highest = std::max(highest, order);
  EdgeId edge{0};
  for (EqId eq{0}; eq.index < pattern.num_eqs(); ++eq.index) {
    for (const VarId var : pattern.vars_of(eq)) {
      cost(eq.index, var.index) = -std::int64_t{cost.n()} * highest - 1 - dependencies.order[edge];
      ++edge.index;
    }
  }
  return cost;
}

std::vector<int> minimise_cost(const CostMatrix& cost) { return ShortestPaths(cost).run(); }

Matching best_assignment(const Signature& dependencies) {
  return heaviest_maximum_matching(dependencies).matching;
}

}  // namespace chi::graph
