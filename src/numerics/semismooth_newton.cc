#include "numerics/semismooth_newton.h"

#include <set>

namespace chi::numerics {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int kMostIterations = 60;
constexpr unsigned kSeed = 1;  // of the exchange where a mode is singular

}  // namespace

Proposal semismooth_newton(OneStep& step, Mode start) {
  Proposal result{.mode = std::move(start)};
  const ModeProblem& problem = step.problem();
  std::set<Mode> seen;
  while (result.pivots < kMostIterations) {
    if (!step.solve(result.mode, result.scaled)) {
      const std::optional<Mode> regular = regular_mode(step, result.mode, kSeed);
      if (!regular || !step.solve(*regular, result.scaled)) {
        result.status = ProposalStatus::Singular;
        return result;
      }
      result.mode = *regular;
    }
    if (!seen.insert(result.mode).second) {
      result.status = ProposalStatus::Repeated;
      return result;
    }
    bool is_violated = false, changed = false;
    for (std::size_t k = 0; k < result.mode.size(); ++k) {
      const Piece& piece = problem.laws[k].pieces[at(result.mode[k])];
      double worst = 0;
      int facet = -1;
      for (std::size_t j = 0; j < piece.conditions.size(); ++j) {
        const int f = piece.conditions[j];
        const double value = step.value(f, result.scaled);
        if (value >= worst || value >= -step.zero(f, result.scaled)) continue;
        worst = value;
        facet = static_cast<int>(j);
      }
      if (facet < 0) continue;
      is_violated = true;
      if (piece.beyond[at(facet)].empty()) continue;
      result.mode[k] = piece.beyond[at(facet)].front().piece;
      changed = true;
    }
    if (!is_violated) {
      result.status = ProposalStatus::Solved;
      return result;
    }
    if (!changed) {
      result.status = ProposalStatus::Edge;
      return result;
    }
    ++result.pivots;
  }
  return result;
}

}  // namespace chi::numerics
