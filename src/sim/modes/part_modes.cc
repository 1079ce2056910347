#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "expr/build.h"
#include "expr/incidence.h"
#include "expr/substitute.h"
#include "flat/activity.h"
#include "flat/scalars.h"
#include "graph/union_find.h"
#include "sim/modes/part.h"

// From the sides of the borders to the equations of a mode.
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;
using flat::BranchId;
using flat::EquationId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// As much memory as a row of a plan takes, in switches of a mode.
constexpr std::int64_t kSwitchesPerRow = 500;

}  // namespace

const std::vector<Truth>& Part::condition_truths(const Sides& sides) {
  std::vector<Truth>& relations = relation_truths_;
  relations.clear();
  for (const Relation& relation : conditions_.relations()) {
    relations.push_back(relation_truth(relation, sides));
  }
  conditions_.evaluate(frame_.data(), relations, truths_);
  return truths_;
}

Truth Part::relation_truth(const Relation& relation, const Sides& sides) const {
  const Side side = side_of(sides, relation.border);
  if (side == Side::None) return Truth::Undefined;
  const int sign = is_open(side) ? 0 : static_cast<int>(side) * relation.orientation;
  return relation_holds(relation.op, sign) ? Truth::True : Truth::False;
}

Truth Part::condition_truth(int condition, const Sides& sides) {
  return conditions_.truth_of(condition,
                              [&](const Relation& r) { return relation_truth(r, sides); });
}

/// Whether the equations of a branch count.
bool Part::is_active(BranchId branch, const Sides& sides) {
  const flat::EquationSet& set = equations_.set;
  const auto truth = [&](std::int32_t b) {
    return condition_truth(guard_conditions_[at(b)], sides);
  };
  while (branch) {
    const flat::Choice& choice = set.choices[set.branches[branch].choice];
    for (std::int32_t b = choice.first; b < branch.index; ++b) {
      if (truth(b) == Truth::True) return false;
    }
    if (truth(branch.index) != Truth::True) return false;
    branch = choice.parent;
  }
  return true;
}

/// An equation with its `if`s as they are on these sides; none if it has no value for that.
ExprId Part::row_on(int equation, const Sides& sides) {
  std::vector<expr::Truth> chosen;
  for (const int c : equation_conditions_[at(equation)]) {
    const Truth truth = condition_truth(c, sides);
    if (truth == Truth::Undefined) continue;
    chosen.push_back({conditions_.condition(c), truth == Truth::True});
  }
  const std::array whole{equations_.set.equations[EquationId{equation}].left};
  const ExprId row = expr::select_branches(workshop_.pool(), whole, chosen)[0];
  return workshop_.pool().has(row, expr::kHasEvented) ? ExprId{} : row;
}

const BorderUses& Part::uses() {
  if (!uses_) {
    uses_.emplace(conditions_, mode_conditions_, guard_conditions_, equation_conditions_);
  }
  return *uses_;
}

Part::PlanResult Part::plan_for(const Sides& sides, bool written_out) {
  const std::vector<Truth>& truths = condition_truths(sides);
  std::vector<char>& key = key_;
  key.clear();
  for (const int c : mode_conditions_) key.push_back(static_cast<char>(truths[at(c)]));
  bool slides = false, has_open = false;
  for (const int b : mode_borders_) {
    const Side side = side_of(sides, b);
    slides = slides || side == Side::Slide || side == Side::Rest;
    has_open = has_open || is_open(side);
  }
  // On both sides of an open border, others decide: `x < y and -x < y` where x = y, by -x < y.
  const auto firm = [&](Side side) { return has_open ? static_cast<int>(side) + 16 : 0; };
  for (const int b : mode_borders_) {
    const Side side = side_of(sides, b);
    key.push_back(static_cast<char>(side == Side::Slide    ? 1
                                    : side == Side::Follow ? 2
                                    : side == Side::Kink   ? 3
                                    : side == Side::Rest   ? 4
                                                           : firm(side)));
    if (side != Side::Follow) continue;
    const Stand follows = sides[at(b)];
    key.push_back(static_cast<char>(follows.orientation()));
    for (int rest = follows.leader(); rest > 0; rest /= 128) {
      key.push_back(static_cast<char>(rest % 128));
    }
    key.push_back(-1);
  }
  // The sides of an open border may differ in what the conditions say of discrete values, though
  // their truths on the border are the same.
  if (has_open) conditions_.append_plain(key);
  Plan* const known = plans_.find(key);
  if (known != nullptr && !(written_out && known->has_switches())) {
    return {plan_at(known, frame_), {}};
  }
  PlanResult result;
  std::vector<char> new_key = key;
  if (!has_open && !written_out && may_switch()) {
    if (Plan* const plan = switched_plan(truths)) {
      plans_.keep(std::move(new_key), *plan);
      return {plan, {}};
    }
  }
  std::optional<ModeEquations> equations =
      slides ? mixed_equations(sides, result.why) : kinked_equations(sides, result.why);
  if (!equations) return result;
  result.plan = plan_with_derivatives(std::move(*equations));
  plans_.keep(std::move(new_key), *result.plan);
  result.plan = plan_at(result.plan, frame_);
  return result;
}

// What is looked back at, what is held, and derivatives in conditions tie equations to modes.
bool Part::may_switch() const {
  return !switches_.empty() && delays_.empty() && equations_.steps.empty() &&
         in_conditions_.empty();
}

// Only plans of the plainest kind have many modes in common: index 0 or 1, in no way singular.
Plan* Part::switched_plan(const std::vector<Truth>& truths) {
  std::vector<std::int32_t> chosen = switches_.chosen(truths);
  if (chosen.empty()) return nullptr;
  std::vector<char> others;
  for (const int c : mode_conditions_) {
    if (!switches_.is_switch[at(c)]) others.push_back(static_cast<char>(truths[at(c)]));
  }
  const PlanCache::Shared shared = plans_.shared(std::move(others));
  if (shared.is_new) {
    std::optional<Diagnostic> unused;
    std::optional<ModeEquations> equations = mode_equations(truths, unused, nullptr, true);
    Plan* const plan = equations ? plan_of(std::move(*equations)) : nullptr;
    if (plan != nullptr && !plan->is_singular() && !plan->is_static() && !plan->can_jump() &&
        plan->equations().checks.empty() && plan->ip().is_square()) {
      shared.plan = plan;
    }
  }
  if (shared.plan == nullptr) return nullptr;
  if (switch_places_.empty()) {
    for (const ExprId leaf : switches_.leaves) switch_places_.push_back(leaves_.place(leaf));
    fit(frame_);
  }
  const auto rows = 1 + static_cast<std::int64_t>(switches_.conditions.size()) / kSwitchesPerRow;
  return &plans_.with_switches(*shared.plan, std::move(chosen), switch_places_, rows, [&] {
    std::vector<char> values;
    for (const int c : switches_.conditions) values.push_back(truths[at(c)] == Truth::True ? 1 : 0);
    return values;
  });
}

void Part::forget_modes() {
  if (plans_.rows() <= workshop_.options.kept_rows || plan_ == nullptr) return;
  const Plan* const first = met_.empty() ? plan_ : met_.front().plan;
  const auto is_kept = [&](const Plan* plan) { return plan == plan_ || plan == first; };
  plans_.evict(*plan_, *first);
  std::erase_if(monitors_, [&](const auto& entry) { return !is_kept(entry.first); });
  std::erase_if(derivatives_, [&](const auto& entry) {
    const ModeEquations* const mode = std::get<0>(entry.first);
    return mode != &plan_->equations() && mode != &first->equations();
  });
  std::erase_if(meetings_, [&](const auto& entry) { return !is_kept(entry.first.first); });
  std::erase_if(met_, [&](const Met& met) { return !is_kept(met.plan); });
  taken_.clear();
  follow_nothing_.clear();
  cheap_.clear();
  steps_of_plan_.clear();
  active_.clear();
}

const ModeEquations* Part::present_equations(std::optional<Diagnostic>& why) {
  return equations_on(sides_here(sides_), why);
}

Sides Part::sides_here(const Sides& on) {
  const std::span<const BorderValue> values = border_values(frame_);
  Sides sides = on;
  for (std::size_t b = 0; b < sides.size(); ++b) {
    if (std::abs(values[b].value) <= values[b].band || std::isnan(values[b].value)) continue;
    sides[b] = values[b].value > 0 ? Side::Plus : Side::Minus;
  }
  return sides;
}

const ModeEquations* Part::equations_on(const Sides& sides, std::optional<Diagnostic>& why) {
  PlanResult result = plan_for(sides);
  why = std::move(result.why);
  if (result.plan == nullptr) return nullptr;
  if (!result.plan->has_switches()) return &result.plan->equations();
  // Others do not have our switches.
  std::optional<ModeEquations> equations = kinked_equations(sides, why);
  return equations ? &plan_of(std::move(*equations))->equations() : nullptr;
}

Plan* Part::plan_of(ModeEquations equations) {
  const graph::Matching none;
  const bool has_hint = plan_ != nullptr && !plan_->is_singular();
  const graph::Matching& hint = has_hint ? plan_->analysis().transversal : none;
  Plan& plan = plans_.plan_of(std::move(equations), hint);
  fit(frame_);  // a new plan may have entered leaves
  return &plan;
}

// Conditions may speak of derivatives that no equation of the mode has, as y' where y = x^2: an
// unknown more for each, with the equation that it is that derivative, and the analysis
// differentiates what it has to.
Plan* Part::plan_with_derivatives(ModeEquations equations) {
  if (in_conditions_.empty()) return plan_of(std::move(equations));
  expr::Pool& pool = workshop_.pool();
  Plan* const plan = plan_of(equations);
  if (plan->is_singular()) return plan;
  const structure::Analysis& analysis = plan->analysis();
  const std::size_t rows = equations.system.rows.size();
  for (std::size_t k = 0; k < in_conditions_.size(); ++k) {
    const VarRef x = in_conditions_[k];
    const int j = analysis.unknown_index(x.var);
    if (j < 0 || analysis.d[at(j)] >= x.order) continue;
    const expr::VarId extra = derivative_in_conditions(k);
    equations.system.rows.push_back(
        expr::sub(pool, expr::variable(pool, extra), expr::variable(pool, x.var, x.order)));
    equations.equations.push_back(-1);
    equations.system.declared.push_back(extra);
  }
  if (equations.system.rows.size() == rows) return plan;
  Plan* const wider = plan_of(std::move(equations));
  return wider->is_singular() ? plan : wider;
}

std::optional<ModeEquations> Part::mode_equations(const std::vector<Truth>& truths,
                                                  std::optional<Diagnostic>& why,
                                                  const Sides* kinks, bool switched) {
  const auto is_open = [&](int condition) {
    if (kinks == nullptr) return false;
    const auto borders = conditions_.borders_of(condition);
    return std::ranges::any_of(borders, [&](int b) { return (*kinks)[at(b)] == Side::Kink; });
  };
  const flat::EquationSet& set = equations_.set;
  BranchId undefined;
  const flat::Activity activity = flat::find_activity(set, [&](BranchId b) {
    const Truth truth = truths[at(guard_conditions_[at(b.index)])];
    if (truth == Truth::Undefined && !undefined) undefined = b;
    return truth == Truth::True;
  });
  if (undefined) {
    why =
        explain_undefined("the guard", set.branches[undefined].guard, set.branches[undefined].span);
    return std::nullopt;
  }
  if (!activity.nowhere.empty()) {
    why = Diagnostic{.code = DiagCode::NoOpenEquations,
                     .span = set.choices[activity.nowhere.front()].span,
                     .message = fmt::format("no alternative of these equations is open at t = {}",
                                            frame_[at(time_place_)]),
                     .help =
                         "one of several alternatives must be open at any time: let the guards "
                         "cover all cases"};
    return std::nullopt;
  }
  ModeEquations mode;
  std::vector<ExprId> rows;
  std::vector<expr::Truth> chosen;
  for (EquationId e{0}; e.index < set.equations.size(); ++e.index) {
    if (!activity.is_active(set.equations[e].branch)) continue;
    mode.equations.push_back(e.index);
    if (switched && switches_.rows[at(e.index)]) {
      rows.push_back(switches_.rows[at(e.index)]);
      continue;
    }
    rows.push_back(set.equations[e].left);
    for (const int c : equation_conditions_[at(e.index)]) {
      if (truths[at(c)] == Truth::Undefined || is_open(c)) continue;
      chosen.push_back({conditions_.condition(c), truths[at(c)] == Truth::True});
    }
  }
  mode.system.rows = expr::select_branches(workshop_.pool(), rows, chosen);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!workshop_.pool().has(mode.system.rows[i], expr::kHasEvented)) continue;
    const auto& mine = equation_conditions_[at(mode.equations[i])];
    if (std::ranges::any_of(mine, is_open)) {
      mode.system.rows[i] = expr::plain_ifs(workshop_.pool(), mode.system.rows[i]);
      continue;
    }
    const auto undefined_one = std::find_if(
        mine.begin(), mine.end(), [&](int c) { return truths[at(c)] == Truth::Undefined; });
    why = explain_undefined(
        "a condition in this equation",
        conditions_.condition(undefined_one == mine.end() ? mine.front() : *undefined_one),
        set.equations[EquationId{mode.equations[i]}].span);
    return std::nullopt;
  }
  mode.system.declared = flat::declared_unknowns(set, activity);
  for (const Contact& contact : contacts_) {
    if (!activity.is_active(set.equations[contact.closed].branch)) continue;
    mode.contacts.push_back({contact.closed.index, contact.restitution});
  }
  set_checks_apart(mode);
  mode.passing = passing_rows(activity, mode);
  return mode;
}

// Not where there are several alternatives: when the guard closes, others take the place of its
// rows.
Part::Passing Part::passing_rows(const flat::Activity& activity, const ModeEquations& mode) const {
  const flat::EquationSet& set = equations_.set;
  std::map<ExprId, std::vector<expr::VarId>> declares;  // by guard, in whatever process it stands
  for (const flat::Unknown& u : set.unknowns) {
    if (!u.branch || u.variable.order > 0 || !activity.is_active(u.branch)) continue;
    const flat::Branch& branch = set.branches[u.branch];
    if (!set.choices[branch.choice].must_open) declares[branch.guard].push_back(u.variable.var);
  }
  if (declares.empty()) return {};
  std::set<expr::VarId> differential;
  for (const VarRef x : expr::incidence(workshop_.pool(), mode.system.rows).entry) {
    if (x.order > 0) differential.insert(x.var);
  }
  std::erase_if(declares, [&](const auto& entry) {
    return std::ranges::none_of(entry.second,
                                [&](expr::VarId v) { return differential.count(v) != 0; });
  });
  std::map<ExprId, std::size_t> groups;  // in the order of their first rows
  Passing passing;
  for (std::size_t i = 0; i < mode.system.rows.size(); ++i) {
    BranchId b = set.equations[EquationId{mode.equations[i]}].branch;
    while (b && declares.count(set.branches[b].guard) == 0) {
      b = set.choices[set.branches[b].choice].parent;
    }
    if (!b) continue;
    const auto [group, is_new] = groups.try_emplace(set.branches[b].guard, passing.size());
    if (is_new) passing.emplace_back();
    passing[group->second].push_back(static_cast<std::int32_t>(i));
  }
  return passing;
}

void Part::set_checks_apart(ModeEquations& mode) const {
  const expr::Pool& pool = workshop_.pool();
  const expr::Incidence incidence = expr::incidence(pool, mode.system.rows);
  std::vector<expr::VarId> unknown = mode.system.declared;
  for (const VarRef x : incidence.entry) {
    if (x.order > 0) unknown.push_back(x.var);
  }
  std::sort(unknown.begin(), unknown.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < mode.system.rows.size(); ++i) {
    const auto row = incidence.row(static_cast<int>(i));
    const bool has_unknown = std::any_of(row.begin(), row.end(), [&](const VarRef x) {
      return std::binary_search(unknown.begin(), unknown.end(), x.var);
    });
    const ExprId expr = mode.system.rows[i];
    if (has_unknown || row.empty() || pool.has(expr, expr::kHasTime | expr::kHasDelay)) {
      mode.system.rows[kept] = expr;
      mode.equations[kept++] = mode.equations[i];
    } else {
      mode.checks.push_back(expr);
      mode.checked_equations.push_back(mode.equations[i]);
    }
  }
  mode.system.rows.resize(kept);
  mode.equations.resize(kept);
}

// Behind the variables of the model: the weights of borders, then derivatives in conditions.
VarRef Part::weight_of(int border) const {
  return {expr::VarId{workshop_.model.variable_slots + border}, 0};
}

expr::VarId Part::derivative_in_conditions(std::size_t k) const {
  return {weight_of(static_cast<int>(conditions_.borders().size() + k)).var};
}

std::string Part::variable_name(VarRef x) const {
  const std::int32_t extra = x.var.index - workshop_.model.variable_slots;
  if (extra < 0) return workshop_.name_of(x);
  const std::span<const Border> borders = conditions_.borders();
  const auto k = static_cast<std::size_t>(extra);
  std::string name;
  if (k < borders.size()) {
    name = fmt::format("share of {} > 0", text(borders[k].difference));
  } else if (k - borders.size() < in_conditions_.size()) {
    name = workshop_.name_of(in_conditions_[k - borders.size()]) + " in conditions";
  } else {
    return workshop_.name_of(x);
  }
  return x.order == 0 ? name : fmt::format("({}){}", name, std::string(at(x.order), '\''));
}

structure::NameOf Part::names() const {
  return {[this](expr::VarId v) {
            return variable_name({v, 0});
          },
          [this](expr::VarId v) {
            const bool is_extra = v.index >= workshop_.model.variable_slots;
            return is_extra ? variable_name({v, 0}) : workshop_.names().written(v);
          }};
}

// The borders that occur together in an equation, with the guards it depends on: groups
// that no equation mixes.
Part::BorderGroups Part::border_groups(const Sides& sides, const std::vector<int>& among) const {
  const flat::EquationSet& set = equations_.set;
  graph::UnionFind groups(static_cast<int>(among.size()));
  const auto place = [&](int border) {
    if (side_of(sides, border) == Side::Follow) border = sides[at(border)].leader();
    const auto found = std::lower_bound(among.begin(), among.end(), border);
    return found != among.end() && *found == border ? static_cast<int>(found - among.begin()) : -1;
  };
  int first = -1;
  const auto join = [&](int condition) {
    for (const int b : conditions_.borders_of(condition)) {
      const int here = place(b);
      if (here < 0) continue;
      if (first >= 0) groups.unite(first, here);
      first = here;
    }
  };
  std::vector<int> member_of(at(set.equations.size()), -1);
  for (EquationId e{0}; e.index < set.equations.size(); ++e.index) {
    first = -1;
    for (const int c : equation_conditions_[at(e.index)]) join(c);
    for (BranchId b = set.equations[e].branch; b; b = set.choices[set.branches[b].choice].parent) {
      const flat::Choice& choice = set.choices[set.branches[b].choice];
      for (std::int32_t k = choice.first; k < choice.first + choice.count; ++k) {
        join(guard_conditions_[at(k)]);
      }
    }
    member_of[at(e.index)] = first;
  }
  BorderGroups result;
  std::map<int, int> numbers;  // of groups, by their root
  for (std::size_t k = 0; k < among.size(); ++k) {
    const auto [number, is_new] = numbers.try_emplace(groups.find(static_cast<int>(k)),
                                                      static_cast<int>(result.borders.size()));
    if (is_new) result.borders.emplace_back();
    result.borders[at(number->second)].push_back(among[k]);
  }
  for (const int member : member_of) {
    result.of_equation.push_back(member < 0 ? -1 : numbers.at(groups.find(member)));
  }
  return result;
}

// Filippov's convex combination of the equations on both sides of each sliding border, with weights
// such that the borders are not left: one more unknown and one more equation 0 = difference for
// each, but for those that rest by the others. Borders that follow one of these are crossed with
// it: they add nothing. Equations that
// differ between the corners are paired (row_pairs.cc).
std::optional<ModeEquations> Part::mixed_equations(const Sides& sides,
                                                   std::optional<Diagnostic>& why) {
  expr::Pool& pool = workshop_.pool();
  std::vector<int> sliding;
  Sides base = sides;
  for (const int b : mode_borders_) {
    if (sides[at(b)] != Side::Slide && sides[at(b)] != Side::Rest) continue;
    sliding.push_back(b);
    base[at(b)] = Side::Minus;
  }
  std::optional<ModeEquations> mixed = kinked_equations(base, why);
  if (!mixed) return std::nullopt;
  const BorderGroups groups = border_groups(sides, sliding);
  std::size_t corners = 1;  // of the largest group
  for (const std::vector<int>& group : groups.borders) {
    if (group.size() > kMostInGroup) return std::nullopt;
    corners = std::max(corners, std::size_t{1} << group.size());
  }
  const std::vector<ExprId> rows = mixed->system.rows;
  std::vector<ExprId> sums(rows.size());
  std::vector<char> differs(rows.size(), 0);
  // No equation has borders of two groups: each corner is visited in all groups at once.
  for (std::size_t corner = 0; corner < corners; ++corner) {
    Sides here = base;
    std::vector<ExprId> weights;
    for (const std::vector<int>& group : groups.borders) {
      ExprId weight = expr::constant(pool, corner < (std::size_t{1} << group.size()) ? 1 : 0);
      for (std::size_t k = 0; k < group.size(); ++k) {
        const bool plus = ((corner >> k) & 1) != 0;
        if (plus) here[at(group[k])] = Side::Plus;
        const ExprId w = expr::variable(pool, weight_of(group[k]).var);
        weight = expr::mul(pool, weight, plus ? w : expr::sub(pool, expr::constant(pool, 1), w));
      }
      weights.push_back(weight);
    }
    std::optional<ModeEquations> one = kinked_equations(here, why);
    if (!one) return std::nullopt;
    if (one->system.rows.size() != rows.size() || one->system.declared != mixed->system.declared) {
      return std::nullopt;  // the sides have different unknowns: there is nothing to combine
    }
    pair_rows(*mixed, *one);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int group = groups.of_equation[at(one->equations[i])];
      if (group != groups.of_equation[at(mixed->equations[i])]) return std::nullopt;
      if (group < 0) continue;
      const ExprId term = expr::mul(pool, weights[at(group)], one->system.rows[i]);
      sums[i] = sums[i] ? expr::add(pool, sums[i], term) : term;
      if (one->system.rows[i] != rows[i]) differs[i] = 1;
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (differs[i]) mixed->system.rows[i] = sums[i];
  }
  for (const int b : sliding) {
    if (sides[at(b)] == Side::Rest) {
      mixed->shares.push_back(weight_of(b));
      continue;
    }
    mixed->system.rows.push_back(differences(sides)[at(b)]);
    mixed->equations.push_back(-1);
    mixed->weights.push_back(weight_of(b));
    mixed->sliding.push_back(b);
  }
  for (const VarRef weight : mixed->weights) mixed->system.declared.push_back(weight.var);
  // Along a surface that decides nothing there is nothing to slide on.
  const std::vector<ExprId> leaves = expr::variables(pool, mixed->system.rows).node;
  for (const VarRef weight : mixed->weights) {
    if (std::ranges::find(leaves, expr::variable(pool, weight.var)) == leaves.end()) {
      return std::nullopt;
    }
  }
  return mixed;
}

}  // namespace chi::sim
