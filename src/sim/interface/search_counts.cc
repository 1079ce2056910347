#include "sim/interface/search_counts.h"

#include <numeric>

namespace chi::sim {

std::string_view name(Strategy strategy) {
  switch (strategy) {
    case Strategy::Remembered: return "remembered mode";
    case Strategy::StartAsSet: return "start values as set";
    case Strategy::ExactIteration: return "exact iteration";
    case Strategy::Iteration: return "iteration";
    case Strategy::OneStep: return "one-step problem";
    case Strategy::Kinks: return "kinks";
    case Strategy::EqualValues: return "equal values";
    case Strategy::ActiveSet: return "active set";
    case Strategy::AllKinks: return "all kinks";
    case Strategy::WholeLaws: return "whole laws";
    case Strategy::Resting: return "resting";
    case Strategy::Touch: return "touch";
    case Strategy::SharedRest: return "shared rest";
    case Strategy::ByValue: return "by value";
  }
  return "";
}

void SearchCounts::add(const SearchCounts& other) {
  for (std::size_t i = 0; i < found.size(); ++i) found[i] += other.found[i];
  failed += other.failed;
  tried += other.tried;
}

std::int64_t SearchCounts::searches() const {
  return std::accumulate(found.begin(), found.end(), failed);
}

}  // namespace chi::sim
