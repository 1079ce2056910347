#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "expr/incidence.h"
#include "sim/engine/instant.h"
#include "sim/engine/tolerances.h"

// On which sides of their conditions instantaneous equations have a solution: from the sides of the
// values before, those of the values found, until both are the same; else every combination.
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Rounds of the iteration: it goes round in a circle long before.
constexpr std::size_t kMostRounds = 40;
/// Borders of which all combinations are tried: where nothing else was found, and to see whether
/// what was found is the only solution.
constexpr std::size_t kMostSearched = 8, kMostToTell = 4;

}  // namespace

bool InstantSolver::run() {
  if (!enter()) return false;
  const InstantSides start = present_sides();
  const bool found = iterate(start) || find_any(start);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Part& part = *engine_.members_[at(members_[k])].part;
    part.frame() = loaded_[k];
    part.fit(part.frame());
  }
  if (found) commit();
  return found;
}

/// The parts that the statement touches, with their values before the instant.
bool InstantSolver::enter() {
  std::vector<ExprId> roots;
  for (const flat::Equation& e : set_.equations) {
    roots.push_back(e.left);
    roots.push_back(e.right);
  }
  for (const flat::Branch& b : set_.branches) roots.push_back(b.guard);
  std::vector<std::int32_t> slots;
  for (const auto& some : all_variables(context_.pool, roots)) {
    slots.insert(slots.end(), some.begin(), some.end());
  }
  for (const auto* list : {&set_.unknowns, &set_.impulses}) {
    for (const flat::Unknown& u : *list) slots.push_back(u.variable.var.index);
  }
  for (const std::int32_t slot : slots) {
    const std::int32_t m = engine_.parts_.part_of_slot[at(slot)];
    if (m >= 0 && std::find(members_.begin(), members_.end(), m) == members_.end()) {
      members_.push_back(m);
    }
  }
  std::sort(members_.begin(), members_.end());
  for (const std::int32_t m : members_) {
    engine_.bring(m);
    Part& part = *engine_.members_[at(m)].part;
    part.load(engine_.workshop_.machine.time);
    loaded_.push_back(part.frame());
  }
  enter_own();
  if (!load({})) return false;
  frame_before_ = frame_;
  return true;
}

void InstantSolver::enter_own() {
  expr::Pool& pool = context_.pool;
  for (const flat::Equation& e : set_.equations) own_rows_.push_back(instant_row(pool, e));
  const expr::Occurrences inner = expr::conditions(pool, own_rows_);
  own_conditions_.resize(own_rows_.size());
  if (set_.branches.size() == 0 && inner.node.empty()) return;
  conditions_.emplace(pool, leaves_, context_.boxes);
  for (const flat::Branch& b : set_.branches) guards_.push_back(conditions_->add(b.guard));
  for (int i = 0; i < inner.rows(); ++i) {
    for (const ExprId c : inner.row(i)) own_conditions_[at(i)].push_back(conditions_->add(c));
  }
  conditions_->prepare();
  std::vector<ExprId> ends;
  for (const Border& b : conditions_->borders()) {
    ends.push_back(b.left);
    ends.push_back(b.right);
  }
  own_borders_ = std::make_unique<code::Formulas>(pool, ends, leaves_, context_.boxes);
}

/// The signs of the statement's borders at the values of the frame, where an impulse is involved
/// that of the impulse.
std::vector<int> InstantSolver::own_sides() {
  std::vector<int> result;
  if (!conditions_) return result;
  frame_.resize(std::max(frame_.size(), at(leaves_.size())), 0.0);
  std::vector<double> ends(2 * conditions_->borders().size()), impulsive = ends, without = ends;
  own_borders_->evaluate_each(frame_.data(), ends.data());
  std::vector<double> with = frame_, zero = frame_;
  double largest = 0;
  for (const Found& f : found_) {
    if (!f.is_impulse) continue;
    with[at(place(f.variable))] = f.value;
    zero[at(place(f.variable))] = 0;
    largest = std::max(largest, std::abs(f.value));
  }
  own_borders_->evaluate_each(with.data(), impulsive.data());
  own_borders_->evaluate_each(zero.data(), without.data());
  for (std::size_t b = 0; 2 * b < ends.size(); ++b) {
    const double left = ends[2 * b], right = ends[2 * b + 1];
    double value = left - right;
    double band = Part::kRelativeBand * (std::abs(left) + std::abs(right)) +
                  tolerance::kZeroOfAtol * engine_.workshop_.options.atol;
    const double push =
        impulsive[2 * b] - impulsive[2 * b + 1] - (without[2 * b] - without[2 * b + 1]);
    if (std::abs(push) > tolerance::kNoPush * largest && largest > 0) {
      value = push;
      band = 0;
    }
    result.push_back(std::abs(value) <= band ? 0 : value > 0 ? 1 : -1);
  }
  return result;
}

InstantSolver::InstantSides InstantSolver::present_sides() {
  InstantSides result{.members = {}, .own = own_sides()};
  for (const std::int32_t m : members_) {
    Part& part = *engine_.members_[at(m)].part;
    result.members.push_back(part.sides_here(part.sides()));
  }
  return result;
}

Sides InstantSolver::member_sides(std::size_t k, const Sides& assumed) {
  Part& part = *engine_.members_[at(members_[k])].part;
  part.frame() = loaded_[k];
  part.fit(part.frame());
  double largest = 0;
  const auto put = [&](std::vector<double>& frame, bool impulses, double factor) {
    for (const Found& f : found_) {
      if (f.is_impulse != impulses) continue;
      const std::size_t p = at(part.place(f.variable));
      part.fit(frame);
      if (p < frame.size()) frame[p] = factor * f.value;
      if (impulses) largest = std::max(largest, std::abs(f.value));
    }
  };
  put(part.frame(), false, 1);
  Sides result = part.sides_here(assumed);
  std::vector<double> with = part.frame(), without = part.frame();
  put(with, true, 1);
  if (largest == 0) return result;
  put(without, true, 0);
  const std::span<const Part::BorderValue> computed = part.border_values(with);
  const std::vector<Part::BorderValue> impulsive(computed.begin(), computed.end());
  const std::span<const Part::BorderValue> finite = part.border_values(without);
  for (const int b : part.mode_borders()) {
    const double push = impulsive[at(b)].value - finite[at(b)].value;
    if (!(std::abs(push) > tolerance::kNoPush * largest)) continue;
    result[at(b)] = push > 0 ? Side::Plus : Side::Minus;
  }
  return result;
}

InstantSolver::InstantSides InstantSolver::sides_found(const InstantSides& assumed) {
  InstantSides result{.members = {}, .own = own_sides()};
  for (std::size_t k = 0; k < members_.size(); ++k) {
    result.members.push_back(member_sides(k, assumed.members[k]));
  }
  return result;
}

/// Solves on these sides. False if there is no solution, with the reason as the run's failure.
bool InstantSolver::try_on(const InstantSides& sides) {
  rows_.clear();
  passing_.clear();
  declared_.clear();
  variables_.clear();
  integrated_.clear();
  slopes_.clear();
  found_.clear();
  conserved_.clear();
  if (!collect_members(sides) || !collect_own(sides.own)) return false;
  return set_.impulses.empty() ? solve() : solve_impulses();
}

/// Whether the values found ask for the equations they were found with.
bool InstantSolver::holds(const InstantSides& assumed) {
  const InstantSides found = sides_found(assumed);
  if (found == assumed) return true;
  std::vector<ExprId> mine;
  for (const Row& row : rows_) mine.push_back(row.expr);
  const std::vector<VarId> declared = declared_;
  rows_.clear();
  passing_.clear();
  declared_.clear();
  const bool is_mode = collect_members(found) && collect_own(found.own);
  if (!is_mode) {
    engine_.outcome_ = {};
    return false;
  }
  return declared == declared_ &&
         std::ranges::equal(mine, rows_, {}, {}, [](const Row& row) { return row.expr; });
}

bool InstantSolver::iterate(const InstantSides& start) {
  std::set<InstantSides> seen;
  InstantSides sides = start;
  while (seen.insert(sides).second && seen.size() <= kMostRounds) {
    if (!try_on(sides)) return false;
    const InstantSides next = sides_found(sides);
    if (holds(sides)) {
      tell_others(sides);
      return true;
    }
    sides = next;
  }
  return false;
}

std::vector<InstantSolver::Open> InstantSolver::open_borders() {
  std::set<std::int32_t> unknown;
  for (const VarId v : declared_) unknown.insert(v.index);
  for (const Found& f : found_) unknown.insert(f.variable.var.index);
  for (const flat::Unknown& u : set_.unknowns) unknown.insert(u.variable.var.index);
  for (const flat::Unknown& u : set_.impulses) unknown.insert(u.variable.var.index);
  const auto is_open = [&](ExprId difference) {
    const auto slots = all_variables(context_.pool, std::array{difference}).front();
    return std::ranges::any_of(slots, [&](std::int32_t s) { return unknown.contains(s); });
  };
  std::vector<Open> result;
  if (conditions_) {
    const auto borders = conditions_->borders();
    for (std::size_t b = 0; b < borders.size(); ++b) {
      if (is_open(borders[b].difference)) result.push_back({-1, static_cast<int>(b)});
    }
  }
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Part& part = *engine_.members_[at(members_[k])].part;
    for (const int b : part.mode_borders()) {
      if (is_open(part.conditions().borders()[at(b)].difference)) {
        result.push_back({static_cast<std::int32_t>(k), b});
      }
    }
  }
  return result;
}

void InstantSolver::set_side(InstantSides& sides, const Open& border, bool plus) {
  if (border.member < 0) {
    sides.own[at(border.border)] = plus ? 1 : -1;
  } else {
    sides.members[at(border.member)][at(border.border)] = plus ? Side::Plus : Side::Minus;
  }
}

/// Every combination, if there are not too many. A failure on the first sides is what is told.
bool InstantSolver::find_any(const InstantSides& start) {
  const bool is_model = std::holds_alternative<ModelFailure>(engine_.outcome_.why);
  if (!is_model && !std::holds_alternative<Finished>(engine_.outcome_.why)) return false;
  Outcome first = std::exchange(engine_.outcome_, {});
  const std::vector<Open> open = open_borders();
  if (!open.empty() && open.size() <= kMostSearched) {
    for (std::uint32_t plus = 0; plus < (1U << open.size()); ++plus) {
      InstantSides sides = start;
      for (std::size_t i = 0; i < open.size(); ++i) {
        set_side(sides, open[i], ((plus >> i) & 1U) != 0);
      }
      if (try_on(sides) && holds(sides)) return true;
      engine_.outcome_ = {};
    }
  }
  engine_.outcome_ = std::move(first);
  return is_model ? false : explain_no_sides();
}

/// Other solutions, where there are few combinations: the one that was taken goes on from the
/// values before.
void InstantSolver::tell_others(const InstantSides& taken) {
  if (!conditions_) return;
  const std::vector<Open> open = open_borders();
  const bool has_own = std::ranges::any_of(open, [](const Open& o) { return o.member < 0; });
  if (!has_own || open.size() > kMostToTell) return;
  const std::vector<Found> found = found_;
  const std::vector<ConservedSum> conserved = conserved_;
  std::string others;
  for (std::uint32_t plus = 0; plus < (1U << open.size()); ++plus) {
    InstantSides sides = taken;
    for (std::size_t i = 0; i < open.size(); ++i) {
      set_side(sides, open[i], ((plus >> i) & 1U) != 0);
    }
    const bool holds_there = sides != taken && try_on(sides) && holds(sides);
    engine_.outcome_ = {};
    if (!holds_there || found_.size() != found.size()) continue;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double here = found[i].value, there = found_[i].value;
      const RunOptions& options = engine_.workshop_.options;
      if (found[i].variable.order > 0 || !(found[i].variable == found_[i].variable)) continue;
      if (std::abs(here - there) <= options.atol + options.rtol * std::abs(here)) continue;
      const std::string name = engine_.variable_name(found[i].variable);
      others = fmt::format("`{}` is {:.6g} here, and could be {:.6g}", name, here, there);
      break;
    }
  }
  found_ = found;
  conserved_ = conserved;
  if (!others.empty() && engine_.observer != nullptr) {
    engine_.observer->note(engine_.workshop_.machine.time, "several", others, span_);
  }
}

bool InstantSolver::explain_no_sides() {
  return engine_.fail(
      {.code = DiagCode::NoConsistentMode,
       .span = span_,
       .message = fmt::format("these instantaneous equations have no solution at t = {}: with the "
                              "values of each alternative its conditions are others",
                              engine_.workshop_.machine.time),
       .help = "the conditions are evaluated at the values found; what held before the instant is "
               "kept in a variable that is assigned before"});
}

}  // namespace chi::sim
