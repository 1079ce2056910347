#include "numerics/next_mode.h"

#include <algorithm>
#include <array>
#include <optional>

#include "numerics/path_following.h"

namespace chi::numerics {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr std::array kSteps = {1e-4, 1e-2, 1e-6};
constexpr std::array kSearchSteps = {1e-3, 1e-2};  // conditioned like h^-index: not smaller
constexpr std::array kSeeds = {1U, 2U, 3U};

class Decision {
 public:
  Decision(const ModeProblem& problem, Mode start, VerifyMode verify, const NextModeLimits& limits)
      : problem_(problem), start_(std::move(start)), verify_(verify), limits_(limits) {}

  NextMode run() {
    if (limits_.keeps && accept(start_)) return found(start_, ModeStage::Kept);
    for (const double h : kSteps) {
      OneStep step(problem_, h * problem_.time_scale);
      if (const auto found = propose(step)) return *found;
    }
    for (std::size_t i = 0; limits_.exact && i < refused_.size(); ++i) {
      if (const auto repaired = repair(refused_[i]))
        return found(*repaired, ModeStage::ExactNewton);
    }
    if (const auto found = search()) return *found;
    if (!certificates_.empty()) return NoMode{std::move(certificates_)};
    UndecidedMode undecided;
    for (const Mode& m : refused_) undecided.nearest.emplace_back(m, verdicts_.at(m));
    return undecided;
  }

 private:
  FoundMode found(const Mode& mode, ModeStage by) const {
    return {mode, by, static_cast<int>(verdicts_.size())};
  }

  const Verdict* verdict(const Mode& mode) {
    const auto known = verdicts_.find(mode);
    if (known != verdicts_.end()) return &known->second;
    if (static_cast<int>(verdicts_.size()) >= limits_.verifications) return nullptr;
    return &verdicts_.emplace(mode, verify_(mode)).first->second;
  }

  bool accept(const Mode& mode) {
    const Verdict* const v = verdict(mode);
    return v != nullptr && v->accepted;
  }

  bool accept_or_remember(const Mode& mode) {
    if (accept(mode)) return true;
    const bool is_new = std::ranges::find(refused_, mode) == refused_.end();
    if (is_new && verdicts_.contains(mode)) refused_.push_back(mode);
    return false;
  }

  std::optional<FoundMode> propose(OneStep& step) {
    if (limits_.newton) {
      const Proposal p = semismooth_newton(step, start_);
      if (p.status == ProposalStatus::Solved && accept_or_remember(p.mode)) {
        return found(p.mode, ModeStage::Newton);
      }
    }
    if (!limits_.path) return std::nullopt;
    for (const unsigned seed : kSeeds) {
      const Proposal p = follow_path(step, start_, seed);
      if (p.status != ProposalStatus::Solved) continue;
      if (accept_or_remember(p.mode)) return found(p.mode, ModeStage::Path);
      break;
    }
    return std::nullopt;
  }

  /// Newton's method over the ordered field of Laurent series: exact signs of a mode.
  std::optional<Mode> repair(Mode mode) {
    std::vector<Mode> seen;
    for (int i = 0; i < limits_.repairs; ++i) {
      if (std::ranges::find(seen, mode) != seen.end()) return std::nullopt;
      seen.push_back(mode);
      const Verdict* const v = verdict(mode);
      if (v == nullptr) return std::nullopt;
      if (v->accepted) return mode;
      if (v->refusals.empty()) return std::nullopt;
      const auto lowest = std::ranges::min_element(v->refusals, {}, &Refusal::order);
      const int order = lowest->order;
      for (const Refusal& r : v->refusals) {
        if (r.order > order) continue;
        const Piece& piece = problem_.laws[at(r.law)].pieces[at(seen.back()[at(r.law)])];
        const std::vector<FacetRef>& beyond = piece.beyond[at(r.condition)];
        if (!beyond.empty()) mode[at(r.law)] = beyond.front().piece;
      }
    }
    return std::nullopt;
  }

  std::optional<FoundMode> search() {
    if (limits_.nodes <= 0 || problem_.variables() > limits_.searched_variables) {
      return std::nullopt;
    }
    for (const double h : kSearchSteps) {
      OneStep step(problem_, h * problem_.time_scale);
      TreeSearchResult result = search_modes(step, start_, limits_.nodes);
      for (const Mode& m : result.modes) {
        if (accept_or_remember(m)) return found(m, ModeStage::Search);
      }
      if (!result.is_complete || !result.modes.empty()) continue;
      certificates_ = std::move(result.certificates);
      std::ranges::stable_sort(certificates_, {}, &Certificate::size);
    }
    return std::nullopt;
  }

  const ModeProblem& problem_;
  Mode start_;
  VerifyMode verify_;
  NextModeLimits limits_;
  std::map<Mode, Verdict> verdicts_;
  std::vector<Mode> refused_;
  std::vector<Certificate> certificates_;
};

}  // namespace

std::string_view name(ModeStage stage) {
  switch (stage) {
    case ModeStage::Kept: return "kept";
    case ModeStage::Newton: return "newton";
    case ModeStage::Path: return "path";
    case ModeStage::ExactNewton: return "exact newton";
    case ModeStage::Search: return "search";
  }
  return "";
}

NextMode next_mode(const ModeProblem& problem, const Mode& start, VerifyMode verify,
                   const NextModeLimits& limits) {
  return Decision(problem, start, verify, limits).run();
}

}  // namespace chi::numerics
